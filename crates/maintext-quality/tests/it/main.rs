//! Tests of filters and masks.
mod masks;
mod rules;
