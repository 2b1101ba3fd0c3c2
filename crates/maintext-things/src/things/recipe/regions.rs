//! Regions of a page that look like the ingredients or the steps of a recipe.
use super::RecipePart;
use super::lines;
use super::visible::{RecipeRow, RowForm, RowReader, groups, sections};
use super::words::{self, PartLabel, RecipeWords};
use crate::things::Sources;
use crate::things::names::plain;
use maintext_facts::metadata::text::cap;
use maintext_html::Attr;
use maintext_page::dom::Tag;
use maintext_page::hash::{HashMap, HashSet};
use std::ops::Range;

/// Maximum number of headings and marked elements that are followed.
const MAX_MARKS: usize = 60;
/// Maximum length of a declared text that may be glued, in bytes, and maximum number of lines that are searched in it.
const MAX_GLUED_BYTES: usize = 8_000;
const MAX_COMPARED_LINES: usize = 60;
/// Maximum number of levels from a heading up to its region.
const MAX_LEVELS_TO_REGION: usize = 7;

/// A region with its lines.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub parts: Vec<RecipePart>,
    pub blocks: Range<u32>,
    pub score: f32,
    /// Whether a heading or a class names the part.
    pub is_named: bool,
}

/// The best regions of a page.
#[derive(Debug, Default)]
pub(super) struct Visible {
    pub ingredients: Option<Region>,
    pub instructions: Option<Region>,
}

/// The declared lines of a field.
#[derive(Debug, Default)]
pub(super) struct DeclaredLines {
    lines: HashSet<String>,
    /// All of them in one key, if they are few: perhaps glued.
    glued: String,
}

impl DeclaredLines {
    pub fn new(lines: &[String]) -> DeclaredLines {
        let glued = if lines.len() <= 2 { plain(cap(&lines.concat(), MAX_GLUED_BYTES)) } else { String::new() };
        DeclaredLines { lines: lines.iter().map(|l| plain(l)).collect(), glued }
    }

    /// Returns how much of these lines is declared, and of the declared lines is among them, 0 to 1.
    fn agreement(&self, lines: &[&String]) -> f32 {
        if self.lines.is_empty() {
            return 0.0;
        }
        let found = lines.iter().filter(|l| self.lines.contains(&plain(l))).count();
        let lines_share = 2.0 * found as f32 / (lines.len() + self.lines.len()) as f32;
        if self.glued.is_empty() {
            return lines_share;
        }
        let (mut shared, mut size) = (0, 0);
        for key in lines.iter().take(MAX_COMPARED_LINES).map(|l| plain(l)) {
            size += key.len();
            shared += if self.glued.contains(&key) { key.len() } else { 0 };
        }
        lines_share.max(2.0 * shared as f32 / (size + self.glued.len()).max(1) as f32)
    }
}

/// A place that names a part of a recipe.
struct RegionMark {
    label: PartLabel,
    block: u32,
    /// Level of the heading, 7 of a text that is not one.
    level: u8,
}

/// Reads the visible ingredients, and the instructions if they are wanted. `known` are the declared lines, as keys.
pub(super) fn read(sources: &Sources<'_>, known: &[DeclaredLines; 2], is_declared: bool, wants_steps: bool) -> Visible {
    let (dom, blocks) = (sources.facts.dom, sources.facts.blocks);
    let words = RecipeWords::shared();
    let marks = marks(sources, words);
    let is_marked = |label: PartLabel| marks.iter().any(|m| m.label == label);
    // Most pages are not recipes, and are spared the walk over their classes.
    if !is_declared && !is_marked(PartLabel::Ingredients) && !words::may_name_ingredients(sources.facts.view.source) {
        return Visible::default();
    }
    let classes = classes(sources);
    let is_named = |label: PartLabel| is_marked(label) || classes.iter().any(|c| c.1 == label);
    let is_recipe = is_declared || is_named(PartLabel::Ingredients) && is_named(PartLabel::Instructions);
    if !is_recipe {
        return Visible::default();
    }
    let rows = RowReader::new(dom, blocks, words);
    let mut out = Visible::default();
    let labels = [PartLabel::Ingredients, PartLabel::Instructions];
    for label in labels.into_iter().take(if wants_steps { 2 } else { 1 }) {
        let mut regions: Vec<(Range<u32>, f32)> = Vec::new();
        for (m, mark) in marks.iter().enumerate().filter(|(_, m)| m.label == label).take(MAX_MARKS) {
            let stop = marks[m + 1..]
                .iter()
                .find(|o| o.label != label || o.level < mark.level)
                .map_or(blocks.len() as u32, |o| o.block);
            let weight = if mark.level <= 6 { 2.0 } else { 1.5 };
            for (climb, e) in blocks.ancestors(mark.block as usize).take(MAX_LEVELS_TO_REGION).enumerate() {
                let end = blocks.elements[e].blocks.end.min(stop);
                let end = next_heading(sources, mark, end);
                if end > mark.block + 1 {
                    regions.push((mark.block + 1..end, weight - climb as f32 * 0.1));
                }
            }
        }
        // All groups whose headings name the part: `Ingredients for the dough`, `Ingredients for the filling`.
        if let Some(first) = marks.iter().position(|m| m.label == label) {
            let run: Vec<u32> = marks[first..].iter().take_while(|m| m.label == label).map(|m| m.block).collect();
            let last = run.last().copied().unwrap_or(0);
            let end = marks[first..].iter().find(|m| m.label != label).map_or(blocks.len() as u32, |m| m.block);
            if run.len() > 1 {
                for e in blocks.ancestors(last as usize).take(MAX_LEVELS_TO_REGION) {
                    let end = blocks.elements[e].blocks.end.min(end);
                    if end > last + 1 {
                        regions.push((marks[first].block..end, 1.8));
                    }
                }
            }
        }
        regions.extend(lists(sources).map(|range| (range, 0.0)));
        for (range, of, weight) in &classes {
            if *of == label {
                regions.push((range.clone(), *weight));
            }
        }
        let mut seen: Vec<(Range<u32>, f32, bool)> = Vec::new();
        for (range, weight) in regions {
            if let Some(s) = seen.iter_mut().find(|s| s.0 == range) {
                s.1 = s.1.max(weight) + 0.5;
                s.2 |= weight > 0.0;
            } else if seen.len() < 2 * MAX_MARKS {
                seen.push((range, weight, weight > 0.0));
            }
        }
        let before = out.ingredients.as_ref().map(|r| r.blocks.clone());
        let known = &known[usize::from(label == PartLabel::Instructions)];
        let judged = seen.into_iter().filter_map(|(range, weight, is_named)| {
            let weight = weight - if is_comments(sources, &range) { 3.0 } else { 0.0 };
            let region = if label == PartLabel::Ingredients {
                ingredients(&rows, range, weight, known)
            } else {
                instructions(&rows, range, weight, known, before.as_ref())
            };
            region.map(|r| Region { is_named, ..r })
        });
        let best = judged.reduce(|a, b| if b.score > a.score { b } else { a });
        if label == PartLabel::Ingredients { out.ingredients = best } else { out.instructions = best }
    }
    out
}

/// Returns the places that name parts of a recipe.
fn marks(sources: &Sources<'_>, words: &RecipeWords) -> Vec<RegionMark> {
    let blocks = sources.facts.blocks;
    let mut out = Vec::new();
    for (i, block) in blocks.blocks.iter().enumerate() {
        if block.chars > 60 {
            continue;
        }
        let level = blocks.ancestors(i).take(4).find_map(|e| blocks.elements[e].tag.heading_level()).unwrap_or(7);
        let is_step = level <= 6 && lines::is_step_heading(blocks.text(i));
        if let Some(label) =
            is_step.then_some(PartLabel::Instructions).or_else(|| words.heading(blocks.text(i), level <= 6))
        {
            out.push(RegionMark { label, block: i as u32, level });
        }
    }
    out
}

/// Returns whether a region is in the comments of readers.
fn is_comments(sources: &Sources<'_>, range: &Range<u32>) -> bool {
    !sources.facts.is_thread()
        && sources.facts.in_record(range.start).is_some()
        && sources.facts.in_record(range.end - 1).is_some()
}

/// Returns the regions of lists.
fn lists<'a>(sources: &'a Sources<'_>) -> impl Iterator<Item = Range<u32>> + 'a {
    let lists = sources
        .facts
        .blocks
        .elements
        .iter()
        .filter(|e| matches!(e.tag, Tag::UL | Tag::OL) && (3..80).contains(&e.blocks.len()));
    lists.map(|e| e.blocks.clone()).take(MAX_MARKS)
}

/// Returns the end of the region below a heading: the next heading of its level or above, of a text that is not a heading the next one of
/// the first two levels.
fn next_heading(sources: &Sources<'_>, mark: &RegionMark, end: u32) -> u32 {
    let level = if mark.level > 6 { 2 } else { mark.level };
    let blocks = sources.facts.blocks;
    (mark.block + 1..end.min(mark.block + 300))
        .find(|b| {
            let levels = blocks.ancestors(*b as usize).take(3).find_map(|e| blocks.elements[e].tag.heading_level());
            levels.is_some_and(|l| l <= level)
        })
        .unwrap_or(end)
}

/// Returns the regions that classes and ids mark.
fn classes(sources: &Sources<'_>) -> Vec<(Range<u32>, PartLabel, f32)> {
    let (dom, blocks) = (sources.facts.dom, sources.facts.blocks);
    let mut out: Vec<(Range<u32>, PartLabel, f32)> = Vec::new();
    // The last marked elements by parent and label, to join repeated ones.
    let mut runs: Vec<(u32, PartLabel, Range<u32>, usize)> = Vec::new();
    let mut known: HashMap<&str, Option<PartLabel>> = HashMap::default();
    for e in &blocks.elements {
        if e.blocks.is_empty() || matches!(e.tag, Tag::BODY | Tag::HTML | Tag::MAIN) || out.len() >= MAX_MARKS * 2 {
            continue;
        }
        let mut label = None;
        for (name, value) in dom.attributes(e.node) {
            if matches!(name, Attr::CLASS | Attr::ID | Attr::ITEMPROP) {
                label = label.or_else(|| *known.entry(value).or_insert_with(|| words::class(value)));
            }
        }
        let Some(label) = label else { continue };
        if e.blocks.len() > 1 || blocks.blocks[e.blocks.start as usize].breaks > 1 {
            out.push((e.blocks.clone(), label, 1.5));
        }
        match runs.iter_mut().rev().take(8).find(|r| r.0 == e.parent && r.1 == label) {
            Some(run) => {
                run.2.end = e.blocks.end.max(run.2.end);
                run.3 += 1;
            }
            None => runs.push((e.parent, label, e.blocks.clone(), 1)),
        }
    }
    out.extend(runs.into_iter().filter(|r| r.3 > 1).take(MAX_MARKS).map(|(_, label, range, _)| (range, label, 1.6)));
    out
}

/// Shares of the lines of a region.
struct RegionShape {
    count: f32,
    quantities: f32,
    sentences: f32,
    long: f32,
    links: f32,
    known: f32,
    mean: f32,
    /// Share of lines that the region has twice.
    copies: f32,
    /// Share of rows about nutrition.
    nutrition: f32,
}

fn shape(rows: &[RecipeRow], parts: &[RecipePart], known: &DeclaredLines) -> Option<RegionShape> {
    let all: Vec<&String> = parts.iter().flat_map(|p| &p.lines).collect();
    if all.is_empty() {
        return None;
    }
    let count = all.len() as f32;
    let share = |f: &dyn Fn(&str) -> bool| all.iter().filter(|l| f(l)).count() as f32 / count;
    let mut seen = HashSet::default();
    let body = rows.iter().filter(|r| r.form != RowForm::Heading).count().max(1) as f32;
    Some(RegionShape {
        count,
        quantities: share(&|l| lines::has_quantity(l) && l.chars().count() < 140),
        sentences: share(&|l| {
            l.ends_with(['.', '!', '。', ')', '’', '”', '"', '?', ':', ';']) || l.chars().count() > 80
        }),
        long: share(&|l| l.chars().count() > 140),
        links: rows.iter().filter(|r| r.is_link).count() as f32 / body,
        known: known.agreement(&all),
        copies: all.iter().filter(|l| !seen.insert(plain(l))).count() as f32 / count,
        nutrition: rows.iter().filter(|r| lines::is_nutrition(&r.text)).count() as f32 / body,
        mean: all.iter().map(|l| l.chars().count()).sum::<usize>() as f32 / count,
    })
}

fn ingredients(rows: &RowReader<'_>, range: Range<u32>, weight: f32, known: &DeclaredLines) -> Option<Region> {
    let read = rows.read(range.clone(), true);
    let parts = groups(rows.words, &read);
    let s = shape(&read, &parts, known)?;
    let hidden = hidden(rows, &range);
    if s.mean > 160.0 || s.count > 200.0 {
        return None;
    }
    let score = weight + 3.0 * s.quantities + 0.15 * s.count.min(16.0)
        - 4.0 * s.long
        - 1.5 * s.links * (1.0 - s.quantities)
        - hidden
        - 6.0 * (s.copies - 0.25).max(0.0)
        - 4.0 * s.nutrition
        + 4.0 * s.known;
    (s.quantities > 0.3 || weight >= 1.5).then_some(Region { parts, blocks: range, score, is_named: false })
}

fn instructions(
    rows: &RowReader<'_>,
    range: Range<u32>,
    weight: f32,
    known: &DeclaredLines,
    before: Option<&Range<u32>>,
) -> Option<Region> {
    let read = rows.read(range.clone(), false);
    let parts = sections(rows.words, &read);
    let s = shape(&read, &parts, known)?;
    if s.mean > 1500.0 || s.count > 120.0 {
        return None;
    }
    let over = before.is_some_and(|b| b.start < range.end && range.start < b.end);
    let after = before.is_some_and(|b| range.start >= b.end && range.start - b.end < 150);
    let short = if s.mean < 25.0 { 2.0 } else { 0.0 };
    let score = weight + 3.0 * s.sentences + 0.1 * s.count.min(10.0) - 3.0 * s.links - short - hidden(rows, &range)
        + if after { 0.5 } else { 0.0 }
        - if over { 4.0 } else { 0.0 }
        + 4.0 * s.known;
    Some(Region { parts, blocks: range, score, is_named: false })
}

/// Returns the share of hidden blocks.
fn hidden(rows: &RowReader<'_>, range: &Range<u32>) -> f32 {
    let blocks = &rows.blocks.blocks[range.start as usize..range.end as usize];
    blocks.iter().filter(|b| b.hidden).count() as f32 / blocks.len().max(1) as f32
}
