//! The flags that choose a content method and its parameters.
use clap::builder::PossibleValuesParser;
use maintext_core::Options;
use maintext_core::methods::Parameters;
use maintext_core::model::Weights;

#[derive(clap::Args, Debug)]
pub struct MethodArgs {
    /// How the main content is found
    ///
    /// The methods carry their published names; docs/methods.md describes them, each with its source.
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
#[command(next_help_heading = "Parameters of a method")]
pub struct ParameterArgs {
    /// Threshold of line-density (0.5), markup-ratio (0.3), density-statistics (the page's own) or of a classifier
    #[arg(long, value_name = "X", value_parser = share)]
    threshold: Option<f32>,

    /// Lines in a group of line-blocks (1)
    #[arg(long, value_name = "N")]
    k: Option<usize>,

    /// Average the ratio of markup-ratio over five lines
    #[arg(long)]
    smoothing: bool,

    /// Let a trained classifier decide: perceptron (line-density) or mlp (markup-ratio)
    #[arg(long, value_name = "NAME", value_parser = ["perceptron", "mlp"])]
    classifier: Option<String>,

    /// The model in FILE in place of the built-in one
    ///
    /// For the method learned, a model of a site that was taught in the playground ('maintext serve'); for line-density and
    /// markup-ratio, a classifier that 'maintext train' wrote.
    #[arg(long, value_name = "FILE", value_parser = model)]
    model: Option<Model>,

    /// Keep at most this expected share of boilerplate words, for methods that give probabilities
    ///
    /// Control of the false discovery rate after Benjamini and Hochberg: --fdr 0.05 says that at most 5 % of what is kept may
    /// be boilerplate. density-statistics and the classifiers give probabilities.
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
            model: self.model.as_ref().and_then(|m| if let Model::Lines(json) = m { Some(json.clone()) } else { None }),
            weights: self.model.as_ref().and_then(|m| if let Model::Blocks(w) = m { Some(w.clone()) } else { None }),
            fdr: self.fdr,
        }
    }
}

/// Contents of a model file that has been read and found whole.
#[derive(Clone, Debug)]
enum Model {
    /// A classifier of lines, as JSON.
    Lines(String),
    /// A model of the method learned.
    Blocks(Weights),
}

fn model(path: &str) -> Result<Model, String> {
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    if Weights::is_file(&bytes) {
        return Weights::from_bytes(&bytes).map(Model::Blocks).map_err(|e| e.to_string());
    }
    let json = String::from_utf8(bytes).map_err(|_| "this is no maintext model (not text)".to_owned())?;
    maintext_core::classic::LineModel::from_json(&json).map_err(|e| e.to_string())?;
    Ok(Model::Lines(json))
}

fn share(text: &str) -> Result<f32, String> {
    let x = text.parse::<f32>().ok().filter(|x| (0.0..=1.0).contains(x));
    x.ok_or_else(|| "expected a number between 0 and 1".into())
}
