//! The visible rows of a page: list items, cells of a table row, or lines between line breaks.
use super::RecipePart;
use super::lines;
use super::words::{PartLabel, RecipeWords};
use crate::things::{Sources, clean};
use maintext_facts::metadata::text::{node_text, squeeze};
use maintext_html::Attr;
use maintext_page::blocks::{Block, Blocks};
use maintext_page::dom::{Dom, NodeId, NodeKind, Tag};
use maintext_page::hash::{FNV64, HashMap, fnv64};
use std::ops::Range;

/// Maximum number of blocks of a region that are read.
const MAX_REGION_BLOCKS: usize = 800;
/// Maximum number of blocks of one row that is neither a list item nor a table row.
const MAX_ROW_BLOCKS: u32 = 5;
/// Maximum length of a row of several blocks, in characters.
const MAX_ROW_CHARS: u32 = 240;
/// Maximum number of levels from a text up to its row.
const MAX_LEVELS_TO_ROW: usize = 40;
/// Maximum number of nodes from a text back to the line break before it.
const MAX_NODES_TO_BREAK: usize = 12;

/// What a row is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowForm {
    Heading,
    Item,
    Cell,
    Line,
}

/// A row.
#[derive(Clone, Debug)]
pub(super) struct RecipeRow {
    pub text: String,
    pub form: RowForm,
    /// Whether all of it is in links.
    pub is_link: bool,
    /// Whether all of it is bold or emphasised.
    pub is_bold: bool,
}

/// Rows of regions of one page.
pub(super) struct RowReader<'a> {
    dom: &'a Dom<'a>,
    pub blocks: &'a Blocks,
    pub words: &'a RecipeWords,
    /// How many siblings are written alike, by parent and tag with classes.
    kin: HashMap<(u32, u64), u32>,
}

impl<'a> RowReader<'a> {
    /// Prepares to read a page: one pass over its elements.
    pub fn new(dom: &'a Dom<'a>, blocks: &'a Blocks, words: &'a RecipeWords) -> RowReader<'a> {
        let mut rows = RowReader { dom, blocks, words, kin: HashMap::default() };
        for e in 0..blocks.elements.len() {
            if !blocks.elements[e].blocks.is_empty() && blocks.elements[e].tag.is_block() {
                *rows.kin.entry(rows.signature(e)).or_default() += 1;
            }
        }
        rows
    }

    /// Returns the parent of an element with a number for its tag and classes.
    fn signature(&self, element: usize) -> (u32, u64) {
        let e = &self.blocks.elements[element];
        let class = self.dom.attribute(e.node, Attr::CLASS).unwrap_or("");
        let first = class.split_ascii_whitespace().next().unwrap_or("");
        let name = e.tag.name().bytes().chain([b' ']).chain(first.bytes());
        (e.parent, name.fold(FNV64, fnv64))
    }

    /// Returns the element that makes a row of the blocks below it, if block `i` is part of one inside the region.
    fn row_element(&self, i: usize, region: &Range<u32>, joins: bool) -> Option<(usize, RowForm)> {
        let blocks = self.blocks;
        let mut kin = None;
        for e in blocks.ancestors(i).take(MAX_LEVELS_TO_ROW) {
            let element = &blocks.elements[e];
            if element.blocks.start < region.start || element.blocks.end > region.end {
                break;
            }
            match element.tag {
                Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => {
                    let is_short = blocks.blocks[i].breaks < 2 && blocks.blocks[i].chars < 120;
                    return is_short.then_some((e, RowForm::Heading));
                }
                Tag::LI => return Some((e, RowForm::Item)),
                Tag::TR if element.blocks.len() <= 12 => return Some((e, RowForm::Cell)),
                Tag::DT | Tag::DD => return Some((e, RowForm::Cell)),
                _ => {}
            }
            let size = element.blocks.len() as u32;
            if joins && (2..=MAX_ROW_BLOCKS).contains(&size) && element.tag.is_block() {
                let chars: u32 = element.blocks.clone().map(|b| blocks.blocks[b as usize].chars).sum();
                let is_kin = self.kin.get(&self.signature(e)).is_some_and(|n| *n > 1);
                if is_kin && chars <= MAX_ROW_CHARS {
                    kin = Some((e, RowForm::Line));
                }
            }
        }
        kin
    }

    /// Returns the rows of a region. `joins` puts the blocks of small elements that repeat into one row: a quantity and its name.
    pub fn read(&self, region: Range<u32>, joins: bool) -> Vec<RecipeRow> {
        let blocks = self.blocks;
        let mut out: Vec<RecipeRow> = Vec::new();
        let mut last: Option<usize> = None;
        let end = region.end.min(region.start + MAX_REGION_BLOCKS as u32);
        let all = |f: fn(&Block) -> bool| blocks.blocks[region.start as usize..end as usize].iter().all(f);
        let (all_hidden, all_noscript) = (all(|b| b.hidden), all(|b| b.noscript));
        for b in region.start..end {
            let i = b as usize;
            let block = &blocks.blocks[i];
            if block.noscript && !all_noscript || block.hidden && !all_hidden || self.is_control(i) {
                continue;
            }
            let found = self.row_element(i, &region, joins);
            let element = found.map(|f| f.0);
            let form = found.map_or(RowForm::Line, |f| f.1);
            let is_link = block.link_chars * 10 >= block.chars * 9;
            let is_bold = block.emphasis_chars * 10 >= block.chars * 9;
            let lines = self.lines(i);
            if form == RowForm::Cell && self.is_header(element) {
                continue;
            }
            // Several ingredients in one item, each on its line.
            let many =
                joins && lines.len() > 1 && 2 * lines.iter().filter(|l| starts_with_quantity(l)).count() >= lines.len();
            if many {
                out.extend(lines.into_iter().map(|text| RecipeRow { text, form, is_link, is_bold }));
                last = None;
                continue;
            }
            match out.last_mut() {
                Some(row)
                    if element.is_some() && element == last && !(joins && is_next_ingredient(&row.text, &lines)) =>
                {
                    row.text.push(' ');
                    row.text.push_str(&lines.join(" "));
                    row.is_link &= is_link;
                    row.is_bold &= is_bold;
                }
                _ if matches!(form, RowForm::Item | RowForm::Cell | RowForm::Heading) || found.is_some() => {
                    out.push(RecipeRow { text: lines.join(" "), form, is_link, is_bold });
                }
                _ => out.extend(lines.into_iter().map(|text| RecipeRow { text, form, is_link, is_bold })),
            }
            last = element;
        }
        out
    }

    /// Returns whether a table row holds the names of columns.
    fn is_header(&self, element: Option<usize>) -> bool {
        let Some(n) = element.map(|e| self.blocks.elements[e].node).filter(|n| self.dom.tag(*n) == Tag::TR) else {
            return false;
        };
        let mut cells = self.dom.children(n).filter(|c| self.dom.kind(*c) == NodeKind::Element).take(20);
        cells.all(|c| self.dom.tag(c) == Tag::TH)
    }

    /// Returns whether a block is a button or the label of a form.
    fn is_control(&self, i: usize) -> bool {
        let container = self.blocks.blocks[i].element as usize;
        self.blocks
            .element_chain(container)
            .take(3)
            .any(|e| matches!(self.blocks.elements[e].tag, Tag::BUTTON | Tag::SELECT | Tag::OPTION))
    }

    /// Returns the lines of a block, cut at line breaks, with a space between parts that only styles divide.
    fn lines(&self, i: usize) -> Vec<String> {
        let (dom, block) = (self.dom, &self.blocks.blocks[i]);
        let mut out = vec![String::new()];
        let mut before: Option<NodeId> = None;
        for &leaf in self.blocks.leaves_of(block) {
            if block.breaks > 0 && before.is_some() && self.follows_break(leaf) {
                out.push(String::new());
            }
            let Some(line) = out.last_mut() else { break };
            let is_text = dom.kind(leaf) == NodeKind::Text;
            let text = if is_text { dom.text(leaf).into() } else { std::borrow::Cow::Owned(node_text(dom, leaf, 200)) };
            let glued = before.is_some_and(|b| self.is_styled(b) || self.is_styled(leaf)) && lacks_space(line, &text);
            if glued {
                line.push(' ');
            }
            line.push_str(&text);
            before = Some(leaf);
        }
        out.iter().map(|l| squeeze(l)).filter(|l| !l.is_empty()).collect()
    }

    /// Returns whether a text is the content of an element with a class of its own, as templates write quantities.
    fn is_styled(&self, leaf: NodeId) -> bool {
        self.dom.parent(leaf).is_some_and(|p| {
            self.dom.tag(p) == Tag::SPAN || self.dom.attribute(p, Attr::CLASS).is_some() && !self.dom.tag(p).is_block()
        })
    }

    fn follows_break(&self, leaf: NodeId) -> bool {
        let dom = self.dom;
        let mut n = leaf;
        for _ in 0..MAX_NODES_TO_BREAK {
            match dom.prev_sibling(n) {
                Some(s) if dom.tag(s) == Tag::BR => return true,
                Some(s) if dom.kind(s) == NodeKind::Text && dom.text(s).trim().is_empty() => n = s,
                Some(s) if dom.kind(s) == NodeKind::Element => {
                    return dom.last_child(s).is_some_and(|c| dom.tag(c) == Tag::BR);
                }
                Some(s) if dom.kind(s) == NodeKind::Text => return false,
                Some(s) => n = s,
                None => match dom.parent(n).filter(|p| !dom.tag(*p).is_block()) {
                    Some(p) => n = p,
                    None => return false,
                },
            }
        }
        false
    }
}

/// Returns whether two texts that only styles divide need a space between them: a quantity and its unit, not `clove` and `(s)`.
fn lacks_space(before: &str, after: &str) -> bool {
    let (Some(end), Some(start)) = (before.chars().next_back(), after.chars().next()) else { return false };
    match end {
        '.' | ',' => start.is_alphabetic(),
        ';' | ')' | '*' => start.is_alphanumeric(),
        end => end.is_alphanumeric() && (start.is_alphanumeric() || start == '(' && !after.starts_with("(s)")),
    }
}

/// Returns the lines of an element; of a row one line.
pub(super) fn rows_of(sources: &Sources<'_>, words: &RecipeWords, node: NodeId, is_row: bool) -> Vec<String> {
    let facts = sources.facts;
    let element = if facts.dom.tag(node).is_block() { facts.element(node) } else { None };
    let Some(e) = element else { return clean::element(facts.dom, node) };
    let rows = RowReader { dom: facts.dom, blocks: facts.blocks, words, kin: HashMap::default() };
    let lines: Vec<String> =
        rows.read(facts.blocks.elements[e].blocks.clone(), false).into_iter().map(|r| r.text).collect();
    if is_row && facts.dom.tag(node) != Tag::P { vec![lines.join(" ")] } else { lines }
}

pub(super) fn starts_with_quantity(line: &str) -> bool {
    line.trim_start_matches(['•', '-', '–', '*', '▢', ' '])
        .chars()
        .next()
        .is_some_and(|c| lines::has_quantity(c.encode_utf8(&mut [0; 4])))
}

/// Returns whether a text below an ingredient is another ingredient, not its name or a remark.
fn is_next_ingredient(before: &str, lines: &[String]) -> bool {
    is_whole_ingredient(before) && lines.first().is_some_and(|l| is_whole_ingredient(l))
}

fn is_whole_ingredient(line: &str) -> bool {
    starts_with_quantity(line) && line.split(' ').count() > 2
}

/// Arranges rows of ingredients into groups.
pub(super) fn groups(words: &RecipeWords, rows: &[RecipeRow]) -> Vec<RecipePart> {
    let mut parts = vec![RecipePart::default()];
    let main = main_form(rows);
    let are_links = rows.iter().any(|r| r.is_link && lines::has_quantity(&r.text));
    let are_bold = 2 * rows.iter().filter(|r| r.is_bold).count() > rows.len();
    for row in rows {
        let line = lines::tidy(&row.text);
        let is_link = row.is_link && !are_links && line.split(' ').count() > 2 && !lines::has_quantity(&line);
        let is_remark = lines::is_remark(&line) || is_link;
        let is_yield = lines::is_yield(&line) && row.form != RowForm::Item;
        if words.is_noise(&line) || is_yield || is_remark || lines::is_nutrition(&line) {
            continue;
        }
        let is_name = lines::is_group_name(&line)
            || row.form == RowForm::Heading
            || words.heading(&line, true) == Some(PartLabel::Ingredients)
            || row.is_bold && !are_bold && !lines::has_quantity(&line) && line.len() < 80;
        if is_name || line.starts_with('#') {
            let name = lines::group_name(&line).unwrap_or(&line).to_owned();
            parts.push(RecipePart { name: Some(name), lines: Vec::new() });
        } else if main.is_none_or(|m| m == row.form) {
            parts.last_mut().into_iter().for_each(|p| p.lines.push(line.clone()));
        }
    }
    parts.retain(|p| !p.lines.is_empty());
    super::drop_copy(&mut parts);
    parts
}

/// Arranges rows of instructions into sections.
pub(super) fn sections(words: &RecipeWords, rows: &[RecipeRow]) -> Vec<RecipePart> {
    let mut parts = vec![RecipePart::default()];
    let rows = without_remarks(rows);
    let main = main_form(rows);
    for row in rows {
        let line = lines::step(&row.text);
        if words.is_noise(&line) {
            continue;
        }
        if row.form == RowForm::Heading || lines::is_group_name(&line) && row.form != RowForm::Item {
            parts.push(RecipePart { name: Some(line), lines: Vec::new() });
        } else if main.is_none_or(|m| m == row.form) && !row.is_link {
            parts.last_mut().into_iter().for_each(|p| p.lines.push(line.clone()));
        }
    }
    parts.retain(|p| !p.lines.is_empty());
    super::drop_repetitions(&mut parts);
    parts
}

/// Returns the rows without the paragraphs after a list of steps, if these are fewer than the steps.
fn without_remarks(rows: &[RecipeRow]) -> &[RecipeRow] {
    let Some(last) = rows.iter().rposition(|r| r.form == RowForm::Item) else { return rows };
    let items = || rows.iter().filter(|r| r.form == RowForm::Item);
    let are_steps = 2 * items().filter(|r| r.text.ends_with(['.', '!', '。', '।'])).count() > items().count();
    let after = rows.len() - last - 1;
    let are_remarks = are_steps && after < items().count() && rows[last + 1..].iter().all(|r| r.form == RowForm::Line);
    if are_remarks { &rows[..=last] } else { rows }
}

/// Returns the form of most rows, if a list or a table holds them: other rows are then remarks.
fn main_form(rows: &[RecipeRow]) -> Option<RowForm> {
    let total = rows.iter().filter(|r| r.form != RowForm::Heading).map(|r| r.text.len()).sum::<usize>();
    [RowForm::Item, RowForm::Cell].into_iter().find(|f| {
        let of = rows.iter().filter(|r| r.form == *f).map(|r| r.text.len()).sum::<usize>();
        of * 10 >= total * 6 && total > 0
    })
}
