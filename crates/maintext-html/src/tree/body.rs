//! The "in body" insertion mode.

use super::stack::{BUTTON_SCOPE, ITEM_STOP, LIST_SCOPE, SCOPE, SPECIAL};
use super::{Flow, Mode, TreeBuilder, leading_space};
use crate::names::{Tag, any_tag, head_tags};
use crate::node::{FORMATTING, NONE, Namespace, OPEN};
use crate::options::QuirksMode;
use crate::tokenizer::{Core, Next, StartTag, TextRun, TokenizerState};

const HEADINGS: [Tag; 6] = [Tag::H1, Tag::H2, Tag::H3, Tag::H4, Tag::H5, Tag::H6];

impl TreeBuilder<'_> {
    #[inline]
    pub(super) fn body_text(&mut self, core: &mut Core<'_>, run: TextRun) {
        self.reconstruct(core);
        self.insert_text(core, run);
        if self.frameset_ok && leading_space(core.str(run)) < run.len as usize {
            self.frameset_ok = false;
        }
    }

    /// "Generate implied end tags", except for one name.
    #[inline]
    pub(super) fn generate_implied(&mut self, except: Option<Tag>) {
        while let Some(tag) = self.current().html_tag()
            && is_implied(tag)
            && Some(tag) != except
        {
            self.pop();
        }
    }

    /// Generates implied end tags and pops up to an open element of this name.
    fn close(&mut self, tag: Tag, except: Option<Tag>) {
        self.generate_implied(except);
        self.pop_until(tag);
    }

    /// "Close a p element", if one is in button scope.
    #[inline]
    pub(super) fn close_p(&mut self) {
        if self.in_scope(Tag::P, BUTTON_SCOPE) {
            self.close(Tag::P, Some(Tag::P));
        }
    }

    pub(super) fn body_start(&mut self, core: &mut Core<'_>, tag: StartTag) -> Flow {
        match tag.tag {
            any_tag![ADDRESS ARTICLE ASIDE BLOCKQUOTE CENTER DETAILS DIALOG DIR DIV DL FIELDSET FIGCAPTION
                FIGURE FOOTER HEADER HGROUP MAIN MENU NAV OL P SEARCH SECTION SUMMARY UL] => {
                self.close_p();
                self.insert_html(core, tag);
            }
            Tag::A => self.a_start(core, tag),
            any_tag![B BIG CODE EM FONT I S SMALL STRIKE STRONG TT U] => {
                self.reconstruct(core);
                self.insert_formatting(core, tag);
            }
            Tag::LI => self.item_start(core, tag, &[Tag::LI]),
            Tag::DD | Tag::DT => self.item_start(core, tag, &[Tag::DD, Tag::DT]),
            Tag::AREA | Tag::BR | Tag::EMBED | Tag::IMG | Tag::KEYGEN | Tag::WBR => {
                self.reconstruct(core);
                self.insert_void(core, tag);
                self.frameset_ok = false;
            }
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => {
                self.close_p();
                if self.current().html_tag().is_some_and(|t| HEADINGS.contains(&t)) {
                    self.pop();
                }
                self.insert_html(core, tag);
            }
            head_tags![] => return self.head_start(core, tag),
            _ => return self.rarer_body_start(core, tag),
        }
        Flow::Done
    }

    fn rarer_body_start(&mut self, core: &mut Core<'_>, tag: StartTag) -> Flow {
        match tag.tag {
            Tag::HTML => self.second_html(core, tag),
            Tag::BODY => self.second_body(core, tag),
            Tag::FRAMESET => self.frameset_in_body(core, tag),
            Tag::PRE | Tag::LISTING => {
                self.close_p();
                self.insert_html(core, tag);
                self.ignore_lf = true;
                self.frameset_ok = false;
            }
            Tag::FORM => self.form_start(core, tag),
            Tag::PLAINTEXT => {
                self.close_p();
                self.insert_html(core, tag);
                self.next = Next::Switch(TokenizerState::Plaintext);
            }
            Tag::BUTTON => {
                if self.in_scope(Tag::BUTTON, SCOPE) {
                    self.generate_implied(None);
                    self.pop_until(Tag::BUTTON);
                }
                self.reconstruct(core);
                self.insert_html(core, tag);
                self.frameset_ok = false;
            }
            Tag::NOBR => {
                self.reconstruct(core);
                if self.in_scope(Tag::NOBR, SCOPE) {
                    self.adoption_agency(Tag::NOBR);
                    self.reconstruct(core);
                }
                self.insert_formatting(core, tag);
            }
            Tag::APPLET | Tag::MARQUEE | Tag::OBJECT => {
                self.reconstruct(core);
                self.insert_html(core, tag);
                self.push_marker();
                self.frameset_ok = false;
            }
            Tag::TABLE => {
                if self.quirks != QuirksMode::Quirks {
                    self.close_p();
                }
                self.insert_html(core, tag);
                self.frameset_ok = false;
                self.mode = Mode::InTable;
            }
            Tag::INPUT => self.input_start(core, tag),
            Tag::PARAM | Tag::SOURCE | Tag::TRACK => {
                self.insert_void(core, tag);
            }
            Tag::IMAGE => {
                return self.body_start(core, StartTag { tag: Tag::IMG, ..tag });
            }
            any_tag![CAPTION COL COLGROUP FRAME HEAD TBODY TD TFOOT TH THEAD TR] => return Flow::Done,
            Tag::SELECT | Tag::OPTION | Tag::OPTGROUP | Tag::HR => self.select_start(core, tag),
            _ => self.rarest_body_start(core, tag),
        }
        Flow::Done
    }

    fn rarest_body_start(&mut self, core: &mut Core<'_>, tag: StartTag) {
        match tag.tag {
            Tag::TEXTAREA => {
                self.insert_raw(core, tag, TokenizerState::Rcdata);
                self.ignore_lf = true;
                self.frameset_ok = false;
            }
            Tag::XMP => {
                self.close_p();
                self.reconstruct(core);
                self.frameset_ok = false;
                self.insert_raw(core, tag, TokenizerState::Rawtext);
            }
            Tag::IFRAME => {
                self.frameset_ok = false;
                self.insert_raw(core, tag, TokenizerState::Rawtext);
            }
            Tag::NOEMBED => self.insert_raw(core, tag, TokenizerState::Rawtext),
            Tag::NOSCRIPT if self.opts.scripting => self.insert_raw(core, tag, TokenizerState::Rawtext),
            Tag::RB | Tag::RTC => {
                if self.in_scope(Tag::RUBY, SCOPE) {
                    self.generate_implied(None);
                }
                self.insert_html(core, tag);
            }
            Tag::RP | Tag::RT => {
                if self.in_scope(Tag::RUBY, SCOPE) {
                    self.generate_implied(Some(Tag::RTC));
                }
                self.insert_html(core, tag);
            }
            Tag::MATH | Tag::SVG => {
                self.reconstruct(core);
                let ns = if tag.tag == Tag::SVG { Namespace::Svg } else { Namespace::MathMl };
                self.insert_foreign(core, tag, ns);
            }
            _ => {
                self.reconstruct(core);
                self.insert_html(core, tag);
            }
        }
    }

    fn a_start(&mut self, core: &mut Core<'_>, tag: StartTag) {
        if !self.s.formatting.is_empty()
            && let Some(index) = self.find_formatting(Tag::A)
        {
            let node = self.s.formatting[index].node;
            self.adoption_agency(Tag::A);
            if self.arena.node(node).flags & FORMATTING != 0
                && let Some(index) = self.formatting_index(node)
            {
                self.remove_formatting(index);
            }
            if self.arena.node(node).flags & OPEN != 0
                && let Some(index) = self.index_of(node, Tag::A)
            {
                self.remove_entry(index);
            }
        }
        self.reconstruct(core);
        self.insert_formatting(core, tag);
    }

    /// Handles `li`, `dd` and `dt`, which close an open item of their kind.
    fn item_start(&mut self, core: &mut Core<'_>, tag: StartTag, kinds: &[Tag]) {
        self.frameset_ok = false;
        if let Some((index, kind)) = kinds.iter().map(|&t| (self.html_top(t), t)).max()
            && index != 0
            && index >= self.bound(ITEM_STOP)
        {
            self.close(kind, Some(kind));
        }
        self.close_p();
        self.insert_html(core, tag);
    }

    fn second_html(&mut self, core: &mut Core<'_>, tag: StartTag) {
        if !self.in_template()
            && let Some(html) = self.s.stack.get(1)
        {
            self.merge_attributes(core, html.node, 0, tag);
        }
    }

    fn second_body(&mut self, core: &mut Core<'_>, tag: StartTag) {
        if let Some(body) = self.body()
            && !self.in_template()
        {
            self.frameset_ok = false;
            self.merge_attributes(core, body, 1, tag);
        }
    }

    fn frameset_in_body(&mut self, core: &mut Core<'_>, tag: StartTag) {
        if !self.frameset_ok {
            return;
        }
        if let Some(body) = self.body() {
            self.arena.detach(body);
            self.pop_to(2);
            self.insert_html(core, tag);
            self.mode = Mode::InFrameset;
        }
    }

    fn form_start(&mut self, core: &mut Core<'_>, tag: StartTag) {
        let in_template = self.in_template();
        if self.form != NONE && !in_template {
            return;
        }
        self.close_p();
        let form = self.insert_html(core, tag);
        if !in_template {
            self.form = form;
        }
    }

    fn input_start(&mut self, core: &mut Core<'_>, tag: StartTag) {
        if self.context == Some((Namespace::Html, Tag::SELECT)) {
            return;
        }
        if self.in_scope(Tag::SELECT, SCOPE) {
            self.pop_until(Tag::SELECT);
        }
        self.reconstruct(core);
        if !self.is_hidden(core, tag) {
            self.frameset_ok = false;
        }
        self.insert_void(core, tag);
    }

    pub(super) fn body_end(&mut self, core: &mut Core<'_>, tag: Tag) -> Flow {
        match tag {
            any_tag![ADDRESS ARTICLE ASIDE BLOCKQUOTE BUTTON CENTER DETAILS DIALOG DIR DIV DL FIELDSET
                FIGCAPTION FIGURE FOOTER HEADER HGROUP LISTING MAIN MENU NAV OL PRE SEARCH SECTION SELECT
                SUMMARY UL] => self.close_scoped(tag, SCOPE, None),
            any_tag![A B BIG CODE EM FONT I NOBR S SMALL STRIKE STRONG TT U] => self.adoption_agency(tag),
            Tag::P => {
                if !self.in_scope(Tag::P, BUTTON_SCOPE) {
                    self.insert_implied(core, Tag::P);
                }
                self.close(Tag::P, Some(Tag::P));
            }
            Tag::LI => self.close_scoped(tag, LIST_SCOPE, Some(tag)),
            Tag::DD | Tag::DT => self.close_scoped(tag, SCOPE, Some(tag)),
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => self.heading_end(),
            Tag::BODY | Tag::HTML => {
                if !self.in_scope(Tag::BODY, SCOPE) {
                    return Flow::Done;
                }
                self.close_body(tag);
                self.mode = Mode::AfterBody;
                return if tag == Tag::HTML { Flow::Again } else { Flow::Done };
            }
            Tag::FORM => self.form_end(),
            Tag::APPLET | Tag::MARQUEE | Tag::OBJECT => {
                if !self.in_scope(tag, SCOPE) {
                    return Flow::Done;
                }
                self.close(tag, None);
                self.clear_to_marker();
            }
            Tag::BR => {
                let attrs = core.attrs.len() as u32;
                return self.body_start(core, StartTag { tag, self_closing: false, attrs });
            }
            Tag::TEMPLATE => return self.head_end(tag),
            _ => self.other_end_tag(tag),
        }
        Flow::Done
    }

    /// Records where the body ends: at its end tag, or before the end tag of `html`. The element stays open.
    fn close_body(&mut self, tag: Tag) {
        if let Some(body) = self.body() {
            self.arena.node_mut(body).end = if tag == Tag::BODY { self.token.1 } else { self.token.0 };
        }
    }

    fn close_scoped(&mut self, tag: Tag, scope: usize, except: Option<Tag>) {
        if self.in_scope(tag, scope) {
            self.close(tag, except);
        }
    }

    fn heading_end(&mut self) {
        let open = HEADINGS.iter().map(|&h| self.html_top(h)).max().unwrap_or(0);
        if open == 0 || open < self.bound(SCOPE) {
            return;
        }
        self.generate_implied(None);
        self.pop_to(open);
    }

    fn form_end(&mut self) {
        if self.in_template() {
            return self.close_scoped(Tag::FORM, SCOPE, None);
        }
        let form = std::mem::replace(&mut self.form, NONE);
        let index = if form == NONE { None } else { self.index_of(form, Tag::FORM) };
        let Some(index) = index.filter(|&i| i >= self.bound(SCOPE)) else {
            return;
        };
        self.generate_implied(None);
        self.remove_entry(index);
        self.arena.node_mut(form).end = self.token.1;
    }

    /// "Any other end tag".
    pub(super) fn other_end_tag(&mut self, tag: Tag) {
        let index = self.html_top(tag);
        if index == 0 || index < self.bound(SPECIAL) {
            return;
        }
        self.generate_implied(Some(tag));
        self.pop_to(index);
    }

    pub(super) fn after_body_start(&mut self, core: &mut Core<'_>, tag: StartTag) -> Flow {
        if tag.tag == Tag::HTML {
            return self.body_start(core, tag);
        }
        self.mode = Mode::InBody;
        Flow::Again
    }

    pub(super) fn after_body_end(&mut self, tag: Tag) -> Flow {
        if self.mode == Mode::AfterBody && tag == Tag::HTML {
            if self.context.is_some() {
                return Flow::Done;
            }
            self.mode = Mode::AfterAfterBody;
            return Flow::Done;
        }
        self.mode = Mode::InBody;
        Flow::Again
    }
}

/// Whether the end tag of an element may be implied.
#[inline]
pub(super) fn is_implied(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::DD | Tag::DT | Tag::LI | Tag::OPTGROUP | Tag::OPTION | Tag::P | Tag::RB | Tag::RP | Tag::RT | Tag::RTC
    )
}
