//! What a caller may set, and what the parser says of its limits.

use crate::names::Attr;
use crate::node::Namespace;

/// Bytes of input that are parsed at most, 512 MiB: positions and lengths are 32-bit numbers with room to spare. What follows is
/// left out, and [`LimitsHit::input`] says so.
pub const MAX_INPUT: usize = 1 << 29;

/// Rendering modes that the doctype chooses among.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum QuirksMode {
    /// "No-quirks mode".
    #[default]
    NoQuirks,
    /// "Limited-quirks mode".
    LimitedQuirks,
    /// "Quirks mode": a missing or an old doctype.
    Quirks,
}

/// What to leave out of the tree. None of it changes the tree otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skip {
    /// The text of `script` elements.
    pub script_text: bool,
    /// The text of `style` elements.
    pub style_text: bool,
    /// Comments. Text on both sides of one becomes one text node.
    pub comments: bool,
    /// If set, all attributes but these.
    pub attributes_except: Option<Vec<Attr>>,
}

/// How to parse.
///
/// ```
/// use maintext_html::{Document, ParseOptions};
///
/// let options = ParseOptions { scripting: true, ..ParseOptions::default() };
/// let doc = Document::parse("<noscript><p>x</noscript>", &options);
/// assert_eq!(doc.to_html(), "<html><head><noscript><p>x</noscript></head><body></body></html>");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseOptions {
    /// The standard's scripting flag: whether the content of `noscript` is text. Scripts never run. Default: off.
    pub scripting: bool,
    /// Depth below which elements become siblings instead of children, as browsers do it. Default: 512, as in Chromium. Text and
    /// comments stay in their elements. `u32::MAX` for no limit.
    pub max_depth: u32,
    /// Attributes kept of one tag, the first ones. Default: 65,536. At least 8 are always kept.
    pub max_attributes: u32,
    /// Nodes after which parsing stops: the token at which the number is reached is the last one read, and elements that are open
    /// end there. Default: no limit, since each node takes a byte of input or more, but for copies of formatting elements.
    pub max_nodes: u32,
    /// Whether to bound what mis-nested formatting may cost, in time and in nodes, by a multiple of the input's length. Default:
    /// on. No page that was not made for it reaches the bound; see [`LimitsHit::work`].
    pub bounded_work: bool,
    /// Whether to list parse errors with their positions besides counting them. Costs time. Default: off.
    pub list_errors: bool,
    /// Whether the document comes from an `iframe`'s `srcdoc`, whose missing doctype is no quirk. Default: off.
    pub iframe_srcdoc: bool,
    /// What to leave out.
    pub skip: Skip,
}

impl Default for ParseOptions {
    fn default() -> Self {
        ParseOptions {
            scripting: false,
            max_depth: 512,
            max_attributes: 1 << 16,
            max_nodes: u32::MAX,
            bounded_work: true,
            list_errors: false,
            iframe_srcdoc: false,
            skip: Skip::default(),
        }
    }
}

/// Which limits a parse reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitsHit {
    /// Elements inserted higher than they belong because of [`ParseOptions::max_depth`].
    pub depth: u32,
    /// Attributes dropped because of [`ParseOptions::max_attributes`].
    pub attributes: u32,
    /// Mis-nested formatting elements cost more than [`ParseOptions::bounded_work`] allows; from there on they were not repaired
    /// as the standard says.
    pub work: bool,
    /// Bytes of input not read because of [`ParseOptions::max_nodes`].
    pub nodes: u32,
    /// The input was longer than [`MAX_INPUT`], and cut.
    pub input: bool,
}

impl LimitsHit {
    /// Whether any limit was reached, so that the tree may differ from the standard's.
    pub fn any(self) -> bool {
        self != LimitsHit::default()
    }
}

/// The element in whose place a fragment is parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context<'c> {
    /// The element's name, in the tree's case (`td`, `foreignObject`).
    pub name: &'c str,
    /// Its namespace.
    pub namespace: Namespace,
    /// Quirks mode of its document.
    pub quirks: QuirksMode,
    /// Whether it is, or stands in, a `form` element.
    pub in_form: bool,
}

impl<'c> Context<'c> {
    /// An HTML element in a document without quirks.
    pub const fn html(name: &'c str) -> Self {
        Context { name, namespace: Namespace::Html, quirks: QuirksMode::NoQuirks, in_form: false }
    }

    /// An SVG element.
    pub const fn svg(name: &'c str) -> Self {
        Context { namespace: Namespace::Svg, ..Context::html(name) }
    }

    /// A MathML element.
    pub const fn mathml(name: &'c str) -> Self {
        Context { namespace: Namespace::MathMl, ..Context::html(name) }
    }
}
