//! The rules of a page's own style sheets that decide about visibility.
use super::filter::{Names, filtered, hides_what_inherits};
use super::style::{Weighed, declarations};
use crate::dom::{Dom, NodeId, NodeKind, Tag};
use crate::hash::{self, HashMap};
use crate::select::{Key, Matcher, StyleSelector};
use cssparser::{
    AtRuleParser, CowRcStr, ParseError, Parser, ParserState, QualifiedRuleParser, StyleSheetParser, ToCss, Token,
};
use maintext_html::Attr;
use std::rc::Rc;

/// Maximum number of rules.
const MAX_RULES: usize = 50_000;
/// Maximum number of pairs of a rule and an element that are compared: a fifth of a second. Pages need less than a hundredth of it.
const MAX_CHECKS: u32 = 20_000_000;
/// Units of work to match a rule with an element.
const MATCH_WORK: u64 = 8;

/// The rules of a page.
pub(super) struct Sheet {
    rules: Vec<Rule>,
    /// The rules by the hash of the class or id that an element must have.
    named: HashMap<u32, Vec<u32>>,
    tags: HashMap<String, Vec<u32>>,
    any: Vec<u32>,
    matcher: Matcher,
    open: Open,
    /// Hashes of the names of the current element.
    names: Vec<u32>,
    /// Number of pairs of a rule and an element that may still be compared.
    checks: u32,
}

/// The classes and ids of the open elements.
#[derive(Default)]
struct Open {
    /// The open elements that have names, each with its number of names.
    elements: Vec<(NodeId, u32)>,
    names: Vec<u32>,
    /// The number of names by the last digits of their hashes.
    counts: Vec<u16>,
}

/// Number of counts of open names.
const NAME_COUNTS: usize = 1024;

impl Open {
    fn slot(name: u32) -> usize {
        name as usize % NAME_COUNTS
    }

    fn enter(&mut self, n: NodeId, names: &[u32]) {
        if !names.is_empty() {
            self.elements.push((n, names.len() as u32));
            self.names.extend(names);
            names
                .iter()
                .for_each(|name| self.counts[Self::slot(*name)] = self.counts[Self::slot(*name)].saturating_add(1));
        }
    }

    fn leave(&mut self, n: NodeId) {
        if let Some((_, count)) = self.elements.pop_if(|(open, _)| *open == n) {
            for name in self.names.drain(self.names.len() - count as usize..) {
                self.counts[Self::slot(name)] = self.counts[Self::slot(name)].saturating_sub(1);
            }
        }
    }

    /// Whether all of these names may be open.
    fn may_hold(&self, names: &[u32]) -> bool {
        names.iter().all(|name| self.counts[Self::slot(*name)] > 0)
    }
}

struct Rule {
    selector: StyleSelector,
    block: Rc<[Weighed]>,
    /// Whether one of the declarations can hide an element by itself.
    hides: bool,
    /// Hashes of the classes and ids that elements above must have.
    above: Vec<u32>,
}

/// A declaration that applies to an element, with its weight: importance, specificity, and order.
pub(super) type Applied = ((bool, u32, u32), Weighed);

impl Sheet {
    /// Reads the style sheets in the page. Returns `None` if no rule decides about visibility; and whether the page links further sheets.
    pub(super) fn read(dom: &Dom<'_>) -> (Option<Sheet>, bool) {
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
        (Sheet::of(dom, &sheets, external), external)
    }

    fn of(dom: &Dom<'_>, sheets: &[NodeId], external: bool) -> Option<Sheet> {
        if sheets.is_empty() {
            return None;
        }
        let mut reader = Reader { rules: Vec::new(), external };
        let names = names(dom);
        for text in sheets.iter().flat_map(|n| dom.children(*n)) {
            dom.reads(dom.text(text).len());
            let css = filtered(dom.text(text), &names, external);
            StyleSheetParser::new(&mut Parser::new(&css), &mut reader).for_each(drop);
        }
        if reader.rules.is_empty() {
            return None;
        }
        let mut sheet = Sheet {
            rules: Vec::new(),
            named: HashMap::default(),
            tags: HashMap::default(),
            any: Vec::new(),
            matcher: Matcher::new(dom),
            open: Open { counts: vec![0; NAME_COUNTS], ..Open::default() },
            names: Vec::new(),
            checks: MAX_CHECKS,
        };
        for (i, rule) in reader.rules.iter().enumerate() {
            match rule.selector.key() {
                Key::Id(name) | Key::Class(name) => {
                    sheet.named.entry(hash::of(name.as_bytes())).or_default().push(i as u32);
                }
                Key::Tag(tag) => sheet.tags.entry(tag.to_owned()).or_default().push(i as u32),
                Key::Any => sheet.any.push(i as u32),
            }
        }
        sheet.rules = reader.rules;
        Some(sheet)
    }

    /// Adds the declarations of the rules that match an element, if one of them can hide it or if it `is_hidden` otherwise.
    pub(super) fn apply(&mut self, dom: &Dom<'_>, element: &Named<'_>, is_hidden: bool, out: &mut Vec<Applied>) {
        if self.is_cut() {
            return;
        }
        let Sheet { rules, named, tags, any, matcher, open, names, checks } = self;
        let id = Some(element.id).filter(|id| !id.is_empty());
        let own = element.class.split_ascii_whitespace().chain(id);
        names.clear();
        names.extend(own.map(|name| hash::of(name.as_bytes())));
        let by_name = names.iter().filter_map(|name| named.get(name));
        let by_tag = tags.get(dom.tag_name(element.node));
        let numbers = by_name.chain(by_tag).flatten().chain(any.iter());
        let mut add = |i: &u32| {
            let rule = &rules[*i as usize];
            *checks = checks.saturating_sub(1);
            if *checks > 0
                && open.may_hold(&rule.above)
                && dom.works(MATCH_WORK)
                && matcher.matches(dom, element.node, &rule.selector)
            {
                let specificity = rule.selector.specificity();
                out.extend(rule.block.iter().map(|d| ((d.1, specificity, *i), *d)));
                return true;
            }
            false
        };
        let mut hides = is_hidden;
        numbers.clone().filter(|i| rules[**i as usize].hides).for_each(|i| hides |= add(i));
        if hides {
            numbers.filter(|i| !rules[**i as usize].hides).for_each(|i| _ = add(i));
        }
        open.enter(element.node, names);
    }

    /// Whether rules were left out after [`MAX_CHECKS`].
    pub(super) fn is_cut(&self) -> bool {
        self.checks == 0
    }

    /// Closes an element.
    pub(super) fn leave(&mut self, n: NodeId) {
        self.open.leave(n);
    }
}

/// An element with its names.
pub(super) struct Named<'a> {
    pub(super) node: NodeId,
    pub(super) id: &'a str,
    pub(super) class: &'a str,
}

/// Returns the names of a page.
fn names<'a>(dom: &'a Dom<'_>) -> Names<'a> {
    let mut names = Names::default();
    // Neighbours often have the same classes.
    let mut last = "";
    for n in dom.descendants(NodeId::ROOT).filter(|&n| dom.kind(n) == NodeKind::Element) {
        for (name, value) in dom.attributes(n) {
            match name {
                Attr::CLASS if value != last => {
                    names.all.extend(value.split_ascii_whitespace());
                    last = value;
                }
                Attr::ID => _ = names.all.insert(value),
                Attr::STYLE => names.hides_below |= hides_what_inherits(value),
                _ => {}
            }
        }
    }
    names
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

struct Reader {
    rules: Vec<Rule>,
    /// Whether style sheets apply that are not in the page.
    external: bool,
}

/// The rules inside an at-rule apply.
struct Applies(bool);

impl<'i> AtRuleParser<'i> for Reader {
    type Prelude = Applies;
    type AtRule = ();
    type Error = ();

    fn parse_prelude(&mut self, name: CowRcStr<'i>, input: &mut Parser<'i>) -> Result<Applies, ParseError<()>> {
        let applies = match &*name.to_ascii_lowercase() {
            "media" => holds(input),
            "supports" | "layer" | "document" => true,
            _ => false,
        };
        while input.next().is_ok() {}
        Ok(Applies(applies))
    }

    fn rule_without_block(&mut self, _: Applies, _: &ParserState) -> Result<(), ()> {
        Ok(())
    }

    fn parse_block(&mut self, applies: Applies, _: &ParserState, input: &mut Parser<'i>) -> Result<(), ParseError<()>> {
        if applies.0 {
            StyleSheetParser::new(input, self).for_each(drop);
        }
        Ok(())
    }
}

impl<'i> QualifiedRuleParser<'i> for Reader {
    type Prelude = Vec<StyleSelector>;
    type QualifiedRule = ();
    type Error = ();

    fn parse_prelude(&mut self, input: &mut Parser<'i>) -> Result<Vec<StyleSelector>, ParseError<()>> {
        Ok(StyleSelector::parse_all(input))
    }

    fn parse_block(
        &mut self,
        selectors: Vec<StyleSelector>,
        _: &ParserState,
        input: &mut Parser<'i>,
    ) -> Result<(), ParseError<()>> {
        let block: Rc<[Weighed]> = declarations(input).into();
        if !block.is_empty() && self.rules.len() < MAX_RULES {
            let hides = block.iter().any(|d| d.0.hides(!self.external));
            self.rules.extend(selectors.into_iter().map(|selector| {
                let above = selector.names_above().into_iter().map(|name| hash::of(name.as_bytes())).collect();
                Rule { selector, block: block.clone(), hides, above }
            }));
        }
        Ok(())
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
                    let mut out = Vec::new();
                    let (id, class) = (dom.attr(n, "id").unwrap_or(""), dom.class(n));
                    sheet.apply(&dom, &Named { node: n, id, class }, true, &mut out);
                    if dom.tag(n) == Tag::P {
                        found.push(out.len());
                    }
                }
                Edge::Leave(n) => sheet.leave(n),
            }
        }
        assert_eq!(found, [3, 0, 1]);
        assert!(sheet.open.names.is_empty());
    }
}
