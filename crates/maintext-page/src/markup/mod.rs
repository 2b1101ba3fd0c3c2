//! The meaning of markup that its tags alone do not give: drawings of formulas, parts of a page that only serve its interface.
//!
//! [`Blocks`](crate::blocks::Blocks) asks for the role of every element that it walks over and keeps the roles, so that text blocks,
//! features and all formats agree on what an element is.
pub mod callout;
pub mod code;
pub mod headings;
mod icons;
pub mod math;
pub mod notes;
pub mod seams;
mod tabs;

use crate::dom::names::Memo;
use crate::dom::{Dom, NodeId, Tag};
use code::Code;
use maintext_html::Attr;
use math::Formula;
use math::delimiters::Delimited;

/// The role of an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Role {
    /// The one that its tag gives.
    #[default]
    Plain,
    /// Not content, with all that is below it: a copy, a control, a decoration.
    Skip,
    /// A formula, by its number; nothing below the element is read.
    Formula(u32),
    /// A text node with formulas between delimiters, by the number of the first that begins in it.
    Delimited(u32),
    /// A side note in the middle of a sentence: its text follows after the block.
    Beside,
    /// Code with lines that only its markup shows, by its number: one text block, whose white space is kept.
    Code(u32),
    /// A line of code, or a part that begins and ends with a line.
    Line,
    /// A part of code whose tag means nothing there: a table of lines, a `<code>`.
    Part,
    /// A button in the middle of a sentence, such as a term that opens its definition: its text belongs to the sentence.
    Word,
    /// A button in the middle of a sentence that is the mark of a note: the reference to the note replaces it.
    Mark,
    /// The label of a tab, which is written before its panel.
    Label,
    /// The panel of a tab, with its label.
    Panel(NodeId),
}

impl Role {
    /// Whether an element with this role and tag begins and ends a block.
    #[inline]
    pub fn is_block(self, tag: Tag) -> bool {
        tag.is_block() && !matches!(self, Role::Word | Role::Mark)
    }
}

/// Whether a sentence goes on before and after a button.
fn is_word(dom: &Dom<'_>, button: NodeId) -> bool {
    let [before, after] =
        [dom.prev_sibling(button), dom.next_sibling(button)].map(|n| n.map_or("", |n| dom.text(n).trim()));
    before.ends_with(is_within_sentence) && after.starts_with(continues_sentence) && after.contains(char::is_alphabetic)
}

fn is_within_sentence(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, ',' | '(' | '“' | '„' | '«' | '"')
}

fn continues_sentence(c: char) -> bool {
    c.is_lowercase() || matches!(c, ',' | '.' | ';' | ')' | '”' | '»' | '"' | '?' | '!')
}

/// The roles of a page's elements.
#[derive(Clone, Debug, Default)]
pub struct Markup {
    /// By node; as long as the last role demands.
    roles: Vec<Role>,
    formulas: Vec<Formula>,
    delimited: Vec<Delimited>,
    /// The scripts outside of the head.
    scripts: Vec<NodeId>,
    /// For each name of an attribute that only this page has, whether it may hold a formula.
    attributes: Vec<Option<bool>>,
    codes: Vec<Code>,
    /// Elements that were scanned for code, and bytes that were looked at for it.
    scanned: usize,
    read: usize,
    /// Whether a class belongs to line numbers, or to an editor that draws code; elements look up the classes around them.
    gutters: Memo,
    editors: Memo,
    /// Whether a class names a display of code or a part of one.
    containers: Memo,
    /// Nodes that were searched for the panels of tabs.
    searched: usize,
    /// The labels of tabs with their panels.
    tabs: Vec<(NodeId, NodeId)>,
}

impl Markup {
    /// Returns the role that an element was given.
    #[inline]
    pub fn role(&self, n: NodeId) -> Role {
        self.roles.get(n.index()).copied().unwrap_or_default()
    }

    /// Returns a formula by its number.
    pub fn formula(&self, number: u32) -> &Formula {
        &self.formulas[number as usize]
    }

    /// Decides the role of an element and keeps it.
    #[inline]
    pub fn enter(&mut self, dom: &Dom<'_>, n: NodeId, tag: Tag) -> Role {
        let known = self.role(n);
        if known != Role::Plain {
            return known;
        }
        let role = match tag {
            Tag::I | Tag::SPAN | Tag::OTHER if icons::is_icon(dom, n) => Role::Skip,
            Tag::OTHER if is_amp_surroundings(dom.tag_name(n)) => Role::Skip,
            Tag::MATH | Tag::SCRIPT | Tag::IMG | Tag::SPAN => self.formula_role(dom, n, tag),
            Tag::DIV | Tag::P | Tag::PRE | Tag::CODE | Tag::OTHER => match self.formula_role(dom, n, tag) {
                Role::Plain => code::role(self, dom, n, tag),
                role => role,
            },
            Tag::UL => {
                self.tab_row(dom, n);
                Role::Plain
            }
            Tag::BUTTON if is_word(dom, n) => Role::Word,
            Tag::BUTTON if notes::is_mark(dom, n) => Role::Mark,
            Tag::TABLE | Tag::BUTTON | Tag::TEXTAREA | Tag::XMP => code::role(self, dom, n, tag),
            _ => Role::Plain,
        };
        if role != Role::Plain {
            self.set(n, role);
        }
        role
    }

    /// Looks whether a list is a row of tabs.
    fn tab_row(&mut self, dom: &Dom<'_>, n: NodeId) {
        let (mut class, mut role) = ("", "");
        for (name, value) in dom.attributes(n) {
            match name {
                Attr::CLASS => class = value,
                Attr::ROLE => role = value,
                _ => {}
            }
        }
        if let Some(set) = tabs::set(class, role) {
            tabs::enter(self, dom, n, set);
        }
    }

    /// Returns the labels of tabs, each with its panel.
    pub fn tabs(&self) -> &[(NodeId, NodeId)] {
        &self.tabs
    }

    /// Returns the scripts outside of the head.
    pub fn scripts(&self) -> &[NodeId] {
        &self.scripts
    }

    /// Returns the formulas between delimiters that begin in a text node.
    pub fn delimited(&self, n: NodeId) -> &[Delimited] {
        let Role::Delimited(first) = self.role(n) else { return &[] };
        let from = &self.delimited[first as usize..];
        &from[..from.iter().take_while(|d| d.first.0 == n).count()]
    }

    /// Sets the formulas between delimiters, which are in document order.
    pub fn set_delimited(&mut self, delimited: Vec<Delimited>) {
        for (i, d) in delimited.iter().enumerate().rev() {
            self.set(d.first.0, Role::Delimited(i as u32));
        }
        self.delimited = delimited;
    }

    /// Whether the page has formulas.
    pub fn has_formulas(&self) -> bool {
        !self.formulas.is_empty() || !self.delimited.is_empty()
    }

    /// Decides whether an inline element inside a block's text is a side note, and stores the role.
    #[inline]
    pub fn enter_amid(&mut self, dom: &Dom<'_>, n: NodeId, tag: Tag, is_revealed: bool) -> bool {
        let beside = matches!(tag, Tag::SPAN | Tag::SMALL) && notes::is_beside(dom, n, is_revealed);
        if beside {
            self.set(n, Role::Beside);
        }
        beside
    }

    /// Returns code by its number.
    pub fn code(&self, number: u32) -> &Code {
        &self.codes[number as usize]
    }

    fn add_code(&mut self, code: Code) -> Role {
        self.codes.push(code);
        Role::Code(self.codes.len() as u32 - 1)
    }

    /// Counts an element that is scanned for code; false if the page has been scanned as often as is allowed, so that elements which look
    /// like code and nest deeply cost no more than a multiple of the page.
    fn may_scan(&mut self, dom: &Dom<'_>) -> bool {
        /// Maximum number of scans of each element, on average.
        const MAX_SCANS_PER_ELEMENT: usize = 6;
        self.scanned += 1;
        self.scanned <= MAX_SCANS_PER_ELEMENT * dom.len()
    }

    /// Counts the bytes of an element that is looked at; false if the budget for this is used up.
    fn may_read(&mut self, dom: &Dom<'_>, n: NodeId) -> bool {
        /// Maximum number of looks at each byte, on average.
        const MAX_LOOKS_PER_BYTE: usize = 12;
        self.read += dom.span(n).len();
        self.read <= MAX_LOOKS_PER_BYTE * dom.span(NodeId::ROOT).len()
    }

    /// Whether the class of an element names a display of code or a part of one.
    fn is_container(&mut self, dom: &Dom<'_>, n: NodeId) -> bool {
        self.containers.get(dom.names().class_of(n).index(), || code::is_container(dom.class(n)))
    }

    /// Whether the class of an element names line numbers.
    fn is_gutter(&mut self, dom: &Dom<'_>, n: NodeId) -> bool {
        self.gutters.get(dom.names().class_of(n).index(), || code::is_gutter(dom.class(n)))
    }

    /// Whether the class of an element belongs to an editor that draws code.
    fn draws_code(&mut self, dom: &Dom<'_>, n: NodeId) -> bool {
        self.editors.get(dom.names().class_of(n).index(), || code::draws_code(dom.class(n)))
    }

    fn add_formula(&mut self, formula: Formula) -> Role {
        self.formulas.push(formula);
        Role::Formula(self.formulas.len() as u32 - 1)
    }

    fn set(&mut self, n: NodeId, role: Role) {
        if self.roles.len() <= n.index() {
            self.roles.resize(n.index() + 1, Role::Plain);
        }
        self.roles[n.index()] = role;
    }
}

/// Whether an element of AMP pages is an advertisement, a consent dialog or a menu, with all that it shows in their place.
fn is_amp_surroundings(name: &str) -> bool {
    matches!(name, "amp-ad" | "amp-embed" | "amp-sticky-ad" | "amp-consent" | "amp-user-notification" | "amp-sidebar")
}
