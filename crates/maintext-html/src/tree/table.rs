//! The table modes.

use super::stack::TABLE_SCOPE;
use super::{Flow, Mode, TreeBuilder, leading_space};
use crate::names::{Tag, any_tag};
use crate::node::NONE;
use crate::tokenizer::{Core, StartTag, TextRun};

impl TreeBuilder<'_> {
    /// "Clear the stack back to a table context".
    fn clear_to_table(&mut self) {
        let context = self.bound(TABLE_SCOPE);
        self.pop_to(context + 1);
    }

    /// Pops until the current node has one of these names, or is a `template` or the root.
    fn clear_to(&mut self, names: &[Tag]) {
        while self.top() > 1
            && !self.current().html_tag().is_some_and(|t| t == Tag::TEMPLATE || t == Tag::HTML || names.contains(&t))
        {
            self.pop();
        }
    }

    fn clear_to_table_body(&mut self) {
        self.clear_to(&[Tag::TBODY, Tag::TFOOT, Tag::THEAD]);
    }

    fn clear_to_row(&mut self) {
        self.clear_to(&[Tag::TR]);
    }

    /// "Anything else" in a table: as in body, with foster parenting.
    fn foster_start(&mut self, core: &mut Core<'_>, tag: StartTag) -> Flow {
        self.foster = true;
        let flow = self.body_start(core, tag);
        self.foster = false;
        flow
    }

    fn foster_end(&mut self, core: &mut Core<'_>, tag: Tag) -> Flow {
        self.foster = true;
        let flow = self.body_end(core, tag);
        self.foster = false;
        flow
    }

    fn foster_text(&mut self, core: &mut Core<'_>, run: TextRun) {
        self.foster = true;
        self.body_text(core, run);
        self.foster = false;
    }

    pub(super) fn table_text(&mut self, core: &mut Core<'_>, run: TextRun) -> TextRun {
        match self.current().html_tag() {
            Some(Tag::TABLE | Tag::TBODY | Tag::TEMPLATE | Tag::TFOOT | Tag::THEAD | Tag::TR) => {
                self.original_mode = self.mode;
                self.mode = Mode::InTableText;
                self.s.pending.clear();
                run
            }
            _ => {
                self.foster_text(core, run);
                TextRun::EMPTY
            }
        }
    }

    /// Handles pending table text before the next token.
    #[inline(never)]
    pub(super) fn end_table_text(&mut self, core: &mut Core<'_>) {
        self.end_tag = None;
        self.mode = self.original_mode;
        let pending = std::mem::take(&mut self.s.pending);
        let ink = pending.iter().find(|&&(run, _)| leading_space(core.str(run)) < run.len as usize);
        let foster = ink.is_some();
        for &(run, source) in &pending {
            self.token = source;
            if foster {
                self.foster_text(core, run);
            } else {
                self.insert_text(core, run);
            }
        }
        self.s.pending = pending;
    }

    pub(super) fn table_start(&mut self, core: &mut Core<'_>, tag: StartTag) -> Flow {
        match tag.tag {
            Tag::CAPTION => {
                self.clear_to_table();
                self.push_marker();
                self.insert_html(core, tag);
                self.mode = Mode::InCaption;
            }
            Tag::COLGROUP => {
                self.clear_to_table();
                self.insert_html(core, tag);
                self.mode = Mode::InColumnGroup;
            }
            Tag::COL => {
                self.clear_to_table();
                self.insert_implied(core, Tag::COLGROUP);
                self.mode = Mode::InColumnGroup;
                return Flow::Again;
            }
            Tag::TBODY | Tag::TFOOT | Tag::THEAD => {
                self.clear_to_table();
                self.insert_html(core, tag);
                self.mode = Mode::InTableBody;
            }
            Tag::TD | Tag::TH | Tag::TR => {
                self.clear_to_table();
                self.insert_implied(core, Tag::TBODY);
                self.mode = Mode::InTableBody;
                return Flow::Again;
            }
            Tag::TABLE => {
                if !self.in_scope(Tag::TABLE, TABLE_SCOPE) {
                    return Flow::Done;
                }
                self.pop_until(Tag::TABLE);
                self.reset_mode();
                return Flow::Again;
            }
            Tag::STYLE | Tag::SCRIPT | Tag::TEMPLATE => return self.head_start(core, tag),
            Tag::INPUT if self.is_hidden(core, tag) => {
                self.insert_void(core, tag);
            }
            Tag::FORM => {
                if !self.in_template() && self.form == NONE {
                    self.form = self.insert_html(core, tag);
                    self.pop();
                }
            }
            _ => return self.foster_start(core, tag),
        }
        Flow::Done
    }

    pub(super) fn table_end(&mut self, core: &mut Core<'_>, tag: Tag) -> Flow {
        match tag {
            Tag::TABLE => {
                if !self.in_scope(Tag::TABLE, TABLE_SCOPE) {
                    return Flow::Done;
                }
                self.pop_until(Tag::TABLE);
                self.reset_mode();
                Flow::Done
            }
            any_tag![BODY CAPTION COL COLGROUP HTML TBODY TD TFOOT TH THEAD TR] => Flow::Done,
            Tag::TEMPLATE => self.head_end(tag),
            _ => self.foster_end(core, tag),
        }
    }

    /// Closes the caption. Returns whether one was open.
    fn close_caption(&mut self) -> bool {
        if !self.in_scope(Tag::CAPTION, TABLE_SCOPE) {
            return false;
        }
        self.generate_implied(None);
        self.pop_until(Tag::CAPTION);
        self.clear_to_marker();
        self.mode = Mode::InTable;
        true
    }

    pub(super) fn caption_start(&mut self, core: &mut Core<'_>, tag: StartTag) -> Flow {
        match tag.tag {
            any_tag![CAPTION COL COLGROUP TBODY TD TFOOT TH THEAD TR] => {
                if self.close_caption() {
                    Flow::Again
                } else {
                    Flow::Done
                }
            }
            _ => self.body_start(core, tag),
        }
    }

    pub(super) fn caption_end(&mut self, core: &mut Core<'_>, tag: Tag) -> Flow {
        match tag {
            Tag::CAPTION if self.close_caption() => Flow::Done,
            Tag::TABLE if self.close_caption() => Flow::Again,
            any_tag![BODY CAPTION COL COLGROUP HTML TABLE TBODY TD TFOOT TH THEAD TR] => Flow::Done,
            _ => self.body_end(core, tag),
        }
    }

    pub(super) fn column_group_start(&mut self, core: &mut Core<'_>, tag: StartTag) -> Flow {
        match tag.tag {
            Tag::HTML => self.body_start(core, tag),
            Tag::COL => {
                self.insert_void(core, tag);
                Flow::Done
            }
            Tag::TEMPLATE => self.head_start(core, tag),
            _ if !self.current_is(Tag::COLGROUP) => Flow::Done,
            _ => self.leave_column_group(),
        }
    }

    fn leave_column_group(&mut self) -> Flow {
        self.pop();
        self.mode = Mode::InTable;
        Flow::Again
    }

    pub(super) fn column_group_end(&mut self, tag: Tag) -> Flow {
        match tag {
            Tag::TEMPLATE => self.head_end(tag),
            Tag::COL => Flow::Done,
            _ if !self.current_is(Tag::COLGROUP) => Flow::Done,
            Tag::COLGROUP => {
                self.leave_column_group();
                Flow::Done
            }
            _ => self.leave_column_group(),
        }
    }

    /// Closes the table body, if one is in table scope. Returns whether one was.
    fn close_table_body(&mut self) -> bool {
        let open = [Tag::TBODY, Tag::THEAD, Tag::TFOOT].iter().any(|&t| self.in_scope(t, TABLE_SCOPE));
        if open {
            self.clear_to_table_body();
            self.pop();
            self.mode = Mode::InTable;
        }
        open
    }

    pub(super) fn table_body_start(&mut self, core: &mut Core<'_>, tag: StartTag) -> Flow {
        match tag.tag {
            Tag::TR => {
                self.clear_to_table_body();
                self.insert_html(core, tag);
                self.mode = Mode::InRow;
                Flow::Done
            }
            Tag::TH | Tag::TD => {
                self.clear_to_table_body();
                self.insert_implied(core, Tag::TR);
                self.mode = Mode::InRow;
                Flow::Again
            }
            Tag::CAPTION | Tag::COL | Tag::COLGROUP | Tag::TBODY | Tag::TFOOT | Tag::THEAD => {
                if self.close_table_body() { Flow::Again } else { Flow::Done }
            }
            _ => self.table_start(core, tag),
        }
    }

    pub(super) fn table_body_end(&mut self, core: &mut Core<'_>, tag: Tag) -> Flow {
        match tag {
            Tag::TBODY | Tag::TFOOT | Tag::THEAD => {
                if !self.in_scope(tag, TABLE_SCOPE) {
                    return Flow::Done;
                }
                self.clear_to_table_body();
                self.pop();
                self.mode = Mode::InTable;
                Flow::Done
            }
            Tag::TABLE if self.close_table_body() => Flow::Again,
            any_tag![TABLE BODY CAPTION COL COLGROUP HTML TD TH TR] => Flow::Done,
            _ => self.table_end(core, tag),
        }
    }

    /// Closes the row, if one is in table scope. Returns whether one was.
    fn close_row(&mut self) -> bool {
        let open = self.in_scope(Tag::TR, TABLE_SCOPE);
        if open {
            self.clear_to_row();
            self.pop();
            self.mode = Mode::InTableBody;
        }
        open
    }

    pub(super) fn row_start(&mut self, core: &mut Core<'_>, tag: StartTag) -> Flow {
        match tag.tag {
            Tag::TH | Tag::TD => {
                self.clear_to_row();
                self.insert_html(core, tag);
                self.mode = Mode::InCell;
                self.push_marker();
                Flow::Done
            }
            Tag::CAPTION | Tag::COL | Tag::COLGROUP | Tag::TBODY | Tag::TFOOT | Tag::THEAD | Tag::TR => {
                if self.close_row() { Flow::Again } else { Flow::Done }
            }
            _ => self.table_start(core, tag),
        }
    }

    pub(super) fn row_end(&mut self, core: &mut Core<'_>, tag: Tag) -> Flow {
        match tag {
            Tag::TR if self.close_row() => Flow::Done,
            Tag::TABLE if self.close_row() => Flow::Again,
            Tag::TBODY | Tag::TFOOT | Tag::THEAD if self.in_scope(tag, TABLE_SCOPE) => {
                if self.close_row() {
                    Flow::Again
                } else {
                    Flow::Done
                }
            }
            any_tag![TR TABLE TBODY TFOOT THEAD BODY CAPTION COL COLGROUP HTML TD TH] => Flow::Done,
            _ => self.table_end(core, tag),
        }
    }

    /// "Close the cell".
    fn close_cell(&mut self) {
        self.generate_implied(None);
        let cell = self.html_top(Tag::TD).max(self.html_top(Tag::TH));
        self.pop_to(cell);
        self.clear_to_marker();
        self.mode = Mode::InRow;
    }

    pub(super) fn cell_start(&mut self, core: &mut Core<'_>, tag: StartTag) -> Flow {
        match tag.tag {
            any_tag![CAPTION COL COLGROUP TBODY TD TFOOT TH THEAD TR] => {
                if !self.in_scope(Tag::TD, TABLE_SCOPE) && !self.in_scope(Tag::TH, TABLE_SCOPE) {
                    return Flow::Done;
                }
                self.close_cell();
                Flow::Again
            }
            _ => self.body_start(core, tag),
        }
    }

    pub(super) fn cell_end(&mut self, core: &mut Core<'_>, tag: Tag) -> Flow {
        match tag {
            Tag::TD | Tag::TH => {
                if !self.in_scope(tag, TABLE_SCOPE) {
                    return Flow::Done;
                }
                self.generate_implied(None);
                self.pop_until(tag);
                self.clear_to_marker();
                self.mode = Mode::InRow;
                Flow::Done
            }
            Tag::TABLE | Tag::TBODY | Tag::TFOOT | Tag::THEAD | Tag::TR if self.in_scope(tag, TABLE_SCOPE) => {
                self.close_cell();
                Flow::Again
            }
            any_tag![TABLE TBODY TFOOT THEAD TR BODY CAPTION COL COLGROUP HTML] => Flow::Done,
            _ => self.body_end(core, tag),
        }
    }
}
