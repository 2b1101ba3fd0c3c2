//! The rules of a page's own style sheets that decide about visibility.
use super::filter::filtered;
use super::style::{Weighed, declarations};
use crate::dom::{Dom, NodeId, NodeKind, Tag};
use crate::select::{Key, Matcher, StyleSelector};
use cssparser::{
    AtRuleParser, CowRcStr, ParseError, Parser, ParserState, QualifiedRuleParser, StyleSheetParser, ToCss, Token,
};
use foldhash::HashMap;

/// Maximum number of rules.
const MAX_RULES: usize = 50_000;
/// Units of work to match a rule with an element.
const MATCH_WORK: u64 = 8;

/// The rules of a page.
pub(super) struct Sheet {
    rules: Vec<Rule>,
    ids: HashMap<String, Vec<u32>>,
    classes: HashMap<String, Vec<u32>>,
    tags: HashMap<String, Vec<u32>>,
    any: Vec<u32>,
    matcher: Matcher,
}

struct Rule {
    selector: StyleSelector,
    /// Number of the block of declarations.
    block: std::rc::Rc<[Weighed]>,
}

/// A declaration that applies to an element, with its weight: importance, specificity, and order.
pub(super) type Applied = ((bool, u32, u32), Weighed);

impl Sheet {
    /// Reads the style sheets in the page. `None` if no rule decides about visibility.
    pub(super) fn read(dom: &Dom<'_>) -> Option<Sheet> {
        let mut reader = Reader { rules: Vec::new() };
        for n in dom.descendants(NodeId::ROOT) {
            if dom.kind(n) == NodeKind::Element && dom.tag(n) == Tag::STYLE && applies(dom.attr(n, "media")) {
                for text in dom.children(n) {
                    dom.reads(dom.text(text).len());
                    StyleSheetParser::new(&mut Parser::new(&filtered(dom.text(text))), &mut reader).for_each(drop);
                }
            }
        }
        if reader.rules.is_empty() {
            return None;
        }
        let mut sheet = Sheet {
            rules: Vec::new(),
            ids: HashMap::default(),
            classes: HashMap::default(),
            tags: HashMap::default(),
            any: Vec::new(),
            matcher: Matcher::new(dom),
        };
        for (i, rule) in reader.rules.iter().enumerate() {
            match rule.selector.key() {
                Key::Id(id) => sheet.ids.entry(id.to_owned()).or_default().push(i as u32),
                Key::Class(class) => sheet.classes.entry(class.to_owned()).or_default().push(i as u32),
                Key::Tag(tag) => sheet.tags.entry(tag.to_owned()).or_default().push(i as u32),
                Key::Any => sheet.any.push(i as u32),
            }
        }
        sheet.rules = reader.rules;
        Some(sheet)
    }

    /// Adds the declarations of all rules that match an element.
    pub(super) fn apply(&mut self, dom: &Dom<'_>, n: NodeId, id: &str, class: &str, out: &mut Vec<Applied>) {
        let Sheet { rules, ids, classes, tags, any, matcher } = self;
        let by_id = ids.get(id).filter(|_| !id.is_empty());
        let by_class = class.split_ascii_whitespace().filter_map(|c| classes.get(c));
        let by_tag = tags.get(dom.tag_name(n));
        for &i in by_id.into_iter().chain(by_class).chain(by_tag).flatten().chain(any.iter()) {
            let rule = &rules[i as usize];
            if !dom.works(MATCH_WORK) {
                return;
            }
            if matcher.matches(dom, n, &rule.selector) {
                let specificity = rule.selector.specificity();
                out.extend(rule.block.iter().map(|d| ((d.1, specificity, i), *d)));
            }
        }
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

struct Reader {
    rules: Vec<Rule>,
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
        let block: std::rc::Rc<[Weighed]> = declarations(input).into();
        if !block.is_empty() && self.rules.len() < MAX_RULES {
            self.rules.extend(selectors.into_iter().map(|selector| Rule { selector, block: block.clone() }));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_apply_by_selector_and_medium() {
        let html = "<style>/* a */ @media print { p {display:none} } @media (min-width:600px) and (max-width: 90em) { .a > p {opacity:0} }
            @media only screen and (max-width:600px) {p{display:none}} #b,.c:hover{left:-999px} .d .e + p{display:none}
            @supports (display:grid) { p.x { visibility:hidden!important } } </style><style media=print>p{display:none}</style>
            <div class=a><p id=b class=x>one</div><p>two<div class=d><i class=e></i><p class=y>";
        let dom = crate::dom::parse(html, &Default::default());
        let mut sheet = Sheet::read(&dom).unwrap();
        let paragraphs = dom.descendants(NodeId::ROOT).filter(|&n| dom.tag(n) == Tag::P);
        let found = paragraphs.map(|n| {
            let mut out = Vec::new();
            let (id, class) = (dom.attr(n, "id").unwrap_or(""), dom.attr(n, "class").unwrap_or(""));
            sheet.apply(&dom, n, id, class, &mut out);
            out.len()
        });
        assert_eq!(found.collect::<Vec<_>>(), [3, 0, 1]);
    }
}
