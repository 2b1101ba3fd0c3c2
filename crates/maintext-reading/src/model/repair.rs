//! Repairs a choice that separates related blocks: a heading is kept with the text below it; code, lists, tables of data and quotations are
//! kept with the text around them; a table of data is kept or dropped as a whole, and so is a path of links.
//!
//! On the labelled pages of WCXB the repairs gain 0.0008 of word F1 together, 0.010 on documentation, and 0.002 to 0.006 on forums and on news
//! with quotations. Repairs of layout tables, captions, figures and gaps between kept blocks lost (see `docs/experiments/content.md`).
use crate::choice::{Choice, Step};
use crate::features::sums::RunningSums;
use crate::features::{ends_sentence, heading_level};
use maintext_page::blocks::{Blocks, Element};
use maintext_page::dom::Tag;
use maintext_page::markup::{Role, code};

/// Probability from which a heading is kept with the text after it.
const P_HEADING: f32 = 0.3;
/// Probability from which a heading of a lower level above the first kept block is kept.
const P_HEADING_ABOVE: f32 = 0.2;
/// Probability from which a heading between kept blocks is kept.
const P_HEADING_AMID: f32 = 0.15;
/// Mean probability from which code, a list, a table, a quotation or a sentence between kept texts is kept. Values near it give almost the
/// same figures.
const P_AMID: f32 = 0.15;
/// Probability from which a text in a script without full stops is kept there.
const P_UNSTOPPED: f32 = 0.3;
/// Minimum number of words of a sentence that is kept between kept texts.
const MIN_SENTENCE_WORDS: u32 = 5;
/// Maximum number of words of a label.
const MAX_LABEL_WORDS: u32 = 4;
/// Probability from which the heading of a kept record is kept.
const P_HEADING_OF_RECORD: f32 = 0.1;
/// Maximum number of words of a line between such a heading and its text.
const MAX_LINE_WORDS: u32 = 8;
/// Distance in blocks within which kept text is looked for before and after code: a file name and a button may come between.
const MAX_BLOCKS_TO_KEPT: usize = 4;
/// Probability from which displayed code is kept between kept texts or at the end of the text that it belongs to.
const P_DISPLAYED: f32 = 0.02;
/// Elements around code that may hold the text that it belongs to, or its label.
const MAX_LEVELS_TO_PART: usize = 8;
const MAX_LEVELS_TO_CODE: usize = 4;
/// Maximum number of bytes of the name of a file or a language above code.
const MAX_CAPTION_BYTES: usize = 80;
/// Minimum number of cells of a table of data.
const MIN_CELLS: usize = 4;
/// Mean probability from which a list, a table or a quotation is kept if it is small and kept text is next to it on one side.
const P_BESIDE: f32 = 0.3;
/// The same for a small list of facts: terms with their definitions, or headers with their values.
const P_BESIDE_FACTS: f32 = 0.1;
/// Mean probability from which it is kept if kept text is within [`MAX_BLOCKS_TO_KEPT`] on both sides.
const P_NEAR: f32 = 0.3;
/// Mean probability from which the rest of a small list of lines is kept with a part of it.
const P_PARTLY: f32 = 0.35;
/// Mean probability from which it is kept if a kept sentence announces it, whatever its links.
const P_ANNOUNCED: f32 = 0.1;
/// Mean probability from which the rows of a table of data are kept with their headers, whatever their links.
const P_ROWS: f32 = 0.15;
/// Mean and minimum probability from which a list directly below kept text is kept, whatever its links. The three gain 0.001 by set on the
/// labels (docs/experiments/content.md).
const P_BELOW: f32 = 0.25;
const MIN_P_BELOW: f32 = 0.15;
/// Mean and minimum probability from which the text below a kept heading without other text is kept.
const P_SECTION: f32 = 0.25;
const MIN_P_SECTION: f32 = 0.2;
/// Minimum number of blocks of a list below kept text.
const MIN_LIST_BLOCKS: usize = 3;
/// Mean probability from which rows of facts are kept, their number, and the maximum numbers of words and blocks of a row.
const P_FACTS: f32 = 0.25;
const FACTS: std::ops::RangeInclusive<usize> = 3..=12;
const MAX_FACT_WORDS: u32 = 8;
const MAX_FACT_BLOCKS: usize = 4;
/// Maximum number of words of a small element, and of a small table of nothing but cells.
const MAX_SMALL_WORDS: f64 = 60.0;
const MAX_SMALL_TABLE_WORDS: f64 = 400.0;
/// Maximum mean number of words per cell: tables with more lay out pages.
const MAX_WORDS_PER_CELL: f64 = 6.0;
/// Share of a table's words from which the rest of it is kept, too, and the share for a table of nothing but cells.
const MIN_KEPT_SHARE: f64 = 0.75;
const MIN_KEPT_SHARE_PLAIN: f64 = 0.5;
/// Numbers of blocks of a path of links, and maximum number of words of its last one.
const PATH_BLOCKS: std::ops::RangeInclusive<usize> = 3..=10;
const MAX_PATH_WORDS: u32 = 12;
/// Maximum number of characters next to a link of a path: ` / `.
const MAX_SEPARATOR_CHARS: u32 = 3;
/// Number of characters around a link: `[edit]`.
const BRACKET_CHARS: u32 = 2;
/// Maximum number of characters of the number of a formula: `(12.3)`.
const MAX_NUMBER_CHARS: u32 = 8;
/// Maximum number of blocks of formulas that follow each other with numbers between them.
const MAX_FORMULA_RUN: usize = 32;

/// Repairs a choice; `p` are the blocks' probabilities. Headings come first, because kept text alone decides about them, and formulas last,
/// because they may follow a sentence.
pub fn repair(blocks: &Blocks, p: &[f32], choice: &mut Choice) {
    choice.step(Step::Neighbours, "a heading of kept text", |keep| keep_headings(blocks, p, keep));
    choice.step(Step::Neighbours, "code with kept text, or its caption", |keep| keep_code(blocks, p, keep));
    choice.step(Step::Neighbours, "a list, table or quotation with kept text", |keep| keep_wholes(blocks, p, keep));
    // Lists and tables may be the text that code belongs to.
    choice.step(Step::Neighbours, "code with kept text, or its caption", |keep| keep_code(blocks, p, keep));
    choice.step(Step::Neighbours, "rows of facts next to kept text", |keep| keep_facts(blocks, p, keep));
    choice.step(Step::Neighbours, "the text below a kept heading", |keep| keep_sections(blocks, p, keep));
    choice.step(Step::Neighbours, "a sentence between kept texts", |keep| keep_sentences(blocks, p, keep));
    choice.step(Step::Neighbours, "the end of a path of links", |keep| drop_ends_of_paths(blocks, keep));
    choice.step(Step::Neighbours, "a formula with kept text", |keep| keep_formulas(blocks, keep));
}

/// Keeps the doubtful text directly below a kept heading that has no other text: opening hours, addresses, facts.
fn keep_sections(blocks: &Blocks, p: &[f32], keep: &mut [bool]) {
    for heading in 0..keep.len() {
        if !keep[heading] || heading_level(blocks, heading) < 2 {
            continue;
        }
        let from = heading + 1;
        let is_doubtful = |b: &usize| !keep[*b] && heading_level(blocks, *b) == 0 && p[*b] >= MIN_P_SECTION;
        let size = (from..keep.len()).take_while(is_doubtful).count();
        let to = from + size;
        let mut rest = (to..keep.len()).take_while(|b| heading_level(blocks, *b) == 0);
        let has_text = rest.any(|b| keep[b]);
        let chars: u32 = blocks.blocks[from..to].iter().map(|b| b.chars).sum();
        let links: u32 = blocks.blocks[from..to].iter().map(|b| b.link_chars).sum();
        if !has_text && links * 2 <= chars && p[from..to].iter().sum::<f32>() >= P_SECTION * size as f32 {
            keep[from..to].fill(true);
        }
    }
}

/// Keeps rows of a label and a value that the markup does not mark as definitions: the place, time and pay of a posting.
fn keep_facts(blocks: &Blocks, p: &[f32], keep: &mut [bool]) {
    for (i, e) in blocks.elements.iter().enumerate() {
        let (from, to) = (e.blocks.start as usize, e.blocks.end as usize);
        if (*FACTS.start()..=FACTS.end() * MAX_FACT_BLOCKS).contains(&(to - from))
            && (from > 0 && keep[from - 1] || is_above_kept(blocks, keep, to))
            && p[from..to].iter().sum::<f32>() >= P_FACTS * (to - from) as f32
            && are_facts(blocks, i)
        {
            keep[from..to].fill(true);
        }
    }
}

/// Whether kept text follows at `from`, perhaps after the labels of a few controls, such as the button to apply.
fn is_above_kept(blocks: &Blocks, keep: &[bool], from: usize) -> bool {
    let next =
        (from..keep.len()).take(MAX_BLOCKS_TO_KEPT).find(|&b| keep[b] || blocks.blocks[b].words > MAX_LABEL_WORDS);
    next.is_some_and(|b| keep[b])
}

/// Whether the children of an element are short rows of a label and a value.
fn are_facts(blocks: &Blocks, element: usize) -> bool {
    let rows: Vec<usize> = blocks.outermost(blocks.below(element)).take(FACTS.end() + 1).collect();
    FACTS.contains(&rows.len())
        && rows.iter().all(|row| blocks.elements[*row].tag == blocks.elements[rows[0]].tag && is_fact(blocks, *row))
}

/// Whether an element is a row of a label and a value, and not a picture with its name and its source.
fn is_fact(blocks: &Blocks, row: usize) -> bool {
    let own = blocks.elements[row].blocks.start as usize..blocks.elements[row].blocks.end as usize;
    let max_first = match &blocks.blocks[own.clone()] {
        [only] if only.leaves.len() >= 2 => MAX_FACT_WORDS,
        // A label may have several values.
        [_, _, ..] if own.len() <= MAX_FACT_BLOCKS => MAX_LABEL_WORDS,
        _ => return false,
    };
    blocks.blocks[own.start].words <= max_first
        && own.clone().all(|b| {
            let block = &blocks.blocks[b];
            block.links == 0
                && block.words <= MAX_FACT_WORDS
                && heading_level(blocks, b) == 0
                && !ends_sentence(blocks.text(b))
        })
        && !blocks.elements[blocks.below(row)].iter().any(|e| matches!(e.tag, Tag::PICTURE | Tag::FIGURE))
}

/// Keeps a few sentences between kept blocks of one element, with or without the labels of controls next to them. The name of their
/// element, such as a slide or a tab, counts less there.
fn keep_sentences(blocks: &Blocks, p: &[f32], keep: &mut [bool]) {
    let b = &blocks.blocks;
    // Without this repair, 13 of 71 look-alikes of hidden text are lost, with it 1 (docs/experiments/content.md).
    let found: Vec<usize> = (0..keep.len())
        .filter(|&i| {
            !keep[i]
                && p[i] > P_AMID
                && b[i].words >= MIN_SENTENCE_WORDS
                && b[i].links == 0
                && (ends_sentence(blocks.text(i)) || p[i] > P_UNSTOPPED && lacks_stops(blocks.text(i)))
                && is_amid(blocks, p, keep, i)
        })
        .collect();
    found.into_iter().for_each(|i| keep[i] = true);
}

/// Whether a text ends in Thai or Lao, which end sentences with a space.
fn lacks_stops(text: &str) -> bool {
    text.ends_with(|c| matches!(c, '\u{e01}'..='\u{eff}'))
}

/// Whether a block is between kept blocks of one element, with only labels and likely texts in between.
fn is_amid(blocks: &Blocks, p: &[f32], keep: &[bool], i: usize) -> bool {
    let before = (i.saturating_sub(MAX_BLOCKS_TO_KEPT)..i).rev().find(|&j| is_border(blocks, p, keep, j));
    let after = (i + 1..keep.len().min(i + 1 + MAX_BLOCKS_TO_KEPT)).find(|&j| is_border(blocks, p, keep, j));
    let [Some(before), Some(after)] = [before, after] else { return false };
    let [container_before, container_after] =
        [before, after].map(|b| &blocks.elements[blocks.blocks[b].container as usize]);
    // The text after a box may begin with the next section.
    let part = &blocks.elements[container_before.parent as usize];
    keep[before]
        && keep[after]
        && (container_before.parent == container_after.parent
            || part.tag == Tag::SECTION && part.blocks.contains(&(after as u32)))
}

/// Whether a block is kept, or a text that is not likely enough to be passed over.
fn is_border(blocks: &Blocks, p: &[f32], keep: &[bool], i: usize) -> bool {
    keep[i] || blocks.blocks[i].words > MAX_LABEL_WORDS && p[i] <= P_AMID
}

/// Keeps displayed formulas with the text around them. The probabilities of blocks without words say little.
fn keep_formulas(blocks: &Blocks, keep: &mut [bool]) {
    let mut at = 0;
    while at < keep.len() {
        if !blocks.is_formula(at) {
            at += 1;
            continue;
        }
        // Formulas that follow each other are judged together, with the numbers between them.
        let mut end = at + 1;
        while end < keep.len()
            && (blocks.is_formula(end)
                || blocks.blocks[end].chars <= MAX_NUMBER_CHARS && !keep[end] && end - at < MAX_FORMULA_RUN)
        {
            end += 1;
        }
        let last = (at..end)
            .rev()
            .find(|&i| blocks.is_formula(i) || blocks.text(i).starts_with('(') && blocks.text(i).ends_with(')'))
            .unwrap_or(at);
        let before =
            (at.saturating_sub(MAX_BLOCKS_TO_KEPT)..at).rev().find(|&i| blocks.blocks[i].chars > MAX_NUMBER_CHARS);
        let kept_before = before.is_some_and(|i| keep[i]);
        let kept_after = keep[last + 1..].iter().take(MAX_BLOCKS_TO_KEPT).any(|k| *k);
        if kept_before
            && (kept_after
                || before.is_some_and(|i| {
                    blocks.elements[blocks.blocks[i].container as usize].parent
                        == blocks.elements[blocks.blocks[at].container as usize].parent
                        || [blocks.blocks[i].container, blocks.elements[blocks.blocks[i].container as usize].parent]
                            .contains(&blocks.blocks[at].container)
                }))
        {
            keep[at..=last].fill(true);
        }
        at = end;
    }
}

fn keep_headings(blocks: &Blocks, p: &[f32], keep: &mut [bool]) {
    let first = keep.iter().position(|k| *k).and_then(|first| first.checked_sub(1));
    if let Some(above) = first.filter(|&i| heading_level(blocks, i) > 1 && p[i] > P_HEADING_ABOVE) {
        keep[above] = true;
    }
    // A heading directly before one of the same or a higher level heads nothing.
    let heading_of_text: Vec<bool> = (0..keep.len())
        .map(|i| match heading_level(blocks, i) {
            0 => false,
            _ if i + 1 == keep.len() => true,
            own => heading_level(blocks, i + 1) == 0 || heading_level(blocks, i + 1) > own,
        })
        .collect();
    for i in (1..keep.len()).rev() {
        keep[i - 1] |= keep[i] && p[i - 1] > P_HEADING && heading_of_text[i - 1];
    }
    keep_headings_of_records(blocks, p, keep, &|i| heading_level(blocks, i) > 0);
    // The first block after the last kept one, and whether only headings and captions lie between.
    let mut between = None;
    for i in 0..keep.len() {
        if !keep[i] {
            let is_heading = heading_level(blocks, i) > 0 && p[i] > P_HEADING_AMID;
            if between.is_some() && !is_heading && !is_between(blocks, i) {
                between = None;
            }
            continue;
        }
        if let Some(from) = between.replace(i + 1) {
            (from..i).filter(|&b| heading_of_text[b]).for_each(|b| keep[b] = true);
        }
    }
}

/// Keeps the headings of records that are kept, such as the posts of a blog: a line with a date or an author may come between.
fn keep_headings_of_records(blocks: &Blocks, p: &[f32], keep: &mut [bool], heading: &impl Fn(usize) -> bool) {
    let mut found = Vec::new();
    for (_, e) in records(blocks) {
        let own = e.blocks.start as usize..e.blocks.end as usize;
        let Some(first) = own.clone().take(MAX_BLOCKS_TO_KEPT).find(|&b| heading(b)) else { continue };
        let rest = first + 1..own.end;
        let lines =
            rest.clone().take_while(|&b| !keep[b] && blocks.blocks[b].words <= MAX_LINE_WORDS && !heading(b)).count();
        if lines < MAX_BLOCKS_TO_KEPT && rest.len() > lines && keep[first + 1 + lines] && p[first] > P_HEADING_OF_RECORD
        {
            found.push(first);
        }
    }
    if found.len() > 1 {
        found.into_iter().for_each(|b| keep[b] = true);
    }
}

/// Returns the `<article>` elements with text that do not lie in another one.
fn records(blocks: &Blocks) -> impl Iterator<Item = (usize, &Element)> {
    let mut end = 0;
    blocks.elements.iter().enumerate().filter(move |(_, e)| {
        let is_record = e.tag == Tag::ARTICLE && !e.blocks.is_empty() && e.blocks.start >= end;
        end = if is_record { e.blocks.end } else { end };
        is_record
    })
}

/// Whether a block may come between a heading and its text: the caption of a figure, a short link to the source or to an editor.
fn is_between(blocks: &Blocks, i: usize) -> bool {
    let b = &blocks.blocks[i];
    if b.link_chars + BRACKET_CHARS >= b.chars && b.links > 0 && b.words <= 2
        || code::language::is_label_text(blocks.text(i))
    {
        return true;
    }
    blocks.ancestors(i).take(3).any(|e| matches!(blocks.elements[e].tag, Tag::FIGURE | Tag::FIGCAPTION))
}

fn keep_code(blocks: &Blocks, p: &[f32], keep: &mut [bool]) {
    // Most pages have no code.
    if !(0..keep.len()).any(|i| is_code(blocks, i)) {
        return;
    }
    let displayed: Vec<bool> = (0..keep.len()).map(|i| is_code(blocks, i) && is_displayed(blocks, i)).collect();
    if displayed.contains(&true) {
        keep_displayed_code(blocks, p, &displayed, keep);
    }
    // Blocks that this rule keeps do not count as text around others, so all are found before any is kept.
    let found: Vec<usize> = (0..keep.len())
        .filter(|&i| !keep[i] && p[i] > P_AMID && is_code(blocks, i) && !is_prompt(blocks, i))
        .filter(|&i| {
            let before = &keep[i.saturating_sub(MAX_BLOCKS_TO_KEPT)..i];
            let after = &keep[i + 1..(i + 1 + MAX_BLOCKS_TO_KEPT).min(keep.len())];
            before.contains(&true) && after.contains(&true)
        })
        .collect();
    found.into_iter().for_each(|i| keep[i] = true);
}

fn is_code(blocks: &Blocks, i: usize) -> bool {
    blocks.blocks[i].code_chars * 2 > blocks.blocks[i].chars
}

/// Whether the block is code that is displayed as a block.
fn is_displayed(blocks: &Blocks, i: usize) -> bool {
    blocks.element_chain(blocks.blocks[i].container as usize).take(2).any(|e| {
        let element = &blocks.elements[e];
        element.tag == Tag::PRE || matches!(blocks.markup.role(element.node), Role::Code(_))
    })
}

/// Drops the numbers of a notebook's cells, and keeps displayed code between kept text and directly after kept text in the same part of the
/// page: articles are short more often than pages display code that is not content.
fn keep_displayed_code(blocks: &Blocks, p: &[f32], displayed: &[bool], keep: &mut [bool]) {
    // The distance to the next kept text, and to the last one, in blocks that are not displayed code.
    let mut after = vec![usize::MAX; keep.len()];
    let mut distance = usize::MAX;
    for i in (0..keep.len()).rev() {
        after[i] = distance;
        if is_prompt(blocks, i) {
            continue;
        }
        distance = if keep[i] && !displayed[i] { 0 } else { distance.saturating_add(usize::from(!displayed[i])) };
    }
    let (mut before, mut last) = (usize::MAX, 0);
    for i in 0..keep.len() {
        if is_prompt(blocks, i) {
            keep[i] = false;
            continue;
        }
        if !displayed[i] {
            (before, last) = if keep[i] { (0, i) } else { (before.saturating_add(1), last) };
            continue;
        }
        keep[i] |= p[i] > P_DISPLAYED
            && (before < MAX_BLOCKS_TO_KEPT && after[i] < MAX_BLOCKS_TO_KEPT
                || before < 2
                    && blocks.element_chain(blocks.blocks[i].container as usize).take(MAX_LEVELS_TO_PART).any(|e| {
                        blocks.elements[e].tag != Tag::BODY && blocks.elements[e].blocks.contains(&(last as u32))
                    }));
        if keep[i] && i > 0 && !displayed[i - 1] {
            caption_code(blocks, i, keep);
        }
    }
}

/// Whether a block is the number of a notebook's cell: `In [2]:`, `[2]:`.
fn is_prompt(blocks: &Blocks, i: usize) -> bool {
    let text = blocks.text(i);
    let number = text.strip_prefix("In").or_else(|| text.strip_prefix("Out")).unwrap_or(text).trim_start();
    let number = number.strip_prefix('[').and_then(|n| n.strip_suffix("]:"));
    number.is_some_and(|n| n.len() <= 4 && n.bytes().all(|b| b.is_ascii_digit() || matches!(b, b' ' | b'*')))
}

/// Keeps the name of a file above kept code, and drops the name of its language and the label of its button.
fn caption_code(blocks: &Blocks, i: usize, keep: &mut [bool]) {
    let text = blocks.text(i - 1);
    let container = &blocks.elements[blocks.blocks[i - 1].container as usize];
    let part = matches!(container.tag, Tag::DIV | Tag::FIGCAPTION | Tag::FIGURE | Tag::BUTTON | Tag::HEADER);
    if text.len() > MAX_CAPTION_BYTES
        || !part
        || !blocks
            .element_chain(blocks.blocks[i].container as usize)
            .take(MAX_LEVELS_TO_CODE)
            .any(|e| blocks.elements[e].tag != Tag::BODY && blocks.elements[e].blocks.start as usize == i - 1)
    {
        return;
    }
    let is_file = !text.contains(' ') && text.contains(['.', '/']) && text.contains(char::is_alphabetic);
    keep[i - 1] = (keep[i - 1] || is_file) && !code::language::is_label_text(text);
}

/// Whether an element is read as a whole, so that all of it is kept between kept texts.
fn is_whole(e: &Element) -> bool {
    match e.tag {
        Tag::TABLE => e.blocks.len() >= MIN_CELLS,
        Tag::UL | Tag::OL | Tag::DL | Tag::BLOCKQUOTE => !e.blocks.is_empty(),
        _ => false,
    }
}

/// Keeps lists, quotations and tables of data between or next to kept texts, and the rest of tables of data that are mostly kept,
/// and of small lists of which a part is kept.
fn keep_wholes(blocks: &Blocks, p: &[f32], keep: &mut [bool]) {
    if !blocks.elements.iter().any(is_whole) {
        return;
    }
    let rows = blocks.blocks.iter().zip(keep.iter()).zip(p).map(|((b, kept), p)| {
        let words = b.words.max(1) as f64;
        [words, if *kept { words } else { 0.0 }, b.chars as f64, b.link_chars as f64, *p as f64]
    });
    let sums = RunningSums::new(rows);
    // Elements are in document order: everything inside a completed element is complete.
    let mut complete = 0;
    for (i, e) in blocks.elements.iter().enumerate().filter(|(_, e)| is_whole(e)) {
        let (from, to) = (e.blocks.start as usize, e.blocks.end as usize);
        if from < complete {
            continue;
        }
        let ([words, kept, chars, links, sum], size) = (sums.of(from..to), (to - from) as f64);
        let table = e.tag == Tag::TABLE;
        let text = links * 2.0 <= chars && (!table || words <= MAX_WORDS_PER_CELL * size);
        let plain = table && is_plain(blocks, i);
        let small = words <= if plain { MAX_SMALL_TABLE_WORDS } else { MAX_SMALL_WORDS };
        let share = if plain { MIN_KEPT_SHARE_PLAIN } else { MIN_KEPT_SHARE };
        let is_facts = e.tag == Tag::DL || plain && is_of_facts(blocks, i);
        let likely = sum > surest(blocks, keep, e, small, is_facts) as f64 * size;
        // If the page is a single list, all of it is content.
        let all = size == keep.len() as f64 && !table && kept > 0.0;
        let announced = from > 0 && keep[from - 1] && announces(blocks, from - 1) && sum > P_ANNOUNCED as f64 * size;
        let partly = kept > 0.0 && sum > P_PARTLY as f64 * size && words <= MAX_SMALL_WORDS && is_of_lines(blocks, e);
        let mostly = table && kept >= share * words && (plain || !lays_out(blocks, keep, i, words));
        let rows = plain && sum > P_ROWS as f64 * size && has_kept_headers(blocks, keep, i);
        let below = sum > P_BELOW as f64 * size
            && is_list_below_text(blocks, keep, e)
            && p[from..to].iter().all(|p| *p > MIN_P_BELOW);
        if all || announced || rows || below || text && (likely || partly || mostly) {
            keep[from..to].fill(true);
            complete = to;
        }
    }
}

/// Whether a table with headings, forms or tables in it lays out the page: it is around another one, or its cells hold much text and its
/// dropped blocks are mostly links.
fn lays_out(blocks: &Blocks, keep: &[bool], table: usize, words: f64) -> bool {
    let mut cells = 0;
    for e in &blocks.elements[blocks.below(table)] {
        // So nested tables are not walked again for each of them.
        if e.tag == Tag::TABLE {
            return true;
        }
        cells += usize::from(matches!(e.tag, Tag::TH | Tag::TD));
    }
    let own = blocks.elements[table].blocks.start as usize..blocks.elements[table].blocks.end as usize;
    let dropped = own.filter(|&b| !keep[b]).map(|b| (blocks.blocks[b].chars, blocks.blocks[b].link_chars));
    let (chars, links) = dropped.fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
    words > MAX_WORDS_PER_CELL * cells as f64 && links * 2 > chars
}

/// Whether a table begins with headers, all of which are kept.
fn has_kept_headers(blocks: &Blocks, keep: &[bool], table: usize) -> bool {
    let mut cells =
        blocks.elements[blocks.below(table)].iter().filter(|e| matches!(e.tag, Tag::TH | Tag::TD)).peekable();
    let from = cells.peek().map_or(0, |first| first.blocks.start as usize);
    let to = cells.take_while(|e| e.tag == Tag::TH).last().map_or(from, |last| last.blocks.end as usize);
    from < to && keep[from..to].iter().all(|k| *k)
}

/// Whether an element is a list of several blocks directly below kept text.
fn is_list_below_text(blocks: &Blocks, keep: &[bool], e: &Element) -> bool {
    matches!(e.tag, Tag::UL | Tag::OL | Tag::DL)
        && e.blocks.len() >= MIN_LIST_BLOCKS
        && (e.blocks.start as usize).checked_sub(1).is_some_and(|b| keep[b] && heading_level(blocks, b) == 0)
}

/// Drops the last line of a list whose other lines are dropped links: the name of the page, below the names of its sections.
fn drop_ends_of_paths(blocks: &Blocks, keep: &mut [bool]) {
    for list in blocks.elements.iter().filter(|e| matches!(e.tag, Tag::UL | Tag::OL)) {
        let (from, to) = (list.blocks.start as usize, list.blocks.end as usize);
        if !PATH_BLOCKS.contains(&(to - from)) || !keep[to - 1] || keep[from..to - 1].contains(&true) {
            continue;
        }
        let (links, last) = (&blocks.blocks[from..to - 1], &blocks.blocks[to - 1]);
        let is_path = links.iter().all(|b| b.links == 1 && b.link_chars + MAX_SEPARATOR_CHARS >= b.chars);
        if is_path && last.links == 0 && last.words <= MAX_PATH_WORDS {
            keep[to - 1] = false;
        }
    }
}

/// Whether each item of a list is a single line of text.
fn is_of_lines(blocks: &Blocks, list: &Element) -> bool {
    let mut own = blocks.blocks[list.blocks.start as usize..list.blocks.end as usize].iter();
    own.all(|b| blocks.elements[b.container as usize].tag == Tag::LI && b.links == 0)
}

/// Whether a block is a sentence that announces the next block: "These are the papers:". A label such as "Related:" is shorter.
fn announces(blocks: &Blocks, i: usize) -> bool {
    blocks.blocks[i].words >= MIN_SENTENCE_WORDS && blocks.text(i).ends_with([':', '：'])
}

/// Whether each row of a table is a header with its value.
fn is_of_facts(blocks: &Blocks, table: usize) -> bool {
    let inside = &blocks.elements[blocks.below(table)];
    let mut cells = inside.iter().filter(|e| matches!(e.tag, Tag::TR | Tag::TH | Tag::TD)).map(|e| e.tag).peekable();
    while cells.peek().is_some() {
        if [cells.next(), cells.next(), cells.next()] != [Tag::TR, Tag::TH, Tag::TD].map(Some) {
            return false;
        }
    }
    true
}

/// Whether a table holds no other tables, headings or forms, unlike tables that lay out pages.
fn is_plain(blocks: &Blocks, table: usize) -> bool {
    let inside = blocks.below(table);
    !blocks.elements[inside].iter().any(|e| matches!(e.tag, Tag::TABLE | Tag::FORM) || e.tag.heading_level().is_some())
}

/// Whether a block is a short line without links, such as a byline.
fn is_plain_line(blocks: &Blocks, b: usize) -> bool {
    let block = &blocks.blocks[b];
    block.words <= MAX_LINE_WORDS && block.links == 0 && heading_level(blocks, b) == 0
}

/// Returns the mean probability above which an element is kept with the kept text around it.
fn surest(blocks: &Blocks, keep: &[bool], e: &Element, small: bool, is_facts: bool) -> f32 {
    let (from, to) = (e.blocks.start as usize, e.blocks.end as usize);
    let before = from > 0 && keep[from - 1];
    let after = keep.get(to).is_some_and(|k| *k);
    if before && after {
        return P_AMID;
    }
    // The author may sign between the text and its facts.
    let is_signed = from > 1 && keep[from - 2] && is_plain_line(blocks, from - 1);
    if small && is_facts && (before || after || is_signed) {
        return P_BESIDE_FACTS;
    }
    if small && (before || after) {
        return P_BESIDE;
    }
    let above = &keep[from.saturating_sub(MAX_BLOCKS_TO_KEPT)..from];
    let below = &keep[to..(to + MAX_BLOCKS_TO_KEPT).min(keep.len())];
    if small && above.contains(&true) && below.contains(&true) { P_NEAR } else { f32::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Repairs a choice of blocks.
    fn repair(blocks: &Blocks, p: &[f32], keep: &mut [bool]) {
        let mut choice = Choice::of(keep.to_vec());
        super::repair(blocks, p, &mut choice);
        keep.copy_from_slice(choice.kept());
    }

    #[test]
    fn the_name_of_the_page_falls_with_the_path_of_links_above_it() {
        let kept = |last: &str, keep: [bool; 4]| {
            let html = format!(
                "<ol><li><a href=/>Home</a> /<li><a href=/k>Kitchen</a> /<li>{last}</ol><p>A kettle with a spout."
            );
            let blocks = Blocks::new(&maintext_page::dom::parse(&html, &Default::default()));
            let mut keep = keep;
            repair(&blocks, &[0.0; 4], &mut keep);
            keep
        };
        let of_page = [false, false, true, true];
        assert_eq!(kept("Brindle 1.2", of_page), [false, false, false, true]);
        // A link of its own, and a list of which another line is kept.
        assert_eq!(kept("<a href=/b>Brindle 1.2</a>", of_page), of_page);
        assert_eq!(kept("Brindle 1.2", [false, true, true, true]), [false, true, true, true]);
    }

    #[test]
    fn doubtful_text_below_a_kept_heading_is_kept() {
        let kept = |html: &str, p: &[f32]| {
            let blocks = Blocks::new(&maintext_page::dom::parse(html, &Default::default()));
            let mut keep: Vec<bool> = p.iter().map(|p| *p > 0.5).collect();
            repair(&blocks, p, &mut keep);
            keep.iter().map(|k| if *k { '+' } else { '-' }).collect::<String>()
        };
        let hours = "<p>We bake bread.</p><h2>Hours</h2><div>Monday 7 to 9</div><div>Friday 8 to 9</div><p>News</p>";
        assert_eq!(kept(hours, &[0.9, 0.6, 0.4, 0.25, 0.1]), "++++-");
        assert_eq!(kept(hours, &[0.9, 0.6, 0.4, 0.1, 0.9]), "++--+");
        assert_eq!(kept(hours, &[0.9, 0.6, 0.2, 0.2, 0.1]), "++---");
        assert_eq!(kept(hours, &[0.9, 0.4, 0.3, 0.25, 0.1]), "+----");
        let links = "<h2>More</h2><div><a href=/a>One</a></div><div><a href=/b>Two</a></div>";
        assert_eq!(kept(links, &[0.6, 0.4, 0.4]), "+--");
    }

    #[test]
    fn rows_of_links_are_kept_with_their_headers_and_lists_of_links_with_their_introduction() {
        let kept = |html: &str, p: f32, first: usize| {
            let blocks = Blocks::new(&maintext_page::dom::parse(html, &Default::default()));
            let mut keep: Vec<bool> = (0..blocks.len()).map(|b| b < first).collect();
            repair(&blocks, &vec![p; blocks.len()], &mut keep);
            keep[first..].iter().all(|k| *k)
        };
        let table = "<table><tr><th>File<th>Report<tr><td><a href=/a>a.c</a><td><a href=/1>One</a><tr><td><a href=/b>b.c</a><td><a href=/2>Two</a></table>";
        assert!(kept(table, 0.2, 2) && !kept(table, 0.1, 2) && !kept(table, 0.2, 1));
        let list =
            "<p>Notes about wells.</p><ul><li><a href=/a>One</a><li><a href=/b>Two</a><li><a href=/c>Three</a></ul>";
        assert!(kept(list, 0.3, 1) && !kept(list, 0.2, 1));
        let dated = "<p>Notes about wells.</p><dl><dt>1 May<dd><a href=/a>One old well</a><dt>2 May<dd><a href=/b>Two old wells</a></dl>";
        assert!(kept(dated, 0.3, 1) && !kept(dated, 0.2, 1));
        assert!(!kept(&list.replace("<p>Notes", "<h2>Notes").replace("</p>", "</h2>"), 0.3, 1));
    }

    #[test]
    fn a_table_of_headers_with_their_values_is_kept_below_the_text_and_its_byline() {
        let kept = |between: &str, row: &str| {
            let html = format!("<p>The chest is of pine.</p>{between}<table>{}</table>", row.repeat(3));
            let blocks = Blocks::new(&maintext_page::dom::parse(&html, &Default::default()));
            let mut keep: Vec<bool> = (0..blocks.len()).map(|b| b == 0).collect();
            repair(&blocks, &vec![0.12; blocks.len()], &mut keep);
            keep[blocks.len() - 1]
        };
        let fact = "<tr><th>Paint</th><td>oil, chalk</td></tr>";
        assert!(kept("", fact) && kept("<p>By Ruta Mend</p>", fact));
        assert!(!kept("<h2>Other chests</h2>", fact) && !kept("<p><a href=/more>More</a></p>", fact));
        assert!(!kept("", "<tr><td>Paint</td><td>oil, chalk</td></tr>"));
    }

    #[test]
    fn the_rest_of_a_small_list_of_lines_is_kept_with_a_part_of_it() {
        let repaired = |list: &str, p: f32| {
            let blocks =
                Blocks::new(&maintext_page::dom::parse(&format!("<h1>a</h1>{list}<h2>b</h2>"), &Default::default()));
            let mut keep = vec![false; blocks.len()];
            keep[3] = true;
            repair(&blocks, &vec![p; blocks.len()], &mut keep);
            keep[1..4].to_vec()
        };
        let lines = "<ul><li>One<li>Two<li>Three</ul>";
        assert_eq!((repaired(lines, 0.4), repaired(lines, 0.3)), (vec![true; 3], vec![false, false, true]));
        assert_eq!(repaired("<ul><li><p>One</p><p>Rate</p><li><p>Two</p></ul>", 0.4), [false, false, true]);
    }

    #[test]
    fn a_table_that_is_mostly_kept_is_kept_whole() {
        let html = "<p>a<table><tr><td>1<td>2<tr><td>3<td>4<tr><td>5<td>6</table><table><tr><td>1<td>2<tr><td>3<td>4<tr><td>5<td>6</table>";
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let mut keep = vec![false; 13];
        keep[1..6].fill(true);
        keep[7..9].fill(true);
        repair(&blocks, &[0.0; 13], &mut keep);
        let kept: Vec<usize> = (0..13).filter(|&i| keep[i]).collect();
        assert_eq!(kept, [1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn a_table_that_lays_out_the_page_is_not_kept_whole() {
        let kept = |menu: &str, inside: &str| {
            let html = format!("<table><tr><td>{menu}<td><p>one</p>{inside}<tr><td>{menu}</table>");
            let blocks = Blocks::new(&maintext_page::dom::parse(&html, &Default::default()));
            let last = blocks.len() - 1;
            let mut keep: Vec<bool> = (0..=last).map(|b| (1..last).contains(&b)).collect();
            repair(&blocks, &vec![0.0; last + 1], &mut keep);
            keep.iter().map(|k| if *k { '+' } else { '-' }).collect::<String>()
        };
        let menu = "<a href=/>Home</a>";
        assert_eq!(kept("Home", "<p>two</p><p>three</p><table><tr><td>1<td>2</table>"), "-+++++-");
        let notices = "<h3>Water</h3><p>The main pipe of the lower town is replaced.</p>".repeat(2);
        assert_eq!((kept(menu, &notices), kept("Price: 4", &notices)), ("-+++++-".into(), "+++++++".into()));
        assert_eq!(kept(menu, "<h3>Water</h3><p>Replaced at ten on Monday.</p>"), "+++++");
    }

    #[test]
    fn rows_of_a_label_and_a_value_are_kept_with_the_text_next_to_them() {
        let repaired = |row: &dyn Fn(&str, &str) -> String, p: f32| {
            let rows = [("Place", "The old mill"), ("Start", "1 May"), ("Pay", "12 a day")];
            let rows: String = rows.iter().map(|(label, value)| row(label, value)).collect();
            let html = format!("<div>{rows}</div><p>We look for a miller.</p>");
            let blocks = Blocks::new(&maintext_page::dom::parse(&html, &Default::default()));
            let mut keep = vec![false; blocks.len()];
            keep[blocks.len() - 1] = true;
            repair(&blocks, &vec![p; blocks.len()], &mut keep);
            keep.iter().all(|k| *k)
        };
        let spans = |label: &str, value: &str| format!("<div><span>{label}</span> <b>{value}</b></div>");
        let blocks = |label: &str, value: &str| format!("<div><div>{label}</div><div>{value}</div></div>");
        assert!(repaired(&spans, 0.3) && repaired(&blocks, 0.3) && !repaired(&spans, 0.2));
        let several = |label: &str, value: &str| {
            format!("<div><div>{label}</div><div><div>{value}</div><div>and {value}</div></div></div>")
        };
        assert!(repaired(&several, 0.3));
        assert!(!repaired(&|label, value| format!("<div><a href=/>{label}</a> <b>{value}</b></div>"), 0.3));
        assert!(!repaired(&|label, value| format!("<div>{label} {value}</div>"), 0.3), "lines without labels");
        assert!(!repaired(&|label, value| format!("<div><b>{label}</b> <i>{value} is read.</i></div>"), 0.3));
    }

    #[test]
    fn a_table_between_kept_paragraphs_is_kept_with_them() {
        let html = "<p>a<table><tr><td>1<td>2<tr><td>3<td>4</table><p>b<table><tr><td>1<td>2<tr><td>3<td>4</table>";
        let blocks = Blocks::new(&maintext_page::dom::parse(html, &Default::default()));
        let repaired = |p: f32| {
            let mut keep = vec![true, false, false, false, false, true, false, false, false, false];
            repair(&blocks, &[p; 10], &mut keep);
            keep.iter().filter(|k| **k).count()
        };
        assert_eq!((repaired(0.2), repaired(0.1)), (6, 2));
    }

    #[test]
    fn lists_and_quotations_amid_kept_text_are_kept() {
        let repaired = |inner: &str, p: f32| {
            let html = format!("<p>a</p>{inner}<p>b</p>{inner}<footer>c</footer>");
            let blocks = Blocks::new(&maintext_page::dom::parse(&html, &Default::default()));
            let mut keep = vec![false; blocks.len()];
            keep[0] = true;
            keep[blocks.len() / 2] = true;
            repair(&blocks, &vec![p; blocks.len()], &mut keep);
            keep.iter().filter(|k| **k).count()
        };
        for inner in ["<ul><li>1<li>2</ul>", "<blockquote><p>1<p>2</blockquote>"] {
            assert_eq!((repaired(inner, 0.2), repaired(inner, 0.1)), (4, 2), "{inner}");
        }
        // Facts need text on one side only.
        let facts = "<dl><dt>1<dd>2</dl>";
        assert_eq!((repaired(facts, 0.2), repaired(facts, 0.1)), (6, 2));
        // A list of links may be a menu.
        assert_eq!(repaired("<ul><li><a href=/1>1</a><li><a href=/2>2</a></ul>", 0.2), 2);
    }

    #[test]
    fn a_list_of_links_that_a_sentence_announces_is_kept() {
        let repaired = |sentence: &str, p: f32| {
            let html = format!("<p>{sentence}</p><ul><li><a href=/1>Report</a><li><a href=/2>Map</a></ul><p>b</p>");
            let blocks = Blocks::new(&maintext_page::dom::parse(&html, &Default::default()));
            let mut keep = vec![true, false, false, true];
            repair(&blocks, &[p; 4], &mut keep);
            keep[1] && keep[2]
        };
        assert!(repaired("These are the papers that it has published:", 0.2));
        assert!(repaired("調査委員会が公表した文書は以下のとおりです：", 0.2));
        assert!(!repaired("These are the papers that it has published:", 0.05));
        assert!(!repaired("Related:", 0.2) && !repaired("These are the papers that it has published.", 0.2));
    }

    #[test]
    fn rows_of_facts_may_have_a_button_between_them_and_the_text() {
        let kept = |below: &str, p: f32| {
            let html = format!(
                "<h1>Kiln hand</h1><div><p>Place<b>Dunmoor</b><p>Hours<b>38</b><p>Begin<b>May</b></div>{below}<p>two</p>"
            );
            let blocks = Blocks::new(&maintext_page::dom::parse(&html, &Default::default()));
            let mut keep = [false, false, false, false, false, true];
            repair(&blocks, &[0.1, p, p, p, 0.05, 0.9], &mut keep);
            keep[1..5].to_vec()
        };
        assert_eq!(kept("<button>Apply now</button>", 0.3), [true, true, true, false]);
        assert_eq!(kept("<button>Apply now</button>", 0.2), [false; 4]);
        assert_eq!(kept("<p>We keep the papers of all applicants.</p>", 0.3), [false; 4]);
    }

    #[test]
    fn sentences_amid_kept_text_are_kept_with_it() {
        let html = "<p>one</p><div><p>It leaves the port at nine.</p><p>It comes back at six.</p></div><button>More</button><p>two</p>\
                    <p>A line without end</p><p><a href=/>It leaves the port at nine.</a></p><p>three</p>";
        let blocks = Blocks::new(&maintext_page::dom::parse(html, &Default::default()));
        let repaired = |p: f32, last: bool| {
            let mut keep = vec![true, false, false, false, true, false, false, last];
            repair(&blocks, &[p; 8], &mut keep);
            keep
        };
        assert_eq!(repaired(0.2, true), [true, true, true, false, true, false, false, true]);
        assert_eq!(repaired(0.1, true), [true, false, false, false, true, false, false, true]);
        let html = "<p>one</p><div><p>It leaves the port at nine.</p></div><div><p>two</p></div>";
        let blocks = Blocks::new(&maintext_page::dom::parse(html, &Default::default()));
        let mut keep = vec![true, false, true];
        repair(&blocks, &[0.2; 3], &mut keep);
        assert_eq!(keep, [true, false, true], "the kept texts are in different elements");
        // A box between the text and the next section, and Thai.
        let html = "<section><p>one</p><aside><p>It leaves the port at nine.</p></aside><section><p>two</p></section></section>\
                    <p>three</p><p>เรือออก จากท่า ตอนเก้าโมง ทุกวัน กลับมา</p><p>four</p>";
        let blocks = Blocks::new(&maintext_page::dom::parse(html, &Default::default()));
        let repaired = |p: f32| {
            let mut keep = vec![true, false, true, true, false, true];
            repair(&blocks, &[p; 6], &mut keep);
            (keep[1], keep[4])
        };
        assert_eq!((repaired(0.4), repaired(0.2)), ((true, true), (true, false)));
    }

    #[test]
    fn a_heading_goes_with_its_text() {
        let html = "<h2>one</h2><p>text</p><h2>two</h2><p>no text</p><h2>three</h2><h3>four</h3><p>text</p>";
        let blocks = Blocks::new(&maintext_page::dom::parse(html, &Default::default()));
        let mut keep = vec![false, true, false, false, false, false, true];
        repair(&blocks, &[0.4, 0.9, 0.4, 0.1, 0.4, 0.4, 0.9], &mut keep);
        assert_eq!(keep, [true, true, false, false, true, true, true]);
        let mut keep = vec![false, true, false, false, false, false, true];
        repair(&blocks, &[0.1; 7], &mut keep);
        assert_eq!(keep, [false, true, false, false, false, false, true]);
        let html = "<h2>one</h2><p>text</p><aside><h3>Read more</h3></aside><h2>two</h2><p>text</p>";
        let blocks = Blocks::new(&maintext_page::dom::parse(html, &Default::default()));
        let mut keep = vec![true, true, false, true, true];
        repair(&blocks, &[0.4; 5], &mut keep);
        assert_eq!(keep, [true, true, false, true, true], "a heading over the next heading");
    }

    #[test]
    fn a_displayed_formula_goes_with_the_text_around_it() {
        let html = "<p>first text</p><math display=block><mi>x</mi></math><p>second text</p><math display=block><mi>y</mi></math><footer>end</footer>";
        let blocks = Blocks::new(&maintext_page::dom::parse(html, &Default::default()));
        let repaired = |kept: [bool; 5]| {
            let mut keep = kept.to_vec();
            repair(&blocks, &[0.0; 5], &mut keep);
            keep
        };
        assert_eq!(repaired([true, false, true, false, false]), [true, true, true, true, false]);
        assert_eq!(repaired([false, false, true, false, false]), [false, false, true, true, false]);
    }

    #[test]
    fn the_numbers_of_cells_are_dropped() {
        let html = "<p>text</p><pre>[1]:</pre><pre>print(x)</pre><pre>[1]:</pre><pre>12</pre><p>Cell [1]: a sum</p>";
        let blocks = Blocks::new(&maintext_page::dom::parse(html, &Default::default()));
        let mut keep = vec![true; 6];
        repair(&blocks, &[0.9; 6], &mut keep);
        assert_eq!(keep, [true, false, true, false, true, true]);
    }

    #[test]
    fn code_goes_with_the_table_above_it() {
        let table = "<table><tr><td>1<td>2<tr><td>3<td>4</table>";
        let html = format!("<main><p>text</p>{table}<pre>print(x)</pre></main><footer>end</footer>");
        let blocks = Blocks::new(&maintext_page::dom::parse(&html, &Default::default()));
        let mut keep = vec![true, false, false, false, false, false, false];
        repair(&blocks, &[0.4; 7], &mut keep);
        assert_eq!(keep, [true, true, true, true, true, true, false]);
    }

    #[test]
    fn code_goes_with_the_text_around_it() {
        let html =
            "<p>text</p><p>file.rs</p><pre><code>let x = 1;</code></pre><p>text</p><pre><code>let y = 2;</code></pre>";
        let blocks = Blocks::new(&maintext_page::dom::parse(html, &Default::default()));
        let repaired = |p: f32| {
            let mut keep = vec![true, false, false, true, false];
            repair(&blocks, &[p; 5], &mut keep);
            keep
        };
        assert_eq!(repaired(0.1), [true, false, true, true, true]);
        assert_eq!(repaired(0.03), [true, false, true, true, true]);
        assert_eq!(repaired(0.01), [true, false, false, true, false]);
    }
}
