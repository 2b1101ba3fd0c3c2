//! Text density by line.
//!
//! A page is read as paragraphs. For each, the parser counts the bytes of HTML that it consumed since the previous text, and the
//! bytes of text in it; `density = text / bytes`, and paragraphs above a threshold are content. Links, menus and layout
//! have much HTML for little text.
//!
//! With a model, a single-layer perceptron decides instead, from the density, bytes and text length of the previous, the current and
//! the next paragraph.
//!
//! Source: "The easy way to extract useful text from arbitrary HTML" (AI Depot, 2007), known in Chinese through many
//! translations, with its threshold of 0.5. Like the published script, this measures both quantities in bytes.
use super::model::{LineModel, with_neighbours};
use crate::error::Error;
use crate::method::lines::{Lines, paragraphs};
use crate::method::{Favor, Method, View};
use maintext_page::num::ln_1p;

/// The published threshold: at least as much text as markup.
pub const THRESHOLD: f32 = 0.5;

/// The amount by which [`Favor`] shifts the threshold.
const FAVOR_SHIFT: f32 = 0.15;

/// The perceptron's inputs. Lengths enter as `ln(1 + x)`: they span four orders of magnitude, and a single layer cannot
/// model that curve itself.
pub const INPUTS: [&str; 9] =
    ["density_prev", "bytes_prev", "text_prev", "density", "bytes", "text", "density_next", "bytes_next", "text_next"];

/// Text density by line. See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct LineDensity {
    /// Lines with a higher density are content. Unused if there is a model.
    pub threshold: f32,
    pub(super) model: Option<LineModel>,
}

impl Default for LineDensity {
    fn default() -> Self {
        LineDensity { threshold: THRESHOLD, model: None }
    }
}

impl LineDensity {
    /// Uses a perceptron instead of the threshold.
    ///
    /// # Errors
    /// [`Error::BadModel`] if the model belongs to another method.
    pub fn with_model(model: LineModel) -> Result<LineDensity, Error> {
        model.expect("line-density", &INPUTS)?;
        Ok(LineDensity { threshold: THRESHOLD, model: Some(model) })
    }
}

/// Returns the perceptron's inputs for each line, in the order of [`INPUTS`].
pub fn inputs(lines: &Lines) -> Vec<Vec<f32>> {
    let rows: Vec<[f32; 3]> =
        lines.lines.iter().map(|l| [l.density, ln_1p(l.bytes as f32), ln_1p(l.chars as f32)]).collect();
    (0..rows.len()).map(|i| with_neighbours(&rows, i).collect()).collect()
}

impl Method for LineDensity {
    fn name(&self) -> &'static str {
        "line-density"
    }
    fn lines(&self, page: &View<'_>, favor: Favor) -> Option<Lines> {
        let mut lines = paragraphs(page);
        let shift = favor.shifted(0.0, FAVOR_SHIFT);
        match &self.model {
            None => {
                lines.lines.iter_mut().for_each(|l| l.score = l.density);
                lines.decide(self.threshold + shift);
            }
            Some(model) => model.judge(&mut lines, inputs, shift),
        }
        Some(lines)
    }
    fn gives_probabilities(&self) -> bool {
        self.model.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic::model::{Layer, Network};
    use maintext_page::blocks::Blocks;

    fn lines(method: &LineDensity, html: &str) -> Lines {
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let view = View { source: html, dom: &dom, blocks: &blocks, url: None };
        method.lines(&view, Favor::Balance).unwrap()
    }

    #[test]
    fn density_equals_hand_calculation() {
        let l = lines(&LineDensity::default(), "<p><a href=/x>Go</a><p>The fox ran home.");
        // "<p><a href=/x>Go" has 16 bytes with 2 of text, "</a><p>The fox ran home." 24 with 17: 0.125 and 0.708.
        let got: Vec<_> = l.lines.iter().map(|l| (l.bytes, l.chars, l.score, l.keep)).collect();
        assert_eq!(got, [(16, 2, 0.125, false), (24, 17, 17.0 / 24.0, true)]);
        assert_eq!(l.threshold, Some(0.5));
    }

    #[test]
    fn perceptron_inputs_equal_hand_calculation() {
        let l = lines(&LineDensity::default(), "<p><a href=/x>Go</a><p>The fox ran home.");
        let ln = |x: f32| x.ln_1p();
        let first = [0.0, 0.0, 0.0, 0.125, ln(16.0), ln(2.0), 17.0 / 24.0, ln(24.0), ln(17.0)];
        assert_eq!(inputs(&l)[0], first);
        assert_eq!(inputs(&l)[1][..6], first[3..]);
        assert_eq!(inputs(&l)[1][6..], [0.0; 3]);
    }

    #[test]
    fn a_perceptron_replaces_the_threshold() {
        // Only the text length of the next line counts: 2 * ln(1 + 17) - 5 = 0.78 for the first line, -5 for the last.
        let mut weights = vec![0.0; 9];
        weights[8] = 2.0;
        let network = Network { layers: vec![Layer { weights: vec![weights], bias: vec![-5.0] }] };
        let model = LineModel::new("line-density", "perceptron", &INPUTS, vec![[0.0, 1.0]; 9], network);
        let l = lines(&LineDensity::with_model(model).unwrap(), "<p><a href=/x>Go</a><p>The fox ran home.");
        assert!((l.lines[0].score - 1.0 / (1.0 + (-(2.0 * 18f32.ln() - 5.0)).exp())).abs() < 1e-6);
        assert_eq!((l.lines[0].keep, l.lines[1].keep), (true, false));
    }
}
