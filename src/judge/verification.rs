//! (judge room)
