//! The text blocks of a page.
use maintext_core::Analysis;
use maintext_core::choice::Reason;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A text block.
#[derive(Clone, Debug)]
pub struct Block {
    pub text: String,
    pub tag: String,
    pub score: f32,
    pub probability: Option<f32>,
    pub keep: bool,
    /// The reasons of the choice; empty for the blocks of a page.
    pub why: Vec<Reason>,
    pub span: (u32, u32),
}

impl Block {
    pub fn to_py<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let block = PyDict::new(py);
        block.set_item("text", &self.text)?;
        block.set_item("tag", &self.tag)?;
        block.set_item("score", self.score)?;
        block.set_item("probability", self.probability)?;
        block.set_item("keep", self.keep)?;
        let why = self.why.iter().map(|reason| {
            let said = PyDict::new(py);
            said.set_item("step", reason.step.name())?;
            said.set_item("kept", reason.kept)?;
            said.set_item("saw", reason.saw)?;
            Ok(said)
        });
        block.set_item("why", why.collect::<PyResult<Vec<_>>>()?)?;
        block.set_item("span", self.span)?;
        Ok(block)
    }
}

/// Returns the blocks of a page: all of them, or only the kept ones.
pub fn blocks(analysis: &Analysis<'_>, all: bool) -> Vec<Block> {
    let blocks = &analysis.blocks;
    let choice = &analysis.choice;
    let mut why = if all { choice.why() } else { Vec::new() };
    let wanted = blocks.blocks.iter().enumerate().filter(|(i, _)| all || choice.keeps(*i));
    let made = wanted.map(|(i, block)| Block {
        text: blocks.text(i).to_owned(),
        tag: analysis.dom.tag_name(blocks.elements[block.container as usize].node).to_owned(),
        score: choice.scores()[i],
        probability: choice.probability(i),
        keep: choice.keeps(i),
        why: why.get_mut(i).map(std::mem::take).unwrap_or_default(),
        span: (block.span.start, block.span.end),
    });
    made.collect()
}
