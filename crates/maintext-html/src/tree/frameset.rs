//! The frameset modes.

use super::{Flow, Mode, TreeBuilder};
use crate::names::Tag;
use crate::tokenizer::{Core, SIDE, StartTag, TextRun};

impl TreeBuilder<'_> {
    /// Handles text, and keeps only its white space.
    pub(super) fn frameset_text(&mut self, core: &mut Core<'_>, run: TextRun) {
        let space: String = core.str(run).chars().filter(|c| matches!(c, ' ' | '\n' | '\t' | '\r' | '\u{C}')).collect();
        if space.is_empty() {
            return;
        }
        let start = core.side.len() as u32 | SIDE;
        core.side.push_str(&space);
        let run = TextRun { start, len: space.len() as u32 };
        if self.mode == Mode::AfterAfterFrameset {
            self.body_text(core, run);
        } else {
            self.insert_text(core, run);
        }
    }

    pub(super) fn frameset_start(&mut self, core: &mut Core<'_>, tag: StartTag) -> Flow {
        match tag.tag {
            Tag::HTML => return self.body_start(core, tag),
            Tag::FRAMESET => {
                self.insert_html(core, tag);
            }
            Tag::FRAME => {
                self.insert_void(core, tag);
            }
            Tag::NOFRAMES => return self.head_start(core, tag),
            _ => return Flow::Done,
        }
        Flow::Done
    }

    pub(super) fn frameset_end(&mut self, tag: Tag) -> Flow {
        if tag != Tag::FRAMESET || self.top() <= 1 {
            return Flow::Done;
        }
        self.pop();
        if self.context.is_none() && !self.current_is(Tag::FRAMESET) {
            self.mode = Mode::AfterFrameset;
        }
        Flow::Done
    }

    pub(super) fn after_frameset_start(&mut self, core: &mut Core<'_>, tag: StartTag) -> Flow {
        match tag.tag {
            Tag::HTML => self.body_start(core, tag),
            Tag::NOFRAMES => self.head_start(core, tag),
            _ => Flow::Done,
        }
    }

    pub(super) fn after_frameset_end(&mut self, tag: Tag) -> Flow {
        if tag == Tag::HTML && self.mode == Mode::AfterFrameset {
            self.mode = Mode::AfterAfterFrameset;
            return Flow::Done;
        }
        Flow::Done
    }
}
