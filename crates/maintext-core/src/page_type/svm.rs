//! The published classifier of list and detail pages: a support vector machine over fifteen standardised features.
use super::features::{FEATURES, features};
use crate::error::Error;
use crate::method::View;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the file's first key says, and its version.
const FORMAT: &str = "maintext page-type svm";
const VERSION: u32 = 1;
/// More support vectors than a model needs that answers at once.
const MAX_VECTORS: usize = 100_000;

/// How two pages are compared.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "name")]
pub enum Kernel {
    /// `x · y`
    Linear,
    /// `exp(-gamma |x - y|²)`
    Rbf {
        /// How fast likeness falls with distance.
        gamma: f32,
    },
}

impl Kernel {
    /// The likeness of two rows of features.
    pub fn of(&self, x: &[f32], y: &[f32]) -> f64 {
        let pairs = || x.iter().zip(y).map(|(a, b)| (f64::from(*a), f64::from(*b)));
        match self {
            Kernel::Linear => pairs().map(|(a, b)| a * b).sum(),
            Kernel::Rbf { gamma } => (-f64::from(*gamma) * pairs().map(|(a, b)| (a - b) * (a - b)).sum::<f64>()).exp(),
        }
    }
}

/// What the classifier says of a page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ListOrDetail {
    /// `list` or `detail`.
    pub page_type: &'static str,
    /// The probability of each; they sum to 1.
    pub probabilities: BTreeMap<&'static str, f32>,
    /// The probability that the page is a list.
    pub list: f32,
    /// Distance from the border between the two, in the kernel's space; lists are positive.
    pub decision: f32,
}

/// A trained support vector machine.
///
/// ```
/// use maintext_core::{blocks::Blocks, dom, method::View, page_type::svm::Svm};
/// let html: String = (0..30).map(|i| format!("<li><a href=/{i}>The title of a story, number {i}</a></li>")).collect();
/// let dom = dom::parse(&html, &Default::default());
/// let blocks = Blocks::new(&dom);
/// let said = Svm::shipped()?.classify(&View { source: &html, dom: &dom, blocks: &blocks, url: None });
/// assert_eq!(said.page_type, "list");
/// # Ok::<(), maintext_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Svm {
    format: String,
    version: u32,
    /// Names of the features.
    pub features: Vec<String>,
    /// Mean and standard deviation of each feature; the machine sees `(x - mean) / deviation`.
    pub scale: Vec<[f32; 2]>,
    /// How pages are compared.
    pub kernel: Kernel,
    /// The penalty of pages on the wrong side that it was trained with.
    pub c: f32,
    /// Support vectors, standardised.
    pub vectors: Vec<Vec<f32>>,
    /// Their weights: positive for lists.
    pub weights: Vec<f32>,
    /// What is added to the weighted sum.
    pub bias: f32,
    /// Platt's sigmoid: the probability of a list is `1 / (1 + exp(a * decision + b))`.
    pub sigmoid: [f32; 2],
    /// What it was trained on, in words.
    pub about: String,
    checksum: String,
}

impl Svm {
    /// A machine from its parts; `sigmoid` and `about` are for the caller to set.
    pub fn new(
        scale: Vec<[f32; 2]>,
        kernel: Kernel,
        c: f32,
        vectors: Vec<Vec<f32>>,
        weights: Vec<f32>,
        bias: f32,
    ) -> Svm {
        Svm {
            format: FORMAT.into(),
            version: VERSION,
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

    /// The model that is shipped inside the library.
    ///
    /// # Errors
    /// [`Error::BadModel`] if the library was built with a damaged model.
    pub fn shipped() -> Result<Svm, Error> {
        Svm::from_json(include_str!("../../models/page-type-svm.json"))
    }

    /// Features as the machine sees them.
    pub fn standardized(&self, values: &[f64; FEATURES.len()]) -> Vec<f32> {
        values.iter().zip(&self.scale).map(|(x, [mean, sd])| (*x as f32 - mean) / sd).collect()
    }

    /// Distance from the border; lists are positive.
    pub fn decision(&self, standardized: &[f32]) -> f64 {
        let sum: f64 =
            self.vectors.iter().zip(&self.weights).map(|(v, w)| f64::from(*w) * self.kernel.of(v, standardized)).sum();
        sum + f64::from(self.bias)
    }

    /// Whether a page is a list or a detail page.
    pub fn classify(&self, view: &View<'_>) -> ListOrDetail {
        let decision = self.decision(&self.standardized(&features(view))) as f32;
        let [a, b] = self.sigmoid;
        let list = 1.0 / (1.0 + (a * decision + b).exp());
        ListOrDetail {
            page_type: if decision > 0.0 { "list" } else { "detail" },
            probabilities: BTreeMap::from([("list", list), ("detail", 1.0 - list)]),
            list,
            decision,
        }
    }

    /// The file.
    pub fn to_json(&self) -> String {
        let mut sealed = self.clone();
        sealed.checksum = self.sum();
        serde_json::to_string(&sealed).unwrap_or_default() + "\n"
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`Error::BadModel`] if the text is no model of this kind, damaged, or of another version.
    pub fn from_json(json: &str) -> Result<Svm, Error> {
        let bad = |m: String| Error::BadModel(m);
        let head: serde_json::Value =
            serde_json::from_str(json).map_err(|e| bad(format!("this is no whole maintext model ({e})")))?;
        if head["format"] != FORMAT {
            return Err(bad(format!("this is not a '{FORMAT}'")));
        }
        if head["version"] != VERSION {
            return Err(bad(format!(
                "version {} of the format; this program reads version {VERSION}",
                head["version"]
            )));
        }
        let svm: Svm = serde_json::from_str(json).map_err(|e| bad(format!("the file is damaged ({e})")))?;
        if svm.checksum != svm.sum() {
            return Err(bad("the file is damaged: its checksum does not fit".into()));
        }
        svm.check().map_err(bad)?;
        Ok(svm)
    }

    fn check(&self) -> Result<(), String> {
        if self.features != FEATURES {
            return Err("the model takes other features than this program computes".into());
        }
        let width = FEATURES.len();
        if self.scale.len() != width || self.scale.iter().any(|[m, sd]| !m.is_finite() || !sd.is_normal()) {
            return Err("the scale does not fit the features".into());
        }
        let finite = |x: &f32| x.is_finite();
        let rows = self.vectors.len() == self.weights.len() && self.vectors.len() <= MAX_VECTORS;
        if !rows || self.vectors.iter().any(|v| v.len() != width || !v.iter().all(finite)) {
            return Err("the support vectors do not fit the features".into());
        }
        let numbers = self.weights.iter().chain(&self.sigmoid).chain([&self.bias]);
        if !numbers.into_iter().all(finite)
            || matches!(self.kernel, Kernel::Rbf { gamma } if gamma.is_nan() || gamma < 0.0)
        {
            return Err("a weight is no number".into());
        }
        Ok(())
    }

    /// FNV-1a over the file without its checksum.
    fn sum(&self) -> String {
        let plain = Svm { checksum: String::new(), ..self.clone() };
        let json = serde_json::to_string(&plain).unwrap_or_default();
        format!("{:016x}", crate::hash::of64(json.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::Blocks;

    fn svm(kernel: Kernel) -> Svm {
        let scale = vec![[0.5, 2.0]; FEATURES.len()];
        let row = |x: f32| (0..FEATURES.len()).map(|i| if i == 0 { x } else { 0.0 }).collect::<Vec<f32>>();
        Svm::new(scale, kernel, 2.0, vec![row(1.0), row(-1.0)], vec![0.5, -0.25], 0.125)
    }

    #[test]
    fn the_decision_by_hand() {
        let mut x = vec![0.0; FEATURES.len()];
        x[0] = 2.0;
        // 0.5 * 2 - 0.25 * -2 + 0.125
        assert!((svm(Kernel::Linear).decision(&x) - 1.625).abs() < 1e-6);
        // 0.5 exp(-1) - 0.25 exp(-9) + 0.125
        let by_hand = 0.5 * (-1.0f64).exp() - 0.25 * (-9.0f64).exp() + 0.125;
        assert!((svm(Kernel::Rbf { gamma: 1.0 }).decision(&x) - by_hand).abs() < 1e-6);
    }

    #[test]
    fn a_file_reads_back_as_it_was_and_damage_is_seen() {
        let json = svm(Kernel::Rbf { gamma: 0.052_556_027 }).to_json();
        assert_eq!(Svm::from_json(&json).unwrap().to_json(), json);
        let refused = |s: &str| Svm::from_json(s).unwrap_err().to_string();
        assert!(refused(&json.replace("0.125", "0.25")).contains("checksum"));
        assert!(refused(&json.replace("\"version\":1", "\"version\":7")).contains("version 7"));
        assert!(refused(&json[..json.len() / 2]).contains("no whole maintext model"));
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
        let dom = crate::dom::parse(&html, &Default::default());
        let blocks = Blocks::new(&dom);
        let said = Svm::shipped().unwrap().classify(&View { source: &html, dom: &dom, blocks: &blocks, url: None });
        assert_eq!(said.page_type, "detail", "{said:?}");
        assert!((said.probabilities.values().sum::<f32>() - 1.0).abs() < 1e-6);
    }
}
