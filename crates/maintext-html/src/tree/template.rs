//! The `template` element.

use super::body::is_implied;
use super::{Flow, Mode, TreeBuilder};
use crate::names::{Tag, any_tag, head_tags};
use crate::tokenizer::{Core, StartTag};

impl TreeBuilder<'_> {
    pub(super) fn open_template(&mut self, core: &mut Core<'_>, tag: StartTag) {
        self.push_marker();
        self.frameset_ok = false;
        self.mode = Mode::InTemplate;
        self.s.template_modes.push(Mode::InTemplate);
        self.insert_html(core, tag);
    }

    pub(super) fn close_template(&mut self) -> Flow {
        if !self.in_template() {
            return Flow::Done;
        }
        // "Generate all implied end tags thoroughly".
        while let Some(tag) = self.current().html_tag()
            && (is_implied(tag)
                || matches!(
                    tag,
                    Tag::CAPTION | Tag::COLGROUP | Tag::TBODY | Tag::TD | Tag::TFOOT | Tag::TH | Tag::THEAD | Tag::TR
                ))
        {
            self.pop();
        }
        self.drop_template();
        Flow::Done
    }

    fn drop_template(&mut self) {
        self.pop_until(Tag::TEMPLATE);
        self.clear_to_marker();
        self.s.template_modes.pop();
        self.reset_mode();
    }

    pub(super) fn template_mode_start(&mut self, core: &mut Core<'_>, tag: StartTag) -> Flow {
        let mode = match tag.tag {
            head_tags![] => return self.head_start(core, tag),
            Tag::CAPTION | Tag::COLGROUP | Tag::TBODY | Tag::TFOOT | Tag::THEAD => Mode::InTable,
            Tag::COL => Mode::InColumnGroup,
            Tag::TR => Mode::InTableBody,
            Tag::TD | Tag::TH => Mode::InRow,
            _ => Mode::InBody,
        };
        self.s.template_modes.pop();
        self.s.template_modes.push(mode);
        self.mode = mode;
        Flow::Again
    }

    pub(super) fn template_mode_end(&mut self, tag: Tag) -> Flow {
        if tag == Tag::TEMPLATE { self.close_template() } else { Flow::Done }
    }

    /// Handles the end of the input while a template's insertion mode is in use.
    pub(super) fn template_eof(&mut self) -> Flow {
        if !self.in_template() {
            return Flow::Done;
        }
        self.drop_template();
        Flow::Again
    }
}
