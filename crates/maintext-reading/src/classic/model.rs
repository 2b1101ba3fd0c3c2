//! The classifiers of the line methods: a feed-forward network over a line and its neighbours, and its file format.
//!
//! A model is a small JSON file with the method that it belongs to, a version and a checksum. A file that is truncated, damaged, of
//! another version or for another method is refused with a message that gives the reason.
use crate::error::Error;
use crate::method::Lines;
use crate::model::interpolate;
use crate::model::sealed::Sealed;
use maintext_page::num;
use serde::{Deserialize, Serialize};

/// Maximum number of inputs, layers or units: more than any published configuration needs, as a guard against foreign files.
const MAX_UNITS: usize = 1024;

/// One layer of a network: `outputs = f(weights * inputs + bias)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Layer {
    /// One row per unit, one column per input.
    pub weights: Vec<Vec<f32>>,
    /// One value per unit.
    pub bias: Vec<f32>,
}

/// A feed-forward network with one output. Hidden units are hyperbolic tangents; the output is
/// `(1 + tanh(x / 2)) / 2 = 1 / (1 + exp(-x))`, a probability. Without hidden layers it is a single-layer perceptron.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Network {
    /// The hidden layers and the output layer.
    pub layers: Vec<Layer>,
}

impl Network {
    /// Returns the output for one row of inputs, 0 to 1.
    ///
    /// ```
    /// use maintext_reading::classic::model::{Layer, Network};
    /// // tanh(1 * 0.5 - 0.5) = 0, and 1 / (1 + exp(-(2 * 0 + 0))) = 0.5.
    /// let hidden = Layer { weights: vec![vec![1.0]], bias: vec![-0.5] };
    /// let output = Layer { weights: vec![vec![2.0]], bias: vec![0.0] };
    /// assert_eq!(Network { layers: vec![hidden, output] }.run(&[0.5]), 0.5);
    /// ```
    pub fn run(&self, inputs: &[f32]) -> f32 {
        let mut values = inputs.to_vec();
        let last = self.layers.len().saturating_sub(1);
        for (i, layer) in self.layers.iter().enumerate() {
            values = layer
                .weights
                .iter()
                .zip(&layer.bias)
                .map(|(row, b)| {
                    let x: f32 = row.iter().zip(&values).map(|(w, v)| w * v).sum::<f32>() + b;
                    if i == last { 1.0 / (1.0 + num::exp(-x)) } else { num::tanh(x) }
                })
                .collect();
        }
        values.first().copied().unwrap_or(0.0)
    }

    /// Returns the sizes of the hidden layers, for example `[7, 7, 3]`.
    pub fn hidden(&self) -> Vec<usize> {
        let n = self.layers.len().saturating_sub(1);
        self.layers[..n].iter().map(|l| l.bias.len()).collect()
    }

    /// Checks that each layer fits the one before it and that all weights are finite.
    fn check(&self, inputs: usize) -> Result<(), String> {
        let mut width = inputs;
        for (i, layer) in self.layers.iter().enumerate() {
            let units = layer.bias.len();
            if units == 0 || units > MAX_UNITS || layer.weights.len() != units {
                return Err(format!("layer {} has {} rows of weights for {units} units", i + 1, layer.weights.len()));
            }
            if let Some(row) = layer.weights.iter().find(|r| r.len() != width) {
                return Err(format!("layer {} takes {} inputs where there are {width}", i + 1, row.len()));
            }
            if layer.weights.iter().flatten().chain(&layer.bias).any(|w| !w.is_finite()) {
                return Err(format!("layer {} has a weight that is not a finite number", i + 1));
            }
            width = units;
        }
        if width != 1 || self.layers.is_empty() {
            return Err(format!("the network has {width} outputs instead of 1"));
        }
        Ok(())
    }
}

/// A trained classifier of lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineModel {
    format: String,
    version: u32,
    /// The method that it belongs to: `line-density` or `markup-ratio`.
    pub method: String,
    /// `perceptron` or `mlp`.
    pub classifier: String,
    /// The site that it was trained for, if it was trained for one.
    pub site: Option<String>,
    /// Names of the inputs.
    pub inputs: Vec<String>,
    /// Mean and standard deviation of each input; the network sees `(x - mean) / deviation`.
    pub scale: Vec<[f32; 2]>,
    /// The network.
    pub network: Network,
    /// Lines with a larger output are content.
    pub threshold: f32,
    /// Maps outputs to probabilities: points (output, share of content words among lines with that output), rising. Empty: the output itself.
    pub calibration: Vec<[f32; 2]>,
    /// A description of its training data and its training.
    pub about: String,
    checksum: String,
}

impl LineModel {
    /// Returns an uncalibrated model with threshold 0.5.
    pub fn new(method: &str, classifier: &str, inputs: &[&str], scale: Vec<[f32; 2]>, network: Network) -> LineModel {
        LineModel {
            format: LineModel::FORMAT.into(),
            version: LineModel::VERSION,
            method: method.into(),
            classifier: classifier.into(),
            site: None,
            inputs: inputs.iter().map(|s| s.to_string()).collect(),
            scale,
            network,
            threshold: 0.5,
            calibration: Vec::new(),
            about: String::new(),
            checksum: String::new(),
        }
    }

    /// Returns the network's output for a row of inputs, before calibration.
    pub fn output(&self, inputs: &[f32]) -> f32 {
        let scaled: Vec<f32> = inputs.iter().zip(&self.scale).map(|(x, [mean, sd])| (x - mean) / sd).collect();
        self.network.run(&scaled)
    }

    /// Returns the calibrated output: linear between the points of [`LineModel::calibration`].
    pub fn calibrate(&self, output: f32) -> f32 {
        interpolate(&self.calibration, output)
    }

    /// Judges lines by `inputs`, which returns one row for each; `shift` is added to the threshold.
    pub fn judge(&self, lines: &mut Lines, inputs: impl Fn(&Lines) -> Vec<Vec<f32>>, shift: f32) {
        let threshold = self.threshold + shift;
        let rows = inputs(lines);
        for (line, x) in lines.lines.iter_mut().zip(rows) {
            line.score = self.output(&x);
            line.probability = Some(self.calibrate(line.score));
            line.keep = line.score > threshold;
        }
        lines.threshold = Some(threshold);
    }

    /// Returns the model as a file.
    pub fn to_json(&self) -> String {
        self.write()
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// [`Error::BadModel`] if the text is not a model, or is cut short, damaged, or of another version.
    pub fn from_json(json: &str) -> Result<LineModel, Error> {
        LineModel::read(json).map_err(Error::BadModel)
    }

    /// Checks that the model belongs to this method and takes these inputs.
    pub fn expect(&self, method: &str, inputs: &[&str]) -> Result<(), Error> {
        if self.method != method {
            return Err(Error::BadModel(format!("the model is for the method '{}', not for '{method}'", self.method)));
        }
        if self.inputs.iter().ne(inputs) {
            return Err(Error::BadModel(format!("the model takes other inputs than '{method}' provides")));
        }
        Ok(())
    }
}

impl Sealed for LineModel {
    const FORMAT: &'static str = "maintext line model";
    const VERSION: u32 = 1;

    fn checksum(&mut self) -> &mut String {
        &mut self.checksum
    }

    fn check(&self) -> Result<(), String> {
        if self.scale.len() != self.inputs.len()
            || !self.scale.iter().all(|[mean, sd]| mean.is_finite() && sd.is_normal())
        {
            return Err("the scale does not match the inputs".into());
        }
        self.network.check(self.inputs.len())
    }
}

/// Returns the values of the previous line, of the line and of the next line, with zeros beyond the ends.
pub fn with_neighbours<const N: usize>(rows: &[[f32; N]], i: usize) -> impl Iterator<Item = f32> + '_ {
    let around = [i.checked_sub(1), Some(i), Some(i + 1)];
    around.into_iter().flat_map(|j| j.and_then(|j| rows.get(j)).copied().unwrap_or([0.0; N]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> LineModel {
        let layer = Layer { weights: vec![vec![0.1, -1.0 / 3.0]], bias: vec![1e-7] };
        let mut m = LineModel::new(
            "line-density",
            "perceptron",
            &["a", "b"],
            vec![[0.5, 2.0], [1.0, 1.0]],
            Network { layers: vec![layer] },
        );
        m.calibration = vec![[0.2, 0.0], [0.6, 0.8]];
        m
    }

    #[test]
    fn a_file_survives_a_round_trip() {
        let m = model();
        let json = m.to_json();
        let back = LineModel::from_json(&json).unwrap();
        assert_eq!(back.network, m.network);
        assert_eq!(back.to_json(), json);
    }

    #[test]
    fn output_equals_hand_calculation() {
        let m = model();
        // x = 0.1 * (1.5 - 0.5) / 2 - (4 - 1) / 3 = 0.05 - 1 = -0.95; 1 / (1 + e^0.95) = 0.27888...
        assert!((m.output(&[1.5, 4.0]) - 0.278_88).abs() < 1e-4);
        // Halfway between (0.2, 0) and (0.6, 0.8), and beyond the ends.
        assert!((m.calibrate(0.4) - 0.4).abs() < 1e-6);
        assert_eq!((m.calibrate(0.0), m.calibrate(1.0)), (0.0, 0.8));
    }

    #[test]
    fn truncated_files_are_refused_at_any_length() {
        let json = model().to_json();
        for n in 0..json.trim_end().len() {
            let e = LineModel::from_json(&json[..n]).unwrap_err().to_string();
            assert!(e.contains("cut short"), "{n}: {e}");
        }
    }

    #[test]
    fn damaged_and_foreign_files_are_refused() {
        let json = model().to_json();
        let refused = |s: &str| LineModel::from_json(s).unwrap_err().to_string();
        assert!(refused(&json.replace("0.1", "0.2")).contains("checksum"));
        assert!(refused(&json.replace("\"version\":1", "\"version\":2")).contains("version 2"));
        assert!(refused(&json.replace("line model", "moon model")).contains("not a 'maintext line model'"));
        assert!(refused("{\"trees\": []}").contains("not a maintext model"));
        assert!(refused("PK\u{3}\u{4}").contains("not a maintext model"));
        let e = model().expect("markup-ratio", &["a", "b"]).unwrap_err().to_string();
        assert!(e.contains("for the method 'line-density', not for 'markup-ratio'"), "{e}");
    }

    #[test]
    fn networks_of_the_wrong_shape_are_refused() {
        let mut m = model();
        m.network.layers[0].weights[0].push(1.0);
        let e = LineModel::from_json(&m.to_json()).unwrap_err().to_string();
        assert!(e.contains("takes 3 inputs where there are 2"), "{e}");
        let mut m = model();
        m.scale[0][1] = 0.0;
        assert!(LineModel::from_json(&m.to_json()).is_err());
    }
}
