//! A picture that goes with a message, for models that see.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A picture. Of it a call's key and record hold the digest alone; a run keeps the file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Picture {
    /// Hexadecimal BLAKE3 of the PNG, 64 characters.
    pub digest: String,
    #[serde(skip)]
    png: Arc<Vec<u8>>,
}

impl Picture {
    /// A picture from the bytes of a PNG file.
    pub fn new(png: Vec<u8>) -> Self {
        Self {
            digest: blake3::hash(&png).to_hex().to_string(),
            png: Arc::new(png),
        }
    }

    /// The bytes of the PNG file; empty in a record that was read back.
    pub fn png(&self) -> &[u8] {
        &self.png
    }
}

impl fmt::Debug for Picture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Picture({}, {} bytes)", self.digest, self.png.len())
    }
}
