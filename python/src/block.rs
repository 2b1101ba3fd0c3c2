//! The text blocks of a page.
use maintext_core::Analysis;
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
        block.set_item("span", self.span)?;
        Ok(block)
    }
}

/// Returns the blocks of a page: all of them, or only the kept ones.
pub fn blocks(analysis: &Analysis<'_>, all: bool) -> Vec<Block> {
    let blocks = &analysis.blocks;
    let judged = blocks.blocks.iter().zip(&analysis.verdicts).enumerate();
    let wanted = judged.filter(|(_, (_, verdict))| all || verdict.keep);
    let made = wanted.map(|(i, (block, verdict))| Block {
        text: blocks.text(i).to_owned(),
        tag: analysis.dom.tag_name(blocks.elements[block.container as usize].node).to_owned(),
        score: verdict.score,
        probability: verdict.probability,
        keep: verdict.keep,
        span: (block.span.start, block.span.end),
    });
    made.collect()
}
