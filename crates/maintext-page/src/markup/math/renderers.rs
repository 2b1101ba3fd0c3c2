//! What MathJax, KaTeX and others put into a page: the source of a formula, its drawing for eyes, its copy for screen readers.
use super::{Formula, tex};
use crate::dom::{Dom, NodeId, NodeKind, Tag};
use crate::lexicon::lexicon;
use maintext_html::Attr;

/// What the scripts of a page do with formulas in its text.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Renderer {
    /// Whether the page loads MathJax, KaTeX or a relative.
    pub(super) loaded: bool,
}

impl Renderer {
    /// Looks through the head and the other scripts of a page.
    pub(super) fn of_page(dom: &Dom<'_>, scripts: &[NodeId]) -> Renderer {
        let mut out = Renderer::default();
        let head = dom.descendants(NodeId::ROOT).take(MAX_NODES_TO_HEAD).find(|&n| dom.tag(n) == Tag::HEAD);
        for n in head.into_iter().flat_map(|h| dom.children(h)).chain(scripts.iter().copied()) {
            match dom.tag(n) {
                Tag::SCRIPT => match dom.attribute(n, Attr::SRC) {
                    Some(address) => out.loaded |= names_renderer(address),
                    None => out.read_code(dom.first_child(n).map_or("", |c| dom.text(c))),
                },
                Tag::LINK => out.loaded |= dom.attribute(n, Attr::HREF).is_some_and(names_renderer),
                _ => {}
            }
        }
        out
    }

    fn read_code(&mut self, code: &str) {
        let mut names = ["MathJax", "renderMathInElement", "katex", "mathjax"].into_iter();
        self.loaded |= names.any(|name| memchr::memmem::find(code.as_bytes(), name.as_bytes()).is_some());
    }
}

/// Maximum number of nodes before the head.
const MAX_NODES_TO_HEAD: usize = 64;

/// Whether an address leads to a script or style of a renderer of formulas.
fn names_renderer(address: &str) -> bool {
    const NAMES: [&str; 5] = ["mathjax", "MathJax", "katex", "KaTeX", "temml"];
    NAMES.iter().any(|n| address.contains(n))
}

/// What an element of a renderer is.
pub(super) enum Part {
    Formula(Formula),
    /// A drawing or a copy of a formula that another element holds.
    Copy,
}

/// Returns the formula in a `<script>` that MathJax reads.
pub(super) fn script(dom: &Dom<'_>, n: NodeId) -> Option<Formula> {
    let kind = dom.attribute(n, Attr::TYPE).filter(|t| is_source_type(t))?;
    let source = dom.text_content(n);
    let display = kind.to_ascii_lowercase().replace(' ', "").contains("mode=display");
    let tex = match kind.as_bytes()[5] | 0x20 {
        b'm' => of_source(&source).0,
        _ => tex::clean(&source),
    };
    Some(Formula { tex, display, math: None })
}

fn is_source_type(kind: &str) -> bool {
    kind.get(..5).is_some_and(|k| k.eq_ignore_ascii_case("math/"))
        && ["tex", "latex", "mml"].iter().any(|k| kind[5..].get(..k.len()).is_some_and(|s| s.eq_ignore_ascii_case(k)))
}

/// Converts the source of a `<math>` element.
fn of_source(mathml: &str) -> (String, bool) {
    let dom = crate::dom::parse(mathml, &Default::default());
    match dom.find(NodeId::ROOT, Tag::MATH) {
        Some(math) => (super::source(&dom, math), super::is_display(&dom, math)),
        None => (String::new(), false),
    }
}

/// Whether elements of this name hold a drawing of MathJax 3, which is read to its end.
pub(super) fn is_container(name: &str) -> bool {
    name == "mjx-container"
}

/// Whether a class belongs to a drawing, which is read to its end.
pub(super) fn is_drawing(class: &str) -> bool {
    match class.as_bytes().first() {
        Some(b'M') => class.starts_with("MathJax") || class.starts_with("MJXc-display"),
        Some(b'm') => class.starts_with("mjx-chtml"),
        Some(b'k') => class == "katex",
        _ => false,
    }
}

/// Returns the role of a `<span>` or `<div>` whose class a renderer may have written.
pub(super) fn of_class(dom: &Dom<'_>, n: NodeId, class: &str) -> Option<Part> {
    match class.as_bytes().first()? {
        b'k' if class == "katex" => literal(dom, n, false),
        b'k' if class.starts_with("katex-error") => literal(dom, n, true),
        _ if is_drawing(class) => mathjax2(dom, n, class),
        b'a' | b'd'..=b'f' | b'i'..=b'm' | b't' if may_be_source(class) && is_source_class(class) => {
            literal(dom, n, false)
        }
        _ => None,
    }
}

/// Whether a class begins like one of a formula's source.
fn may_be_source(class: &str) -> bool {
    let start = class.as_bytes().get(..2).unwrap_or(b"");
    matches!(start, b"ma" | b"ar" | b"te" | b"la" | b"ka" | b"eq" | b"fo" | b"in" | b"di" | b"js")
}

/// Whether the first class says that the element holds a formula's source.
fn is_source_class(class: &str) -> bool {
    let first = class.split_ascii_whitespace().next().unwrap_or("");
    lexicon!("formula-classes.txt").contains(&first)
}

/// Maximum number of words of a formula by its class.
const MAX_PLAIN_WORDS: usize = 6;

/// Returns the formula whose TeX is the only content of an element.
fn literal(dom: &Dom<'_>, n: NodeId, sure: bool) -> Option<Part> {
    let mut display = dom.tag(n).is_block();
    let mut source = String::new();
    let mut child = dom.first_child(n);
    while let Some(c) = child {
        match dom.kind(c) {
            NodeKind::Text => source.push_str(dom.text(c)),
            NodeKind::Element if matches!(dom.tag(c), Tag::BR | Tag::WBR) => source.push('\n'),
            NodeKind::Other => {}
            _ => return None,
        }
        child = dom.next_sibling(c);
    }
    if let Some((_, by_delimiter)) = tex::delimited(&source) {
        display = by_delimiter;
    } else if !(sure || tex::is_beyond_doubt(&source) && tex::is_balanced(&source) && !tex::has_delimiters(&source)) {
        return None;
    }
    let words = source.split_ascii_whitespace();
    let plain = words.filter(|w| w.len() > 2 && w.bytes().all(|b| b.is_ascii_alphabetic()));
    if !sure && plain.count() > MAX_PLAIN_WORDS {
        return None;
    }
    let tex = tex::clean(&source);
    (!tex.is_empty()).then_some(Part::Formula(Formula { tex, display, math: None }))
}

/// Returns the formula in a `<pre>` or `<code>` that Markdown or an editor marks as one, with or without a renderer.
pub(super) fn code(dom: &Dom<'_>, n: NodeId) -> Option<Part> {
    let child = dom.first_child(n).filter(|&c| dom.tag(c) == Tag::CODE && dom.next_sibling(c).is_none());
    let holder = [Some(n), child].into_iter().flatten().find(|&h| {
        let class = dom.class(h);
        ["language-math", "math ", "code math"].iter().any(|c| class.starts_with(c))
            || dom.attribute(h, Attr::LANG) == Some("math")
    })?;
    let literal = literal(dom, if holder == n { child.unwrap_or(n) } else { holder }, true)?;
    let Part::Formula(mut formula) = literal else { return None };
    formula.display |= dom.tag(n) == Tag::PRE || dom.attr(holder, "data-math-style") == Some("display");
    Some(Part::Formula(formula))
}

/// Returns the role of an element that MathJax 2 made: a copy if the source follows in a script, otherwise the formula itself.
fn mathjax2(dom: &Dom<'_>, n: NodeId, class: &str) -> Option<Part> {
    /// Maximum number of nodes between a drawing and its source.
    const MAX_NODES_TO_SOURCE: usize = 8;
    let after = dom.next_siblings(n).take(MAX_NODES_TO_SOURCE);
    let mut after = after.filter(|&s| dom.kind(s) == NodeKind::Element);
    let preview = class.contains("_Preview") || class.contains("_Processing");
    for s in after.by_ref() {
        if dom.tag(s) == Tag::SCRIPT && dom.attribute(s, Attr::TYPE).is_some_and(is_source_type) {
            return Some(Part::Copy);
        }
        let class = dom.class(s);
        let drawing = class.starts_with("MathJax") || class.starts_with("mjx-") || class.starts_with("MJX");
        if !drawing {
            break;
        }
        if preview && !class.contains("_Preview") {
            return Some(Part::Copy);
        }
    }
    if preview {
        return None;
    }
    let display = class.contains("isplay");
    let wrapped = dom.descendants(n).take(MAX_NODES_TO_SOURCE).find_map(|d| dom.attr(d, "data-mathml"));
    if let Some(source) = wrapped {
        let (tex, block) = of_source(source);
        return (!tex.is_empty()).then_some(Part::Formula(Formula { tex, display: display || block, math: None }));
    }
    if let Some(math) = dom.find(n, Tag::MATH) {
        return Some(Part::Formula(Formula::of_math(dom, math)));
    }
    // Pages rendered on a server have the source as a label.
    let label = dom.descendants(n).take(MAX_NODES_TO_SOURCE).find_map(|d| dom.attr(d, "aria-label"));
    let label = label.filter(|l| tex::is_beyond_doubt(l) && tex::is_balanced(l))?;
    Some(Part::Formula(Formula { tex: tex::clean(label), display, math: None }))
}

/// Returns the formula of an element with a name that HTML does not know: of MathJax 3, GitHub and others.
pub(super) fn custom(dom: &Dom<'_>, n: NodeId, name: &str) -> Option<Part> {
    match name {
        name if is_container(name) => {
            let display = dom.attr(n, "display").is_some_and(|d| d == "true" || d == "block");
            let source = dom.descendants(n).take(4).find_map(|d| dom.attr(d, "data-latex"));
            let math = dom.find(n, Tag::MATH);
            let formula = match (source.map(tex::clean).filter(|t| !t.is_empty()), math) {
                (Some(tex), math) => Formula { tex, display, math },
                (None, Some(math)) => {
                    let formula = Formula::of_math(dom, math);
                    Formula { display: display || formula.display, ..formula }
                }
                (None, None) => return undrawn(dom, n, display),
            };
            Some(Part::Formula(formula))
        }
        "math-renderer" | "math-field" | "la-tex" | "eq" | "eqn" | "tex-math" | "katex" | "d-math" | "math-inline"
        | "math-block" => {
            let Part::Formula(mut formula) = literal(dom, n, true)? else { return None };
            formula.display |= matches!(name, "eqn" | "math-block") || dom.attr(n, "block").is_some();
            Some(Part::Formula(formula))
        }
        _ => None,
    }
}

/// Returns the formula of an element for a drawing that holds the source instead, perhaps in an element of its own.
fn undrawn(dom: &Dom<'_>, n: NodeId, display: bool) -> Option<Part> {
    let inner = dom.children(n).find(|&c| dom.kind(c) == NodeKind::Element);
    let Part::Formula(formula) = literal(dom, inner.unwrap_or(n), false)? else { return None };
    Some(Part::Formula(Formula { display: display || formula.display, ..formula }))
}

/// Whether an attribute may hold a formula's source.
pub(super) fn is_source_attribute(name: &str) -> bool {
    let Some(name) = name.strip_prefix("data-") else { return false };
    lexicon!("formula-attributes.txt").contains(&name)
}

/// Returns the formula in an attribute of an element: its value must be TeX beyond doubt, or the element must be a formula by its class.
pub(super) fn of_attribute(dom: &Dom<'_>, n: NodeId, name: &str, value: &str) -> Option<Part> {
    /// Maximum number of bytes of a source.
    const MAX_SOURCE_BYTES: usize = 10_000;
    let class = dom.class(n);
    if name == "data-attrs" {
        return if class.starts_with("latex") { of_json(value, dom.tag(n).is_block()) } else { None };
    }
    let value = value.trim();
    if value.is_empty()
        || value.len() > MAX_SOURCE_BYTES
        || value.starts_with(['{', '[']) && value.ends_with(['}', ']']) && value.contains('"')
    {
        return None;
    }
    let named = ["math", "tex", "formula", "equation", "katex", "MathJax"].iter().any(|c| class.contains(c));
    let math = dom.descendants(n).take(16).find(|&d| dom.tag(d) == Tag::MATH);
    let own = named || math.is_some();
    let sure = tex::is_beyond_doubt(value);
    let fits = match name {
        "data-value" | "data-entry" | "data-expr" => own,
        _ => sure || own && !matches!(value, "true" | "false" | "inline" | "block" | "display" | "0" | "1"),
    };
    if !fits || !tex::is_balanced(value) {
        return None;
    }
    let tex = tex::clean(value);
    let signs = [("data-math-style", "display"), ("data-display", "block"), ("data-display", "true")];
    let display = math.is_some_and(|m| super::is_display(dom, m))
        || class.contains("display")
        || class.contains("block")
        || signs.iter().any(|(name, sign)| dom.attr(n, name).is_some_and(|value| value.contains(sign)))
        || tex::delimited(value).is_some_and(|d| d.1)
        || dom.tag(n).is_block() && !matches!(dom.tag(n), Tag::TD | Tag::TH | Tag::LI);
    (!tex.is_empty()).then_some(Part::Formula(Formula { tex, display, math }))
}

/// Reads the attribute in which newsletters keep a formula: JSON with its source as `persistentExpression`.
fn of_json(json: &str, display: bool) -> Option<Part> {
    let value: serde_json::Value = serde_json::from_str(json).ok()?;
    let tex = tex::clean(value.get("persistentExpression")?.as_str()?);
    (!tex.is_empty()).then_some(Part::Formula(Formula { tex, display, math: None }))
}
