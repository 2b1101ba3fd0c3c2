//! Bytes to text.
