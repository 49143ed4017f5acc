//! The same trials answered by people.
