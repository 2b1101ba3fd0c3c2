//! "The rules for parsing tokens in foreign content".

use super::insert::attr_of;
use super::stack::HTML;
use super::{Flow, TreeBuilder, leading_space};
use crate::names::{Attr, Tag, any_tag};
use crate::node::Namespace;
use crate::tokenizer::{Core, StartTag, TextRun};

impl TreeBuilder<'_> {
    /// Whether the foreign rules apply to a start tag, given that the adjusted current node is foreign.
    pub(super) fn is_foreign_start(&self, tag: Tag) -> bool {
        let (ns, current, integration) = self.adjusted_current();
        if is_mathml_text_point(ns, current) && tag != Tag::MGLYPH && tag != Tag::MALIGNMARK {
            return false;
        }
        if ns == Namespace::MathMl && current == Tag::ANNOTATION_XML && tag == Tag::SVG {
            return false;
        }
        !(integration || is_svg_html_point(ns, current))
    }

    /// Like [`Self::is_foreign_start`], for text.
    pub(super) fn is_foreign_text(&self) -> bool {
        let (ns, current, integration) = self.adjusted_current();
        !(is_mathml_text_point(ns, current) || integration || is_svg_html_point(ns, current))
    }

    pub(super) fn foreign_text(&mut self, core: &mut Core<'_>, run: TextRun) {
        if self.frameset_ok && leading_space(core.str(run)) < run.len as usize {
            self.frameset_ok = false;
        }
        self.insert_text(core, run);
    }

    pub(super) fn foreign_start(&mut self, core: &mut Core<'_>, tag: StartTag) -> Flow {
        let breaks_out = is_breakout(tag.tag)
            || (tag.tag == Tag::FONT
                && [Attr::COLOR, Attr::FACE, Attr::SIZE].iter().any(|&a| attr_of(core, tag, a).is_some()));
        if breaks_out {
            self.leave_foreign();
            return self.start_in(self.mode, core, tag);
        }
        let (ns, ..) = self.adjusted_current();
        self.insert_foreign(core, tag, ns);
        Flow::Done
    }

    /// Pops foreign elements until HTML may follow.
    fn leave_foreign(&mut self) {
        while self.current().ns != Namespace::Html {
            let (ns, tag, integration) = self.adjusted_current();
            if is_mathml_text_point(ns, tag) || integration || is_svg_html_point(ns, tag) {
                break;
            }
            self.pop();
        }
    }

    pub(super) fn foreign_end(&mut self, core: &mut Core<'_>, tag: Tag) -> Flow {
        if tag == Tag::BR || tag == Tag::P {
            self.leave_foreign();
            return self.end_in(self.mode, core, tag);
        }
        if self.top() <= 1 {
            return Flow::Done;
        }
        let index = self.foreign_top(tag);
        if index > self.bound(HTML) {
            self.pop_to(index);
            return Flow::Done;
        }
        self.end_in(self.mode, core, tag)
    }
}

fn is_mathml_text_point(ns: Namespace, tag: Tag) -> bool {
    ns == Namespace::MathMl && matches!(tag, Tag::MI | Tag::MO | Tag::MN | Tag::MS | Tag::MTEXT)
}

fn is_svg_html_point(ns: Namespace, tag: Tag) -> bool {
    ns == Namespace::Svg && matches!(tag, Tag::FOREIGNOBJECT | Tag::DESC | Tag::TITLE)
}

/// Whether an HTML start tag ends foreign content.
fn is_breakout(tag: Tag) -> bool {
    matches!(
        tag,
        any_tag![B BIG BLOCKQUOTE BODY BR CENTER CODE DD DIV DL DT EM EMBED H1 H2 H3 H4 H5 H6 HEAD HR I IMG LI
            LISTING MENU META NOBR OL P PRE RUBY S SMALL SPAN STRONG STRIKE SUB SUP TABLE TT U UL VAR]
    )
}
