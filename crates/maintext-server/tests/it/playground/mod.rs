//! Tests of the playground.
mod in_chromium;
