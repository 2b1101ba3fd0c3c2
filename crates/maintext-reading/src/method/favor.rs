//! The kind of error to avoid, and its effects.
use serde::{Deserialize, Serialize};

/// The kind of error to avoid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Favor {
    /// Neither: the best F1.
    #[default]
    Balance,
    /// Avoids boilerplate, even if some content is lost.
    Precision,
    /// Avoids losing content, even if some boilerplate is kept.
    Recall,
}

/// For precision, blocks below this probability are dropped from the choice of the content model.
const PRECISION_THRESHOLD: f32 = 0.6;
/// For recall, blocks above this probability are added to it.
const RECALL_THRESHOLD: f32 = 0.12;

impl Favor {
    /// The names of the kinds.
    pub const NAMES: [&str; 3] = ["balance", "precision", "recall"];

    /// Whether a block is kept, given the content model's choice and its probability of being content.
    pub fn keeps(self, chosen: bool, probability: f32) -> bool {
        match self {
            Favor::Balance => chosen,
            Favor::Precision => chosen && probability > PRECISION_THRESHOLD,
            Favor::Recall => chosen || probability > RECALL_THRESHOLD,
        }
    }

    /// Returns a threshold of scores, `shift` higher for precision and lower for recall.
    pub fn shifted(self, threshold: f32, shift: f32) -> f32 {
        match self {
            Favor::Balance => threshold,
            Favor::Precision => threshold + shift,
            Favor::Recall => threshold - shift,
        }
    }

    /// Returns a threshold of scores, `factor` times higher for precision and lower for recall.
    pub fn scaled(self, threshold: f32, factor: f32) -> f32 {
        match self {
            Favor::Balance => threshold,
            Favor::Precision => threshold * factor,
            Favor::Recall => threshold / factor,
        }
    }

    /// Returns the maximum link density of a block: half for precision, any for recall.
    pub fn max_link_density(self, balanced: f32) -> f32 {
        match self {
            Favor::Balance => balanced,
            Favor::Precision => balanced / 2.0,
            Favor::Recall => 1.0,
        }
    }

    /// Whether comments of readers and further articles of an endless page are taken out of the choice.
    pub fn sets_apart(self) -> bool {
        self != Favor::Recall
    }
}
