//! Tests of the service over HTTP.
mod assets;
mod compat;
mod fair;
mod fetching;
mod holders;
mod jobs;
mod limits;
mod mcp;
mod operation;
mod playground;
mod representation;
mod service;
mod strict;
mod support;
mod teach;
