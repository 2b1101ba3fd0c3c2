//! The names that authors gave to the elements of a page, each distinct one once.
//!
//! A page of 3,000 elements has about 300 different `class` attributes. A module computes its facts about a class once for each number of
//! this table, so that neither many elements with one class nor a long class above many elements costs more than reading the class once.
use super::{Dom, NodeId, NodeKind, Tag};
use foldhash::fast::RandomState;
use maintext_html::Attr;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::OnceLock;

/// A distinct value of the attribute `class`; the first is empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Class(u32);

impl Class {
    /// The class of elements without one.
    pub const NONE: Class = Class(0);
    /// The position in the tables of classes, below [`Names::class_count`].
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A distinct name: a word of a `class` or a whole `id`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name(u32);

impl Name {
    /// The position in the tables of names, below [`Names::len`].
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The classes and ids of a page.
#[derive(Debug, Default)]
pub struct Names {
    /// By node.
    classes_of: Vec<Class>,
    classes: Strings,
    /// For each class, the range of its words in `words`.
    lists: Vec<Range<u32>>,
    words: Vec<Name>,
    /// The same lists as `words`, each in ascending order.
    sorted: Vec<Name>,
    names: Strings,
    /// The elements with an id, in ascending order, with it.
    ids: Vec<(NodeId, Name)>,
    /// The elements with a `style`, in document order.
    styled: Vec<NodeId>,
    /// The elements `<style>` and `<link>`, in document order.
    sheets: Vec<NodeId>,
}

impl Names {
    /// Reads the names of a page.
    pub(super) fn new(dom: &Dom<'_>) -> Names {
        let mut names = Names { classes_of: vec![Class::NONE; dom.len()], ..Names::default() };
        names.classes.add("");
        names.lists.push(0..0);
        // Number of the class that listed a name last, so that a class lists each of its words once.
        let mut listed = Vec::new();
        let (mut last, mut last_class) = ("", Class::NONE);
        for n in dom.descendants(NodeId::ROOT).filter(|&n| dom.kind(n) == NodeKind::Element) {
            if matches!(dom.tag(n), Tag::STYLE | Tag::LINK) {
                names.sheets.push(n);
            }
            for (attr, value) in dom.attributes(n) {
                match attr {
                    // Neighbours often have the same class.
                    Attr::CLASS if value == last => names.classes_of[n.index()] = last_class,
                    Attr::CLASS => {
                        last_class = names.class(dom, value, &mut listed);
                        last = value;
                        names.classes_of[n.index()] = last_class;
                    }
                    Attr::ID if !value.is_empty() => {
                        let id = Name(names.names.add(value).0);
                        names.ids.push((n, id));
                    }
                    Attr::STYLE => names.styled.push(n),
                    _ => {}
                }
            }
        }
        // Nodes that the parser moved are not in the order of their numbers.
        names.ids.sort_unstable_by_key(|id| id.0);
        names
    }

    fn class(&mut self, dom: &Dom<'_>, value: &str, listed: &mut Vec<u32>) -> Class {
        let (number, is_new) = self.classes.add(value);
        if is_new {
            dom.reads(value.len());
            let from = self.words.len() as u32;
            for word in value.split_ascii_whitespace() {
                let (name, _) = self.names.add(word);
                if listed.len() <= name as usize {
                    listed.resize(name as usize + 1, 0);
                }
                if std::mem::replace(&mut listed[name as usize], number) != number {
                    self.words.push(Name(name));
                }
            }
            self.lists.push(from..self.words.len() as u32);
            self.sorted.extend_from_slice(&self.words[from as usize..]);
            self.sorted[from as usize..].sort_unstable();
        }
        Class(number)
    }

    /// Returns the class of an element.
    #[inline]
    pub fn class_of(&self, n: NodeId) -> Class {
        self.classes_of.get(n.index()).copied().unwrap_or_default()
    }

    /// Returns the id of an element, if it has one.
    #[inline]
    pub fn id_of(&self, n: NodeId) -> Option<Name> {
        let at = self.ids.binary_search_by_key(&n, |id| id.0).ok()?;
        Some(self.ids[at].1)
    }

    /// Returns the words of a class in the order of the page, each once.
    #[inline]
    pub fn words(&self, class: Class) -> &[Name] {
        let range = &self.lists[class.index()];
        &self.words[range.start as usize..range.end as usize]
    }

    /// Whether a class has a word.
    #[inline]
    pub fn has(&self, class: Class, word: Name) -> bool {
        let range = &self.lists[class.index()];
        self.sorted[range.start as usize..range.end as usize].binary_search(&word).is_ok()
    }

    /// Returns the name with this text, if an element has it.
    #[inline]
    pub fn find(&self, text: &str) -> Option<Name> {
        self.names.find(text).map(Name)
    }

    /// Returns the text of a name.
    pub fn text(&self, name: Name) -> &str {
        self.names.get(name.0)
    }

    /// Returns the number of distinct classes, with the empty one.
    pub fn class_count(&self) -> usize {
        self.lists.len()
    }

    /// Returns the texts of the distinct classes, in the order of their numbers.
    pub fn classes(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.lists.len() as u32).map(|class| self.classes.get(class))
    }

    /// Returns the texts of the distinct names, in the order of their numbers.
    pub fn texts(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len() as u32).map(|name| self.names.get(name))
    }

    /// Returns the number of distinct names.
    pub fn len(&self) -> usize {
        self.names.hashes.len()
    }

    /// Whether no element has a name.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the elements `<style>` and `<link>`, in document order.
    pub fn sheets(&self) -> &[NodeId] {
        &self.sheets
    }

    /// Returns the elements with a `style`, in document order.
    pub fn styled(&self) -> &[NodeId] {
        &self.styled
    }
}

/// Answers to one question about numbered things, each found once.
#[derive(Clone, Debug, Default)]
pub struct Memo(Vec<Option<bool>>);

impl Memo {
    /// Returns the answer for a number, which `find` gives the first time.
    pub fn get(&mut self, number: usize, find: impl FnOnce() -> bool) -> bool {
        if self.0.len() <= number {
            self.0.resize(number + 1, None);
        }
        *self.0[number].get_or_insert_with(find)
    }
}

/// Answers to a question about the classes of a page, each computed once. Unlike [`Memo`] it is shared, because writers of formats have
/// only a shared reference to the page.
#[derive(Debug)]
pub struct Answers<T>(OnceLock<Box<[OnceLock<T>]>>);

impl<T> Default for Answers<T> {
    fn default() -> Self {
        Answers(OnceLock::new())
    }
}

impl<T> Answers<T> {
    /// Returns the answer for a class of the page, which `find` gives the first time.
    pub fn get(&self, names: &Names, class: Class, find: impl FnOnce() -> T) -> &T {
        let answers = self.0.get_or_init(|| (0..names.class_count()).map(|_| OnceLock::new()).collect());
        answers[class.index()].get_or_init(find)
    }
}

/// Distinct strings with their numbers, in order of insertion.
///
/// A map from strings would have to borrow from the tree that holds the table.
#[derive(Debug, Default)]
struct Strings {
    text: String,
    /// Where each string ends in `text`.
    ends: Vec<u32>,
    hashes: Vec<u32>,
    /// An open-addressing table of numbers plus one, at most half full.
    slots: Vec<u32>,
    state: RandomState,
}

impl Strings {
    fn get(&self, number: u32) -> &str {
        let from = if number == 0 { 0 } else { self.ends[number as usize - 1] };
        &self.text[from as usize..self.ends[number as usize] as usize]
    }

    fn hash(&self, string: &str) -> u32 {
        self.state.hash_one(string.as_bytes()) as u32
    }

    /// Returns the number of a string, or the slot where it belongs.
    #[inline]
    fn look_up(&self, string: &str, hash: u32) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let Some(number) = self.slots[slot].checked_sub(1) else { return Err(slot) };
            if self.hashes[number as usize] == hash && self.get(number) == string {
                return Ok(number);
            }
            slot = (slot + 1) & mask;
        }
    }

    fn find(&self, string: &str) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        self.look_up(string, self.hash(string)).ok()
    }

    /// Returns the number of a string, and whether it is new.
    fn add(&mut self, string: &str) -> (u32, bool) {
        if self.slots.len() <= 2 * self.hashes.len() {
            self.grow();
        }
        let hash = self.hash(string);
        match self.look_up(string, hash) {
            Ok(number) => (number, false),
            Err(slot) => {
                let number = self.hashes.len() as u32;
                self.slots[slot] = number + 1;
                self.hashes.push(hash);
                self.text.push_str(string);
                self.ends.push(self.text.len() as u32);
                (number, true)
            }
        }
    }

    fn grow(&mut self) {
        let len = (2 * self.slots.len()).max(256);
        self.slots.clear();
        self.slots.resize(len, 0);
        for (number, hash) in self.hashes.iter().enumerate() {
            let mut slot = *hash as usize & (len - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (len - 1);
            }
            self.slots[slot] = number as u32 + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_distinct_name_has_one_number() {
        let html = "<p class='b a b'>1<p id=a class='b a b'>2<p class='a c'>3<p id='a c' class=''>4<p>5";
        let dom = crate::dom::parse(html, &Default::default());
        let names = dom.names();
        let p: Vec<NodeId> = dom.descendants(NodeId::ROOT).filter(|&n| dom.tag(n) == Tag::P).collect();
        let words = |n: NodeId| names.words(names.class_of(n)).iter().map(|w| names.text(*w)).collect::<Vec<_>>();
        assert_eq!(
            p.iter().map(|&n| words(n)).collect::<Vec<_>>(),
            [vec!["b", "a"], vec!["b", "a"], vec!["a", "c"], vec![], vec![]]
        );
        assert_eq!(names.class_of(p[0]), names.class_of(p[1]));
        assert!(
            names.find("b").is_some_and(|b| names.has(names.class_of(p[0]), b) && !names.has(names.class_of(p[2]), b))
        );
        assert_eq!((names.class_of(p[3]), names.class_of(p[4])), (Class::NONE, Class::NONE));
        assert_eq!(names.id_of(p[1]), names.find("a"));
        assert_eq!(names.id_of(p[3]).map(|id| names.text(id)), Some("a c"));
        assert_eq!((names.id_of(p[0]), names.find("d"), names.len()), (None, None, 4));
        assert_eq!(names.classes().collect::<Vec<_>>(), ["", "b a b", "a c"]);
    }

    #[test]
    fn many_names_are_found_again() {
        let html: String = (0..3000).map(|i| format!("<p id=n{i} class=c{}>", i % 700)).collect();
        let dom = crate::dom::parse(&html, &Default::default());
        let names = dom.names();
        assert_eq!((names.len(), names.class_count()), (3700, 701));
        for i in [0, 1, 699, 2999] {
            let text = format!("n{i}");
            assert_eq!(names.find(&text).map(|name| names.text(name)), Some(&*text));
        }
    }
}
