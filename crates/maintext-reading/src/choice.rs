//! The choice of the main content: which blocks are kept, who decided it, and why.
//!
//! A method makes a [`Choice`]; named [`Step`]s then change it. The kept blocks are private, so that [`Choice::step`] is the only way to change
//! them, and each change leaves a [`Reason`].
use serde::Serialize;

/// Who decided what the main content is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChosenBy {
    /// A content method, corrected by the steps.
    #[default]
    Method,
    /// A selector of the caller.
    Caller,
    /// No method: the whole document is content.
    WholeDocument,
    /// The data in the page's scripts, since the visible page lacks the content.
    Scripts,
}

/// A step that can change a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// The method's own decision about each block.
    Method,
    /// Blocks that belong together, such as a heading and its text, are kept together.
    Neighbours,
    /// The caller prefers precision or recall.
    Favor,
    /// Readers' comments are separated from the text.
    Comments,
    /// The posts of a thread are kept whole.
    Posts,
    /// Of several articles on an endless page, the one that the page's title names stays.
    Article,
    /// Parts go together: leads and prices with their heading, values with their labels, boxes, panels and tabs with their titles.
    Parts,
    /// Polls, labels of advertisements and requests to switch on scripts are dropped.
    Notices,
    /// Notes to which the text refers are kept, and headings without content are dropped.
    Notes,
    /// The caller's selectors keep and drop parts of the page.
    Caller,
}

impl Step {
    /// All steps, in the order of running.
    pub const ALL: [Step; 10] = [
        Step::Method,
        Step::Neighbours,
        Step::Favor,
        Step::Comments,
        Step::Posts,
        Step::Article,
        Step::Parts,
        Step::Notices,
        Step::Notes,
        Step::Caller,
    ];

    /// Returns the name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Step::Method => "method",
            Step::Neighbours => "neighbours",
            Step::Favor => "favor",
            Step::Comments => "comments",
            Step::Posts => "posts",
            Step::Article => "article",
            Step::Parts => "parts",
            Step::Notices => "notices",
            Step::Notes => "notes",
            Step::Caller => "caller",
        }
    }
}

/// Why a block is kept or dropped: a step that decided about it, and what the step saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The step.
    pub step: Step,
    /// Whether the block was kept after the step.
    pub kept: bool,
    /// What the step saw, as a phrase: "a heading above kept text".
    pub saw: &'static str,
}

/// A change that a step made.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Change {
    block: u32,
    reason: Reason,
}

/// Which blocks of a page are main content.
///
/// ```
/// use maintext_reading::choice::{Choice, Step};
/// let mut choice = Choice::new(vec![0.9, 0.4], None, vec![true, false]);
/// choice.step(Step::Neighbours, "a heading above kept text", |kept| kept[1] = true);
/// assert_eq!(choice.kept(), [true, true]);
/// let why: Vec<_> = choice.why()[1].iter().map(|reason| (reason.step.name(), reason.kept)).collect();
/// assert_eq!(why, [("method", false), ("neighbours", true)]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    /// Who decided.
    pub by: ChosenBy,
    /// The expected word F1 of the kept blocks, 0 to 1, if the method estimates it.
    pub confidence: Option<f32>,
    scores: Vec<f32>,
    probabilities: Option<Vec<f32>>,
    kept: Vec<bool>,
    changes: Vec<Change>,
    /// The blocks before the step that runs now, kept as a buffer.
    before: Vec<bool>,
}

impl Choice {
    /// Returns a method's choice: for each block its score, in the method's own unit, its probability of being content, if the method estimates
    /// one, and whether it is kept.
    pub fn new(scores: Vec<f32>, probabilities: Option<Vec<f32>>, kept: Vec<bool>) -> Choice {
        debug_assert!(scores.len() == kept.len() && probabilities.as_ref().is_none_or(|p| p.len() == kept.len()));
        Choice { scores, probabilities, kept, ..Choice::default() }
    }

    /// Returns a choice without scores.
    pub fn of(kept: Vec<bool>) -> Choice {
        Choice::new(vec![0.0; kept.len()], None, kept)
    }

    /// Returns the choice of all blocks of a document without boilerplate.
    pub fn of_whole_document(blocks: usize) -> Choice {
        Choice { by: ChosenBy::WholeDocument, ..Choice::of(vec![true; blocks]) }
    }

    /// Returns the choice with the probabilities of a model, which are also its scores.
    pub fn judged(self, probabilities: Vec<f32>) -> Choice {
        Choice { scores: probabilities.clone(), probabilities: Some(probabilities), ..self }
    }

    /// Returns the choice with an estimate of its word F1.
    pub fn with_confidence(self, confidence: f32) -> Choice {
        Choice { confidence: Some(confidence), ..self }
    }

    /// Runs a step, which may keep and drop blocks, and notes what it changed. `saw` is the reason, as a phrase.
    pub fn step(&mut self, step: Step, saw: &'static str, change: impl FnOnce(&mut [bool])) {
        self.step_by_probability(step, saw, |_, kept| change(kept));
    }

    /// Runs a step, as [`Choice::step`] does, that also reads the [probabilities](Choice::probabilities).
    pub fn step_by_probability(
        &mut self,
        step: Step,
        saw: &'static str,
        change: impl FnOnce(Option<&[f32]>, &mut [bool]),
    ) {
        self.before.clone_from(&self.kept);
        change(self.probabilities.as_deref(), &mut self.kept);
        let changed = self.before.iter().zip(&self.kept).enumerate().filter(|(_, (before, after))| before != after);
        self.changes.extend(
            changed
                .map(|(block, (_, after))| Change { block: block as u32, reason: Reason { step, kept: *after, saw } }),
        );
    }

    /// Returns for each block whether it is kept.
    pub fn kept(&self) -> &[bool] {
        &self.kept
    }

    /// Whether a method made the choice, and not the caller.
    pub fn is_by_method(&self) -> bool {
        self.by == ChosenBy::Method
    }

    /// Whether a block is kept. A block that does not exist is not.
    pub fn keeps(&self, block: usize) -> bool {
        self.kept.get(block) == Some(&true)
    }

    /// Returns the number of blocks.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether the page has no blocks.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Returns the method's scores; larger means more like content.
    pub fn scores(&self) -> &[f32] {
        &self.scores
    }

    /// Returns the probability that each block is main content, if the method estimates it.
    pub fn probabilities(&self) -> Option<&[f32]> {
        self.probabilities.as_deref()
    }

    /// Returns the probability of a block, if the method estimates it.
    pub fn probability(&self, block: usize) -> Option<f32> {
        self.probabilities.as_ref()?.get(block).copied()
    }

    /// Returns the probability of a block; without probabilities, a kept block is certain.
    pub fn likelihood(&self, block: usize) -> f32 {
        match &self.probabilities {
            Some(probabilities) => probabilities.get(block).copied().unwrap_or(0.0),
            None => f32::from(self.keeps(block)),
        }
    }

    /// Returns for each block whether it was kept before a step ran.
    pub fn kept_before(&self, step: Step) -> Vec<bool> {
        let mut kept = self.kept.clone();
        for Change { block, reason } in self.changes.iter().rev().take_while(|change| change.reason.step >= step) {
            kept[*block as usize] = !reason.kept;
        }
        kept
    }

    /// Returns the choice as it was before a step ran.
    #[must_use]
    pub fn before(&self, step: Step) -> Choice {
        let changes = self.changes.iter().filter(|change| change.reason.step < step).copied().collect();
        Choice { kept: self.kept_before(step), changes, ..self.clone() }
    }

    /// Returns the same choice for a page whose blocks were cut again: `old[i]` is the block of this choice whose text the
    /// new block `i` has; without one, the new block is not kept.
    #[must_use]
    pub fn moved(&self, old: &[Option<usize>]) -> Choice {
        let mut by_block: Vec<Vec<Reason>> = vec![Vec::new(); self.len()];
        for Change { block, reason } in &self.changes {
            by_block[*block as usize].push(*reason);
        }
        let blocks = old.iter().enumerate().filter_map(|(new, old)| Some((new, (*old)?)));
        let reasons = blocks.flat_map(|(new, old)| by_block[old].iter().map(move |reason| (new, reason)));
        let mut changes: Vec<Change> =
            reasons.map(|(new, reason)| Change { block: new as u32, reason: *reason }).collect();
        changes.sort_by_key(|change| change.reason.step);
        Choice {
            scores: moved(&self.scores, old),
            probabilities: self.probabilities.as_deref().map(|p| moved(p, old)),
            kept: old.iter().map(|b| b.is_some_and(|b| self.kept[b])).collect(),
            changes,
            before: Vec::new(),
            by: self.by,
            confidence: self.confidence,
        }
    }

    /// Returns the reasons for the state of each block, in the order of the steps: first the method's decision, then each step that changed it.
    pub fn why(&self) -> Vec<Vec<Reason>> {
        let mut why: Vec<Vec<Reason>> = vec![Vec::with_capacity(1); self.len()];
        for (why, kept) in why.iter_mut().zip(self.kept_before(Step::ALL[1])) {
            let saw = if self.by == ChosenBy::WholeDocument {
                "all of the document is content"
            } else if kept {
                "likely content"
            } else {
                "unlikely content"
            };
            why.push(Reason { step: Step::Method, kept, saw });
        }
        for change in &self.changes {
            why[change.block as usize].push(change.reason);
        }
        why
    }
}

/// Returns the values of the blocks that `old` names, 0 for the others.
fn moved(values: &[f32], old: &[Option<usize>]) -> Vec<f32> {
    old.iter().map(|b| b.map_or(0.0, |b| values[b])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_one_reason_for_each_change() {
        let mut choice = Choice::new(vec![1.0; 3], Some(vec![0.9; 3]), vec![true, false, true]);
        choice.step(Step::Comments, "a reader's comment", |kept| kept[2] = false);
        choice.step(Step::Parts, "nothing", |_| ());
        choice.step(Step::Caller, "a selector keeps it", |kept| kept.fill(true));
        let why = |block: usize| choice.why()[block].iter().map(|r| (r.step, r.kept)).collect::<Vec<_>>();
        assert_eq!(why(0), [(Step::Method, true)]);
        assert_eq!(why(1), [(Step::Method, false), (Step::Caller, true)]);
        assert_eq!(why(2), [(Step::Method, true), (Step::Comments, false), (Step::Caller, true)]);
        assert!(!choice.keeps(3));
        assert_eq!(choice.kept_before(Step::Caller), [true, false, false]);
        let moved = choice.moved(&[Some(2), Some(0)]);
        assert_eq!(
            (moved.kept(), &moved.why()[0], &moved.why()[1]),
            (&[true, true][..], &choice.why()[2], &choice.why()[0])
        );
    }

    #[test]
    fn steps_are_listed_in_their_order() {
        assert!(Step::ALL.is_sorted());
        for step in Step::ALL {
            assert_eq!(serde_json::to_value(step).unwrap(), step.name());
        }
    }
}
