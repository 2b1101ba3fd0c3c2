//! CSS selectors for links in data sets: tags, `#id`, `.class`, `[attr]`, `:nth-child(n)`, and the four combinators.
use maintext_core::dom::{Dom, NodeId, NodeKind};

/// A selector list, parsed once and matched against many nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Selectors(Vec<Vec<(char, Compound)>>);

/// The conditions on one element.
#[derive(Clone, Debug, Default, PartialEq)]
struct Compound {
    tag: Option<String>,
    id: Option<String>,
    classes: Vec<String>,
    attr: Option<String>,
    nth: Option<usize>,
}

impl Selectors {
    /// Parses `a, b > c`; returns `None` for unsupported syntax.
    pub fn parse(text: &str) -> Option<Selectors> {
        text.split(',').map(|s| complex(s.trim())).collect::<Option<Vec<_>>>().map(Selectors)
    }

    /// Whether an element matches.
    pub fn matches(&self, dom: &Dom<'_>, node: NodeId) -> bool {
        self.0.iter().any(|s| matches(dom, node, s))
    }
}

/// Returns compounds from left to right, each with the combinator before it; the first has a space.
fn complex(text: &str) -> Option<Vec<(char, Compound)>> {
    let spaced = text.replace('>', " > ").replace('+', " + ").replace('~', " ~ ");
    let mut out = Vec::new();
    let mut combinator = ' ';
    for word in spaced.split_whitespace() {
        match word {
            ">" | "+" | "~" => combinator = word.chars().next()?,
            _ => {
                out.push((combinator, compound(word)?));
                combinator = ' ';
            }
        }
    }
    (!out.is_empty() && combinator == ' ').then_some(out)
}

fn compound(word: &str) -> Option<Compound> {
    let mut c = Compound::default();
    let mut rest = word;
    while !rest.is_empty() {
        let kind = rest.chars().next()?;
        let body = if matches!(kind, '#' | '.' | ':' | '[') { &rest[1..] } else { rest };
        let end = body.find(['#', '.', ':', '[']).unwrap_or(body.len());
        let name = &body[..end];
        match kind {
            '#' => c.id = Some(name.to_owned()),
            '.' => c.classes.push(name.to_owned()),
            ':' => c.nth = Some(name.strip_prefix("nth-child(")?.strip_suffix(')')?.parse().ok()?),
            '[' => c.attr = Some(name.strip_suffix(']')?.to_owned()),
            _ => c.tag = Some(name.to_ascii_lowercase()),
        }
        rest = &body[end..];
    }
    Some(c)
}

fn is(dom: &Dom<'_>, n: NodeId, c: &Compound) -> bool {
    let classes = || dom.attr(n, "class").unwrap_or("").split_ascii_whitespace();
    let nth = || {
        1 + std::iter::successors(dom.prev_sibling(n), |&s| dom.prev_sibling(s)).filter(|&s| element(dom, s)).count()
    };
    element(dom, n)
        && c.tag.as_ref().is_none_or(|t| t == "*" || dom.tag_name(n) == t)
        && c.id.as_ref().is_none_or(|id| dom.attr(n, "id") == Some(id))
        && c.classes.iter().all(|x| classes().any(|y| y == x))
        && c.attr.as_ref().is_none_or(|a| dom.attr(n, a).is_some())
        && c.nth.is_none_or(|k| k == nth())
}

fn element(dom: &Dom<'_>, n: NodeId) -> bool {
    dom.kind(n) == NodeKind::Element
}

fn before(dom: &Dom<'_>, n: NodeId) -> Option<NodeId> {
    std::iter::successors(dom.prev_sibling(n), |&s| dom.prev_sibling(s)).find(|&s| element(dom, s))
}

/// Matches from right to left, keeping all elements that each part may match.
fn matches(dom: &Dom<'_>, node: NodeId, parts: &[(char, Compound)]) -> bool {
    let Some(((_, last), _)) = parts.split_last() else { return false };
    if !is(dom, node, last) {
        return false;
    }
    let mut at = vec![node];
    for k in (1..parts.len()).rev() {
        let wanted = &parts[k - 1].1;
        let reach = |n: NodeId| -> Vec<NodeId> {
            match parts[k].0 {
                '>' => dom.parent(n).into_iter().collect(),
                '+' => before(dom, n).into_iter().collect(),
                '~' => std::iter::successors(before(dom, n), |&s| before(dom, s)).collect(),
                _ => dom.ancestors(n).collect(),
            }
        };
        let mut next: Vec<NodeId> = at.into_iter().flat_map(reach).filter(|&n| is(dom, n, wanted)).collect();
        next.sort_unstable();
        next.dedup();
        at = next;
    }
    !at.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selects_like_a_browser() {
        let dom = maintext_core::dom::parse(
            "<div id=p class='x y'><a class=cur>1</a><a>2</a><span><a>3</a></span></div><a>4</a>",
            &Default::default(),
        );
        let texts = |s: &str| -> String {
            let s = Selectors::parse(s).unwrap();
            dom.descendants(NodeId::ROOT).filter(|&n| s.matches(&dom, n)).map(|n| dom.text_content(n)).collect()
        };
        assert_eq!(texts("#p a"), "123");
        assert_eq!(texts(".x > a"), "12");
        assert_eq!(texts(".cur+ a , span a"), "23");
        assert_eq!(texts(".cur ~ span a"), "3");
        assert_eq!(texts(".x.y a:nth-child(2)"), "2");
        assert_eq!(texts("#p~ a"), "4");
        assert_eq!(Selectors::parse("a:hover"), None);
    }
}
