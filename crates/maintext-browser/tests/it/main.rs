//! Tests of the browser from outside.
#![cfg(unix)]

mod in_chromium;
mod visibility;
