//! Tree construction.

mod arena;
mod body;
mod foreign;
mod formatting;
mod frameset;
mod head;
mod insert;
mod quirks;
mod select;
mod stack;
mod table;
mod template;

use self::formatting::Formatting;
use self::insert::{InsertionPoint, Merge};
use self::select::SelectState;
use self::stack::OpenElements;
use crate::names::{Attr, Tag};
use crate::node::{NONE, Namespace, NodeKind};
use crate::options::{Context, ParseOptions, QuirksMode};
use crate::tokenizer::{Core, DoctypeToken, Next, Sink, StartTag, TextRun, TokenizerState};
pub use arena::Arena;
use std::collections::HashMap;

/// The standard's insertion modes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Initial,
    BeforeHtml,
    BeforeHead,
    InHead,
    InHeadNoscript,
    AfterHead,
    InBody,
    Text,
    InTable,
    InTableText,
    InCaption,
    InColumnGroup,
    InTableBody,
    InRow,
    InCell,
    InTemplate,
    AfterBody,
    InFrameset,
    AfterFrameset,
    AfterAfterBody,
    AfterAfterFrameset,
}

/// How to continue after processing a token in a mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flow {
    Done,
    /// Process the token again in the new mode.
    Again,
}

/// Buffers needed only while parsing, kept with the arena for reuse.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    stack: Vec<OpenElements>,
    tail: Vec<OpenElements>,
    html_tops: Vec<u32>,
    foreign_tops: Vec<u32>,
    formatting: Vec<Formatting>,
    /// Whether equal entries of the list are counted by hash, because there are many.
    counting: bool,
    equal_entries: HashMap<u64, u32>,
    template_modes: Vec<Mode>,
    pending: Vec<(TextRun, (u32, u32))>,
}

impl Scratch {
    fn clear(&mut self) {
        self.stack.clear();
        self.stack.push(OpenElements::BOTTOM);
        for tops in [&mut self.html_tops, &mut self.foreign_tops] {
            tops.clear();
            tops.resize(Tag::known_count(), 0);
        }
        self.formatting.clear();
        self.stop_counting();
        self.template_modes.clear();
        self.pending.clear();
    }

    /// Drops the counts of equal entries. Frees a large table, because clearing it would take time proportional to its size each time
    /// counting ends.
    fn stop_counting(&mut self) {
        self.counting = false;
        if self.equal_entries.capacity() > 1024 {
            self.equal_entries = HashMap::new();
        } else {
            self.equal_entries.clear();
        }
    }

    pub(crate) fn memory(&self) -> usize {
        (self.stack.capacity() + self.tail.capacity()) * size_of::<OpenElements>()
            + (self.html_tops.capacity() + self.foreign_tops.capacity()) * 4
            + self.formatting.capacity() * size_of::<Formatting>()
            + self.equal_entries.capacity() * size_of::<(u64, u64)>()
    }
}

/// Steps of extra work allowed for any input, and additional ones per byte.
const WORK_BASE: u64 = 1 << 20;
const WORK_PER_BYTE: u64 = 8;

pub(crate) struct TreeBuilder<'o> {
    pub arena: Arena,
    opts: &'o ParseOptions,
    s: Scratch,
    mode: Mode,
    original_mode: Mode,
    next: Next,
    /// Source range of the current token.
    token: (u32, u32),
    /// The name of the current token, if it is an end tag.
    end_tag: Option<Tag>,
    head: u32,
    form: u32,
    frameset_ok: bool,
    /// Whether foster parenting is enabled.
    foster: bool,
    ignore_lf: bool,
    attrs_used: bool,
    pub quirks: QuirksMode,
    context: Option<(Namespace, Tag)>,
    foreign_context: bool,
    max_depth: usize,
    max_nodes: usize,
    pub depth_hits: u32,
    /// Steps counted so far, and their limit.
    pub work: u64,
    work_limit: u64,
    pub frugal: bool,
    /// Whether a `selectedcontent` element was seen.
    selected_content: bool,
    select: SelectState,
    merges: [Merge; 2],
    kept_attrs: Vec<bool>,
}

impl<'o> TreeBuilder<'o> {
    pub(crate) fn new(mut arena: Arena, input_len: usize, opts: &'o ParseOptions) -> Self {
        let mut s = std::mem::take(&mut arena.scratch);
        s.clear();
        arena.nodes.reserve(input_len / 24 + 16);
        arena.add(NodeKind::Document, Namespace::Html, NONE, 0, 0, (0, input_len as u32));
        TreeBuilder {
            arena,
            opts,
            s,
            mode: Mode::Initial,
            original_mode: Mode::Initial,
            next: Next::Continue,
            token: (0, 0),
            end_tag: None,
            head: NONE,
            form: NONE,
            frameset_ok: true,
            foster: false,
            ignore_lf: false,
            attrs_used: false,
            quirks: QuirksMode::NoQuirks,
            context: None,
            foreign_context: false,
            max_depth: (opts.max_depth as usize).max(16),
            max_nodes: opts.max_nodes as usize,
            depth_hits: 0,
            work: 0,
            work_limit: if opts.bounded_work { WORK_BASE + WORK_PER_BYTE * input_len as u64 } else { u64::MAX },
            frugal: false,
            selected_content: false,
            select: SelectState::default(),
            merges: Default::default(),
            kept_attrs: kept_attrs(opts),
        }
    }

    /// Prepares for a fragment by the "HTML fragment parsing algorithm". Returns the tokenizer's first state.
    pub(crate) fn set_context(&mut self, context: &Context<'_>, tag: Tag) -> TokenizerState {
        self.context = Some((context.namespace, lower(tag)));
        self.foreign_context = context.namespace != Namespace::Html;
        self.quirks = context.quirks;
        let root = self.arena.add(NodeKind::Element, Namespace::Html, Tag::HTML.0, 0, 0, (0, 0));
        self.arena.append(0, root);
        self.push(root, Tag::HTML, Namespace::Html);
        if context.in_form || (tag == Tag::FORM && !self.foreign_context) {
            // Not an element of the tree, but not null.
            self.form = root;
        }
        if self.foreign_context {
            self.reset_mode();
            return TokenizerState::Data;
        }
        if tag == Tag::TEMPLATE {
            self.s.template_modes.push(Mode::InTemplate);
        }
        self.reset_mode();
        match tag {
            Tag::TITLE | Tag::TEXTAREA => TokenizerState::Rcdata,
            Tag::STYLE | Tag::XMP | Tag::IFRAME | Tag::NOEMBED | Tag::NOFRAMES => TokenizerState::Rawtext,
            Tag::NOSCRIPT if self.opts.scripting => TokenizerState::Rawtext,
            Tag::SCRIPT => TokenizerState::Script,
            Tag::PLAINTEXT => TokenizerState::Plaintext,
            _ => TokenizerState::Data,
        }
    }

    /// Completes a fragment: its nodes become children of the document node.
    pub(crate) fn finish_fragment(&mut self) {
        let root = self.arena.node(0).first;
        if root != NONE {
            self.arena.detach(root);
            self.arena.move_children(root, 0);
        }
    }

    /// Returns the arena, with the parser's buffers put back for the next document.
    pub(crate) fn into_arena(mut self) -> Arena {
        self.arena.scratch = self.s;
        self.arena
    }

    /// Counts steps towards the work limit.
    #[inline]
    fn charge(&mut self, steps: u64) {
        self.work += steps;
        if self.work > self.work_limit {
            self.frugal = true;
        }
    }

    #[inline]
    fn begin(&mut self, core: &mut Core<'_>, end_tag: Option<Tag>) {
        self.token = core.token;
        if self.arena.nodes.len() >= self.max_nodes {
            core.full = true;
        }
        self.end_tag = end_tag;
    }

    /// "Reset the insertion mode appropriately".
    fn reset_mode(&mut self) {
        let index = self.bound(stack::RESET);
        let last = index <= 1;
        let (ns, mut tag) = (Namespace::Html, self.s.stack[index].tag);
        if last && let Some((context_ns, context)) = self.context {
            tag = context;
            if context_ns != ns {
                self.mode = Mode::InBody;
                return;
            }
        }
        self.mode = match tag {
            Tag::TD | Tag::TH if !last => Mode::InCell,
            Tag::TR => Mode::InRow,
            Tag::TBODY | Tag::THEAD | Tag::TFOOT => Mode::InTableBody,
            Tag::CAPTION => Mode::InCaption,
            Tag::COLGROUP => Mode::InColumnGroup,
            Tag::TABLE => Mode::InTable,
            Tag::TEMPLATE => self.s.template_modes.last().copied().unwrap_or(Mode::InTemplate),
            Tag::HEAD if !last => Mode::InHead,
            Tag::FRAMESET => Mode::InFrameset,
            Tag::HTML if self.head == NONE => Mode::BeforeHead,
            Tag::HTML => Mode::AfterHead,
            _ => Mode::InBody,
        };
    }

    fn start_in(&mut self, mode: Mode, core: &mut Core<'_>, tag: StartTag) -> Flow {
        match mode {
            Mode::InBody => self.body_start(core, tag),
            Mode::Initial => self.leave_initial(),
            Mode::BeforeHtml => self.before_html_start(core, tag),
            Mode::BeforeHead => self.before_head_start(core, tag),
            Mode::InHead => self.head_start(core, tag),
            Mode::InHeadNoscript => self.head_noscript_start(core, tag),
            Mode::AfterHead => self.after_head_start(core, tag),
            Mode::InTable => self.table_start(core, tag),
            Mode::InCaption => self.caption_start(core, tag),
            Mode::InColumnGroup => self.column_group_start(core, tag),
            Mode::InTableBody => self.table_body_start(core, tag),
            Mode::InRow => self.row_start(core, tag),
            Mode::InCell => self.cell_start(core, tag),
            Mode::InTemplate => self.template_mode_start(core, tag),
            Mode::AfterBody | Mode::AfterAfterBody => self.after_body_start(core, tag),
            Mode::InFrameset => self.frameset_start(core, tag),
            Mode::AfterFrameset | Mode::AfterAfterFrameset => self.after_frameset_start(core, tag),
            // No tag arrives in these modes: pending text is flushed first, and raw text ends before a tag.
            Mode::Text | Mode::InTableText => Flow::Done,
        }
    }

    fn end_in(&mut self, mode: Mode, core: &mut Core<'_>, tag: Tag) -> Flow {
        match mode {
            Mode::InBody => self.body_end(core, tag),
            Mode::Initial => self.leave_initial(),
            Mode::BeforeHtml => self.before_html_end(core, tag),
            Mode::BeforeHead => self.before_head_end(core, tag),
            Mode::InHead => self.head_end(tag),
            Mode::InHeadNoscript => self.head_noscript_end(tag),
            Mode::AfterHead => self.after_head_end(core, tag),
            Mode::Text | Mode::InTableText => {
                self.pop();
                self.mode = self.original_mode;
                Flow::Done
            }
            Mode::InTable => self.table_end(core, tag),
            Mode::InCaption => self.caption_end(core, tag),
            Mode::InColumnGroup => self.column_group_end(tag),
            Mode::InTableBody => self.table_body_end(core, tag),
            Mode::InRow => self.row_end(core, tag),
            Mode::InCell => self.cell_end(core, tag),
            Mode::InTemplate => self.template_mode_end(tag),
            Mode::AfterBody | Mode::AfterAfterBody => self.after_body_end(tag),
            Mode::InFrameset => self.frameset_end(tag),
            Mode::AfterFrameset | Mode::AfterAfterFrameset => self.after_frameset_end(tag),
        }
    }

    /// Processes text in a mode. Returns the part to process again in the next mode.
    fn text_in(&mut self, mode: Mode, core: &mut Core<'_>, run: TextRun) -> TextRun {
        match mode {
            Mode::InBody | Mode::InCaption | Mode::InCell | Mode::InTemplate => self.body_text(core, run),
            Mode::Initial | Mode::BeforeHtml | Mode::BeforeHead => return self.early_text(core, run),
            Mode::InHead | Mode::InHeadNoscript | Mode::AfterHead | Mode::InColumnGroup => {
                return self.head_text(core, run);
            }
            Mode::Text => self.raw_text(core, run),
            Mode::InTable | Mode::InTableBody | Mode::InRow => return self.table_text(core, run),
            Mode::InTableText => self.s.pending.push((run, self.token)),
            Mode::AfterBody | Mode::AfterAfterBody => {
                if leading_space(core.str(run)) < run.len as usize {
                    self.mode = Mode::InBody;
                }
                self.body_text(core, run);
            }
            Mode::InFrameset | Mode::AfterFrameset | Mode::AfterAfterFrameset => self.frameset_text(core, run),
        }
        TextRun::EMPTY
    }

    fn eof_in(&mut self, core: &mut Core<'_>) -> Flow {
        match self.mode {
            Mode::Initial => self.leave_initial(),
            Mode::BeforeHtml => self.leave_before_html(core),
            Mode::BeforeHead => self.leave_before_head(core),
            Mode::InHead | Mode::InHeadNoscript => self.leave_head(),
            Mode::AfterHead => self.leave_after_head(core),
            Mode::Text => {
                self.pop();
                self.mode = self.original_mode;
                Flow::Again
            }
            Mode::InBody
            | Mode::InTable
            | Mode::InTableText
            | Mode::InCaption
            | Mode::InColumnGroup
            | Mode::InTableBody
            | Mode::InRow
            | Mode::InCell
            | Mode::InTemplate => {
                if self.s.template_modes.is_empty() {
                    return Flow::Done;
                }
                self.template_eof()
            }
            _ => Flow::Done,
        }
    }

    fn raw_text(&mut self, core: &mut Core<'_>, run: TextRun) {
        let skip = &self.opts.skip;
        let skipped = match self.current().tag {
            Tag::SCRIPT => skip.script_text,
            Tag::STYLE => skip.style_text,
            _ => false,
        };
        if !skipped {
            self.insert_text(core, run);
        }
    }

    /// Processes pending table text before any other token.
    #[inline]
    fn flush_table_text(&mut self, core: &mut Core<'_>) {
        if self.mode == Mode::InTableText {
            self.end_table_text(core);
        }
    }
}

impl Sink for TreeBuilder<'_> {
    fn start_tag(&mut self, core: &mut Core<'_>, tag: StartTag) -> Next {
        self.flush_table_text(core);
        self.begin(core, None);
        self.ignore_lf = false;
        self.attrs_used = false;
        self.next = Next::Continue;
        loop {
            let flow = if self.foreign() && self.is_foreign_start(tag.tag) {
                self.foreign_start(core, tag)
            } else {
                self.start_in(self.mode, core, tag)
            };
            if flow == Flow::Done {
                break;
            }
        }
        if !self.attrs_used {
            core.attrs.truncate(tag.attrs as usize);
        }
        self.next
    }

    fn end_tag(&mut self, core: &mut Core<'_>, tag: Tag) {
        self.flush_table_text(core);
        self.begin(core, Some(tag));
        self.ignore_lf = false;
        loop {
            let flow = if self.foreign() { self.foreign_end(core, tag) } else { self.end_in(self.mode, core, tag) };
            if flow == Flow::Done {
                break;
            }
        }
    }

    fn text(&mut self, core: &mut Core<'_>, mut run: TextRun) {
        self.begin(core, None);
        if self.ignore_lf {
            self.ignore_lf = false;
            if core.str(run).starts_with('\n') {
                run = run.skip(1);
            }
        }
        while run.len > 0 {
            run = if self.foreign() && self.is_foreign_text() {
                self.foreign_text(core, run);
                TextRun::EMPTY
            } else {
                self.text_in(self.mode, core, run)
            };
        }
    }

    fn nul(&mut self, core: &mut Core<'_>) {
        self.begin(core, None);
        self.ignore_lf = false;
        if self.foreign() && self.is_foreign_text() {
            let start = core.side.len() as u32;
            core.side.push('\u{FFFD}');
            self.insert_text(core, TextRun { start: start | crate::tokenizer::SIDE, len: 3 });
            return;
        }
        // Where NUL is not ignored, it is "anything else" and opens implied elements.
        loop {
            let flow = match self.mode {
                Mode::Initial => self.leave_initial(),
                Mode::BeforeHtml => self.leave_before_html(core),
                Mode::BeforeHead => self.leave_before_head(core),
                Mode::InHead | Mode::InHeadNoscript => self.leave_head(),
                Mode::AfterHead => self.leave_after_head(core),
                Mode::InColumnGroup if self.current_is(Tag::COLGROUP) => {
                    self.pop();
                    self.mode = Mode::InTable;
                    Flow::Again
                }
                Mode::AfterBody | Mode::AfterAfterBody => {
                    self.mode = Mode::InBody;
                    Flow::Done
                }
                _ => Flow::Done,
            };
            if flow == Flow::Done {
                break;
            }
        }
    }

    fn comment(&mut self, core: &mut Core<'_>, run: TextRun) {
        self.flush_table_text(core);
        self.begin(core, None);
        self.ignore_lf = false;
        let place = match self.mode {
            _ if self.foreign() => self.insertion_point(),
            Mode::Initial | Mode::BeforeHtml | Mode::AfterAfterBody | Mode::AfterAfterFrameset => {
                InsertionPoint::end_of(0)
            }
            Mode::AfterBody => InsertionPoint::end_of(self.s.stack[1].node),
            _ => self.insertion_point(),
        };
        self.insert_comment(run, place);
    }

    fn doctype(&mut self, core: &mut Core<'_>, doctype: DoctypeToken) {
        self.flush_table_text(core);
        self.begin(core, None);
        self.ignore_lf = false;
        if self.mode == Mode::Initial {
            self.initial_doctype(doctype);
        }
    }

    fn end(&mut self, core: &mut Core<'_>) {
        self.flush_table_text(core);
        self.begin(core, None);
        while self.eof_in(core) == Flow::Again {}
        let body = if matches!(self.mode, Mode::AfterBody | Mode::AfterAfterBody) { self.body() } else { None };
        let closed = body.map(|node| (node, self.arena.node(node).end));
        self.pop_to(1);
        if let Some((node, end)) = closed {
            self.arena.node_mut(node).end = end;
        }
        self.finish_merges(core);
    }

    fn in_foreign(&self) -> bool {
        self.foreign()
    }
}

/// Returns the length of leading white space in bytes.
fn leading_space(text: &str) -> usize {
    text.bytes().position(|b| !matches!(b, b' ' | b'\n' | b'\t' | b'\r' | 0x0C)).unwrap_or(text.len())
}

/// Returns the length of leading text other than white space in bytes.
fn leading_ink(text: &str) -> usize {
    text.bytes().position(|b| matches!(b, b' ' | b'\n' | b'\t' | b'\r' | 0x0C)).unwrap_or(text.len())
}

fn kept_attrs(opts: &ParseOptions) -> Vec<bool> {
    let mut kept = Vec::new();
    if let Some(names) = &opts.skip.attributes_except {
        kept.resize(Attr::known_count(), false);
        for name in names {
            if let Some(slot) = kept.get_mut(name.index()) {
                *slot = true;
            }
        }
    }
    kept
}

/// Returns the tag in the case of a token.
fn lower(tag: Tag) -> Tag {
    match tag.known_name() {
        Some(name) if name.bytes().any(|b| b.is_ascii_uppercase()) => {
            Tag::from_name(&name.to_ascii_lowercase()).unwrap_or(tag)
        }
        _ => tag,
    }
}
