//! Share of markup by line.
//!
//! Comments, scripts and styles are cut. For each line of the source, the length of its markup is divided by the length of the
//! line, and lines below a threshold are content. The ratio may be smoothed over five lines, as in the article's figures. Indentation is not
//! counted: it would make the lines of a menu look like text.
//!
//! With a model, a feed-forward network decides: seven inputs between 0 and 1 (markup ratio and length of the line and of
//! its neighbours, with lengths divided by the page's longest line; the line's number divided by the number of lines) and layers of hyperbolic
//! tangents.
//!
//! Source: Sergey Edunov, "How to extract the useful text from HTML", two parts, in Russian (2009): threshold 0.3, hidden layers of 7,
//! 7 and 3 units found by pruning, 0.4 % false positives and no misses on its ten test pages.
use super::model::{LineModel, with_neighbours};
use crate::error::Error;
use crate::method::lines::{Cut, Lines, judged, source_lines};
use crate::method::{Favor, Method, View};

/// The published threshold.
pub const THRESHOLD: f32 = 0.3;

/// The amount by which [`Favor`] shifts the threshold.
const FAVOR_SHIFT: f32 = 0.1;

/// Number of lines that smoothing averages over.
const SMOOTHED_LINES: usize = 5;

/// The network's inputs.
pub const INPUTS: [&str; 7] =
    ["markup_prev", "length_prev", "markup", "length", "markup_next", "length_next", "position"];

/// Share of markup by line. See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct MarkupRatio {
    /// Lines with a lower ratio are content. Unused if there is a model.
    pub threshold: f32,
    /// Whether the ratio is averaged over five lines first.
    pub smoothing: bool,
    pub(super) model: Option<LineModel>,
}

impl Default for MarkupRatio {
    fn default() -> Self {
        MarkupRatio { threshold: THRESHOLD, smoothing: false, model: None }
    }
}

impl MarkupRatio {
    /// Uses a network instead of the threshold.
    ///
    /// # Errors
    /// [`Error::BadModel`] if the model belongs to another method.
    pub fn with_model(model: LineModel) -> Result<MarkupRatio, Error> {
        model.expect("markup-ratio", &INPUTS)?;
        Ok(MarkupRatio { model: Some(model), ..MarkupRatio::default() })
    }
}

/// Returns means over five lines, centred; over fewer at the ends.
pub fn smooth(values: &[f32]) -> Vec<f32> {
    let half = SMOOTHED_LINES / 2;
    (0..values.len())
        .map(|i| {
            let window = &values[i.saturating_sub(half)..(i + half + 1).min(values.len())];
            window.iter().sum::<f32>() / window.len() as f32
        })
        .collect()
}

/// Returns the network's inputs for each line, in the order of [`INPUTS`], all between 0 and 1.
pub fn inputs(lines: &Lines) -> Vec<Vec<f32>> {
    let longest = lines.lines.iter().map(|l| l.bytes).max().unwrap_or(1).max(1) as f32;
    let rows: Vec<[f32; 2]> = lines.lines.iter().map(|l| [l.density, l.bytes as f32 / longest]).collect();
    let n = rows.len().max(1) as f32;
    (0..rows.len()).map(|i| with_neighbours(&rows, i).chain([(i + 1) as f32 / n]).collect()).collect()
}

impl Method for MarkupRatio {
    fn name(&self) -> &'static str {
        "markup-ratio"
    }
    fn lines(&self, page: &View<'_>, favor: Favor) -> Option<Lines> {
        let (source, text) = source_lines(page.source, Cut::Code);
        let mut lines =
            judged(&source, text, |l| l.length.saturating_sub(l.text_chars) as f32 / l.length.max(1) as f32);
        let shift = favor.shifted(0.0, FAVOR_SHIFT);
        match &self.model {
            None => {
                let ratios: Vec<f32> = lines.lines.iter().map(|l| l.density).collect();
                let scores = if self.smoothing { smooth(&ratios) } else { ratios };
                lines.lines.iter_mut().zip(scores).for_each(|(l, s)| l.score = s);
                lines.keep_below = true;
                lines.decide(self.threshold - shift);
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
    use maintext_page::blocks::Blocks;

    fn lines(method: &MarkupRatio, html: &str) -> Lines {
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        method.lines(&View { source: html, dom: &dom, blocks: &blocks, url: None }, Favor::Balance).unwrap()
    }

    const PAGE: &str = "<b>ab</b>\n<script>1</script><p>0123456789 0123456789\n    </ul>\n";

    #[test]
    fn ratio_equals_hand_calculation() {
        let l = lines(&MarkupRatio::default(), PAGE);
        // "<b>ab</b>" 9 characters, 7 of markup; "<p>" and 21 of text: 3 of 24; "</ul>" all markup, without its indentation.
        let got: Vec<_> = l.lines.iter().map(|l| (l.bytes, l.chars, l.score, l.keep)).collect();
        assert_eq!(got, [(9, 2, 7.0 / 9.0, false), (24, 21, 0.125, true), (5, 0, 1.0, false)]);
    }

    #[test]
    fn network_inputs_equal_hand_calculation() {
        let l = lines(&MarkupRatio::default(), PAGE);
        // The longest line has 24 characters; the second is line 2 of 3.
        let want = [7.0 / 9.0, 9.0 / 24.0, 0.125, 1.0, 1.0, 5.0 / 24.0, 2.0 / 3.0];
        assert_eq!(inputs(&l)[1], want);
        assert!(inputs(&l).iter().flatten().all(|x| (0.0..=1.0).contains(x)));
    }

    #[test]
    fn smoothing_equals_hand_calculation() {
        // (1+0+0)/3, (1+0+0+1)/4, (1+0+0+1+0)/5, (0+0+1+0)/4, (0+1+0)/3
        let want = [1.0 / 3.0, 0.5, 0.4, 0.25, 1.0 / 3.0];
        assert_eq!(smooth(&[1.0, 0.0, 0.0, 1.0, 0.0]), want);
        assert!(smooth(&[]).is_empty());
    }
}
