//! Bags of words: the words of a block and of the headings above it, and the names of the elements around it.
use super::text::BlockWords;
use super::tokens::{HashIndex, NEAR_LEVELS};
use super::tree::heading_level;
use maintext_page::blocks::{Blocks, ElementTokens};

/// Words that are read at the beginning of a block, and at its end if it is longer.
const FIRST_WORDS: usize = 8;
const LAST_WORDS: usize = 4;
/// Number of words up to which the first block of an element is its label.
const LABEL_WORDS: u32 = 8;
/// Number of elements that are climbed to find the labels of the containers.
const MAX_CLIMB: usize = 12;
/// Number of labels.
const LABELS: usize = 2;

/// The bags of a block, in order.
pub const PARTS: [&str; 4] = ["bag_text", "bag_heading", "bag_label", "bag_names"];

/// What the bags of a page may hold: training leaves parts out so that no model depends on them.
#[derive(Clone, Copy, Debug)]
pub struct Reads {
    /// Words of the text.
    pub words: bool,
    /// Names of the elements.
    pub names: bool,
}

impl Reads {
    /// Everything, as outside of training.
    pub const ALL: Reads = Reads { words: true, names: true };
}

/// The words and names that a network knows, as hashes in rising order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vocabulary {
    /// Words of the text.
    pub words: Vec<u32>,
    /// Names of the elements.
    pub names: Vec<u32>,
}

impl Vocabulary {
    /// Returns the number of rows of a table for all bags.
    pub fn rows(&self) -> usize {
        (PARTS.len() - 1) * self.words.len() + self.names.len()
    }
}

/// A [`Vocabulary`] prepared for look-up.
#[derive(Clone, Debug)]
pub struct Index {
    words: HashIndex,
    names: HashIndex,
    word_count: u32,
}

impl Index {
    /// Prepares a vocabulary.
    pub fn new(known: &Vocabulary) -> Index {
        Index {
            words: HashIndex::new(known.words.iter().copied()),
            names: HashIndex::new(known.names.iter().copied()),
            word_count: known.words.len() as u32,
        }
    }
}

/// Returns the words that are read at the beginning of a block, and at its end.
pub fn ends(words: &[u32]) -> impl Iterator<Item = u32> {
    let (first, rest) = words.split_at(words.len().min(FIRST_WORDS));
    first.iter().chain(&rest[rest.len().saturating_sub(LAST_WORDS)..]).copied()
}

/// Lists of rows, one after the other.
#[derive(Default)]
struct Lists {
    ends: Vec<usize>,
    items: Vec<u32>,
}

impl Lists {
    fn close(&mut self) {
        self.ends.push(self.items.len());
    }
    fn of(&self, i: usize) -> &[u32] {
        &self.items[if i == 0 { 0 } else { self.ends[i - 1] }..self.ends[i]]
    }
}

/// For each block: the known words of its text, of the heading above it, and of the labels of its containers, and the known names of
/// the elements around it. Each is an index of a row in a table of [`Vocabulary::rows`] rows.
#[derive(Clone, Debug, Default)]
pub struct Bags {
    ends: Vec<u32>,
    rows: Vec<u32>,
}

impl Bags {
    /// Collects the bags of a page.
    pub fn new(blocks: &Blocks, tokens: &ElementTokens, words: &BlockWords, index: &Index, reads: Reads) -> Bags {
        if index.words.is_empty() && index.names.is_empty() {
            return Bags { ends: vec![0; blocks.len() * PARTS.len()], rows: Vec::new() };
        }
        let count = index.word_count;
        let mut bags = Bags { ends: Vec::with_capacity(blocks.len() * PARTS.len()), rows: Vec::new() };
        // Headings and labels recur for many blocks, and lists of names for many elements.
        let mut texts = Lists::default();
        for i in 0..blocks.len() {
            if reads.words {
                // A chain of iterators is much faster from within, by `for_each`, than step by step.
                ends(words.of(i)).filter_map(|w| index.words.known(w)).for_each(|row| texts.items.push(row));
            }
            texts.close();
        }
        let mut names = Lists::default();
        for hashes in tokens.lists() {
            let known = hashes.iter().filter_map(|h| index.names.known(*h));
            known.for_each(|row| names.items.push(row + 3 * count));
            names.close();
        }
        let mut heading = None;
        for i in 0..blocks.len() {
            bags.rows.extend_from_slice(texts.of(i));
            bags.close();
            if let Some(h) = heading {
                bags.rows.extend(texts.of(h).iter().map(|w| w + count));
            }
            bags.close();
            if heading_level(blocks, i) > 0 {
                heading = Some(i);
            }
            for label in labels(blocks, i).into_iter().flatten() {
                bags.rows.extend(texts.of(label).iter().map(|w| w + 2 * count));
            }
            bags.close();
            if reads.names {
                for e in blocks.element_chain(blocks.blocks[i].element as usize).take(NEAR_LEVELS) {
                    bags.rows.extend_from_slice(names.of(tokens.list_of()[e] as usize));
                }
            }
            bags.close();
        }
        bags
    }

    /// Returns the bags with one of a block's emptied, to explain what it adds.
    pub fn without(&self, block: usize, part: usize) -> Bags {
        let mut out = self.clone();
        let at = block * PARTS.len() + part;
        let size = self.of(block)[part].len();
        let start = self.ends[at] as usize - size;
        out.rows.drain(start..start + size);
        out.ends[at..].iter_mut().for_each(|end| *end -= size as u32);
        out
    }

    fn close(&mut self) {
        self.ends.push(self.rows.len() as u32);
    }

    /// Returns the bags of a block.
    #[inline(always)]
    pub fn of(&self, block: usize) -> [&[u32]; PARTS.len()] {
        std::array::from_fn(|part| {
            let at = block * PARTS.len() + part;
            let start = if at == 0 { 0 } else { self.ends[at - 1] };
            &self.rows[start as usize..self.ends[at] as usize]
        })
    }
}

/// Returns the short blocks that open the innermost elements around a block.
fn labels(blocks: &Blocks, i: usize) -> [Option<usize>; LABELS] {
    let mut out = [None; LABELS];
    let mut found = 0;
    let mut e = blocks.blocks[i].container as usize;
    let mut last = i as u32;
    for _ in 0..MAX_CLIMB {
        if e == 0 || found == LABELS {
            break;
        }
        let first = blocks.elements[e].blocks.start;
        if first < last {
            last = first;
            if blocks.blocks[first as usize].words <= LABEL_WORDS {
                out[found] = Some(first as usize);
                found += 1;
            }
        }
        e = blocks.elements[e].parent as usize;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use maintext_page::blocks::token_hash;

    fn read(html: &str, words: &[&str], names: &[&str], reads: Reads) -> Bags {
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let none = super::super::text::WordSet::default();
        let (of_blocks, _) = BlockWords::with_stats(&blocks, &none, &none);
        let mut known = Vocabulary::default();
        for word in words {
            super::super::text::TextStats::new(word, &none, &none, &mut known.words);
        }
        known.words.sort_unstable();
        known.names = names.iter().map(|n| token_hash(n)).collect();
        known.names.sort_unstable();
        Bags::new(&blocks, blocks.names(&dom), &of_blocks, &Index::new(&known), reads)
    }

    /// The first block is too long for a label.
    const PAGE: &str = "<body><p>A page about kettles, pans and all that a kitchen needs</p><h2>Related items</h2>
        <div class=carousel><p>More offers</p><p>A blue kettle</p></div><p>Imprint</p>";

    #[test]
    fn a_block_reads_itself_the_heading_above_and_the_label_of_its_container() {
        let bags = read(PAGE, &["related", "offers"], &["carousel"], Reads::ALL);
        let counts = |block: usize| bags.of(block).map(<[u32]>::len);
        assert_eq!(counts(1), [1, 0, 0, 0]);
        assert_eq!(counts(2), [1, 1, 0, 1]);
        assert_eq!(counts(3), [0, 1, 1, 1], "the first paragraph is the label of the box");
        assert_eq!(counts(4), [0, 1, 0, 0]);
        // The same word has another row in each part.
        assert_eq!(bags.of(2)[1][0], bags.of(1)[0][0] + 2);
    }

    #[test]
    fn parts_can_be_left_out() {
        let words_only = read(PAGE, &["related", "offers"], &["carousel"], Reads { words: true, names: false });
        assert_eq!(words_only.of(2).map(<[u32]>::len), [1, 1, 0, 0]);
        let bags = read(PAGE, &["related", "offers"], &["carousel"], Reads::ALL);
        let less = bags.without(2, 1);
        assert_eq!(less.of(2).map(<[u32]>::len), [1, 0, 0, 1]);
        assert_eq!((less.of(1), less.of(3)), (bags.of(1), bags.of(3)));
    }

    #[test]
    fn a_long_block_is_read_at_both_ends() {
        let words: Vec<u32> = (0..40).collect();
        let read: Vec<u32> = ends(&words).collect();
        assert_eq!(read, [0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 39]);
        assert_eq!(ends(&words[..10]).count(), 10);
    }
}
