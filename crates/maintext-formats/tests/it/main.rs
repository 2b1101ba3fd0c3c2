//! Tests of the formats of inputs.
mod flips;
mod formats;
mod hostile;
mod make;
