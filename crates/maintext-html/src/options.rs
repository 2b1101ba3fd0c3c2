//! Parse options, and the limits that a parse reached.

use crate::names::Attr;
use crate::node::Namespace;

/// Maximum length of an input in bytes, 512 MiB, so that positions and lengths fit into 32 bits. The rest of a longer input is ignored, and
/// [`LimitsHit::input`] is set.
pub const MAX_INPUT: usize = 1 << 29;

/// Rendering modes, which depend on the doctype.
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

/// Parts to omit from the tree. Omitting them does not change the rest of the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skip {
    /// The text of `script` elements.
    pub script_text: bool,
    /// The text of `style` elements.
    pub style_text: bool,
    /// Comments. The text before and after an omitted comment becomes one text node.
    pub comments: bool,
    /// If set, all attributes except these.
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
    /// Depth below which elements become siblings instead of children, as in browsers. Default: 512, as in Chromium. Text and
    /// comments stay in their elements. `u32::MAX` means no limit.
    pub max_depth: u32,
    /// Maximum number of attributes kept for a tag. Default: 65,536. At least 8 are always kept.
    pub max_attributes: u32,
    /// Number of nodes after which parsing stops. The token that reaches the limit is the last one read, and open elements end
    /// there. Default: no limit, because each node takes at least a byte of input, except for copies of formatting elements.
    pub max_nodes: u32,
    /// Whether to bound the time and the nodes spent on mis-nested formatting by a multiple of the input's length. Default: on. Only
    /// pages made for the purpose reach the bound; see [`LimitsHit::work`].
    pub bounded_work: bool,
    /// Whether the document comes from an `iframe`'s `srcdoc`, where a missing doctype does not cause quirks mode. Default: off.
    pub iframe_srcdoc: bool,
    /// Parts to omit from the tree.
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
            iframe_srcdoc: false,
            skip: Skip::default(),
        }
    }
}

/// The limits that a parse reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitsHit {
    /// Number of elements inserted higher than they belong because of [`ParseOptions::max_depth`].
    pub depth: u32,
    /// Number of attributes dropped because of [`ParseOptions::max_attributes`].
    pub attributes: u32,
    /// Whether mis-nested formatting elements reached the bound of [`ParseOptions::bounded_work`]. From there on they were not repaired
    /// as the standard requires.
    pub work: bool,
    /// Number of input bytes not read because of [`ParseOptions::max_nodes`].
    pub nodes: u32,
    /// Whether the input was longer than [`MAX_INPUT`] and therefore truncated.
    pub input: bool,
}

impl LimitsHit {
    /// Whether the parse reached any limit, so that the tree may differ from the standard's.
    pub fn any(self) -> bool {
        self != LimitsHit::default()
    }
}

/// The context element of a fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context<'c> {
    /// The element's name, in the tree's case (`td`, `foreignObject`).
    pub name: &'c str,
    /// Its namespace.
    pub namespace: Namespace,
    /// The quirks mode of its document.
    pub quirks: QuirksMode,
    /// Whether it is a `form` element or inside one.
    pub in_form: bool,
}

impl<'c> Context<'c> {
    /// Returns an HTML element in a document without quirks.
    pub const fn html(name: &'c str) -> Self {
        Context { name, namespace: Namespace::Html, quirks: QuirksMode::NoQuirks, in_form: false }
    }

    /// Returns an SVG element.
    pub const fn svg(name: &'c str) -> Self {
        Context { namespace: Namespace::Svg, ..Context::html(name) }
    }

    /// Returns a MathML element.
    pub const fn mathml(name: &'c str) -> Self {
        Context { namespace: Namespace::MathMl, ..Context::html(name) }
    }
}
