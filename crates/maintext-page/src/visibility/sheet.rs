//! The rules of a page's own style sheets that decide about visibility.
use super::filter::{Declared, Key, Outline, Piece, first_selector, may_match, pieces, without_comments};
use super::style::{Cascade, Weighed, declarations};
use crate::budget::Share;
use crate::dom::names::{Class, Name, Names};
use crate::dom::{Dom, NodeId, Tag};
use crate::hash::{HashMap, HashSet};
use crate::select::{Matcher, StyleSelector};
use cssparser::{ParseError, Parser, ToCss, Token};
use maintext_html::Attr;
use std::cell::OnceCell;

/// Bytes of a sheet up to which all colours count. In longer ones, only light ones do.
const MAX_SMALL_BYTES: usize = 4000;
/// Maximum number of rules.
const MAX_RULES: usize = 50_000;
/// Units of work for the style sheets of a page, for each byte of the page and beside them. Of 1,371 pages of the data sets none took more than
/// 1.7 for each byte.
const WORK_PER_BYTE: u64 = 16;
const FREE_WORK: u64 = 10_000;
/// Units of work to match a rule with an element, beside the steps to other elements and one for each part of the selector.
const MATCH_WORK: u64 = 8;
/// Bytes of rules that are read for one unit of work.
const BYTES_PER_UNIT: u64 = 4;

/// The rules of a page.
pub(super) struct Sheet<'a> {
    names: &'a Names,
    /// The rules, one for each selector, with their blocks.
    rules: Vec<Rule>,
    blocks: Vec<Block>,
    /// The rules that hide an element by themselves, and all others, which matter only where an element is hidden.
    hiding: Index,
    others: Index,
    matcher: Matcher,
    open: Open,
    work: Share<'a>,
    /// Whether media queries hold that were read.
    media: HashMap<String, bool>,
    /// Whether style sheets apply that are not in the page, so that the colours behind most texts are not known.
    external: bool,
    /// Whether the style of an element hides what inherits it.
    hides_below: bool,
    /// Whether there were more rules than are allowed.
    is_full: bool,
}

/// The numbers of rules by what an element must have for them to match.
struct Index {
    by_class: Vec<Vec<u32>>,
    by_id: Vec<Vec<u32>>,
    by_tag: Vec<Vec<u32>>,
    /// By names of elements that HTML does not know.
    by_tag_name: HashMap<String, Vec<u32>>,
    any: Vec<u32>,
}

impl Index {
    fn new(names: &Names) -> Index {
        Index {
            by_class: vec![Vec::new(); names.len()],
            by_id: vec![Vec::new(); names.len()],
            by_tag: vec![Vec::new(); Tag::COUNT],
            by_tag_name: HashMap::default(),
            any: Vec::new(),
        }
    }

    fn add(&mut self, key: Key<'_>, rule: u32) {
        let rules = match key {
            Key::Id(id) => &mut self.by_id[id.index()],
            Key::Class(class) => &mut self.by_class[class.index()],
            Key::Tag(name) => {
                let name = name.to_ascii_lowercase();
                match Tag::from_name(&name) {
                    Tag::OTHER => self.by_tag_name.entry(name).or_default(),
                    tag => &mut self.by_tag[usize::from(tag.0)],
                }
            }
            Key::Any => &mut self.any,
        };
        rules.push(rule);
    }

    /// Returns the rules that may match an element.
    fn of(&self, dom: &Dom<'_>, names: &Names, element: Named) -> impl Iterator<Item = u32> {
        let by_tag = match element.tag {
            Tag::OTHER if self.by_tag_name.is_empty() => None,
            Tag::OTHER => self.by_tag_name.get(dom.tag_name(element.node)),
            tag => Some(&self.by_tag[usize::from(tag.0)]),
        };
        let by_class = names.words(element.class).iter().map(|name| &self.by_class[name.index()]);
        let by_id = element.id.map(|id| &self.by_id[id.index()]);
        by_class.chain(by_id).chain(by_tag).flatten().chain(&self.any).copied()
    }
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
    text: Box<str>,
    /// The selector, which is parsed when an element has what it asks for; `None` if it is not one, or takes long on each element.
    selector: OnceCell<Option<StyleSelector>>,
    block: u32,
    /// The classes and ids that elements above must have.
    above: Box<[Name]>,
}

/// The declarations of a rule, which are parsed when they are needed.
struct Block {
    text: Box<str>,
    declarations: OnceCell<Vec<Weighed>>,
}

impl Block {
    fn declarations(&self) -> &[Weighed] {
        self.declarations.get_or_init(|| declarations(&self.text))
    }
}

/// A rule before it is parsed.
struct Outlined<'s> {
    /// The texts of its selectors, and what they ask for.
    selectors: Vec<(&'s str, Outline<'s>)>,
    body: &'s str,
    declared: Declared,
    hides: bool,
    /// Whether it applies to a screen.
    applies: bool,
}

/// What the hiding rules of a style sheet are for, so that those that may undo them are found.
#[derive(Default)]
struct Hiding<'a> {
    /// The names of elements that they hide.
    names: HashSet<Name>,
    tags: HashSet<&'a str>,
    /// Whether they hide elements without a name.
    any: bool,
    /// The properties that may undo them.
    undone_by: u8,
    hides_below: bool,
}

impl<'a> Hiding<'a> {
    fn is_empty(&self) -> bool {
        !self.any && self.tags.is_empty() && self.names.is_empty() && !self.hides_below
    }

    fn add(&mut self, rule: &Outlined<'a>) {
        if !rule.hides {
            return;
        }
        self.undone_by |= rule.declared.undone_by;
        self.hides_below |= rule.declared.hides_below;
        for (_, outline) in &rule.selectors {
            let own = &outline.names[outline.above..];
            self.names.extend(own);
            self.tags.extend(outline.tag);
            self.any |= own.is_empty() && outline.tag.is_none();
        }
    }

    /// Whether a rule hides, or may undo one that does: for a name of its elements, or with its property.
    fn wants(&self, rule: &Outlined<'_>) -> bool {
        let declared = rule.declared;
        rule.hides
            || declared.is_important
            || declared.undoing & self.undone_by != 0
            || self.hides_below && declared.is_inherited
            || rule.selectors.iter().any(|(_, outline)| self.has_alike(outline))
    }

    /// Whether a selector may match an element that one of these selectors matches.
    fn has_alike(&self, outline: &Outline<'_>) -> bool {
        let own = &outline.names[outline.above..];
        own.iter().any(|name| self.names.contains(name))
            || outline.tag.is_some_and(|tag| self.tags.contains(tag))
            || self.any && own.is_empty() && outline.tag.is_none()
    }
}

/// An element with what rules ask for first.
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
        let names = dom.names();
        let (mut sheets, mut external) = (Vec::new(), false);
        for &n in names.sheets() {
            if dom.tag(n) == Tag::LINK {
                external |= dom.attr(n, "rel").is_some_and(|rel| rel.to_ascii_lowercase().contains("stylesheet"));
            } else if applies(dom.attr(n, "media")) {
                sheets.push(n);
            }
        }
        if sheets.is_empty() {
            return (None, external);
        }
        let mut styles = names.styled().iter().filter_map(|n| dom.attribute(*n, Attr::STYLE));
        let mut sheet = Sheet {
            names,
            rules: Vec::new(),
            blocks: Vec::new(),
            hiding: Index::new(names),
            others: Index::new(names),
            matcher: Matcher::new(dom),
            open: Open { counts: vec![None; names.len()], ..Open::default() },
            work: dom.share(WORK_PER_BYTE, FREE_WORK),
            media: HashMap::default(),
            external,
            hides_below: styles.any(|style| Declared::of(style, true).hides_below),
            is_full: false,
        };
        for text in sheets.iter().flat_map(|n| dom.children(*n)) {
            dom.reads(dom.text(text).len());
            sheet.add(dom.text(text));
        }
        ((!sheet.rules.is_empty() || sheet.is_cut()).then_some(sheet), external)
    }

    /// Adds the rules of a style sheet that hide elements, and those that may undo it.
    fn add(&mut self, css: &str) {
        let css = without_comments(css);
        let rules = self.outlined(&css);
        let mut hiding = Hiding { hides_below: self.hides_below, ..Hiding::default() };
        rules.iter().for_each(|rule| hiding.add(rule));
        if hiding.is_empty() {
            return;
        }
        rules.into_iter().filter(|rule| rule.applies && hiding.wants(rule)).for_each(|rule| self.add_rule(rule));
    }

    /// Returns the rules of a style sheet that may match elements of the page and decide about visibility. Those that do not apply count as far as
    /// they hide: others may undo them.
    fn outlined<'s>(&mut self, css: &'s str) -> Vec<Outlined<'s>> {
        // The open blocks, each with whether its rules apply.
        let mut open: Vec<bool> = Vec::new();
        let by_any_colour = !self.external && css.len() <= MAX_SMALL_BYTES;
        let mut found = Vec::new();
        for piece in pieces(css) {
            let applies = open.last().copied().unwrap_or(true);
            match piece {
                Piece::Open(prelude) => {
                    let applies = applies && self.applies_block(prelude);
                    open.push(applies);
                }
                Piece::Close => _ = open.pop(),
                Piece::Rule(prelude, body) if !prelude.starts_with('@') => {
                    if !self.work.charge((prelude.len() + body.len()) as u64 / BYTES_PER_UNIT) {
                        break;
                    }
                    // Most rules are for names that the page lacks.
                    if !may_match(prelude, self.names) {
                        continue;
                    }
                    let declared = Declared::of(body, !self.external);
                    if !declared.decides {
                        continue;
                    }
                    let by_colour = !self.external && declared.fills || by_any_colour && declared.colours;
                    let hides = declared.hides || by_colour;
                    if !applies && !hides {
                        continue;
                    }
                    let selectors = self.selectors(prelude);
                    if !selectors.is_empty() {
                        found.push(Outlined { selectors, body, declared, hides, applies });
                    }
                }
                Piece::Rule(..) => {}
            }
        }
        found
    }

    /// Returns the selectors of a rule that may match elements of the page, each once.
    fn selectors<'s>(&self, prelude: &'s str) -> Vec<(&'s str, Outline<'s>)> {
        let (mut found, mut read, mut rest) = (Vec::new(), HashSet::default(), prelude);
        while !rest.is_empty() {
            let (outline, end) = first_selector(rest, self.names);
            let text = rest[..end].trim_ascii();
            rest = rest.get(end + 1..).unwrap_or("");
            let is_alone = text.len() == prelude.len();
            if let Some(outline) = outline
                && (is_alone || read.insert(text))
            {
                found.push((text, outline));
            }
        }
        found
    }

    fn add_rule(&mut self, rule: Outlined<'_>) {
        let by_colour = !self.external;
        let block = Block { text: rule.body.into(), declarations: OnceCell::new() };
        // Most blocks are never parsed: they hide nothing, and no hidden element has them.
        let may_hide = rule.hides || rule.declared.may_hide || by_colour && rule.declared.colours;
        let hides = may_hide && block.declarations().iter().any(|d| d.0.hides(by_colour));
        let number = self.blocks.len() as u32;
        self.blocks.push(block);
        for (text, outline) in rule.selectors {
            if self.rules.len() == MAX_RULES {
                self.is_full = true;
                return;
            }
            let index = if hides { &mut self.hiding } else { &mut self.others };
            index.add(outline.key, self.rules.len() as u32);
            let above = &outline.names[..outline.above];
            self.open.watch(above);
            self.rules.push(Rule { text: text.into(), selector: OnceCell::new(), block: number, above: above.into() });
        }
    }

    /// Whether the rules in a block apply. Many blocks have the same query.
    fn applies_block(&mut self, prelude: &str) -> bool {
        if let Some(applies) = self.media.get(prelude) {
            return *applies;
        }
        let applies = block_applies(prelude);
        self.media.insert(prelude.to_owned(), applies);
        applies
    }

    /// Adds the declarations of the rules that match an element, if one of them can hide it or if it `is_hidden` otherwise.
    pub(super) fn apply(&mut self, dom: &Dom<'_>, element: Named, is_hidden: bool, out: &mut Cascade) {
        if self.work.is_spent() {
            return;
        }
        let Sheet { names, rules, blocks, hiding, others, matcher, open, work, .. } = self;
        // Adds the declarations of a rule, and returns whether it matches.
        let mut add = |i: u32| {
            let rule = &rules[i as usize];
            if !work.charge(1 + rule.above.len() as u64) || !open.holds(&rule.above) {
                return false;
            }
            let Some(selector) = rule.selector.get_or_init(|| StyleSelector::parse(&rule.text)) else { return false };
            let block = &blocks[rule.block as usize];
            let matches = work.charge(MATCH_WORK + selector.parts() as u64)
                && work.count(|| matcher.matches(dom, element.node, selector))
                && work.charge(block.declarations().len() as u64);
            if matches {
                let specificity = selector.specificity();
                block.declarations().iter().for_each(|d| out.add(d.0, (d.1, specificity, i)));
            }
            matches
        };
        let mut is_hidden = is_hidden;
        hiding.of(dom, names, element).for_each(|i| is_hidden |= add(i));
        if is_hidden {
            others.of(dom, names, element).for_each(|i| _ = add(i));
        }
        open.enter(element.node, names.words(element.class).iter().copied().chain(element.id));
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

/// Whether the rules in a block apply: to a screen, and to a browser that knows what the block asks for.
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
    match name.trim() {
        "min-width" | "min-device-width" => pixels(value) <= 1280.0,
        "max-width" | "max-device-width" => pixels(value) >= 1280.0,
        "min-height" => pixels(value) <= 800.0,
        "max-height" => pixels(value) >= 800.0,
        "orientation" => value == "landscape",
        "hover" | "any-hover" => value != "none",
        "pointer" | "any-pointer" => value != "none" && value != "coarse",
        "scripting" => value == "enabled",
        _ => false,
    }
}

/// Returns the length in a media query in pixels.
fn pixels(length: &str) -> f32 {
    let digits = length.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    digits.trim().parse::<f32>().unwrap_or(0.0) * if length.ends_with("em") { 16.0 } else { 1.0 }
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
