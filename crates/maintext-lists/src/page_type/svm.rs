//! The published classifier of list and detail pages: a support vector machine over fifteen standardised features.
use super::features::{FEATURES, features};
use maintext_reading::error::Error;
use maintext_reading::method::View;
use maintext_reading::model::sealed::Sealed;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Maximum number of support vectors that are accepted; more would make the classifier slow.
const MAX_VECTORS: usize = 100_000;

/// The kernel, which compares two pages.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "name")]
pub enum Kernel {
    /// `x · y`
    Linear,
    /// `exp(-gamma |x - y|²)`
    Rbf {
        /// How fast similarity falls with distance.
        gamma: f32,
    },
}

impl Kernel {
    /// Returns the similarity of two rows of features.
    pub fn of(&self, x: &[f32], y: &[f32]) -> f64 {
        match self {
            Kernel::Linear => x.iter().zip(y).map(|(a, b)| (f64::from(*a), f64::from(*b))).map(|(a, b)| a * b).sum(),
            Kernel::Rbf { gamma } => libm::exp(
                -f64::from(*gamma)
                    * x.iter()
                        .zip(y)
                        .map(|(a, b)| (f64::from(*a), f64::from(*b)))
                        .map(|(a, b)| (a - b) * (a - b))
                        .sum::<f64>(),
            ),
        }
    }
}

/// The classifier's answer for a page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ListOrDetail {
    /// `list` or `detail`.
    pub page_type: &'static str,
    /// The probabilities of `list` and `detail`; they sum to 1.
    pub probabilities: BTreeMap<&'static str, f32>,
    /// The probability that the page is a list.
    pub list: f32,
    /// Signed distance from the decision boundary, in the kernel's space; positive for lists.
    pub decision: f32,
}

/// A trained support vector machine.
///
/// ```
/// use maintext_lists::page_type::svm::Svm;
/// use maintext_page::{blocks::Blocks, dom};
/// use maintext_reading::View;
/// let html: String = (0..30).map(|i| format!("<li><a href=/{i}>The title of a story, number {i}</a></li>")).collect();
/// let dom = dom::parse(&html, &Default::default());
/// let blocks = Blocks::new(&dom);
/// let answer = Svm::shipped()?.classify(&View { source: &html, dom: &dom, blocks: &blocks, url: None });
/// assert_eq!(answer.page_type, "list");
/// # Ok::<(), maintext_reading::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Svm {
    format: String,
    version: u32,
    /// The names of the features.
    pub features: Vec<String>,
    /// Mean and standard deviation of each feature; the input is `(x - mean) / deviation`.
    pub scale: Vec<[f32; 2]>,
    /// The kernel.
    pub kernel: Kernel,
    /// The penalty for misclassified pages in training.
    pub c: f32,
    /// Support vectors, standardised.
    pub vectors: Vec<Vec<f32>>,
    /// The weights of the support vectors: positive for lists.
    pub weights: Vec<f32>,
    /// The constant of the decision function.
    pub bias: f32,
    /// Platt's sigmoid: the probability of a list is `1 / (1 + exp(a * decision + b))`.
    pub sigmoid: [f32; 2],
    /// A description of the training data.
    pub about: String,
    checksum: String,
}

impl Svm {
    /// Builds a machine from its parts; the caller sets `sigmoid` and `about`.
    pub fn new(
        scale: Vec<[f32; 2]>,
        kernel: Kernel,
        c: f32,
        vectors: Vec<Vec<f32>>,
        weights: Vec<f32>,
        bias: f32,
    ) -> Svm {
        Svm {
            format: Svm::FORMAT.into(),
            version: Svm::VERSION,
            features: FEATURES.map(str::to_owned).to_vec(),
            scale,
            kernel,
            c,
            vectors,
            weights,
            bias,
            sigmoid: [-1.0, 0.0],
            about: String::new(),
            checksum: String::new(),
        }
    }

    /// Returns the model inside the library.
    ///
    /// # Errors
    /// [`Error::BadModel`] if the library was built with a damaged model.
    pub fn shipped() -> Result<Svm, Error> {
        Svm::from_json(include_str!("../../models/page-type-svm.json"))
    }

    /// Returns the features standardised for the machine.
    pub fn standardized(&self, values: &[f64; FEATURES.len()]) -> Vec<f32> {
        values.iter().zip(&self.scale).map(|(x, [mean, sd])| (*x as f32 - mean) / sd).collect()
    }

    /// Returns the signed distance from the decision boundary; positive for lists.
    pub fn decision(&self, standardized: &[f32]) -> f64 {
        let sum: f64 =
            self.vectors.iter().zip(&self.weights).map(|(v, w)| f64::from(*w) * self.kernel.of(v, standardized)).sum();
        sum + f64::from(self.bias)
    }

    /// Classifies a page as list or detail page.
    pub fn classify(&self, view: &View<'_>) -> ListOrDetail {
        let decision = self.decision(&self.standardized(&features(view))) as f32;
        let [a, b] = self.sigmoid;
        let list = 1.0 / (1.0 + maintext_page::num::exp(a * decision + b));
        ListOrDetail {
            page_type: if decision > 0.0 { "list" } else { "detail" },
            probabilities: BTreeMap::from([("list", list), ("detail", 1.0 - list)]),
            list,
            decision,
        }
    }

    /// Returns the model as JSON, with its checksum.
    pub fn to_json(&self) -> String {
        self.write()
    }

    /// Reads a model from JSON.
    ///
    /// # Errors
    /// [`Error::BadModel`] if the text is not a model of this kind, is damaged, or has another version.
    pub fn from_json(json: &str) -> Result<Svm, Error> {
        Svm::read(json).map_err(Error::BadModel)
    }
}

impl Sealed for Svm {
    const FORMAT: &'static str = "maintext page-type svm";
    const VERSION: u32 = 1;

    fn checksum(&mut self) -> &mut String {
        &mut self.checksum
    }

    fn check(&self) -> Result<(), String> {
        if self.features != FEATURES {
            return Err("the model's features are not those that this program computes".into());
        }
        let width = FEATURES.len();
        if self.scale.len() != width || self.scale.iter().any(|[m, sd]| !m.is_finite() || !sd.is_normal()) {
            return Err("the number of scales does not match the number of features".into());
        }
        let rows = self.vectors.len() == self.weights.len() && self.vectors.len() <= MAX_VECTORS;
        if !rows || self.vectors.iter().any(|v| v.len() != width || !v.iter().all(|x| x.is_finite())) {
            return Err("the support vectors do not match the features".into());
        }
        let numbers = self.weights.iter().chain(&self.sigmoid).chain([&self.bias]);
        if !numbers.into_iter().all(|x| x.is_finite())
            || matches!(self.kernel, Kernel::Rbf { gamma } if gamma.is_nan() || gamma < 0.0)
        {
            return Err("a number of the model is not finite".into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use maintext_page::blocks::Blocks;

    fn svm(kernel: Kernel) -> Svm {
        let scale = vec![[0.5, 2.0]; FEATURES.len()];
        let row = |x: f32| (0..FEATURES.len()).map(|i| if i == 0 { x } else { 0.0 }).collect::<Vec<f32>>();
        Svm::new(scale, kernel, 2.0, vec![row(1.0), row(-1.0)], vec![0.5, -0.25], 0.125)
    }

    #[test]
    fn the_decision_matches_values_computed_by_hand() {
        let mut x = vec![0.0; FEATURES.len()];
        x[0] = 2.0;
        // 0.5 * 2 - 0.25 * -2 + 0.125
        assert!((svm(Kernel::Linear).decision(&x) - 1.625).abs() < 1e-6);
        // 0.5 exp(-1) - 0.25 exp(-9) + 0.125
        let by_hand = 0.5 * (-1.0f64).exp() - 0.25 * (-9.0f64).exp() + 0.125;
        assert!((svm(Kernel::Rbf { gamma: 1.0 }).decision(&x) - by_hand).abs() < 1e-6);
    }

    #[test]
    fn a_file_reads_back_unchanged_and_damage_is_detected() {
        let json = svm(Kernel::Rbf { gamma: 0.052_556_027 }).to_json();
        assert_eq!(Svm::from_json(&json).unwrap().to_json(), json);
        let refused = |s: &str| Svm::from_json(s).unwrap_err().to_string();
        assert!(refused(&json.replace("0.125", "0.25")).contains("checksum"));
        assert!(refused(&json.replace("\"version\":1", "\"version\":7")).contains("version 7"));
        assert!(refused(&json[..json.len() / 2]).contains("cut short"));
        assert!(refused("{\"format\": \"maintext line model\"}").contains("not a 'maintext page-type svm'"));
        let mut short = svm(Kernel::Linear);
        short.vectors[1].pop();
        assert!(refused(&short.to_json()).contains("support vectors"));
    }

    #[test]
    fn an_article_is_a_detail_page() {
        let html = format!(
            "<title>Two herons</title><article><h1>Two herons</h1>{}</article>",
            "<p>We left early, and the road was empty. Nobody spoke until the hills, where the fog lifted.</p>"
                .repeat(20)
        );
        let dom = maintext_page::dom::parse(&html, &Default::default());
        let blocks = Blocks::new(&dom);
        let answer = Svm::shipped().unwrap().classify(&View { source: &html, dom: &dom, blocks: &blocks, url: None });
        assert_eq!(answer.page_type, "detail", "{answer:?}");
        assert!((answer.probabilities.values().sum::<f32>() - 1.0).abs() < 1e-6);
    }
}
