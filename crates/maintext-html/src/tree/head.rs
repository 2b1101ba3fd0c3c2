//! The insertion modes from "initial" to "after head".

use super::insert::{InsertionPoint, attr_of};
use super::{Flow, Mode, TreeBuilder, leading_ink, leading_space, quirks};
use crate::names::{Tag, any_tag, head_tags};
use crate::node::{NONE, Namespace, NodeKind};
use crate::options::QuirksMode;
use crate::tokenizer::{Core, DoctypeToken, StartTag, TextRun, TokenizerState};

impl TreeBuilder<'_> {
    pub(super) fn initial_doctype(&mut self, doctype: DoctypeToken) {
        self.quirks = quirks::mode(&doctype, self.opts.iframe_srcdoc);
        let index = self.arena.doctypes.len() as u32;
        self.arena.doctypes.push(doctype);
        let node = self.arena.add(NodeKind::Doctype, Namespace::Html, NONE, index, 0, self.token);
        self.put(InsertionPoint::end_of(0), node);
        self.mode = Mode::BeforeHtml;
    }

    #[cold]
    pub(super) fn leave_initial(&mut self) -> Flow {
        if !self.opts.iframe_srcdoc {
            self.quirks = QuirksMode::Quirks;
        }
        self.mode = Mode::BeforeHtml;
        Flow::Again
    }

    #[cold]
    pub(super) fn leave_before_html(&mut self, _core: &mut Core<'_>) -> Flow {
        let at = self.token.0;
        let node = self.arena.add(NodeKind::Element, Namespace::Html, Tag::HTML.0, 0, 0, (at, at));
        self.open_root(node);
        Flow::Again
    }

    fn open_root(&mut self, node: u32) {
        self.arena.append(0, node);
        self.push(node, Tag::HTML, Namespace::Html);
        self.mode = Mode::BeforeHead;
    }

    #[cold]
    pub(super) fn leave_before_head(&mut self, core: &mut Core<'_>) -> Flow {
        self.head = self.insert_implied(core, Tag::HEAD);
        self.mode = Mode::InHead;
        Flow::Again
    }

    /// Leaves "in head" or "in head noscript" for the mode above.
    #[cold]
    pub(super) fn leave_head(&mut self) -> Flow {
        self.pop();
        self.mode = if self.mode == Mode::InHeadNoscript { Mode::InHead } else { Mode::AfterHead };
        Flow::Again
    }

    #[cold]
    pub(super) fn leave_after_head(&mut self, core: &mut Core<'_>) -> Flow {
        self.insert_implied(core, Tag::BODY);
        self.mode = Mode::InBody;
        Flow::Again
    }

    /// Narrows the source range to a part of the current text, where it is known.
    fn narrow_token(&mut self, run: TextRun) {
        if !run.is_side() {
            self.token = (run.start, run.start + run.len);
        }
    }

    /// Handles text before the head, where leading white space is ignored.
    pub(super) fn early_text(&mut self, core: &mut Core<'_>, run: TextRun) -> TextRun {
        let space = leading_space(core.str(run));
        let rest = run.skip(space);
        if rest.len > 0 {
            self.narrow_token(rest);
            match self.mode {
                Mode::Initial => self.leave_initial(),
                Mode::BeforeHtml => self.leave_before_html(core),
                _ => self.leave_before_head(core),
            };
        }
        rest
    }

    /// Handles text in or after the head, or in a column group, where leading white space is kept.
    pub(super) fn head_text(&mut self, core: &mut Core<'_>, run: TextRun) -> TextRun {
        let space = leading_space(core.str(run));
        let rest = run.skip(space);
        self.narrow_token(run.take(space));
        self.insert_text(core, run.take(space));
        self.narrow_token(rest);
        if rest.len > 0 {
            match self.mode {
                Mode::AfterHead => self.leave_after_head(core),
                Mode::InColumnGroup => {
                    if !self.current_is(Tag::COLGROUP) {
                        // In a fragment, white space is kept and each other character is ignored.
                        return rest.skip(leading_ink(core.str(rest)));
                    }
                    self.pop();
                    self.mode = Mode::InTable;
                    Flow::Again
                }
                _ => self.leave_head(),
            };
        }
        rest
    }

    pub(super) fn before_html_start(&mut self, core: &mut Core<'_>, tag: StartTag) -> Flow {
        if tag.tag != Tag::HTML {
            return self.leave_before_html(core);
        }
        let node = self.create_element(core, tag, Namespace::Html);
        self.open_root(node);
        Flow::Done
    }

    pub(super) fn before_html_end(&mut self, core: &mut Core<'_>, tag: Tag) -> Flow {
        match tag {
            Tag::HEAD | Tag::BODY | Tag::HTML | Tag::BR => self.leave_before_html(core),
            _ => Flow::Done,
        }
    }

    pub(super) fn before_head_start(&mut self, core: &mut Core<'_>, tag: StartTag) -> Flow {
        match tag.tag {
            Tag::HTML => self.body_start(core, tag),
            Tag::HEAD => {
                self.head = self.insert_html(core, tag);
                self.mode = Mode::InHead;
                Flow::Done
            }
            _ => self.leave_before_head(core),
        }
    }

    pub(super) fn before_head_end(&mut self, core: &mut Core<'_>, tag: Tag) -> Flow {
        match tag {
            Tag::HEAD | Tag::BODY | Tag::HTML | Tag::BR => self.leave_before_head(core),
            _ => Flow::Done,
        }
    }

    pub(super) fn head_start(&mut self, core: &mut Core<'_>, tag: StartTag) -> Flow {
        match tag.tag {
            Tag::HTML => return self.body_start(core, tag),
            Tag::BASE | Tag::BASEFONT | Tag::BGSOUND | Tag::LINK | Tag::META => {
                self.insert_void(core, tag);
            }
            Tag::TITLE => self.insert_raw(core, tag, TokenizerState::Rcdata),
            Tag::NOFRAMES | Tag::STYLE => self.insert_raw(core, tag, TokenizerState::Rawtext),
            Tag::NOSCRIPT if self.opts.scripting => self.insert_raw(core, tag, TokenizerState::Rawtext),
            Tag::NOSCRIPT => {
                self.insert_html(core, tag);
                self.mode = Mode::InHeadNoscript;
            }
            Tag::SCRIPT => self.insert_raw(core, tag, TokenizerState::Script),
            Tag::TEMPLATE => self.open_template(core, tag),
            Tag::HEAD => return Flow::Done,
            _ => return self.leave_head(),
        }
        Flow::Done
    }

    pub(super) fn head_end(&mut self, tag: Tag) -> Flow {
        match tag {
            Tag::HEAD => {
                self.pop();
                self.mode = Mode::AfterHead;
                Flow::Done
            }
            Tag::BODY | Tag::HTML | Tag::BR => self.leave_head(),
            Tag::TEMPLATE => self.close_template(),
            _ => Flow::Done,
        }
    }

    pub(super) fn head_noscript_start(&mut self, core: &mut Core<'_>, tag: StartTag) -> Flow {
        match tag.tag {
            Tag::HTML => self.body_start(core, tag),
            Tag::BASEFONT | Tag::BGSOUND | Tag::LINK | Tag::META | Tag::NOFRAMES | Tag::STYLE => {
                self.head_start(core, tag)
            }
            Tag::HEAD | Tag::NOSCRIPT => Flow::Done,
            _ => self.leave_head(),
        }
    }

    pub(super) fn head_noscript_end(&mut self, tag: Tag) -> Flow {
        match tag {
            Tag::NOSCRIPT => {
                self.pop();
                self.mode = Mode::InHead;
                Flow::Done
            }
            Tag::BR => self.leave_head(),
            _ => Flow::Done,
        }
    }

    pub(super) fn after_head_start(&mut self, core: &mut Core<'_>, tag: StartTag) -> Flow {
        match tag.tag {
            Tag::HTML => self.body_start(core, tag),
            Tag::BODY => {
                self.insert_html(core, tag);
                self.frameset_ok = false;
                self.mode = Mode::InBody;
                Flow::Done
            }
            Tag::FRAMESET => {
                self.insert_html(core, tag);
                self.mode = Mode::InFrameset;
                Flow::Done
            }
            head_tags![] => self.back_in_head(core, tag),
            Tag::HEAD => Flow::Done,
            _ => self.leave_after_head(core),
        }
    }

    /// Handles a tag of the head after the head was closed.
    fn back_in_head(&mut self, core: &mut Core<'_>, tag: StartTag) -> Flow {
        let head = self.head;
        if head == NONE {
            return Flow::Done;
        }
        let end = self.arena.node(head).end;
        self.push(head, Tag::HEAD, Namespace::Html);
        let flow = self.head_start(core, tag);
        if let Some(index) = self.index_of(head, Tag::HEAD) {
            self.remove_entry(index);
        }
        self.arena.node_mut(head).end = end;
        flow
    }

    pub(super) fn after_head_end(&mut self, core: &mut Core<'_>, tag: Tag) -> Flow {
        match tag {
            Tag::TEMPLATE => self.head_end(tag),
            Tag::BODY | Tag::HTML | Tag::BR => self.leave_after_head(core),
            _ => Flow::Done,
        }
    }

    /// Whether an `input` is hidden.
    pub(super) fn is_hidden(&self, core: &Core<'_>, tag: StartTag) -> bool {
        attr_of(core, tag, crate::names::Attr::TYPE).is_some_and(|v| v.eq_ignore_ascii_case("hidden"))
    }
}
