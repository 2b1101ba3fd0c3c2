//! The declarations of CSS that decide whether a visitor sees an element.
use super::filter::{is_decisive, split};
use cssparser::color::{parse_hash_color, parse_named_color};
use cssparser::{
    AtRuleParser, CowRcStr, DeclarationParser, Delimiter, ParseError, Parser, ParserState, QualifiedRuleParser,
    RuleBodyItemParser, RuleBodyParser, Token, parse_important,
};
use memchr::{memchr, memchr2, memchr3, memmem};

/// A length: pixels, with other units at their usual sizes, or a percentage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Length {
    Px(f32),
    Em(f32),
    Percent(f32),
}

impl Length {
    /// Returns the pixels, for an element of this font size in a box of this size.
    pub(super) fn px(self, font: f32, whole: f32) -> f32 {
        match self {
            Length::Px(px) => px,
            Length::Em(em) => em * font,
            Length::Percent(percent) => percent / 100.0 * whole,
        }
    }
}

/// A colour: red, green, blue, and opacity.
pub(super) type Colour = [u8; 4];

/// A value that decides about visibility.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Declaration {
    /// `display`, whether it is `none`.
    DisplayNone(bool),
    /// `visibility`, whether it hides.
    Invisible(bool),
    /// `content-visibility`, whether it hides.
    Skipped(bool),
    Opacity(f32),
    FontSize(Length),
    LineHeight(Length),
    Width(Length),
    Height(Length),
    /// `overflow`, whether what exceeds the box is cut.
    Cuts(bool),
    /// `position`, whether it takes the element out of the page's flow.
    Position(Position),
    /// The distance from an edge: left, top, right, bottom.
    Inset(Side, Length),
    /// A margin.
    Margin(Side, Length),
    /// `clip-path`, whether nothing is left.
    Shaped(bool),
    /// `clip`, whether nothing is left.
    Clipped(bool),
    Indent(Length),
    /// `transform`, whether it moves the element away or makes it vanish.
    Vanishes(bool),
    /// A colour of text; `None` if it is not a plain colour.
    Colour(Option<Colour>),
    /// A colour behind text; `None` if it is a picture or not a plain colour.
    Background(Option<Colour>),
    /// `background-clip: text`, which shows text of a transparent colour.
    Painted,
    /// A transition or an animation, which may change the rest.
    Moves,
    /// `white-space`, whether line breaks of the source are shown. It hides nothing.
    Lines(bool),
}

impl Declaration {
    /// Whether it can hide an element. Colours count if the one behind the text is known.
    pub(super) fn hides(self, by_colour: bool) -> bool {
        use Declaration as D;
        let px = |length: Length| length.px(16.0, 1000.0);
        match self {
            D::DisplayNone(is)
            | D::Invisible(is)
            | D::Skipped(is)
            | D::Clipped(is)
            | D::Shaped(is)
            | D::Vanishes(is) => is,
            D::Opacity(value) => value < 0.5,
            D::FontSize(size) => px(size) < 4.0,
            D::LineHeight(size) | D::Width(size) | D::Height(size) => px(size) <= 1.0,
            D::Margin(_, length) => px(length) <= -FAR_PX,
            D::Inset(side, length) => px(length) <= -FAR_PX || side == Side::Right && px(length) >= WINDOW_PX.0,
            D::Indent(length) => px(length).abs() >= FAR_PX,
            D::Colour(colour) => colour.is_some_and(|c| by_colour || c[3] < 13),
            // A text is seen or not by the colour behind it.
            D::Background(_) => by_colour,
            // Declarations that show the lines of a text are needed, like the ones that hide it.
            D::Lines(is) => is,
            D::Cuts(_) | D::Position(_) | D::Painted | D::Moves => false,
        }
    }
}

/// Number of different properties of an element that declarations set.
const SLOTS: usize = 27;

impl Declaration {
    /// Returns a number that declarations share of which only the last counts, below [`SLOTS`].
    fn slot(self) -> usize {
        use Declaration as D;
        match self {
            D::DisplayNone(_) => 0,
            D::Invisible(_) => 1,
            D::Skipped(_) => 2,
            D::Opacity(_) => 3,
            D::FontSize(_) => 4,
            D::LineHeight(_) => 5,
            D::Width(_) => 6,
            D::Height(_) => 7,
            D::Cuts(_) => 8,
            D::Position(_) => 9,
            D::Shaped(_) => 10,
            D::Clipped(_) => 11,
            D::Indent(_) => 12,
            D::Vanishes(_) => 13,
            D::Colour(_) => 14,
            D::Background(_) => 15,
            D::Painted => 16,
            D::Moves => 17,
            D::Lines(_) => 18,
            D::Inset(side, _) => 19 + side as usize,
            D::Margin(side, _) => 23 + side as usize,
        }
    }
}

/// Leaves out the declarations that later ones of the same block replace, so that a block sets at most [`SLOTS`] properties, each once
/// important and once not.
fn without_replaced(mut block: Vec<Weighed>) -> Vec<Weighed> {
    if block.len() > 1 {
        let mut later = [0u32; 2];
        block.reverse();
        block.retain(|(declaration, is_important)| {
            let later = &mut later[usize::from(*is_important)];
            let bit = 1 << declaration.slot();
            let is_last = *later & bit == 0;
            *later |= bit;
            is_last
        });
        block.reverse();
    }
    block
}

/// The weight of a declaration: importance, specificity, and the order of its rule.
pub(super) type Weight = (bool, u32, u32);

/// The declarations that win on an element. It has one slot per property, so that it stays small however many rules apply.
#[derive(Debug, Default)]
pub(super) struct Cascade {
    values: Vec<Declaration>,
    /// Bit `i` says that some value has slot `i`.
    set: u32,
    /// For each slot that is set, the index of its value, and the value's weight.
    winners: [(u8, Weight); SLOTS],
}

impl Cascade {
    pub(super) fn clear(&mut self) {
        self.values.clear();
        self.set = 0;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the winning declarations, in no order.
    pub(super) fn values(&self) -> &[Declaration] {
        &self.values
    }

    /// Adds a declaration; of several with equal weight the last wins.
    pub(super) fn add(&mut self, declaration: Declaration, weight: Weight) {
        let slot = declaration.slot();
        let (place, best) = &mut self.winners[slot];
        if self.set & 1 << slot == 0 {
            (*place, *best) = (self.values.len() as u8, weight);
            self.set |= 1 << slot;
            self.values.push(declaration);
        } else if weight >= *best {
            *best = weight;
            self.values[usize::from(*place)] = declaration;
        }
    }

    /// Adds a declaration that any other replaces: an attribute of HTML.
    pub(super) fn add_default(&mut self, declaration: Declaration) {
        if self.set & 1 << declaration.slot() == 0 {
            self.add(declaration, Weight::default());
        }
    }
}

/// How a box is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// Distances from edges and `clip` have no effect.
    Static,
    /// `clip` has no effect.
    Relative,
    /// Absolute or fixed.
    Free,
}

/// An edge of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Top,
    Right,
    Bottom,
}

/// A declaration, and whether it is important.
pub(super) type Weighed = (Declaration, bool);

/// Reads the declarations of a rule or of a `style` attribute, without those that later ones replace.
pub(super) fn declarations(text: &str) -> Vec<Weighed> {
    let mut reader = Reader { found: Vec::new() };
    if is_plain(text) {
        // Nearly all declarations are of other properties, and need no parser.
        for (name, value) in split(text).filter(|(name, _)| is_decisive(name) || is_beside(name)) {
            let _ = reader.read_value(name, &mut Parser::new(value));
        }
    } else {
        RuleBodyParser::new(&mut Parser::new(text), &mut reader).for_each(drop);
    }
    without_replaced(reader.found)
}

/// Whether each semicolon ends a declaration, and nothing is escaped.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr3(b'\\', b'"', b'\'', bytes).is_none()
        && memchr(b'{', bytes).is_none()
        && memmem::find(bytes, b"/*").is_none()
        && (memchr2(b'(', b')', bytes).is_none()
            || bytes.split(|b| *b == b';').all(|part| {
                let [open, close] = [b'(', b')'].map(|byte| part.iter().filter(|b| **b == byte).count());
                open == close
            }))
}

/// Whether a property changes what others decide.
fn is_beside(name: &str) -> bool {
    let others = ["background-clip", "transition-property", "animation-name", "-webkit-animation"];
    others.into_iter().any(|other| name.eq_ignore_ascii_case(other))
}

struct Reader {
    found: Vec<Weighed>,
}

type Error<'i> = ParseError<()>;

impl<'i> DeclarationParser<'i> for Reader {
    type Declaration = ();
    type Error = ();

    fn parse_value(&mut self, name: CowRcStr<'i>, input: &mut Parser<'i>, _: &ParserState) -> Result<(), Error<'i>> {
        self.read_value(&name, input)
    }
}

impl Reader {
    fn read_value<'i>(&mut self, name: &str, input: &mut Parser<'i>) -> Result<(), Error<'i>> {
        let mut values = Vec::new();
        input.parse_until_before(Delimiter::Bang, |input| {
            read(&name.to_ascii_lowercase(), input, &mut values);
            while input.next().is_ok() {}
            Ok::<_, Error<'i>>(())
        })?;
        let is_important = input.try_parse(parse_important).is_ok();
        self.found.extend(values.into_iter().map(|value| (value, is_important)));
        Ok(())
    }
}

impl AtRuleParser<'_> for Reader {
    type Prelude = ();
    type AtRule = ();
    type Error = ();
}

impl QualifiedRuleParser<'_> for Reader {
    type Prelude = ();
    type QualifiedRule = ();
    type Error = ();
}

impl RuleBodyItemParser<'_, (), ()> for Reader {
    fn parse_declarations(&self) -> bool {
        true
    }
    fn parse_qualified(&self) -> bool {
        false
    }
}

/// Reads the value of a property, if it decides about visibility.
fn read(name: &str, input: &mut Parser<'_>, out: &mut Vec<Declaration>) {
    use Declaration as D;
    match name {
        "display" => out.extend(word(input).map(|w| D::DisplayNone(w == "none"))),
        "visibility" => out.extend(word(input).map(|w| D::Invisible(matches!(&*w, "hidden" | "collapse")))),
        "content-visibility" => out.extend(word(input).map(|w| D::Skipped(w == "hidden"))),
        "opacity" => out.extend(number(input).map(D::Opacity)),
        "filter" => out.extend(opacity_of_filter(input).map(D::Opacity)),
        "font-size" => out.extend(length(input).map(D::FontSize)),
        "font" => {
            while let Ok(token) = input.next() {
                if let Some(size) = as_length(token) {
                    return out.push(D::FontSize(size));
                }
            }
        }
        "line-height" => out.extend(length(input).map(D::LineHeight)),
        "width" | "max-width" => out.extend(length(input).map(D::Width)),
        "height" | "max-height" => out.extend(length(input).map(D::Height)),
        "overflow" | "overflow-x" | "overflow-y" => {
            out.extend(word(input).map(|w| D::Cuts(matches!(&*w, "hidden" | "clip"))));
        }
        "position" => out.extend(word(input).map(|w| {
            D::Position(match &*w {
                "absolute" | "fixed" => Position::Free,
                "static" => Position::Static,
                _ => Position::Relative,
            })
        })),
        "left" | "inset-inline-start" => out.extend(length(input).map(|l| D::Inset(Side::Left, l))),
        "top" | "inset-block-start" => out.extend(length(input).map(|l| D::Inset(Side::Top, l))),
        "right" | "inset-inline-end" => out.extend(length(input).map(|l| D::Inset(Side::Right, l))),
        "margin-left" => out.extend(length(input).map(|l| D::Margin(Side::Left, l))),
        "margin-top" => out.extend(length(input).map(|l| D::Margin(Side::Top, l))),
        "margin-right" => out.extend(length(input).map(|l| D::Margin(Side::Right, l))),
        "bottom" | "inset-block-end" => out.extend(length(input).map(|l| D::Inset(Side::Bottom, l))),
        "inset" => {
            out.extend(length(input).into_iter().flat_map(|l| [D::Inset(Side::Top, l), D::Inset(Side::Left, l)]))
        }
        "clip" => out.extend(lengths_in(input, "rect").map(|l| D::Clipped(is_empty_rect(&l)))),
        "clip-path" => out.push(D::Shaped(is_empty_shape(input))),
        "text-indent" => out.extend(length(input).map(D::Indent)),
        "transform" => out.push(D::Vanishes(vanishes(input))),
        "scale" => out.extend(number(input).map(|n| D::Vanishes(n.abs() < MIN_SCALE))),
        "translate" => out.extend(length(input).map(|l| D::Vanishes(is_far(l)))),
        "color" | "-webkit-text-fill-color" => out.push(D::Colour(colour(input))),
        "background-color" | "background" => out.push(D::Background(colour(input))),
        // The colours of a picture are not known.
        "background-image" if word(input).is_none_or(|w| w != "none") => out.push(D::Background(None)),
        "background-clip" | "-webkit-background-clip" => {
            out.extend(word(input).filter(|w| w == "text").map(|_| D::Painted));
        }
        "white-space" | "white-space-collapse" => {
            let value = word(input).filter(|w| !matches!(&**w, "inherit" | "unset" | "revert" | "revert-layer"));
            out.extend(value.map(|w| D::Lines(w.starts_with("pre") || w == "break-spaces")));
        }
        "transition" | "transition-property" | "animation" | "animation-name" | "-webkit-animation" => {
            out.extend(word(input).filter(|w| w != "none").map(|_| D::Moves));
        }
        _ => {}
    }
}

/// Scale below which nothing can be read.
const MIN_SCALE: f32 = 0.05;
/// Pixels from which a displacement hides an element. Menus and slides are moved by less.
pub(super) const FAR_PX: f32 = 500.0;
/// The window that pages are read for, in pixels.
pub(super) const WINDOW_PX: (f32, f32) = (1280.0, 800.0);
/// Percentage by which an element is moved out of the page.
const FAR_PERCENT: f32 = 300.0;

fn word(input: &mut Parser<'_>) -> Option<String> {
    input.expect_ident().ok().map(|w| w.to_ascii_lowercase())
}

/// Reads a number; a percentage as a part of one.
fn number(input: &mut Parser<'_>) -> Option<f32> {
    match input.next().ok()? {
        Token::Number { value, .. } => Some(*value),
        Token::Percentage { unit_value, .. } => Some(*unit_value),
        _ => None,
    }
}

fn length(input: &mut Parser<'_>) -> Option<Length> {
    input.next().ok().and_then(as_length)
}

fn as_length(token: &Token<'_>) -> Option<Length> {
    Some(match token {
        Token::Number { value, .. } => Length::Px(*value),
        Token::Percentage { unit_value, .. } => Length::Percent(unit_value * 100.0),
        Token::Dimension { value, unit, .. } => match &*unit.to_ascii_lowercase() {
            "px" => Length::Px(*value),
            "pt" => Length::Px(value * 4.0 / 3.0),
            "pc" => Length::Px(value * 16.0),
            "in" => Length::Px(value * 96.0),
            "cm" => Length::Px(value * 37.8),
            "mm" => Length::Px(value * 3.78),
            "rem" => Length::Px(value * 16.0),
            "em" | "lh" => Length::Em(*value),
            "ex" | "ch" => Length::Em(value * 0.5),
            "vw" | "vi" | "svw" | "dvw" => Length::Px(value / 100.0 * WINDOW_PX.0),
            "vh" | "vb" | "svh" | "dvh" => Length::Px(value / 100.0 * WINDOW_PX.1),
            _ => return None,
        },
        _ => return None,
    })
}

/// Reads the lengths in the brackets of a function of this name.
fn lengths_in(input: &mut Parser<'_>, name: &str) -> Option<Vec<Length>> {
    let is_named = matches!(input.next().ok()?, Token::Function(f) if f.eq_ignore_ascii_case(name));
    is_named.then(|| arguments(input))
}

/// Reads the lengths in the brackets of the function that was just read.
fn arguments(input: &mut Parser<'_>) -> Vec<Length> {
    let mut found = Vec::new();
    let _ = input.parse_nested_block(|input| {
        while let Ok(token) = input.next() {
            found.extend(as_length(token));
        }
        Ok::<_, ParseError<()>>(())
    });
    found
}

/// Whether `rect(top, right, bottom, left)` leaves no more than a pixel.
fn is_empty_rect(sides: &[Length]) -> bool {
    let [top, right, bottom, left] = sides else { return false };
    px_of(bottom) - px_of(top) <= 1.0 || px_of(right) - px_of(left) <= 1.0
}

fn px_of(l: &Length) -> f32 {
    l.px(16.0, 0.0)
}

/// Whether a shape of `clip-path` has no area.
fn is_empty_shape(input: &mut Parser<'_>) -> bool {
    let Ok(Token::Function(name)) = input.next() else { return false };
    let name = name.to_ascii_lowercase();
    let sides = arguments(input);
    match &*name {
        // One to four values, as of a margin.
        "inset" => {
            let top = sides.first();
            let right = sides.get(1).or(top);
            covers(top, sides.get(2).or(top)) || covers(right, sides.get(3).or(right))
        }
        "circle" | "ellipse" => sides.first().is_some_and(is_zero),
        "polygon" | "rect" | "xywh" => !sides.is_empty() && sides.iter().all(is_zero),
        _ => false,
    }
}

fn is_zero(length: &Length) -> bool {
    length.px(16.0, 1.0).abs() < 0.01
}

fn covers(a: Option<&Length>, b: Option<&Length>) -> bool {
    match (a, b) {
        (Some(Length::Percent(a)), Some(Length::Percent(b))) => a + b >= 99.0,
        _ => false,
    }
}

/// Returns the opacity of the first `opacity()` of a filter.
fn opacity_of_filter(input: &mut Parser<'_>) -> Option<f32> {
    while let Ok(token) = input.next() {
        if matches!(token, Token::Function(f) if f.eq_ignore_ascii_case("opacity")) {
            return input.parse_nested_block(|input| Ok::<_, ParseError<()>>(number(input))).ok().flatten();
        }
    }
    None
}

fn is_far(length: Length) -> bool {
    match length {
        Length::Percent(percent) => percent.abs() >= FAR_PERCENT,
        other => other.px(16.0, 0.0).abs() >= FAR_PX,
    }
}

/// Whether a list of transformations leaves nothing to be seen.
fn vanishes(input: &mut Parser<'_>) -> bool {
    while let Ok(token) = input.next() {
        let Token::Function(name) = token else { continue };
        let name = name.to_ascii_lowercase();
        let mut turn = None;
        let mut values = Vec::new();
        let _ = input.parse_nested_block(|input| {
            while let Ok(token) = input.next() {
                match token {
                    Token::Dimension { value, unit, .. } if unit.eq_ignore_ascii_case("deg") => turn = Some(*value),
                    token => values.extend(as_length(token)),
                }
            }
            Ok::<_, ParseError<()>>(())
        });
        let is_gone = match &*name {
            "scale" | "scale3d" => values.iter().take(2).any(is_tiny),
            "scalex" | "scaley" => values.first().is_some_and(is_tiny),
            "matrix" => {
                values.len() >= 4
                    && (is_tiny(&values[0]) || is_tiny(&values[3]))
                    && is_tiny(&values[1])
                    && is_tiny(&values[2])
            }
            "translate" | "translatex" | "translatey" | "translate3d" => values.iter().any(|l| is_far(*l)),
            "rotatex" | "rotatey" => turn.is_some_and(|degrees| (degrees.abs() % 180.0 - 90.0).abs() < 1.0),
            _ => false,
        };
        if is_gone {
            return true;
        }
    }
    false
}

fn is_tiny(l: &Length) -> bool {
    l.px(16.0, 1.0).abs() < MIN_SCALE
}

/// Reads the colour of an attribute: a name, or digits with or without a hash sign.
pub(super) fn plain_colour(text: &str) -> Option<Colour> {
    colour(&mut Parser::new(text)).or_else(|| {
        let (r, g, b, _) = parse_hash_color(text.trim().as_bytes()).ok()?;
        Some([r, g, b, 255])
    })
}

/// Returns the plain colour in a value; `None` without one, or with a picture.
fn colour(input: &mut Parser<'_>) -> Option<Colour> {
    let mut found = None;
    while let Ok(token) = input.next() {
        match token {
            Token::Hash(hex) | Token::IDHash(hex) => {
                let (r, g, b, alpha) = parse_hash_color(hex.as_bytes()).ok()?;
                found = Some([r, g, b, (alpha * 255.0) as u8]);
            }
            Token::Ident(name) if name.eq_ignore_ascii_case("transparent") => found = Some([0; 4]),
            Token::Ident(name) => {
                if let Ok((r, g, b)) = parse_named_color(&name.to_ascii_lowercase()) {
                    found = Some([r, g, b, 255]);
                }
            }
            Token::Function(name) if matches!(&*name.to_ascii_lowercase(), "rgb" | "rgba") => {
                found = Some(rgb(&arguments(input))?);
            }
            Token::Function(name) if matches!(&*name.to_ascii_lowercase(), "hsl" | "hsla") => {
                found = Some(hsl(&arguments(input))?);
            }
            Token::Function(_) | Token::UnquotedUrl(_) => return None,
            _ => {}
        }
    }
    found
}

fn rgb(values: &[Length]) -> Option<Colour> {
    let [r, g, b, ..] = values else { return None };
    Some([channel(r), channel(g), channel(b), alpha(values.get(3))])
}

fn channel(l: &Length) -> u8 {
    l.px(16.0, 255.0).clamp(0.0, 255.0) as u8
}

fn alpha(value: Option<&Length>) -> u8 {
    value.map_or(255, |l| (l.px(16.0, 1.0) * 255.0).clamp(0.0, 255.0) as u8)
}

/// Returns the colour of a hue, a saturation and a lightness (CSS Color 4, 7.1).
fn hsl(values: &[Length]) -> Option<Colour> {
    let [Length::Px(hue), saturation, lightness, ..] = values else { return None };
    let (s, l) = (saturation.px(16.0, 1.0).clamp(0.0, 1.0), lightness.px(16.0, 1.0).clamp(0.0, 1.0));
    let channel = |n: f32| {
        let k = (n + hue / 30.0).rem_euclid(12.0);
        ((l - s * l.min(1.0 - l) * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0)) * 255.0) as u8
    };
    Some([channel(0.0), channel(8.0), channel(4.0), alpha(values.get(3))])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Declaration> {
        declarations(text).into_iter().map(|d| d.0).collect()
    }

    #[test]
    fn a_block_holds_each_declaration_once() {
        use Declaration as D;
        let block = declarations(&("left:0;left:1px!important;".repeat(1000) + "top:2px;left:3px"));
        let (left, top) = (|px| D::Inset(Side::Left, Length::Px(px)), D::Inset(Side::Top, Length::Px(2.0)));
        assert_eq!(block, [(left(1.0), true), (top, false), (left(3.0), false)]);
    }

    #[test]
    fn the_heaviest_declaration_wins_and_the_last_of_equals() {
        let mut cascade = Cascade::default();
        for (indent, weight) in [(1.0, (false, 9, 3)), (2.0, (true, 1, 1)), (3.0, (true, 1, 1)), (4.0, (true, 1, 0))] {
            cascade.add(Declaration::Indent(Length::Px(indent)), weight);
        }
        cascade.add_default(Declaration::Indent(Length::Px(5.0)));
        cascade.add_default(Declaration::Painted);
        assert_eq!(cascade.values(), [Declaration::Indent(Length::Px(3.0)), Declaration::Painted]);
        cascade.clear();
        assert!(cascade.is_empty());
    }

    #[test]
    fn values_are_read_in_all_their_forms() {
        use Declaration as D;
        for (text, found) in [
            ("DISPLAY : none !important", vec![D::DisplayNone(true)]),
            ("dis\\70lay:/**/none", vec![D::DisplayNone(true)]),
            ("display:block;visibility:hidden", vec![D::DisplayNone(false), D::Invisible(true)]),
            ("font:0/0 a", vec![D::FontSize(Length::Px(0.0))]),
            ("opacity:0%", vec![D::Opacity(0.0)]),
            ("opacity:1;filter:blur(2px) opacity(0)", vec![D::Opacity(0.0)]),
            ("clip:rect(0 0 0 0);clip-path:inset(50%)", vec![D::Clipped(true), D::Shaped(true)]),
            ("clip:rect(0px, 100px, 50px, 0px);clip-path:inset(10% 5%)", vec![D::Clipped(false), D::Shaped(false)]),
            ("clip-path:polygon(0 0,0 0,0 0)", vec![D::Shaped(true)]),
            ("transform:rotate(5deg) scale(0)", vec![D::Vanishes(true)]),
            ("transform:translateX(-50%)", vec![D::Vanishes(false)]),
            ("transform:translate(-9999px, 0)", vec![D::Vanishes(true)]),
            ("color:#FFF", vec![D::Colour(Some([255; 4]))]),
            ("color:rgba(255 255 255 / 0)", vec![D::Colour(Some([255, 255, 255, 0]))]),
            ("color:hsl(0, 0%, 100%)", vec![D::Colour(Some([255; 4]))]),
            ("background:url(a.png) white", vec![D::Background(None)]),
            ("background-image:url(a.png)", vec![D::Background(None)]),
            ("background-image:none", vec![]),
            ("background: #fff no-repeat", vec![D::Background(Some([255; 4]))]),
            ("left:-99em;color:var(--x)", vec![D::Inset(Side::Left, Length::Em(-99.0)), D::Colour(None)]),
            ("margin:0;border:none;list-style:none", vec![]),
        ] {
            assert_eq!(read(text), found, "{text}");
        }
    }
}
