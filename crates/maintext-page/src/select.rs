//! CSS selectors on the tree, by Servo's `selectors`.
//!
//! Supports type, class, id and attribute selectors, combinators, `:is`, `:where`, `:not`, `:has`, `:nth-child(... of ...)` and the other
//! structural pseudo-classes. Pseudo-classes of user interaction (`:hover`, `:visited`) are errors, since they would never match.
use crate::dom::names::Class;
use crate::dom::{Dom, NodeId, NodeKind};
use crate::hash::HashSet;
use crate::warnings::{Warning, WarningCode};
use cssparser::{BasicParseErrorKind, ParseErrorKind, ToCss};
use maintext_html::Attr;
use precomputed_hash::PrecomputedHash;
use selectors::attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::context::{
    MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode, SelectorCaches,
};
use selectors::matching::{ElementSelectorFlags, matches_selector};
use selectors::parser::{
    self, Combinator, Component, NonTSPseudoClass, ParseRelative, PseudoElement, SelectorImpl, SelectorList,
    SelectorParseErrorKind,
};
use selectors::{Element, OpaqueElement};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// Maximum length of a list of selectors in bytes.
const MAX_BYTES: usize = 10_000;
/// Number of bytes of a selector that are matched with an element for one unit of work.
const BYTES_PER_UNIT: u64 = 4;
/// Number of characters of a text that an error shows.
const SHOWN_CHARS: usize = 100;

/// A parsed list of CSS selectors, of at most 10,000 bytes.
///
/// ```
/// use maintext_page::{dom, select::Selector};
/// let dom = dom::parse("<p>a<p class=x>b", &Default::default());
/// let found = Selector::parse("p.x, h1")?.all(&dom);
/// assert_eq!(dom.text_content(found[0]), "b");
/// let error = Selector::parse("p >").unwrap_err();
/// assert_eq!(error.to_string(), "selector 'p >', column 4: nothing follows the combinator");
/// # Ok::<(), maintext_page::select::SelectorError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Selector {
    text: String,
    list: SelectorList<Css>,
}

/// The reason why a selector could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectorError {
    /// The beginning of the selector.
    pub selector: String,
    /// The column where parsing stopped, in characters from 1: the end of the part that is not allowed.
    pub column: u32,
    /// The error in words.
    pub message: String,
}

impl fmt::Display for SelectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "selector '{}', column {}: {}", self.selector, self.column, self.message)
    }
}

impl std::error::Error for SelectorError {}

impl Selector {
    /// Parses a list of selectors, separated by commas.
    ///
    /// # Errors
    /// The text is too long or not such a list; the error has the position.
    pub fn parse(text: &str) -> Result<Selector, SelectorError> {
        if text.len() > MAX_BYTES {
            let message = format!("the selector has {} bytes, more than the {MAX_BYTES} allowed", text.len());
            return Err(SelectorError { selector: beginning(text), column: 1, message });
        }
        let mut parser = cssparser::Parser::new(text);
        match SelectorList::parse(&CssParser, &mut parser, ParseRelative::No) {
            Ok(list) if list.slice().iter().any(|s| count(s, is_combinator) > MAX_COMBINATORS) => {
                let message = format!("the selector has more than the {MAX_COMBINATORS} combinators allowed");
                Err(SelectorError { selector: beginning(text), column: 1, message })
            }
            Ok(list) => Ok(Selector { text: text.to_owned(), list }),
            Err(e) => {
                let column = parser.current_source_location().column;
                Err(SelectorError { selector: beginning(text), column, message: explain(&e.kind) })
            }
        }
    }

    /// Returns the selector as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the elements that match, in document order. For each element, this takes work in proportion to the length of the
    /// selector, and to the steps that it takes on the page; when the work budget is spent, the rest of the page is left out. See
    /// [`Selector::find`] for a warning.
    pub fn all(&self, dom: &Dom) -> Vec<NodeId> {
        if dom.is_out_of_work() {
            return Vec::new();
        }
        let marks = vec![0u8; dom.len()];
        let units = self.text.len() as u64 / BYTES_PER_UNIT;
        let mut caches = SelectorCaches::default();
        let mut context = MatchingContext::new(
            MatchingMode::Normal,
            None,
            &mut caches,
            QuirksMode::NoQuirks,
            NeedsSelectorFlags::No,
            MatchingForInvalidation::No,
        );
        let elements = dom.descendants(NodeId::ROOT).filter(|&n| dom.kind(n) == NodeKind::Element);
        let mut found = Vec::new();
        for node in elements {
            let element = Node { dom, marks: &marks, node, units_per_test: 1 };
            let is_match = dom.works(units)
                && self.list.slice().iter().any(|s| matches_selector(s, 0, None, &element, &mut context));
            // Walks end with the budget, so the last answer may be wrong: `:not(:has(…))` is true of unvisited nodes.
            if dom.is_out_of_work() {
                break;
            }
            if is_match {
                found.push(node);
            }
        }
        found
    }

    /// Returns the elements that match, and a warning with the selector if it spent the work budget before the end of the page.
    pub fn find(&self, dom: &Dom) -> (Vec<NodeId>, Option<Warning>) {
        let was_spent = dom.is_out_of_work();
        let found = self.all(dom);
        let is_cut = !was_spent && dom.is_out_of_work();
        if !is_cut {
            return (found, None);
        }
        let selector = beginning(&self.text);
        let message = format!(
            "the selector '{selector}' takes more work than the limit of the page allows: the result is partial"
        );
        (found, Some(Warning::new(WarningCode::LimitReached, message)))
    }
}

/// Maximum number of combinators of a selector, which the matcher follows by recursion.
const MAX_COMBINATORS: usize = 64;
/// Maximum number of brackets of a selector in a style sheet, which the parser follows by recursion.
const MAX_STYLE_BRACKETS: usize = 64;
/// Number of parts from which a selector of a style sheet is searched for parts that it repeats.
const MIN_REPEATING_PARTS: usize = 16;

/// A selector of a style sheet.
#[derive(Debug)]
pub struct StyleSelector {
    selector: parser::Selector<Css>,
    specificity: u32,
    parts: usize,
}

impl StyleSelector {
    /// Parses a selector. Returns `None` for one that is unknown or may take long on each element.
    pub fn parse(text: &str) -> Option<StyleSelector> {
        if text.bytes().filter(|b| *b == b'(').count() > MAX_STYLE_BRACKETS {
            return None;
        }
        let list = SelectorList::parse(&CssParser, &mut cssparser::Parser::new(text), ParseRelative::No).ok()?;
        let [selector] = list.slice() else { return None };
        let is_shallow = count(selector, is_combinator) <= MAX_COMBINATORS;
        (is_shallow && selector.iter_raw_match_order().all(is_quick)).then(|| StyleSelector::new(selector))
    }

    fn new(selector: &parser::Selector<Css>) -> StyleSelector {
        let specificity = selector.specificity();
        let mut selector = selector.clone();
        if parts(&selector) > MIN_REPEATING_PARTS {
            let text = without_repeated(&selector);
            let shorter = SelectorList::parse(&CssParser, &mut cssparser::Parser::new(&text), ParseRelative::No);
            if let Ok([shorter]) = shorter.as_ref().map(|list| list.slice()) {
                selector = shorter.clone();
            }
        }
        StyleSelector { specificity, parts: parts(&selector), selector }
    }

    /// Returns the specificity, as CSS orders rules.
    pub fn specificity(&self) -> u32 {
        self.specificity
    }

    /// Returns the number of parts that are compared with an element, including parts in brackets.
    pub fn parts(&self) -> usize {
        self.parts
    }
}

/// Returns the number of parts of a selector, including parts in brackets.
fn parts(selector: &parser::Selector<Css>) -> usize {
    count(selector, |_| true)
}

fn is_combinator(component: &Component<Css>) -> bool {
    matches!(component, Component::Combinator(_))
}

/// Returns the number of components that pass a test, including components in brackets.
fn count(selector: &parser::Selector<Css>, test: fn(&Component<Css>) -> bool) -> usize {
    let counts = selector.iter_raw_match_order().map(|component| {
        let inside = match component {
            Component::Negation(list) | Component::Is(list) | Component::Where(list) => {
                list.slice().iter().map(|selector| count(selector, test)).sum()
            }
            Component::Has(list) => list.iter().map(|relative| count(&relative.selector, test)).sum(),
            _ => 0,
        };
        usize::from(test(component)) + inside
    });
    counts.sum()
}

/// Writes a selector without the parts that a compound selector or a list in brackets repeats.
fn without_repeated(selector: &parser::Selector<Css>) -> String {
    // Compound selectors are kept in the order of matching, the last one first.
    let mut compounds = selector.iter();
    let mut pieces = Vec::new();
    loop {
        let mut written = HashSet::default();
        let mut compound = String::new();
        for component in compounds.by_ref() {
            let part = match component {
                Component::Negation(list) => in_brackets("not", list),
                Component::Is(list) => in_brackets("is", list),
                Component::Where(list) => in_brackets("where", list),
                other => other.to_css_string(),
            };
            if !written.contains(&part) {
                compound += &part;
                written.insert(part);
            }
        }
        pieces.push(compound);
        match compounds.next_sequence() {
            Some(combinator) => pieces.push(combinator.to_css_string()),
            None => break,
        }
    }
    pieces.reverse();
    pieces.concat()
}

/// Returns the text of a pseudo-class with a list of selectors, each once.
fn in_brackets(name: &str, list: &SelectorList<Css>) -> String {
    let mut written = HashSet::default();
    let mut selectors: Vec<String> = list.slice().iter().map(without_repeated).collect();
    selectors.retain(|selector| written.insert(selector.clone()));
    format!(":{name}({})", selectors.join(","))
}

/// Whether a part of a selector is matched in few steps.
fn is_quick(component: &Component<Css>) -> bool {
    !matches!(component, Component::Combinator(Combinator::LaterSibling) | Component::Has(_))
}

/// Matches the selectors of a style sheet.
pub struct Matcher {
    marks: Vec<u8>,
    caches: SelectorCaches,
}

impl Matcher {
    /// Returns a matcher for one page.
    pub fn new(dom: &Dom) -> Matcher {
        Matcher { marks: vec![0; dom.len()], caches: SelectorCaches::default() }
    }

    /// Returns whether a selector matches an element.
    pub fn matches(&mut self, dom: &Dom, node: NodeId, selector: &StyleSelector) -> bool {
        let mut context = MatchingContext::new(
            MatchingMode::Normal,
            None,
            &mut self.caches,
            QuirksMode::NoQuirks,
            NeedsSelectorFlags::No,
            MatchingForInvalidation::No,
        );
        // The caller charges for sheets.
        let element = Node { dom, marks: &self.marks, node, units_per_test: 0 };
        matches_selector(&selector.selector, 0, None, &element, &mut context)
    }
}

impl fmt::Debug for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Selector({:?})", self.text)
    }
}

/// Returns the beginning of a selector or another text, for an error.
pub fn beginning(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn explain(kind: &ParseErrorKind<SelectorParseErrorKind>) -> String {
    use SelectorParseErrorKind as E;
    let what = match kind {
        ParseErrorKind::Basic(BasicParseErrorKind::EndOfInput) => "the selector ends too early",
        ParseErrorKind::Basic(_) => "this is not a selector",
        ParseErrorKind::Custom(E::EmptySelector) => "a selector is missing",
        ParseErrorKind::Custom(E::DanglingCombinator) => "nothing follows the combinator",
        ParseErrorKind::Custom(E::UnsupportedPseudoClassOrElement) => {
            "this pseudo-class or pseudo-element is unknown, or never matches in a saved page"
        }
        ParseErrorKind::Custom(E::ClassNeedsIdent) => "a class name is missing after '.'",
        ParseErrorKind::Custom(
            E::NoQualifiedNameInAttributeSelector
            | E::UnexpectedTokenInAttributeSelector
            | E::BadValueInAttr
            | E::InvalidQualNameInAttr
            | E::ExpectedBarInAttr,
        ) => "the attribute selector is malformed",
        ParseErrorKind::Custom(_) => "this is not a selector",
    };
    what.to_owned()
}

/// The vocabulary of selectors: plain strings, only the empty namespace, no pseudo-classes of user interaction.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Css;

impl SelectorImpl for Css {
    type ExtraMatchingData<'a> = ();
    type AttrValue = Text;
    type Identifier = Text;
    type LocalName = Text;
    type NamespaceUrl = Text;
    type NamespacePrefix = Text;
    type BorrowedNamespaceUrl = Text;
    type BorrowedLocalName = Text;
    type NonTSPseudoClass = Never;
    type PseudoElement = Never;
}

/// A name or a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Text(String);

impl From<&str> for Text {
    fn from(s: &str) -> Text {
        Text(s.to_owned())
    }
}
impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        &self.0
    }
}
impl ToCss for Text {
    fn to_css<W: fmt::Write>(&self, out: &mut W) -> fmt::Result {
        cssparser::serialize_identifier(&self.0, out)
    }
}
impl PrecomputedHash for Text {
    fn precomputed_hash(&self) -> u32 {
        crate::hash::of(self.0.as_bytes())
    }
}

/// A type without values, for pseudo-classes and pseudo-elements that are not supported.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Never {}

impl ToCss for Never {
    fn to_css<W: fmt::Write>(&self, _: &mut W) -> fmt::Result {
        match *self {}
    }
}
impl NonTSPseudoClass for Never {
    fn is_active_or_hover(&self) -> bool {
        match *self {}
    }
    fn is_user_action_state(&self) -> bool {
        match *self {}
    }
}
impl PseudoElement for Never {}

struct CssParser;

impl<'i> parser::Parser<'i> for CssParser {
    type Impl = Css;
    type Error = SelectorParseErrorKind;
    fn parse_is_and_where(&self) -> bool {
        true
    }
    fn parse_has(&self) -> bool {
        true
    }
    fn parse_nth_child_of(&self) -> bool {
        true
    }
    // A misspelt part of `:is(...)` is an error instead of being ignored.
    fn allow_forgiving_selectors(&self) -> bool {
        false
    }
}

/// A node, in the form that the matcher needs.
#[derive(Clone)]
struct Node<'a> {
    dom: &'a Dom<'a>,
    /// One byte per node, whose address identifies the node.
    marks: &'a [u8],
    node: NodeId,
    /// Units of work for each test of a name or an attribute; steps between nodes are charged by the tree.
    units_per_test: u64,
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.fmt(f)
    }
}

impl Node<'_> {
    fn is_element(&self) -> bool {
        self.dom.kind(self.node) == NodeKind::Element
    }
    fn at(&self, node: NodeId) -> Self {
        Node { node, ..self.clone() }
    }
}

impl Element for Node<'_> {
    type Impl = Css;

    fn opaque(&self) -> OpaqueElement {
        OpaqueElement::new(&self.marks[self.node.index()])
    }
    fn parent_element(&self) -> Option<Self> {
        self.dom.parent(self.node).map(|n| self.at(n)).filter(Node::is_element)
    }
    fn parent_node_is_shadow_root(&self) -> bool {
        false
    }
    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }
    fn is_pseudo_element(&self) -> bool {
        false
    }
    fn prev_sibling_element(&self) -> Option<Self> {
        self.dom.prev_siblings(self.node).map(|n| self.at(n)).find(Node::is_element)
    }
    fn next_sibling_element(&self) -> Option<Self> {
        self.dom.next_siblings(self.node).map(|n| self.at(n)).find(Node::is_element)
    }
    fn first_element_child(&self) -> Option<Self> {
        self.dom.children(self.node).map(|n| self.at(n)).find(Node::is_element)
    }
    fn is_html_element_in_html_document(&self) -> bool {
        true
    }
    fn has_local_name(&self, name: &Text) -> bool {
        self.dom.works(self.units_per_test);
        self.dom.tag_name(self.node) == name.0
    }
    fn has_namespace(&self, namespace: &Text) -> bool {
        namespace.0.is_empty()
    }
    fn is_same_type(&self, other: &Self) -> bool {
        self.dom.works(self.units_per_test);
        self.dom.tag_name(self.node) == self.dom.tag_name(other.node)
    }
    fn attr_matches(
        &self,
        _: &NamespaceConstraint<&Text>,
        name: &Text,
        operation: &AttrSelectorOperation<&Text>,
    ) -> bool {
        self.dom.works(self.units_per_test);
        self.dom.attr(self.node, &name.0).is_some_and(|value| {
            self.dom.reads(value.len());
            operation.eval_str(value)
        })
    }
    fn match_non_ts_pseudo_class(&self, pseudo: &Never, _: &mut MatchingContext<Css>) -> bool {
        match *pseudo {}
    }
    fn match_pseudo_element(&self, pseudo: &Never, _: &mut MatchingContext<Css>) -> bool {
        match *pseudo {}
    }
    fn apply_selector_flags(&self, _: ElementSelectorFlags) {}
    fn is_link(&self) -> bool {
        matches!(self.dom.tag_name(self.node), "a" | "area") && self.dom.attr(self.node, "href").is_some()
    }
    fn is_html_slot_element(&self) -> bool {
        false
    }
    fn has_id(&self, id: &Text, case: CaseSensitivity) -> bool {
        self.dom.works(self.units_per_test);
        self.dom.attribute(self.node, Attr::ID).is_some_and(|v| {
            self.dom.reads(v.len().min(id.0.len()));
            case.eq(id.0.as_bytes(), v.as_bytes())
        })
    }
    fn has_class(&self, name: &Text, _: CaseSensitivity) -> bool {
        self.dom.works(self.units_per_test);
        // Classes differ by case, since no page is matched in quirks mode.
        let names = self.dom.names();
        let class = names.class_of(self.node);
        class != Class::NONE && names.find(&name.0).is_some_and(|name| names.has(class, name))
    }
    fn has_custom_state(&self, _: &Text) -> bool {
        false
    }
    fn imported_part(&self, _: &Text) -> Option<Text> {
        None
    }
    fn is_part(&self, _: &Text) -> bool {
        false
    }
    fn is_empty(&self) -> bool {
        let mut children = self.dom.children(self.node);
        children.all(|n| self.dom.kind(n) != NodeKind::Element && self.dom.text(n).is_empty())
    }
    fn is_root(&self) -> bool {
        self.dom.parent(self.node) == Some(NodeId::ROOT)
    }
    fn add_element_unique_hashes(&self, _: &mut BloomFilter) -> bool {
        false
    }
}

impl<'de> Deserialize<'de> for Selector {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Selector, D::Error> {
        Selector::parse(&String::deserialize(d)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(selector: &str) -> Vec<String> {
        let html = "<div id=a class='x y'><p id=b>one</p><p id=c lang=en-GB>two</p><ul id=d><li id=e><li id=f></ul></div><P id=g><a id=h href=/>h</a>";
        let dom = crate::dom::parse(html, &Default::default());
        Selector::parse(selector)
            .unwrap()
            .all(&dom)
            .iter()
            .map(|&n| dom.attr(n, "id").unwrap_or("").to_owned())
            .collect()
    }

    #[test]
    fn selectors_match_as_css_specifies() {
        for (selector, found) in [
            ("p", "b c g"),
            ("P", "b c g"),
            (".x.y > p", "b c"),
            ("#b + p, li:last-child", "c f"),
            ("[lang|=en]", "c"),
            ("[href^='/' i]", "h"),
            ("p ~ ul li:nth-child(2)", "f"),
            ("div:has(> ul)", "a"),
            ("p:not(:empty, #b)", "c g"),
            ("body > :nth-child(1 of p)", "g"),
            (":is(ul, p):nth-of-type(1)", "b d g"),
            (".X", ""),
        ] {
            assert_eq!(ids(selector).join(" "), found, "{selector}");
        }
    }

    #[test]
    fn long_selectors_are_charged_and_bounded() {
        let html = "<p>x".repeat(1000);
        let dom = crate::dom::parse(&html, &crate::budget::Budget::default().with_work(50_000));
        let selector = Selector::parse(&["p"; 1000].join(",")).unwrap();
        let found = selector.all(&dom).len();
        assert!(found < 200 && dom.is_out_of_work(), "{found}");
        assert!(selector.all(&dom).is_empty());
        let error = Selector::parse(&"a,".repeat(50_000)).unwrap_err().to_string();
        assert!(error.contains("100000 bytes") && error.len() < 300, "{error}");
        let error = Selector::parse(&format!("{}:hover", "a,".repeat(500))).unwrap_err().to_string();
        assert!(error.len() < 300, "{error}");
    }

    #[test]
    fn a_selector_that_compares_all_siblings_ends_with_the_budget_and_a_warning_that_names_it() {
        let html = format!("{}<h1>", "<p>x".repeat(3000));
        for selector in ["q ~ p", "p:has(~ q)", ":is(p,b):not(:is(i,q)):has(~ :is(q,u))", "p:not(:has(~ h1))"] {
            let dom = crate::dom::parse(&html, &crate::budget::Budget::default().with_work(100_000));
            let (found, warning) = Selector::parse(selector).unwrap().find(&dom);
            assert!(found.is_empty(), "{selector}: {}", found.len());
            let warning = warning.unwrap_or_else(|| panic!("{selector} gives no warning"));
            assert!(warning.message.contains(selector), "{}", warning.message);
            assert!(dom.work() < 110_000, "{selector}: {}", dom.work());
        }
        let dom = crate::dom::parse(&html, &crate::budget::Budget::default());
        let (found, warning) = Selector::parse("p ~ h1").unwrap().find(&dom);
        assert_eq!((found.len(), warning), (1, None));
    }

    #[test]
    fn selectors_of_style_sheets_lose_what_they_repeat_and_keep_their_weight() {
        let html = "<div id=a class=x><p id=b class='y z'>1</p></div><p id=c class='y z'>2<p id=d class='y w'>3";
        let dom = crate::dom::parse(html, &Default::default());
        let elements: Vec<NodeId> = dom.descendants(NodeId::ROOT).collect();
        let repeated = (".y".repeat(40), ".w,".repeat(40));
        let mut matcher = Matcher::new(&dom);
        for (selector, ids, parts, classes) in [
            (format!("p:not({}.v){}", repeated.1, repeated.0), "b c", 5, 41),
            (format!("div.x > p{}", repeated.0), "b", 5, 41),
            ("p".to_owned(), "b c d", 1, 0),
        ] {
            let read = StyleSelector::parse(&selector).unwrap();
            let matching = elements.iter().filter(|&&n| matcher.matches(&dom, n, &read));
            let found: Vec<&str> = matching.filter_map(|&n| dom.attr(n, "id")).collect();
            assert_eq!((&*found.join(" "), read.parts(), read.specificity() >> 10 & 1023), (ids, parts, classes));
        }
    }

    #[test]
    fn selectors_that_the_matcher_or_the_parser_follow_by_recursion_are_bounded() {
        let is_read = |selector: &str| StyleSelector::parse(selector).is_some();
        assert!(!is_read(&format!("{}b", "a+".repeat(100_000))) && !is_read(&format!("{}a", ":not(".repeat(100_000))));
        assert!(!is_read("a ~ b") && !is_read("a:has(b)") && !is_read("a:hover") && !is_read("a,b"));
        assert!(Selector::parse(&format!("{}b", "a+".repeat(1000))).is_err());
        assert!(Selector::parse(&format!("{}b", "a+".repeat(MAX_COMBINATORS))).is_ok());
    }

    #[test]
    fn errors_give_the_position() {
        // The column is where parsing stopped: the end of the part that is not allowed.
        for (selector, place) in [
            ("", 1),
            ("p >", 4),
            ("p..x", 5),
            ("a:hover", 8),
            ("p[x=", 5),
            ("p, ", 4),
            (":is(p, &&)", 11),
            ("a, b:hover, c", 11),
        ] {
            let error = Selector::parse(selector).unwrap_err();
            assert_eq!(error.column, place, "{error}");
        }
    }
}
