//! One file per field: its candidates, or its statements in order of trust.
pub(super) mod author;
mod bylines;
pub(super) mod date;
mod elsewhere;
pub(super) mod given;
pub(super) mod image;
pub(super) mod language;
mod person;
pub(super) mod site;
mod surroundings;
pub(super) mod tags;
pub(super) mod title;
