//! The rules of a page's own style sheets that decide about visibility.
use super::filter::{MAX_SMALL_BYTES, Page, Piece, filtered, hides_what_inherits, without_comments};
use super::style::{Cascade, Weighed, declarations};
use crate::budget::Share;
use crate::dom::names::{Class, Name, Names};
use crate::dom::{Dom, NodeId, Tag};
use crate::hash::HashMap;
use crate::select::{Key, Matcher, StyleSelector};
use cssparser::{ParseError, Parser, ToCss, Token};
use maintext_html::Attr;
use std::rc::Rc;

/// Maximum number of rules.
const MAX_RULES: usize = 50_000;
/// Units of work for the style sheets of a page: per byte of the page, plus a fixed number. None of the data sets' 1,371 pages took more
/// than 1.7 per byte.
const WORK_PER_BYTE: u64 = 16;
const FREE_WORK: u64 = 10_000;
/// Units of work to match a rule with an element, in addition to the steps to other elements and one for each part of the selector.
const MATCH_WORK: u64 = 8;
/// Bytes of rules that are read for one unit of work.
const BYTES_PER_UNIT: u64 = 4;

/// The rules of a page.
pub(super) struct Sheet<'a> {
    names: &'a Names,
    rules: Vec<Rule>,
    /// The rules by the class, the id, or the tag that an element must have.
    by_class: Vec<Vec<u32>>,
    by_id: Vec<Vec<u32>>,
    by_tag: Vec<Vec<u32>>,
    /// The rules by names of elements that HTML does not know.
    by_tag_name: HashMap<String, Vec<u32>>,
    any: Vec<u32>,
    matcher: Matcher,
    open: Open,
    work: Share<'a>,
    /// Whether there were more rules than are allowed.
    is_full: bool,
}

/// The classes and ids of the open elements that rules ask for.
#[derive(Default)]
struct Open {
    /// For each name of the page the number of open elements that have it; `None` if no rule asks for it above an element.
    counts: Vec<Option<u32>>,
    /// The open elements that have such names, each with the number of them.
    elements: Vec<(NodeId, u32)>,
    names: Vec<Name>,
}

impl Open {
    fn watch(&mut self, names: &[Name]) {
        names.iter().for_each(|name| self.counts[name.index()] = Some(0));
    }

    fn enter(&mut self, n: NodeId, names: impl Iterator<Item = Name>) {
        let before = self.names.len();
        for name in names {
            if let Some(count) = &mut self.counts[name.index()] {
                *count += 1;
                self.names.push(name);
            }
        }
        if self.names.len() > before {
            self.elements.push((n, (self.names.len() - before) as u32));
        }
    }

    fn leave(&mut self, n: NodeId) {
        if let Some((_, count)) = self.elements.pop_if(|(open, _)| *open == n) {
            for name in self.names.drain(self.names.len() - count as usize..) {
                if let Some(count) = &mut self.counts[name.index()] {
                    *count -= 1;
                }
            }
        }
    }

    /// Whether all of these names are open.
    fn holds(&self, names: &[Name]) -> bool {
        names.iter().all(|name| self.counts[name.index()].is_some_and(|count| count > 0))
    }
}

struct Rule {
    selector: StyleSelector,
    block: Rc<[Weighed]>,
    /// Whether one of the declarations alone can hide an element.
    hides: bool,
    /// The classes and ids that elements above must have.
    above: Box<[Name]>,
}

/// An element with the properties that rules test first.
#[derive(Clone, Copy)]
pub(super) struct Named {
    pub(super) node: NodeId,
    pub(super) tag: Tag,
    pub(super) class: Class,
    pub(super) id: Option<Name>,
}

impl<'a> Sheet<'a> {
    /// Reads the style sheets in the page. Returns `None` if no rule decides about visibility; and whether the page links further sheets.
    pub(super) fn read(dom: &'a Dom<'a>) -> (Option<Sheet<'a>>, bool) {
        let (mut sheets, mut external) = (Vec::new(), false);
        for n in dom.descendants(NodeId::ROOT) {
            match dom.tag(n) {
                Tag::STYLE if applies(dom.attr(n, "media")) => sheets.push(n),
                Tag::LINK => {
                    external |= dom.attr(n, "rel").is_some_and(|rel| rel.to_ascii_lowercase().contains("stylesheet"));
                }
                _ => {}
            }
        }
        if sheets.is_empty() {
            return (None, external);
        }
        let names = dom.names();
        let mut sheet = Sheet {
            names,
            rules: Vec::new(),
            by_class: vec![Vec::new(); names.len()],
            by_id: vec![Vec::new(); names.len()],
            by_tag: vec![Vec::new(); Tag::COUNT],
            by_tag_name: HashMap::default(),
            any: Vec::new(),
            matcher: Matcher::new(dom),
            open: Open { counts: vec![None; names.len()], ..Open::default() },
            work: dom.share(WORK_PER_BYTE, FREE_WORK),
            is_full: false,
        };
        let hides = |n: &NodeId| dom.attribute(*n, Attr::STYLE).is_some_and(hides_what_inherits);
        let page = Page { names, hides_below: names.styled().iter().any(hides), external };
        for text in sheets.iter().flat_map(|n| dom.children(*n)) {
            dom.reads(dom.text(text).len());
            sheet.add(dom.text(text), page);
        }
        ((!sheet.rules.is_empty()).then_some(sheet), external)
    }

    /// Adds the rules of a style sheet.
    fn add(&mut self, css: &str, page: Page<'_>) {
        // The open blocks, each with whether its rules apply.
        let mut open: Vec<bool> = Vec::new();
        let is_small = css.len() <= MAX_SMALL_BYTES;
        for piece in filtered(&without_comments(css), is_small, page) {
            let is_read = open.last().copied().unwrap_or(true);
            match piece {
                Piece::Open(prelude) => open.push(is_read && block_applies(prelude)),
                Piece::Close => _ = open.pop(),
                Piece::Rule(prelude, body) if is_read && !prelude.starts_with('@') => {
                    if !self.work.charge((prelude.len() + body.len()) as u64 / BYTES_PER_UNIT) {
                        return;
                    }
                    self.add_rule(prelude, body, page.external);
                }
                Piece::Rule(..) => {}
            }
        }
    }

    fn add_rule(&mut self, prelude: &str, body: &str, external: bool) {
        let block: Rc<[Weighed]> = declarations(&mut Parser::new(body)).into();
        if block.is_empty() {
            return;
        }
        let hides = block.iter().any(|d| d.0.hides(!external));
        let left = MAX_RULES - self.rules.len();
        let selectors = StyleSelector::parse_all(prelude, left + 1);
        self.is_full |= selectors.len() > left;
        for selector in selectors.into_iter().take(left) {
            // What no element has cannot match.
            let above: Option<Box<[Name]>> = selector.names_above().into_iter().map(|n| self.names.find(n)).collect();
            let Some(above) = above else { continue };
            let rules = match selector.key() {
                Key::Id(id) => self.names.find(id).map(|id| &mut self.by_id[id.index()]),
                Key::Class(class) => self.names.find(class).map(|class| &mut self.by_class[class.index()]),
                Key::Tag(name) => Some(match Tag::from_name(name) {
                    Tag::OTHER => self.by_tag_name.entry(name.to_owned()).or_default(),
                    tag => &mut self.by_tag[usize::from(tag.0)],
                }),
                Key::Any => Some(&mut self.any),
            };
            let Some(rules) = rules else { continue };
            rules.push(self.rules.len() as u32);
            self.open.watch(&above);
            self.rules.push(Rule { selector, block: block.clone(), hides, above });
        }
    }

    /// Adds the declarations of the rules that match an element, if one of them can hide it or if it `is_hidden` otherwise.
    pub(super) fn apply(&mut self, dom: &Dom<'_>, element: Named, is_hidden: bool, out: &mut Cascade) {
        if self.work.is_spent() {
            return;
        }
        let Sheet { names, rules, by_class, by_id, by_tag, by_tag_name, any, matcher, open, work, .. } = self;
        let words = names.words(element.class).iter();
        let by_tag = match element.tag {
            Tag::OTHER if by_tag_name.is_empty() => None,
            Tag::OTHER => by_tag_name.get(dom.tag_name(element.node)),
            tag => Some(&by_tag[usize::from(tag.0)]),
        };
        let by_class = words.clone().map(|name| &by_class[name.index()]);
        let by_id = element.id.map(|id| &by_id[id.index()]);
        let numbers = by_class.chain(by_id).chain(by_tag).flatten().chain(any.iter()).copied();
        let mut add = |i: u32| {
            let rule = &rules[i as usize];
            let cost = MATCH_WORK + rule.selector.parts() as u64;
            let matches = work.charge(1)
                && open.holds(&rule.above)
                && work.charge(cost)
                && work.count(|| matcher.matches(dom, element.node, &rule.selector))
                && work.charge(rule.block.len() as u64);
            if matches {
                let specificity = rule.selector.specificity();
                rule.block.iter().for_each(|d| out.add(d.0, (d.1, specificity, i)));
            }
            matches
        };
        let mut hides = is_hidden;
        numbers.clone().filter(|i| rules[*i as usize].hides).for_each(|i| hides |= add(i));
        if hides {
            numbers.filter(|i| !rules[*i as usize].hides).for_each(|i| _ = add(i));
        }
        open.enter(element.node, words.copied().chain(element.id));
    }

    /// Whether rules were left out, or not applied to the whole page.
    pub(super) fn is_cut(&self) -> bool {
        self.work.is_spent() || self.is_full
    }

    /// Closes an element.
    pub(super) fn leave(&mut self, n: NodeId) {
        self.open.leave(n);
    }
}

/// Whether the rules in a block apply: to a screen, and to a browser with the features that the block asks for.
fn block_applies(prelude: &str) -> bool {
    let Some(prelude) = prelude.strip_prefix('@') else { return false };
    let end = prelude.bytes().position(|b| !b.is_ascii_alphanumeric() && b != b'-').unwrap_or(prelude.len());
    let (name, condition) = prelude.split_at(end);
    // An open bracket holds all that follows.
    let is_whole = condition.matches('(').count() == condition.matches(')').count();
    match &*name.to_ascii_lowercase() {
        "media" => is_whole && holds(&mut Parser::new(condition)),
        "supports" | "layer" | "document" => is_whole,
        _ => false,
    }
}

/// Whether a list of media queries holds for a screen of the usual size.
fn applies(media: Option<&str>) -> bool {
    media.is_none_or(|media| holds(&mut Parser::new(media)))
}

/// Whether one of several media queries holds for a screen of 1280 × 800 pixels with a mouse and a light theme.
fn holds(input: &mut Parser<'_>) -> bool {
    let mut any = false;
    let mut empty = true;
    let _ = input.parse_comma_separated(|input| {
        let mut query = String::new();
        while let Ok(token) = input.next_including_whitespace() {
            let block = matches!(token, Token::ParenthesisBlock | Token::Function(_));
            query += &token.to_css_string().to_ascii_lowercase();
            if block {
                let _ = input.parse_nested_block(|input| {
                    while let Ok(token) = input.next_including_whitespace() {
                        query += &token.to_css_string().to_ascii_lowercase();
                    }
                    Ok::<_, ParseError<()>>(())
                });
                query.push(')');
            }
        }
        empty &= query.trim().is_empty();
        any |= query_holds(query.trim());
        Ok::<_, ParseError<()>>(())
    });
    any || empty
}

fn query_holds(query: &str) -> bool {
    let (query, negated) = match query.strip_prefix("not ") {
        Some(rest) => (rest, true),
        None => (query.strip_prefix("only ").unwrap_or(query), false),
    };
    let holds = query.split(" and ").all(|part| match part.trim() {
        "screen" | "all" => true,
        part => part.strip_prefix('(').and_then(|p| p.strip_suffix(')')).is_some_and(feature_holds),
    });
    holds != negated
}

fn feature_holds(feature: &str) -> bool {
    let (name, value) = feature.split_once(':').unwrap_or((feature, ""));
    let value = value.trim();
    let px = || {
        let digits = value.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        digits.trim().parse::<f32>().unwrap_or(0.0) * if value.ends_with("em") { 16.0 } else { 1.0 }
    };
    match name.trim() {
        "min-width" | "min-device-width" => px() <= 1280.0,
        "max-width" | "max-device-width" => px() >= 1280.0,
        "min-height" => px() <= 800.0,
        "max-height" => px() >= 800.0,
        "orientation" => value == "landscape",
        "hover" | "any-hover" => value != "none",
        "pointer" | "any-pointer" => value != "none" && value != "coarse",
        "scripting" => value == "enabled",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Edge;

    #[test]
    fn rules_apply_by_selector_and_medium() {
        let html = "<style>/* a */ @media print { p {display:none} } @media (min-width:600px) and (max-width: 90em) { .a > p {opacity:0} }
            @media only screen and (max-width:600px) {p{display:none}} #b,.c:hover{left:-999px} .d .e + p{display:none}
            @supports (display:grid) { p.x { visibility:hidden!important } } </style><style media=print>p{display:none}</style>
            <div class=a><p id=b class=x>one</div><p>two<div class=d><i class=e></i><p class=y>";
        let dom = crate::dom::parse(html, &Default::default());
        let mut sheet = Sheet::read(&dom).0.unwrap();
        let mut found = Vec::new();
        for edge in dom.traverse(NodeId::ROOT) {
            match edge {
                Edge::Enter(n) => {
                    let mut out = Cascade::default();
                    let (class, id) = (dom.names().class_of(n), dom.names().id_of(n));
                    sheet.apply(&dom, Named { node: n, tag: dom.tag(n), class, id }, true, &mut out);
                    if dom.tag(n) == Tag::P {
                        found.push(out.values().len());
                    }
                }
                Edge::Leave(n) => sheet.leave(n),
            }
        }
        assert_eq!(found, [3, 0, 1]);
        assert!(sheet.open.names.is_empty());
    }
}
