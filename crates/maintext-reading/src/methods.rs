//! The registry of methods: finds a method by name and sets the parameters that a command line or a configuration gives.
use crate::classic::{self, DensityStatistics, Fdr, LineBlocks, LineDensity, LineModel, MarkupRatio};
use crate::error::Error;
use crate::method::{Method, NAMES};
use crate::model::{Learned, Weights};
use std::sync::Arc;

/// The perceptron of `line-density`; MODEL_CARD.md describes its training data.
const PERCEPTRON: &str = include_str!("../models/line-density-perceptron.json");

/// The network of `markup-ratio`.
const MLP: &str = include_str!("../models/markup-ratio-mlp.json");

/// The method of an extractor.
pub enum Chosen {
    /// The learned method, which can also use the similarities of the pages of a site.
    Learned(Arc<Learned>),
    /// Any other method.
    Other(Box<dyn Method>),
}

impl Chosen {
    /// Returns the method behind its interface.
    pub fn method(&self) -> &dyn Method {
        match self {
            Chosen::Learned(model) => model,
            Chosen::Other(method) => &**method,
        }
    }
}

fn unknown(name: &str) -> Error {
    Error::UnknownMethod { name: name.to_owned(), known: NAMES }
}

/// Parameters of a method. Unset parameters keep their published values; setting a parameter that the method does not have is an error.
///
/// ```
/// use maintext_reading::methods::Parameters;
/// let method = Parameters { threshold: Some(0.4), ..Default::default() }.method("line-density")?;
/// assert_eq!(method.name(), "line-density");
/// let e = Parameters { k: Some(3), ..Default::default() }.method("line-density").err().unwrap();
/// assert_eq!(e.to_string(), "the method 'line-density' has no parameter 'k'");
/// # Ok::<(), maintext_reading::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// The threshold of the scores: for `line-density`, `markup-ratio`, `density-statistics` and their classifiers.
    pub threshold: Option<f32>,
    /// Lines per group of `line-blocks`.
    pub k: Option<usize>,
    /// Whether `markup-ratio` averages over five lines.
    pub smoothing: bool,
    /// `perceptron` (`line-density`) or `mlp` (`markup-ratio`) instead of the threshold: the model of [`Parameters::model`], or the
    /// shipped one.
    pub classifier: Option<String>,
    /// Contents of a model file for `line-density` or `markup-ratio`.
    pub model: Option<String>,
    /// A model for `learned` that replaces the shipped one.
    pub weights: Option<Weights>,
    /// Largest expected share of boilerplate in the kept words, for methods that give probabilities.
    pub fdr: Option<f32>,
}

impl Parameters {
    /// Whether no parameter is set.
    pub fn is_default(&self) -> bool {
        *self == Parameters::default()
    }

    /// Returns the method of that name with these parameters, and otherwise with its published parameters or its shipped weights.
    ///
    /// # Errors
    /// The method does not exist, it does not have one of the parameters, or the model does not fit it.
    pub fn method(&self, name: &str) -> Result<Box<dyn Method>, Error> {
        self.choose(name).map(|chosen| match chosen {
            Chosen::Learned(model) => Box::new(model),
            Chosen::Other(method) => method,
        })
    }

    /// Chooses the method of that name with these parameters.
    pub fn choose(&self, name: &str) -> Result<Chosen, Error> {
        if !NAMES.contains(&name) {
            return Err(unknown(name));
        }
        self.check(name)?;
        let classifier = self.classifier(name)?;
        let method: Box<dyn Method> = match (name, classifier) {
            ("line-density", Some(model)) => Box::new(LineDensity::with_model(model)?),
            ("line-density", None) => {
                let mut method = LineDensity::default();
                method.threshold = self.threshold.unwrap_or(method.threshold);
                Box::new(method)
            }
            ("markup-ratio", Some(model)) => Box::new(MarkupRatio::with_model(model)?),
            ("markup-ratio", None) => {
                let mut method = MarkupRatio::default();
                method.threshold = self.threshold.unwrap_or(method.threshold);
                method.smoothing = self.smoothing;
                Box::new(method)
            }
            ("line-blocks", _) => Box::new(LineBlocks { k: self.k.unwrap_or(1) }),
            ("density-statistics", _) => Box::new(DensityStatistics { threshold: self.threshold }),
            ("learned", _) => {
                let model = self.weights.as_ref().map_or_else(Learned::shipped, |weights| Ok(weights.learned()))?;
                if self.fdr.is_none() {
                    return Ok(Chosen::Learned(model));
                }
                Box::new(model)
            }
            _ => classic::method(name).ok_or_else(|| unknown(name))?,
        };
        Ok(Chosen::Other(match self.fdr {
            Some(alpha) => Box::new(Fdr::new(method, alpha)?),
            None => method,
        }))
    }

    fn check(&self, name: &str) -> Result<(), Error> {
        let classifies = name == "line-density" || name == "markup-ratio";
        let wrong = [
            ("threshold", self.threshold.is_some() && !classifies && name != "density-statistics"),
            ("k", self.k.is_some() && name != "line-blocks"),
            ("smoothing", self.smoothing && name != "markup-ratio"),
            ("classifier", self.classifier.is_some() && !classifies),
            ("model", (self.model.is_some() && !classifies) || (self.weights.is_some() && name != "learned")),
        ];
        match wrong.iter().find(|w| w.1) {
            Some((parameter, _)) => {
                Err(Error::Unsupported(format!("the method '{name}' has no parameter '{parameter}'")))
            }
            None if self.k == Some(0) => Err(Error::Unsupported("the parameter k must be at least 1".into())),
            None => Ok(()),
        }
    }

    fn classifier(&self, name: &str) -> Result<Option<LineModel>, Error> {
        let own = if name == "line-density" { "perceptron" } else { "mlp" };
        if let Some(other) = self.classifier.as_deref().filter(|c| *c != own) {
            return Err(Error::Unsupported(format!("the classifier of '{name}' is '{own}', not '{other}'")));
        }
        let json = match (&self.model, &self.classifier) {
            (Some(json), _) => json.as_str(),
            (None, Some(_)) => shipped(name),
            (None, None) => return Ok(None),
        };
        let mut model = LineModel::from_json(json)?;
        if let Some(threshold) = self.threshold {
            model.threshold = threshold;
        }
        Ok(Some(model))
    }
}

fn shipped(name: &str) -> &'static str {
    if name == "line-density" { PERCEPTRON } else { MLP }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_classifiers_load() {
        for (name, classifier) in [("line-density", "perceptron"), ("markup-ratio", "mlp")] {
            let p = Parameters { classifier: Some(classifier.into()), fdr: Some(0.05), ..Default::default() };
            assert!(p.method(name).unwrap().gives_probabilities());
            let other = if name == "line-density" { "markup-ratio" } else { "line-density" };
            assert!(p.method(other).is_err());
            let p = Parameters { model: Some(shipped(name).into()), ..Default::default() };
            assert!(p.method(other).err().unwrap().to_string().contains("the model is for the method"));
        }
    }

    #[test]
    fn parameters_of_other_methods_are_refused() {
        let set = |f: fn(&mut Parameters)| {
            let mut p = Parameters::default();
            f(&mut p);
            p
        };
        assert!(set(|p| p.threshold = Some(0.5)).method("text-density").is_err());
        assert!(set(|p| p.smoothing = true).method("line-blocks").is_err());
        assert!(set(|p| p.fdr = Some(0.05)).method("line-density").is_err());
        assert!(set(|p| p.fdr = Some(0.05)).method("density-statistics").is_ok());
        assert!(set(|p| p.k = Some(0)).method("line-blocks").is_err());
        assert!(set(|p| p.k = Some(2)).method("line-blocks").is_ok());
        assert!(matches!(Parameters::default().method("magic"), Err(Error::UnknownMethod { .. })));
    }
}
