//! Formulas: converts MathML and KaTeX to TeX source.
use crate::dom::{Dom, Edge, NodeId, NodeKind, Tag};
use maintext_html::Attr;

/// A formula of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// Its TeX source; `""` if it is empty.
    pub tex: String,
    /// Whether it is displayed on a line of its own.
    pub display: bool,
    /// The `<math>` element, if the page has one.
    pub math: Option<NodeId>,
}

impl Formula {
    pub(super) fn of_math(dom: &Dom<'_>, math: NodeId) -> Formula {
        Formula { tex: source(dom, math), display: is_display(dom, math), math: Some(math) }
    }
}

/// Returns the TeX source of a `<math>` element: from its annotation or `alttext`, otherwise from its MathML.
/// White space is collapsed; an empty formula gives `""`.
///
/// ```
/// use maintext_core::dom::{NodeId, Tag, parse};
/// let dom = parse("<math><msup><mi>x</mi><mn>2</mn></msup></math>", &Default::default());
/// let math = dom.find(NodeId::ROOT, Tag::MATH).unwrap();
/// assert_eq!(maintext_core::markup::math::source(&dom, math), "x^{2}");
/// ```
pub fn source(dom: &Dom, math: NodeId) -> String {
    let annotation = dom.descendants(math).find(|&n| is_tex(dom, n)).map(|n| collapse(&dom.text_content(n)));
    let is_source = |s: &String| s.contains(['\\', '^', '_']);
    let alttext = || dom.attr(math, "alttext").map(collapse).filter(is_source);
    let converted = || Some(collapse(&to_tex(dom, math))).filter(|s| !s.is_empty());
    let tex = annotation.filter(|s| !s.is_empty()).or_else(alttext).or_else(converted);
    strip_style(&tex.unwrap_or_else(|| collapse(&dom.text_content(math)))).to_owned()
}

/// Whether the formula is displayed on a line of its own.
fn is_display(dom: &Dom, math: NodeId) -> bool {
    dom.attr(math, "display").is_some_and(|d| d.eq_ignore_ascii_case("block"))
        || dom.attr(math, "mode").is_some_and(|d| d.eq_ignore_ascii_case("display"))
}

/// Whether the element draws a formula that an adjacent `<math>` also holds: KaTeX and MathJax hide one of the two from readers.
pub(super) fn is_copy(dom: &Dom, n: NodeId) -> bool {
    if !matches!(dom.tag(n), Tag::SPAN | Tag::OTHER) || !is_aria_hidden(dom, n) {
        return false;
    }
    let siblings = [sibling(dom, n, false), sibling(dom, n, true)];
    siblings.into_iter().flatten().any(|s| formula_in(dom, s).is_some_and(|m| !source(dom, m).is_empty()))
}

/// Whether the image draws the formula before it, for browsers without MathML.
pub(crate) fn is_fallback_image(dom: &Dom, img: NodeId) -> bool {
    let Some(math) = sibling(dom, img, false).and_then(|s| formula_in(dom, s)) else { return false };
    let tex = source(dom, math);
    let same = |alt| strip_style(&collapse(alt)) == tex;
    !tex.is_empty() && (is_aria_hidden(dom, img) || dom.attr(img, "alt").is_some_and(same))
}

fn is_aria_hidden(dom: &Dom, n: NodeId) -> bool {
    dom.attribute(n, Attr::ARIA_HIDDEN).is_some_and(|v| v.eq_ignore_ascii_case("true"))
}

/// Returns the nearest sibling after (or before) that is an element, if only white space is between.
fn sibling(dom: &Dom, n: NodeId, after: bool) -> Option<NodeId> {
    let step = |n| if after { dom.next_sibling(n) } else { dom.prev_sibling(n) };
    let mut at = step(n)?;
    if dom.kind(at) == NodeKind::Text && dom.text(at).trim().is_empty() {
        at = step(at)?;
    }
    (dom.kind(at) == NodeKind::Element).then_some(at)
}

/// Returns the `<math>` that the element is, or that it thinly wraps.
fn formula_in(dom: &Dom, n: NodeId) -> Option<NodeId> {
    dom.descendants(n).take(4).find(|&d| dom.tag(d) == Tag::MATH)
}

pub(crate) fn is_tex(dom: &Dom, n: NodeId) -> bool {
    dom.tag(n) == Tag::OTHER
        && dom.tag_name(n) == "annotation"
        && dom.attr(n, "encoding").is_some_and(|e| e.to_ascii_lowercase().contains("tex"))
}

fn collapse(s: &str) -> String {
    s.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Strips the `{\displaystyle ...}` that MediaWiki puts around every formula.
fn strip_style(tex: &str) -> &str {
    for style in ["{\\displaystyle ", "{\\textstyle "] {
        if let Some(inner) = tex.strip_prefix(style).and_then(|t| t.strip_suffix('}'))
            && is_balanced(inner)
        {
            return inner.trim();
        }
    }
    tex
}

fn is_balanced(tex: &str) -> bool {
    let (mut depth, mut escaped) = (0i32, false);
    for b in tex.bytes() {
        match b {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0 && !escaped
}

/// An element of a formula whose children are being read.
struct Open {
    node: NodeId,
    parts: Vec<String>,
}

/// Converts presentation MathML to TeX. Symbols are copied unchanged.
fn to_tex(dom: &Dom, math: NodeId) -> String {
    let mut open: Vec<Open> = Vec::new();
    let mut walk = dom.traverse(math);
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Enter(n) if dom.kind(n) == NodeKind::Element => {
                if matches!(dom.tag_name(n), "annotation" | "annotation-xml" | "mphantom" | "script" | "style") {
                    walk.skip_children();
                }
                open.push(Open { node: n, parts: Vec::new() });
            }
            Edge::Enter(n) => {
                let text = dom.text(n);
                if let Some(o) = open.last_mut().filter(|_| !text.trim().is_empty()) {
                    o.parts.push(collapse(text));
                }
            }
            Edge::Leave(n) => {
                if dom.kind(n) != NodeKind::Element {
                    continue;
                }
                let Some(o) = open.pop() else { break };
                let tex = close(dom, o);
                match open.last_mut() {
                    Some(parent) => parent.parts.push(tex),
                    None => return tex,
                }
            }
        }
    }
    String::new()
}

fn close(dom: &Dom, o: Open) -> String {
    let mut p = o.parts;
    if let "mrow" | "mstyle" | "semantics" | "math" | "mpadded" = dom.tag_name(o.node)
        && p.len() == 1
    {
        // Wrappers may nest deeply, so their content is moved instead of copied.
        return p.pop().unwrap_or_default();
    }
    let part = |i: usize| p.get(i).map_or("", String::as_str);
    match dom.tag_name(o.node) {
        "mi" | "mn" | "mo" | "ms" => token(&p.concat()),
        "mtext" if !p.is_empty() => format!("\\text{{{}}}", p.concat()),
        "mspace" => " ".into(),
        "mfrac" => format!("\\frac{{{}}}{{{}}}", part(0), part(1)),
        "msqrt" => format!("\\sqrt{{{}}}", p.concat()),
        "mroot" => format!("\\sqrt[{}]{{{}}}", part(1), part(0)),
        "msup" | "mover" => format!("{}^{{{}}}", base(part(0)), part(1)),
        "msub" | "munder" => format!("{}_{{{}}}", base(part(0)), part(1)),
        "msubsup" | "munderover" => format!("{}_{{{}}}^{{{}}}", base(part(0)), part(1), part(2)),
        "mfenced" => {
            let end = |name, default: &str| dom.attr(o.node, name).unwrap_or(default).to_owned();
            format!("{}{}{}", end("open", "("), p.join(","), end("close", ")"))
        }
        "mtd" => p.concat(),
        "mtr" | "mlabeledtr" => p.join(" & "),
        "mtable" => format!("\\begin{{matrix}} {} \\end{{matrix}}", p.join(" \\\\ ")),
        _ => p.concat(),
    }
}

/// Returns the base of an index, with braces around more than one symbol.
fn base(tex: &str) -> String {
    let one = tex.chars().count() <= 1 || (tex.starts_with('\\') && tex[1..].chars().all(|c| c.is_ascii_alphabetic()));
    if one { tex.to_owned() } else { format!("{{{tex}}}") }
}

/// Returns the characters of a token without invisible operators, with TeX's own characters escaped and function names as commands.
fn token(s: &str) -> String {
    const FUNCTIONS: [&str; 17] = [
        "sin", "cos", "tan", "cot", "sec", "csc", "log", "ln", "exp", "lim", "max", "min", "sup", "inf", "det", "arg",
        "deg",
    ];
    if FUNCTIONS.contains(&s) {
        return format!("\\{s} ");
    }
    let mut out = String::with_capacity(s.len());
    for c in s.chars() {
        match c {
            '\u{2061}'..='\u{2064}' => {}
            '{' | '}' | '%' | '#' | '&' | '$' | '_' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tex(mathml: &str) -> String {
        let html = format!("<math>{mathml}</math>");
        let dom = crate::dom::parse(&html, &Default::default());
        source(&dom, dom.find(NodeId::ROOT, Tag::MATH).unwrap())
    }

    #[test]
    fn the_annotation_is_the_source() {
        let katex = "<semantics><mrow><mi>E</mi></mrow><annotation encoding='application/x-tex'>E = mc^2</annotation></semantics>";
        assert_eq!(tex(katex), "E = mc^2");
        let wiki = "<semantics><mi>x</mi><annotation encoding='application/x-tex'>{\\displaystyle x_{1}}</annotation></semantics>";
        assert_eq!(tex(wiki), "x_{1}");
        assert_eq!(strip_style("{\\displaystyle a}+{b}"), "{\\displaystyle a}+{b}");
    }

    #[test]
    fn mathml_without_source_is_written_in_tex() {
        assert_eq!(tex("<mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><mi>b</mi></mfrac>"), "\\frac{a+1}{b}");
        assert_eq!(
            tex("<msqrt><mi>x</mi></msqrt><mo>=</mo><msubsup><mi>y</mi><mn>1</mn><mn>2</mn></msubsup>"),
            "\\sqrt{x}=y_{1}^{2}"
        );
        assert_eq!(tex("<mi>sin</mi><mo>\u{2061}</mo><mi>x</mi>"), "\\sin x");
        assert_eq!(
            tex(
                "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd></mtr></mtable>"
            ),
            "\\begin{matrix} 1 & 2 \\\\ 3 \\end{matrix}"
        );
    }

    #[test]
    fn an_empty_formula_has_no_source() {
        assert_eq!(tex(""), "");
        assert_eq!(tex("<mrow> </mrow>"), "");
    }
}
