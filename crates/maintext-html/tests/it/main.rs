//! Tests of the parser from outside.
mod api;
mod differential;
mod html5lib;
mod linear;
mod pages;
mod support;
mod tree;
