//! The flags that choose a content method and its parameters.
use clap::builder::PossibleValuesParser;
use maintext_core::Options;
use maintext_core::methods::Parameters;
use maintext_core::model::Weights;

#[derive(clap::Args, Debug)]
pub struct MethodArgs {
    /// Method that finds the main content
    ///
    /// Published methods keep their published names. docs/methods.md describes each method and names its source.
    #[arg(id = "method", long = "method", value_name = "NAME", default_value_t = Options::default().method)]
    #[arg(value_parser = PossibleValuesParser::new(maintext_core::method::NAMES))]
    pub name: String,

    #[command(flatten)]
    parameters: ParameterArgs,
}

impl MethodArgs {
    pub fn parameters(&self) -> Parameters {
        self.parameters.parameters()
    }
}

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Method parameters")]
pub struct ParameterArgs {
    /// Threshold for line-density (0.5), markup-ratio (0.3), density-statistics (computed for each page) or a classifier
    #[arg(long, value_name = "X", value_parser = share)]
    threshold: Option<f32>,

    /// Lines per group for line-blocks (1)
    #[arg(long, value_name = "N")]
    k: Option<usize>,

    /// Average the ratio over five lines, for markup-ratio
    #[arg(long)]
    smoothing: bool,

    /// Decide with a trained classifier: perceptron (for line-density) or mlp (for markup-ratio)
    #[arg(long, value_name = "NAME", value_parser = ["perceptron", "mlp"])]
    classifier: Option<String>,

    /// Use the model in FILE instead of the built-in one
    ///
    /// The method learned takes a site model from the playground ('maintext serve'); line-density and markup-ratio take a
    /// classifier from 'maintext train'.
    #[arg(long, value_name = "FILE", value_parser = model)]
    model: Option<ModelFile>,

    /// Limit the expected share of boilerplate in the result, for methods that return probabilities
    ///
    /// Controls the false discovery rate (Benjamini and Hochberg): with --fdr 0.05, at most 5 % of the kept words are expected to
    /// be boilerplate. The learned extractor, density-statistics and the classifiers return probabilities.
    #[arg(long, value_name = "ALPHA", value_parser = share)]
    fdr: Option<f32>,
}

impl ParameterArgs {
    pub fn parameters(&self) -> Parameters {
        Parameters {
            threshold: self.threshold,
            k: self.k,
            smoothing: self.smoothing,
            classifier: self.classifier.clone(),
            model: self
                .model
                .as_ref()
                .and_then(|m| if let ModelFile::Lines(json) = m { Some(json.clone()) } else { None }),
            weights: self
                .model
                .as_ref()
                .and_then(|m| if let ModelFile::Blocks(w) = m { Some(w.clone()) } else { None }),
            fdr: self.fdr,
        }
    }
}

/// A validated model file.
#[derive(Clone, Debug)]
enum ModelFile {
    /// A line classifier as JSON.
    Lines(String),
    /// A model for the method learned.
    Blocks(Weights),
}

fn model(path: &str) -> Result<ModelFile, String> {
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    if Weights::is_file(&bytes) {
        return Weights::from_bytes(&bytes).map(ModelFile::Blocks).map_err(|e| e.to_string());
    }
    let json = String::from_utf8(bytes).map_err(|_| "not a maintext model (the file is not text)".to_owned())?;
    maintext_core::classic::LineModel::from_json(&json).map_err(|e| e.to_string())?;
    Ok(ModelFile::Lines(json))
}

fn share(text: &str) -> Result<f32, String> {
    let x = text.parse::<f32>().ok().filter(|x| (0.0..=1.0).contains(x));
    x.ok_or_else(|| "expected a number between 0 and 1".into())
}
