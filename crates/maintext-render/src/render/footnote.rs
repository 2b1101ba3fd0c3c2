//! References to notes on the same page, and the notes.
//!
//! A reference is a link within the page whose whole text is a short label, such as `1`, `[a]` or `*`; its note is the list item, the
//! definition or the paragraph further down that has the id. A list becomes notes only if each of its items is one, so that no list loses
//! single items. Side notes, which pages write in the middle of a sentence, are notes already: the builder moves them behind their paragraph.
use super::tree::{BlockKind, InlineMark, InlineRun, KeptTree, RunKind, WalkStep};
use maintext_html::Attr;
use maintext_page::address;
use maintext_page::dom::{Dom, NodeId, NodeKind, Tag};
use maintext_page::hash::{HashMap, HashSet};

/// Maximum number of bytes of a label.
const MAX_LABEL_BYTES: usize = 10;
/// Signs that are labels.
const SIGNS: [char; 6] = ['*', '†', '‡', '§', '¶', '‖'];
/// Maximum number of runs of a label.
const MAX_LABEL_RUNS: usize = 6;

/// The footnotes of a page.
#[derive(Default)]
struct FoundNotes {
    /// The links that are references, with the blocks of their notes.
    references: HashMap<u32, usize>,
    /// The blocks that are notes, with their labels.
    notes: Vec<(usize, String)>,
    /// The lists of notes.
    lists: HashSet<usize>,
}

/// The text of a link within the page.
struct LinkText {
    leaf: usize,
    text: String,
    /// Whether the text is short and in one leaf.
    is_whole: bool,
    is_raised: bool,
}

struct NoteCandidate {
    /// The link, as index of [`KeptTree::inlines`].
    link: u32,
    leaf: usize,
    target: String,
    label: String,
}

/// Finds the references and the notes of a finished tree and gives them their kinds.
pub(super) fn mark(tree: &mut KeptTree<'_>) {
    let FoundNotes { references, notes, lists } = find(tree);
    if notes.is_empty() && tree.notes.is_empty() {
        return;
    }
    let base = tree.notes.len() as u32;
    number(tree, &notes);
    let by_block: HashMap<usize, u32> = notes.iter().zip(base..).map(|(n, k)| (n.0, k)).collect();
    mark_references(tree, &references, &by_block);
    mark_notes(tree, &by_block, &lists);
    if !tree.content.options.footnotes {
        remove(tree);
    }
}

fn find(tree: &KeptTree<'_>) -> FoundNotes {
    let candidates = candidates(tree);
    if candidates.is_empty() {
        return FoundNotes::default();
    }
    let targets: HashSet<&str> = candidates.iter().map(|c| c.target.as_str()).collect();
    let blocks = blocks_by_id(tree, &targets);
    let mut notes: HashMap<usize, String> = HashMap::default();
    let mut labels: HashMap<String, usize> = HashMap::default();
    // Each note has one label, and each label one note.
    let mut clash: HashSet<usize> = HashSet::default();
    for c in &candidates {
        let Some(&note) = blocks.get(&c.target).filter(|&&n| n > c.leaf) else { continue };
        let is_sign = c.label.starts_with(SIGNS);
        if !is_sign && *labels.entry(c.label.to_lowercase()).or_insert(note) != note
            || notes.get(&note).is_some_and(|l| *l != c.label)
        {
            clash.insert(note);
        }
        notes.entry(note).or_insert_with(|| c.label.clone());
    }
    notes.retain(|n, _| !clash.contains(n));
    let lists = drop_partial_lists(tree, &mut notes);
    drop_partial_series(tree, &mut notes);
    let references = candidates
        .iter()
        .filter(|c| blocks.get(&c.target).is_some_and(|n| *n > c.leaf && notes.contains_key(n)))
        .map(|c| (c.link, blocks[&c.target]))
        .collect();
    let mut notes: Vec<(usize, String)> = notes.into_iter().collect();
    notes.sort_unstable();
    FoundNotes { references, notes, lists }
}

/// Returns the fragment that a link leads to, if it leads to a place on its own page.
pub(super) fn fragment<'a>(tree: &KeptTree<'a>, link: NodeId) -> Option<&'a str> {
    let dom = tree.content.dom;
    let href = dom.attr(link, "href")?;
    if is_control(dom, link) {
        return None;
    }
    address::fragment(dom, href, tree.content.base)
}

fn is_tab(dom: &Dom, n: NodeId) -> bool {
    dom.attribute(n, Attr::ROLE).is_some_and(|role| role.eq_ignore_ascii_case("tab"))
}

/// Whether a link is a control that shows another part of the page, such as the tab of a panel.
fn is_control(dom: &Dom, link: NodeId) -> bool {
    is_tab(dom, link)
        || dom.parent(link).is_some_and(|parent| is_tab(dom, parent))
        || ["data-toggle", "data-bs-toggle"]
            .iter()
            .find_map(|name| dom.attr(link, name))
            .is_some_and(|t| matches!(t, "tab" | "pill" | "collapse"))
}

/// Returns the text of a label without its brackets, as Markdown's labels allow it; `None` if the text is not a label.
pub(super) fn label(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches(['[', '(']).trim_end_matches([']', ')', '.', ':']).trim();
    let is_sign = text.chars().all(|c| SIGNS.contains(&c)) && text.chars().count() <= 3;
    let is_plain = text.chars().all(|c| c.is_alphanumeric() || c == ' ') && text.len() <= MAX_LABEL_BYTES;
    (!text.is_empty() && (is_sign || is_plain && !is_year(text))).then(|| text.replace(' ', "-"))
}

/// Returns the label of a text that marks a note. A word without brackets around it is a part of its sentence ("see clause 2") unless it is
/// raised.
fn mark_of_note(text: &str, is_raised: bool) -> Option<String> {
    let is_marked = is_raised || text.trim_start().starts_with(['[', '(']);
    if !is_marked && text.split(|c: char| !c.is_alphabetic()).any(is_word) {
        return None;
    }
    label(text)
}

fn is_word(letters: &str) -> bool {
    /// Minimum number of letters of a word: `n1`, `a` and `注` mark notes.
    const MIN_WORD_LETTERS: usize = 3;
    letters.chars().count() >= MIN_WORD_LETTERS && !letters.chars().all(is_roman_digit)
}

fn is_roman_digit(c: char) -> bool {
    matches!(c.to_ascii_lowercase(), 'i' | 'v' | 'x' | 'l' | 'c')
}

/// Whether a text is a year, as in "(Harrow, 2011a)": a part of the sentence.
fn is_year(text: &str) -> bool {
    let year = text.trim_end_matches(|c: char| c.is_ascii_lowercase());
    text.len() - year.len() <= 1 && year.parse().is_ok_and(|year| (1500..2100).contains(&year))
}

/// Returns the links within the page whose text is a label.
fn candidates(tree: &KeptTree<'_>) -> Vec<NoteCandidate> {
    let mut texts: HashMap<u32, LinkText> = HashMap::default();
    let mut order = Vec::new();
    for leaf in (0..tree.blocks.len()).filter(|&b| tree.blocks[b].kind.is_leaf()) {
        let is_text = matches!(tree.blocks[leaf].kind, BlockKind::Paragraph | BlockKind::Heading(_));
        for run in tree.runs(leaf) {
            let Some(link) = tree.link(run.inline).filter(|&l| fragment(tree, tree.inlines[l as usize].node).is_some())
            else {
                continue;
            };
            let own = texts.entry(link).or_insert_with(|| {
                order.push(link);
                LinkText { leaf, text: String::new(), is_whole: true, is_raised: true }
            });
            let text = tree.slice(&run.text);
            own.is_whole &= is_text
                && own.leaf == leaf
                && run.kind == RunKind::Text
                && own.text.len() + text.len() <= 4 * MAX_LABEL_BYTES;
            own.is_raised &= tree.is_in(run.inline, InlineMark::Sup);
            if own.is_whole {
                own.text.push_str(text);
            }
        }
    }
    order
        .into_iter()
        .filter_map(|link| {
            let own = texts.get(&link)?;
            if !own.is_whole {
                return None;
            }
            let label = mark_of_note(&own.text, own.is_raised)?;
            let target = fragment(tree, tree.inlines[link as usize].node)?.to_owned();
            Some(NoteCandidate { link, leaf: own.leaf, target, label })
        })
        .collect()
}

/// Maps each referenced id to the list item, definition or group that has it, skipping those inside other blocks.
fn blocks_by_id(tree: &KeptTree<'_>, targets: &HashSet<&str>) -> HashMap<String, usize> {
    let dom = tree.content.dom;
    let mut blocks: HashMap<String, usize> = HashMap::default();
    let mut walk = tree.walk();
    while let Some(step) = walk.next() {
        let WalkStep::Open(i) = step else { continue };
        let block = &tree.blocks[i];
        match block.kind {
            BlockKind::Group if begins_with_text(tree, i) => {
                let own = group_ids(dom, block.node).find(|id| targets.contains(id) && !blocks.contains_key(*id));
                if let Some(id) = own {
                    blocks.insert(id.to_owned(), i);
                    walk.skip_subtree();
                }
            }
            BlockKind::Group => {}
            BlockKind::List { .. } => {
                tree.children(i)
                    .filter(|&item| begins_with_text(tree, item))
                    .for_each(|item| add_block(dom, targets, tree.blocks[item].node, item, &mut blocks));
                walk.skip_subtree();
            }
            BlockKind::Glossary => {
                let parts: Vec<usize> = tree.children(i).collect();
                for pair in parts.windows(2).filter(|p| tree.blocks[p[1]].kind == BlockKind::Definition) {
                    if tree.blocks[pair[0]].kind == BlockKind::Term && begins_with_text(tree, pair[1]) {
                        for part in pair {
                            add_block(dom, targets, tree.blocks[*part].node, pair[1], &mut blocks);
                        }
                    }
                }
                walk.skip_subtree();
            }
            BlockKind::Paragraph if tree.has_text(i) => add_block(dom, targets, block.node, i, &mut blocks),
            kind if !kind.is_leaf() => walk.skip_subtree(),
            _ => {}
        }
    }
    blocks
}

fn add_block(dom: &Dom, targets: &HashSet<&str>, node: NodeId, block: usize, blocks: &mut HashMap<String, usize>) {
    ids(dom, node).filter(|id| targets.contains(id)).for_each(|id| {
        blocks.entry(id.to_owned()).or_insert(block);
    });
}

fn begins_with_text(tree: &KeptTree<'_>, item: usize) -> bool {
    tree.children(item).next().is_some_and(|c| tree.blocks[c].kind == BlockKind::Paragraph && tree.has_text(c))
}

/// Returns the ids of an element and of the anchors at its very beginning.
fn ids<'a>(dom: &'a Dom, n: NodeId) -> impl Iterator<Item = &'a str> {
    let start = dom.descendants(n).take(4).filter(|&d| dom.kind(d) == NodeKind::Element);
    start.flat_map(|d| [dom.attr(d, "id"), dom.attr(d, "name")]).flatten()
}

/// Returns the id of a division and the ids of the inline elements at its beginning.
pub(super) fn group_ids<'a>(dom: &'a Dom, n: NodeId) -> impl Iterator<Item = &'a str> {
    /// Maximum number of elements around the label of a note.
    const MAX_LEVELS_TO_LABEL: usize = 4;
    let chain = std::iter::successors(Some(n), |n| inner_label(dom, *n)).take(MAX_LEVELS_TO_LABEL);
    chain.flat_map(|d| [dom.attr(d, "id"), dom.attr(d, "name")]).flatten()
}

fn inner_label(dom: &Dom, n: NodeId) -> Option<NodeId> {
    let first = dom.children(n).find(|&c| dom.kind(c) == NodeKind::Element || !dom.text(c).trim().is_empty())?;
    matches!(dom.tag(first), Tag::A | Tag::SPAN | Tag::SUP | Tag::B | Tag::STRONG).then_some(first)
}

/// Whether the text of a link is a label.
pub(super) fn is_label(dom: &Dom, link: NodeId) -> bool {
    /// Maximum number of nodes of a label.
    const MAX_LABEL_NODES: usize = 8;
    /// Maximum number of elements up to the one that raises a link.
    const MAX_LEVELS_TO_SUP: usize = 3;
    if is_control(dom, link) {
        return false;
    }
    let mut text = String::new();
    for (count, n) in dom.descendants(link).enumerate() {
        if count > MAX_LABEL_NODES || text.len() > 2 * MAX_LABEL_BYTES {
            return false;
        }
        text.push_str(dom.text(n));
    }
    let is_sup = |n| dom.tag(n) == Tag::SUP;
    let is_raised = dom.ancestors(link).take(MAX_LEVELS_TO_SUP).any(is_sup)
        || dom.descendants(link).take(MAX_LABEL_NODES).any(is_sup);
    mark_of_note(&text, is_raised).is_some()
}

/// Removes the notes of lists that also hold other items, and returns the lists of notes.
fn drop_partial_lists(tree: &KeptTree<'_>, notes: &mut HashMap<usize, String>) -> HashSet<usize> {
    let mut lists = HashSet::default();
    for list in 0..tree.blocks.len() {
        if !matches!(tree.blocks[list].kind, BlockKind::List { .. } | BlockKind::Glossary)
            || !tree.children(list).any(|i| notes.contains_key(&i))
        {
            continue;
        }
        let terms = tree.children(list).filter(|&c| tree.blocks[c].kind == BlockKind::Term).count();
        let parts = tree
            .children(list)
            .filter(|&c| matches!(tree.blocks[c].kind, BlockKind::Item | BlockKind::Definition))
            .count();
        let all = tree
            .children(list)
            .filter(|&c| matches!(tree.blocks[c].kind, BlockKind::Item | BlockKind::Definition))
            .all(|i| notes.contains_key(&i));
        if all && (terms == 0 || terms == parts) {
            lists.insert(list);
        } else {
            tree.children(list).for_each(|i| {
                notes.remove(&i);
            });
        }
    }
    lists
}

/// Removes the notes of numbered paragraphs of which others are not notes, such as the clauses of a contract that refer to each other.
fn drop_partial_series(tree: &KeptTree<'_>, notes: &mut HashMap<usize, String>) {
    let mut of_leaf: HashMap<usize, usize> = HashMap::default();
    of_leaf.extend(notes.keys().filter_map(|&note| Some((tree.leaves(note).next()?, note))));
    let leaves = (0..tree.blocks.len()).filter(|&b| tree.blocks[b].kind == BlockKind::Paragraph);
    let numbered: Vec<(usize, u32)> = leaves.filter_map(|leaf| Some((leaf, leading_number(tree, leaf)?))).collect();
    for series in numbered.chunk_by(|a, b| a.1.checked_add(1) == Some(b.1)) {
        if series.iter().any(|(leaf, _)| !of_leaf.contains_key(leaf)) {
            series.iter().filter_map(|(leaf, _)| of_leaf.get(leaf)).for_each(|note| _ = notes.remove(note));
        }
    }
}

/// Returns the number in brackets with which a paragraph begins.
fn leading_number(tree: &KeptTree<'_>, leaf: usize) -> Option<u32> {
    let text = tree.slice(&tree.runs(leaf).first()?.text).trim_start();
    let (number, _) = text.strip_prefix('[')?.split_once(']')?;
    number.parse().ok()
}

/// Gives the notes their labels. Signs and side notes get the next free numbers.
fn number(tree: &mut KeptTree<'_>, notes: &[(usize, String)]) {
    let taken: HashSet<&str> =
        notes.iter().map(|n| n.1.as_str()).chain(tree.notes.iter().map(String::as_str)).collect();
    let mut free = (1..).map(|n: u32| n.to_string()).filter(|n| !taken.contains(n.as_str()));
    let mut own = tree.notes.clone();
    own.iter_mut().filter(|label| label.is_empty()).for_each(|label| *label = free.next().unwrap_or_default());
    for (_, label) in notes {
        own.push(if label.starts_with(SIGNS) { free.next().unwrap_or_default() } else { label.clone() });
    }
    tree.notes = own;
}

fn mark_references(tree: &mut KeptTree<'_>, references: &HashMap<u32, usize>, notes: &HashMap<usize, u32>) {
    let mut last = None;
    for r in 0..tree.runs.len() {
        let link = if tree.runs[r].kind == RunKind::Text { tree.link(tree.runs[r].inline) } else { None };
        let Some(note) = link.and_then(|l| references.get(&l)).and_then(|block| notes.get(block)) else { continue };
        tree.runs[r].kind = if last == link { RunKind::Label } else { RunKind::Reference(*note) };
        last = link;
    }
}

fn mark_notes(tree: &mut KeptTree<'_>, notes: &HashMap<usize, u32>, lists: &HashSet<usize>) {
    for &list in lists {
        let terms: Vec<usize> = tree.children(list).filter(|&c| tree.blocks[c].kind == BlockKind::Term).collect();
        for term in terms {
            tree.blocks[term].kind = BlockKind::Group;
            let leaves: Vec<usize> = tree.leaves(term).collect();
            leaves.into_iter().for_each(|leaf| tree.blocks[leaf].kind = BlockKind::Label);
        }
        tree.blocks[list].kind = BlockKind::Notes;
    }
    let mut blocks: Vec<(usize, u32)> = notes.iter().map(|(b, k)| (*b, *k)).collect();
    blocks.sort_unstable();
    for (block, number) in blocks {
        let label = tree.notes[number as usize].clone();
        if tree.blocks[block].kind == BlockKind::Paragraph {
            tree.blocks[block].kind = BlockKind::NoteText(number);
            hide_label(tree, block, &label, true);
            continue;
        }
        tree.blocks[block].kind = BlockKind::Note(number);
        let first = block + 1;
        if tree.blocks.get(first).is_some_and(|b| b.kind == BlockKind::Paragraph)
            && (first as u32) < tree.blocks[block].end
        {
            let alone = !tree.leaves(block).any(|l| l > first && tree.has_text(l));
            hide_label(tree, first, &label, alone);
        }
    }
}

/// Marks the label at the beginning of a note, which formats with notes write themselves. `alone`: whether the note has no other text. A note
/// with nothing but a label keeps it, as Markdown has no note without text.
fn hide_label(tree: &mut KeptTree<'_>, leaf: usize, name: &str, alone: bool) {
    let range = tree.blocks[leaf].runs.clone();
    let (from, to) = (range.start as usize, range.end as usize);
    let mut text = String::new();
    for r in from..to.min(from + MAX_LABEL_RUNS) {
        let run = &tree.runs[r];
        if run.kind != RunKind::Text {
            return;
        }
        text.push_str(tree.slice(&run.text));
        let marked = (from..=r).any(|r| tree.runs[r].inline != 0);
        if !marked || label(&text).is_none_or(|l| l != name && !l.starts_with(SIGNS)) {
            continue;
        }
        // A bracket may close behind the link.
        let open = text.trim_start().starts_with(['[', '(']) && !text.trim_end().ends_with([']', ')']);
        let end =
            if open && tree.runs.get(r + 1).is_some_and(|n| tree.slice(&n.text).trim() == "]") { r + 1 } else { r };
        if end + 1 == to {
            if !alone {
                tree.blocks[leaf].kind = BlockKind::Label;
            }
            return;
        }
        (from..=end).for_each(|r| tree.runs[r].kind = RunKind::Label);
        // The space behind the label is part of it.
        let next = tree.runs[end + 1].text.clone();
        if tree.runs[end + 1].kind == RunKind::Text
            && tree.slice(&next).starts_with(' ')
            && tree.runs[end].text.end == next.start
        {
            tree.runs[end].text.end += 1;
            tree.runs[end + 1].text.start += 1;
        }
        return;
    }
}

/// Empties the notes and the references to them.
fn remove(tree: &mut KeptTree<'_>) {
    for run in &mut tree.runs {
        if matches!(run.kind, RunKind::Reference(_) | RunKind::Label) {
            // Nothing is left of the link and the raised text either.
            let mut inline = run.inline;
            while inline != 0 && matches!(tree.inlines[inline as usize].mark, InlineMark::Link | InlineMark::Sup) {
                inline = tree.inlines[inline as usize].parent;
            }
            *run = InlineRun { kind: RunKind::Sign, inline, text: 0..0 };
        }
    }
    for i in 0..tree.blocks.len() {
        match tree.blocks[i].kind {
            BlockKind::Notes | BlockKind::Note(_) => {
                let end = tree.blocks[i].end as usize;
                for b in i..end {
                    let block = &mut tree.blocks[b];
                    block.kind = if block.kind.is_leaf() { BlockKind::Label } else { BlockKind::Group };
                    block.runs.end = block.runs.start;
                }
            }
            BlockKind::NoteText(_) => {
                tree.blocks[i].kind = BlockKind::Label;
                tree.blocks[i].runs.end = tree.blocks[i].runs.start;
            }
            _ => {}
        }
    }
}
