//! Trains the content model, and teaches it the pages of one site; an implementation detail without a promise of stability.
//!
//! [`learned`] trains the forest and the [`network`], [`gbdt`] boosts trees, [`align`] makes labels from gold text, [`site`] extends the
//! shipped model with corrections on a few pages, and [`inspect`] shows a method's view of a page.
#![forbid(unsafe_code)]

pub mod align;
pub mod gbdt;
pub mod hash;
pub mod inspect;
pub mod learned;
pub mod network;
pub mod rows;
pub mod site;
