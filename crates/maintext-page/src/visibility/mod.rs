//! What a visitor sees: for each element and text, whether it is seen, seen after an action of theirs, or never.
//!
//! [`Blocks`](crate::blocks::Blocks) asks for each element that it opens. Text that is never visible is not cut into blocks, so that no
//! format, metadata or list holds it. docs/robustness.md has the rules and what they cost on honest pages.
mod filter;
pub mod names;
pub mod reveal;
mod sheet;
mod style;

use crate::dom::names::{Class, Names};
use crate::dom::{self, Dom, NodeId, NodeKind, Tag};
use crate::hash::{HashMap, HashSet};
use maintext_html::Attr;
use names::Signs;
use reveal::Controls;
use serde::Serialize;
use sheet::{Named, Sheet};
use style::{Cascade, Colour, Declaration, FAR_PX, Length, Position, Side, WINDOW_PX, declarations};

/// Why a visitor never sees a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// An attribute: `hidden`, `popover`, a `<dialog>` without `open`.
    Attribute,
    /// `display: none`.
    Display,
    /// `visibility: hidden`, `content-visibility: hidden`.
    Invisible,
    /// No opacity, or a transparent colour.
    Transparent,
    /// The colour of the background.
    Colour,
    /// Letters of no size.
    FontSize,
    /// A box of no size, or one that shows no part of itself.
    Clipped,
    /// Moved out of the window.
    Moved,
    /// A name that hides an element by an external style sheet.
    Class,
    /// A name for text that only screen readers read.
    ScreenReader,
    /// Characters that show nothing.
    Characters,
}

impl Reason {
    /// Whether the visitor or a script may undo it. Text for machines stays hidden.
    fn is_doubtful(self) -> bool {
        use Reason as R;
        matches!(self, R::Attribute | R::Display | R::Invisible | R::Transparent | R::Moved | R::Class | R::Clipped)
    }
}

/// A part of the page that is left out because it is invisible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// The element or the text.
    pub node: NodeId,
    /// The element that hides it: itself, or one above the text.
    pub by: NodeId,
    /// Why it is not seen.
    pub reason: Reason,
    /// Bytes of its text without white space.
    pub bytes: u32,
    /// Whether the reason is a colour from a style sheet, on a background that only the page itself sets.
    is_unsure: bool,
}

/// When a visitor sees an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// At once.
    Now,
    /// Perhaps later: an attribute of the element says that it is hidden, or hides it from screen readers.
    Later,
    /// No visitor ever sees it.
    Never,
}

/// What the elements above a text mean for it.
#[derive(Clone, Copy, Debug)]
struct State {
    /// Whether `visibility` hides, which elements below may undo.
    invisible: bool,
    font_size: f32,
    indent: f32,
    opacity: f32,
    colour: Option<Colour>,
    background: Option<Colour>,
    /// Whether an attribute sets the colour, or an element inside of the page the background. Otherwise a picture may be behind the text.
    is_sure: bool,
    /// Whether background-clip shows text of a transparent colour.
    painted: bool,
    /// Whether line breaks of the source are shown.
    lines: bool,
    /// Why text is not seen here, and the element that hides it.
    reason: Option<(Reason, NodeId)>,
    /// Whether an element above is hidden until a visitor or a script shows it.
    revealed: bool,
}

/// Follows the walk over a page.
pub struct Visibility<'a> {
    dom: &'a Dom<'a>,
    names: &'a Names,
    /// The meaning of each class of the page for its elements.
    signs: Vec<Signs>,
    sheet: Option<Sheet<'a>>,
    /// Whether style sheets apply that are not in the page.
    external: bool,
    controls: Option<Controls<'a>>,
    /// The open elements that change the state, with their states; the state of the page first.
    states: Vec<(NodeId, State)>,
    /// The declarations that apply to the current element.
    applied: Cascade,
    /// Hidden elements that are kept, since they are most of the page.
    kept: HashSet<NodeId>,
    /// Hidden parts in document order.
    pub hidden: Vec<Hidden>,
}

/// Returns the last value of a kind among the declarations of an element.
macro_rules! last {
    ($values:expr, $kind:ident) => {
        $values.iter().rev().find_map(|d| if let Declaration::$kind(value) = *d { Some(value) } else { None })
    };
    ($values:expr, $kind:ident($side:expr)) => {
        $values.iter().rev().find_map(|d| match *d {
            Declaration::$kind(side, value) if side == $side => Some(value),
            _ => None,
        })
    };
}

/// Pixels below which letters cannot be read.
const MIN_FONT_PX: f32 = 2.0;
/// Opacity below which nothing can be seen.
const MIN_OPACITY: f32 = 0.05;
/// Difference of two colours in each part, of 255, below which the eye does not see it.
const MAX_COLOUR_DIFFERENCE: u8 = 16;
/// Share of the page's text above which a hidden part waits for a script.
const MAX_HIDDEN_SHARE: f32 = 0.2;

/// Number of elements around a part of code.
const MAX_LEVELS_TO_CODE: usize = 6;
/// Number of nodes before an element among which its text for screen readers is sought.
const MAX_SIBLINGS: usize = 3;

/// Number of elements from which text in the colour of the page is a design on pictures or boxes that are not known.
const MIN_DESIGN_ELEMENTS: usize = 3;

impl<'a> Visibility<'a> {
    /// Reads the style sheets of a page.
    pub fn new(dom: &'a Dom<'a>) -> Self {
        let (sheet, external) = if dom.keeps_hidden() { (None, false) } else { Sheet::read(dom) };
        let names = dom.names();
        let mut visibility = Visibility {
            dom,
            names,
            signs: names.classes().map(Signs::of).collect(),
            sheet,
            external,
            controls: None,
            states: Vec::new(),
            applied: Cascade::default(),
            kept: HashSet::default(),
            hidden: Vec::new(),
        };
        visibility.begin();
        visibility
    }

    fn begin(&mut self) {
        let white = (!self.external).then_some([255; 4]);
        let state = State {
            invisible: false,
            font_size: 16.0,
            indent: 0.0,
            opacity: 1.0,
            colour: None,
            background: white,
            is_sure: false,
            painted: false,
            lines: false,
            reason: None,
            revealed: false,
        };
        self.states = vec![(NodeId::ROOT, state)];
    }

    /// Whether hidden parts hold a large share of the page's text, so that a script must show them. The next walk keeps them.
    pub fn waits_for_script(&mut self, shown: usize) -> bool {
        let mut sums: HashMap<NodeId, usize> = HashMap::default();
        for h in self.hidden.iter().filter(|h| h.reason.is_doubtful()) {
            *sums.entry(h.by).or_default() += h.bytes as usize;
        }
        let all = shown + self.hidden.iter().map(|h| h.bytes as usize).sum::<usize>();
        sums.retain(|_, bytes| *bytes as f32 > MAX_HIDDEN_SHARE * all as f32);
        let unsure: HashSet<NodeId> = self.hidden.iter().filter(|h| h.is_unsure).map(|h| h.by).collect();
        let is_design = unsure.len() >= MIN_DESIGN_ELEMENTS;
        let waits = !sums.is_empty() || is_design;
        if waits {
            self.external |= is_design;
            self.kept.extend(sums.into_keys());
            self.hidden.clear();
            self.begin();
        }
        waits
    }

    /// Returns the parts that took more work than the page allows, so that they were not read to their ends.
    pub fn cut(&self) -> impl Iterator<Item = &'static str> {
        let rules = self.sheet.as_ref().is_some_and(Sheet::is_cut).then_some("style rules");
        let scripts = self.controls.as_ref().is_some_and(Controls::is_cut).then_some("names searched in scripts");
        rules.into_iter().chain(scripts)
    }

    fn state(&self) -> &State {
        &self.states[self.states.len() - 1].1
    }

    /// Whether a text at this position is invisible.
    pub fn hides_text(&mut self, n: NodeId, text: &str) -> bool {
        let Some((reason, by)) = self.state().reason else { return false };
        let is_unsure = reason == Reason::Colour && !self.state().is_sure;
        self.hidden.push(Hidden { node: n, by, reason, bytes: visible_bytes(text), is_unsure });
        true
    }

    /// Whether the line breaks of a text at this place are shown.
    pub fn shows_lines(&self) -> bool {
        self.state().lines
    }

    /// Opens an element.
    pub fn enter(&mut self, n: NodeId, tag: Tag) -> Sight {
        let (mut has_id, mut style) = (false, "");
        let (mut reason, mut is_open, mut is_marked) = (None, false, false);
        let mut colours = [None; 2];
        for (name, value) in self.dom.attributes(n) {
            match name {
                Attr::ID => has_id = true,
                Attr::STYLE => style = value,
                Attr::HIDDEN if !value.eq_ignore_ascii_case("until-found") => reason = Some(Reason::Attribute),
                Attr::ARIA_HIDDEN if value.eq_ignore_ascii_case("true") => {
                    if !self.dom.keeps_hidden() && self.is_spelled_out(n) {
                        return Sight::Never;
                    }
                    // A price before and after a reduction is hidden from screen readers alone.
                    is_marked = match tag {
                        Tag::DEL | Tag::INS | Tag::S => false,
                        Tag::SPAN => !self.is_read_elsewhere(n),
                        _ => true,
                    };
                }
                Attr::POPOVER => reason = Some(Reason::Attribute),
                Attr::OPEN => is_open = true,
                Attr::COLOR => colours[0] = Some(value),
                Attr::BGCOLOR => colours[1] = Some(value),
                _ => {}
            }
        }
        if tag == Tag::DIALOG && !is_open {
            reason = Some(Reason::Attribute);
        }
        is_marked |= reason.is_some() || dom::style_hides(style);
        let class = self.names.class_of(n);
        let signs = self.signs[class.index()];
        if signs.is_copy && !self.dom.keeps_hidden() {
            return Sight::Never;
        }
        // Notebooks call a cell that readers can unfold "hide".
        if tag != Tag::DETAILS || !self.dom.has_class(n, "hide") {
            reason = reason.or(signs.hides);
        }
        if reason == Some(Reason::ScreenReader) && self.spells_out(n) {
            reason = None;
        }
        self.applied.clear();
        // An element may override inherited styles.
        let above_hides = self.state().reason.is_some() || self.state().lines;
        if let Some(sheet) = &mut self.sheet {
            let is_hidden = reason.is_some() || above_hides || !style.is_empty() && filter::may_hide(style);
            let id = if has_id { self.names.id_of(n) } else { None };
            sheet.apply(self.dom, Named { node: n, tag, class, id }, is_hidden, &mut self.applied);
        }
        let seen = if is_marked { Sight::Later } else { Sight::Now };
        if reason.is_none() && style.is_empty() && self.applied.is_empty() && colours == [None; 2] {
            if class != Class::NONE {
                self.forget_sizes(n);
                self.keep_lines(n, signs);
            }
            return seen;
        }
        let is_hidden = self.decide(n, tag, style, reason, colours);
        if is_hidden {
            return Sight::Never;
        }
        self.keep_lines(n, signs);
        seen
    }

    /// Whether a label or a neighbour tells screen readers what an element shows, so that `aria-hidden` does not hide it from the eye.
    fn is_read_elsewhere(&self, n: NodeId) -> bool {
        let dom = self.dom;
        dom.parent(n).is_some_and(|parent| dom.attr(parent, "aria-label").is_some())
            || self.neighbours(n).any(|n| names::is_for_screen_readers(dom.class(n)))
    }

    /// Whether a text for screen readers has the marks that its neighbour replaces by design: "$12.50" next to "$12" with a raised "50".
    fn spells_out(&self, n: NodeId) -> bool {
        self.neighbours(n).any(|other| is_design_of(self.dom, other, n))
    }

    /// Whether a text for screen readers [spells out](Self::spells_out) an element that is hidden from them.
    fn is_spelled_out(&self, n: NodeId) -> bool {
        self.neighbours(n).any(|other| {
            let signs = self.signs[self.names.class_of(other).index()];
            signs.hides == Some(Reason::ScreenReader) && is_design_of(self.dom, n, other)
        })
    }

    fn neighbours(&self, n: NodeId) -> impl Iterator<Item = NodeId> {
        self.dom.prev_siblings(n).take(MAX_SIBLINGS).chain(self.dom.next_siblings(n).take(MAX_SIBLINGS))
    }

    /// Takes text below an element with a class for visible where a style sheet outside of the page may give it another size or colour.
    fn forget_sizes(&mut self, n: NodeId) {
        let state = *self.state();
        if self.external
            && state
                .reason
                .is_some_and(|(reason, _)| matches!(reason, Reason::FontSize | Reason::Colour | Reason::Transparent))
        {
            self.states.push((n, State { reason: None, font_size: 16.0, colour: None, background: None, ..state }));
        }
    }

    /// Notes that a class shows the line breaks of a text, or joins its lines again.
    fn keep_lines(&mut self, n: NodeId, signs: Signs) {
        if let Some(lines) = signs.lines.filter(|lines| *lines != self.state().lines) {
            let state = State { lines, ..*self.state() };
            self.states.pop_if(|(open, _)| *open == n);
            self.states.push((n, state));
        }
    }

    /// Closes an element.
    pub fn leave(&mut self, n: NodeId) {
        if let Some(sheet) = &mut self.sheet {
            sheet.leave(n);
        }
        if self.states[self.states.len() - 1].0 == n && n != NodeId::ROOT {
            self.states.pop();
        }
    }

    /// Decides about an element that may be hidden, and returns whether it is invisible.
    #[cold]
    fn decide(
        &mut self,
        n: NodeId,
        tag: Tag,
        style: &str,
        attribute: Option<Reason>,
        colours: [Option<&str>; 2],
    ) -> bool {
        let mut is_coloured = colours[0].is_some();
        for (order, (declaration, is_important)) in declarations(style).into_iter().enumerate() {
            is_coloured |= matches!(declaration, Declaration::Colour(_));
            self.applied.add(declaration, (is_important, u32::MAX, order as u32));
        }
        let [colour, background] = colours.map(|colour| colour.map(style::plain_colour));
        colour.into_iter().for_each(|colour| self.applied.add_default(Declaration::Colour(colour)));
        background.into_iter().for_each(|colour| self.applied.add_default(Declaration::Background(colour)));
        let applied = std::mem::take(&mut self.applied);
        let is_hidden = self.decide_by(n, tag, applied.values(), attribute, is_coloured);
        self.applied = applied;
        is_hidden
    }

    /// Decides about an element with these declarations. `is_coloured`: whether its own attributes set its colour.
    fn decide_by(
        &mut self,
        n: NodeId,
        tag: Tag,
        values: &[Declaration],
        attribute: Option<Reason>,
        is_coloured: bool,
    ) -> bool {
        let above = *self.state();
        let mut state = self.next_state(values);
        let has_box = last!(values, Background).is_some() && !matches!(tag, Tag::HTML | Tag::BODY);
        state.is_sure |= is_coloured || has_box;
        let reason = attribute
            .filter(|r| !{
                matches!(r, Reason::Attribute | Reason::Class) && last!(values, DisplayNone) == Some(false)
            })
            .or_else(|| gone(values, &state, tag));
        if let Some(reason) = reason {
            // Most hidden elements have no text, and evidence that they are shown takes longer to find.
            if !above.revealed && has_text(self.dom, n) && !self.shows(n, reason, values) && !is_formula(self.dom, n) {
                let texts = self.dom.descendants(n).map(|t| visible_bytes(self.dom.text(t)));
                let bytes = texts.fold(0u32, u32::saturating_add);
                self.hidden.push(Hidden { node: n, by: n, reason, bytes, is_unsure: false });
                return true;
            }
            state.revealed = true;
            state.opacity = 1.0;
        }
        if state.invisible && !above.invisible && (state.revealed || self.shows(n, Reason::Invisible, values)) {
            (state.invisible, state.revealed) = (false, true);
        }
        let why = match text_reason(&state) {
            // Programs that colour code know its background.
            Some(Reason::Colour) if self.is_in_code(n) => None,
            Some(_) if self.dom.keeps_hidden() || self.kept.contains(&n) => None,
            why => why,
        };
        state.reason = why.map(|why| above.reason.filter(|above| above.0 == why).unwrap_or((why, n)));
        self.states.push((n, state));
        false
    }

    fn is_in_code(&self, n: NodeId) -> bool {
        let mut around = self.dom.ancestors(n).take(MAX_LEVELS_TO_CODE);
        around.any(|n| matches!(self.dom.tag(n), Tag::PRE | Tag::CODE))
    }

    fn next_state(&self, values: &[Declaration]) -> State {
        let mut state = *self.state();
        if let Some(invisible) = last!(values, Invisible) {
            state.invisible = invisible;
        }
        if let Some(size) = last!(values, FontSize) {
            state.font_size = size.px(state.font_size, state.font_size);
        }
        if let Some(indent) = last!(values, Indent) {
            state.indent = match indent {
                Length::Percent(percent) if percent.abs() >= 100.0 && cuts(values) => -2.0 * FAR_PX,
                indent => indent.px(state.font_size, 0.0),
            };
        }
        if let Some(opacity) = last!(values, Opacity) {
            state.opacity *= opacity.clamp(0.0, 1.0);
        }
        if let Some(colour) = last!(values, Colour) {
            state.colour = colour;
        }
        match last!(values, Background) {
            Some(Some(colour)) if colour[3] > 128 => state.background = Some(colour),
            Some(Some(_)) | None => {}
            Some(None) => state.background = None,
        }
        state.painted |= values.contains(&Declaration::Painted);
        state.lines = last!(values, Lines).unwrap_or(state.lines);
        state
    }

    /// Whether a hidden element is kept: a visitor or a script shows it, or the caller wants all.
    fn shows(&mut self, n: NodeId, reason: Reason, values: &[Declaration]) -> bool {
        if self.dom.keeps_hidden() || self.kept.contains(&n) {
            return true;
        }
        if !reason.is_doubtful() {
            return false;
        }
        // A transition or an animation brings it into view.
        if values.contains(&Declaration::Moves) {
            return true;
        }
        let dom = self.dom;
        let controls = self.controls.get_or_insert_with(|| Controls::new(dom));
        let fades = match reason {
            Reason::Transparent | Reason::Moved | Reason::Clipped => true,
            // Designs move parts of the page into view, rather than a note in each line.
            Reason::Invisible => dom.tag(n) != Tag::SPAN,
            _ => false,
        };
        fades && controls.repeats(n) || controls.is_revealed(n, reason, &self.signs)
    }
}

/// Whether an element that is hidden from screen readers has the letters and digits of a text for them, but not all of its marks.
fn is_design_of(dom: &Dom<'_>, design: NodeId, text: NodeId) -> bool {
    if !dom::is_aria_hidden(dom, design) {
        return false;
    }
    let [Some(shown), Some(text)] = [design, text].map(|n| short_text(dom, n)) else { return false };
    let [shown_marks, marks] = [&shown, &text].map(|text| text.matches(['.', ',', ':']).count());
    shown_marks < marks
        && text.contains(|c: char| c.is_ascii_digit())
        && text.chars().filter(|c| c.is_alphanumeric()).eq(shown.chars().filter(|c| c.is_alphanumeric()))
}

/// Returns the text of an element with few nodes and few bytes.
fn short_text(dom: &Dom<'_>, n: NodeId) -> Option<String> {
    const MAX_NODES: usize = 20;
    const MAX_BYTES: usize = 60;
    let mut text = String::new();
    for (i, n) in dom.descendants(n).enumerate() {
        let own = dom.text(n).trim();
        if i == MAX_NODES || text.len() + own.len() > MAX_BYTES {
            return None;
        }
        text.push_str(own);
    }
    Some(text)
}

/// Whether a box shows no text that exceeds it.
fn cuts(values: &[Declaration]) -> bool {
    last!(values, Cuts) == Some(true)
}

/// Returns why an element is not seen with all that is in it, if so.
fn gone(values: &[Declaration], state: &State, tag: Tag) -> Option<Reason> {
    let px = |length: Option<Length>| length.map(|l| l.px(state.font_size, 1000.0));
    let is_small = |length: Option<Length>| px(length).is_some_and(|px| px <= 1.0);
    if last!(values, DisplayNone) == Some(true) {
        return Some(Reason::Display);
    }
    if last!(values, Skipped) == Some(true) {
        return Some(Reason::Invisible);
    }
    if state.opacity < MIN_OPACITY {
        return Some(Reason::Transparent);
    }
    let position = last!(values, Position);
    if last!(values, Shaped) == Some(true)
        || last!(values, Clipped) == Some(true) && position.map_or(cuts(values), |p| p == Position::Free)
    {
        return Some(Reason::Clipped);
    }
    let flat =
        is_small(last!(values, Height)) || is_small(last!(values, Width)) || px(last!(values, LineHeight)) == Some(0.0);
    if cuts(values) && flat && tag != Tag::HTML && tag != Tag::BODY {
        return Some(Reason::Clipped);
    }
    let away = |side: Side| {
        let is_far = |l: Length| match l {
            Length::Percent(percent) => percent <= -100.0 || side != Side::Top && percent >= 100.0,
            l => l.px(state.font_size, 0.0) <= -FAR_PX,
        };
        let inset = if position != Some(Position::Static) { last!(values, Inset(side)) } else { None };
        inset.is_some_and(|l| {
            is_far(l)
                || side == Side::Right
                    && l.px(state.font_size, 0.0) >= WINDOW_PX.0
                    && last!(values, Inset(Side::Left)).is_none()
        }) || last!(values, Margin(side)).is_some_and(is_far)
    };
    if last!(values, Vanishes) == Some(true) || [Side::Left, Side::Top, Side::Right, Side::Bottom].into_iter().any(away)
    {
        return Some(Reason::Moved);
    }
    None
}

/// Returns why text is not seen in this state, if so.
fn text_reason(state: &State) -> Option<Reason> {
    if state.invisible {
        return Some(Reason::Invisible);
    }
    if state.font_size < MIN_FONT_PX {
        return Some(Reason::FontSize);
    }
    if state.indent <= -FAR_PX {
        return Some(Reason::Moved);
    }
    let colour = state.colour?;
    if colour[3] < 13 {
        return (!state.painted).then_some(Reason::Transparent);
    }
    state
        .background
        .is_some_and(|background| (0..3).all(|i| colour[i].abs_diff(background[i]) < MAX_COLOUR_DIFFERENCE))
        .then_some(Reason::Colour)
}

/// Whether a hidden element is the readable form of a formula that the page shows as a picture.
fn is_formula(dom: &Dom<'_>, n: NodeId) -> bool {
    /// Number of nodes among which the formula begins.
    const MAX_NODES_TO_MATH: usize = 4;
    dom.descendants(n).take(MAX_NODES_TO_MATH).any(|n| dom.tag(n) == Tag::MATH)
}

fn has_text(dom: &Dom<'_>, n: NodeId) -> bool {
    dom.descendants(n).any(|t| dom.kind(t) == NodeKind::Text && visible_bytes(dom.text(t)) > 0)
}

fn visible_bytes(text: &str) -> u32 {
    text.bytes().filter(|b| !b.is_ascii_whitespace()).count() as u32
}
