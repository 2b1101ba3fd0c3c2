//! Tests of the formats of inputs.
mod formats;
mod hostile;
mod make;
