//! The drawing of a plot as SVG, with colours for light and dark backgrounds.
use super::axis::{Axis, grouped, ticks};
use super::{Heading, Theme};
use crate::inspect::{Row, Table};
use maintext_core::classic::markup_ratio::smooth;
use maintext_core::render::escape::xml;
use std::fmt::Write;

/// Size of a plot in pixels.
const SIZE: (f32, f32) = (1000.0, 660.0);
/// The left and right borders of the panels.
const LEFT: f32 = 76.0;
const RIGHT: f32 = 976.0;
/// Length of the title and of the line below it, in ems.
const TITLE: f32 = 44.0;
const BELOW: f32 = 70.0;
/// Up to this number of rows, each point has a dot.
const DOTS: usize = 60;

/// A class with its colours on a light and on a dark background. The pairs have a contrast of at least 4.5 to the background.
const COLOURS: [(&str, &str, &str); 8] = [
    ("back", "#ffffff", "#14171c"),
    ("ink", "#1b1f24", "#e9ecf0"),
    ("faint", "#59636e", "#a4adb8"),
    ("grid", "#dfe3e8", "#323942"),
    ("a", "#b42318", "#ff8a7a"),
    ("b", "#1d4ed8", "#86b0ff"),
    ("limit", "#a04800", "#ffb45e"),
    ("kept", "#d3f0d8", "#1d4429"),
];

/// A curve: its name, its class, its values.
type Curve<'a> = (&'static str, &'static str, &'a [f32]);

/// Draws a plot. Text names the fonts of the reader's system.
pub(super) fn svg(table: &Table, heading: &Heading<'_>, theme: Theme) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{0}\" height=\"{1}\" role=\"img\">\n<title>{}</title>\n\
        <style>{}</style>\n<rect class=\"f-back\" width=\"100%\" height=\"100%\"/>\n",
        SIZE.0,
        SIZE.1,
        xml(heading.title),
        style(theme)
    );
    head(&mut out, heading);
    let lengths = |f: fn(&Row) -> u32| smooth(&table.rows.iter().map(|r| f(r) as f32).collect::<Vec<f32>>());
    let (html, text) = (lengths(|r| r.bytes), lengths(|r| r.chars));
    let scores: Vec<f32> = table.rows.iter().map(|r| if r.score.is_finite() { r.score } else { 0.0 }).collect();
    let smoothed = smooth(&scores);
    let unit = table.unit;
    let label = format!("Length of each {unit}, mean of 5");
    panel(
        &mut out,
        table,
        (112.0, 336.0),
        &label,
        &[("HTML in bytes", "a", &html), ("text in characters", "b", &text)],
        None,
    );
    let curves: [Curve<'_>; 2] = [("score", "faint", &scores), ("mean of 5", "ink", &smoothed)];
    panel(&mut out, table, (402.0, 606.0), &format!("Score of each {unit}"), &curves, table.threshold);
    let _ = writeln!(
        out,
        "<text class=\"faint\" x=\"{}\" y=\"650\" text-anchor=\"middle\">{unit}</text>\n</svg>",
        (LEFT + RIGHT) / 2.0
    );
    out
}

fn style(theme: Theme) -> String {
    let rules = |dark: bool| {
        COLOURS.iter().fold(String::new(), |mut css, (name, light, night)| {
            let colour = if dark { night } else { light };
            let _ = write!(css, ".f-{name},text.{name}{{fill:{colour}}}.s-{name}{{stroke:{colour};fill:none}}");
            css
        })
    };
    let text = "text{font:13px system-ui,-apple-system,'Segoe UI','Noto Sans',sans-serif}text.title{font-size:21px}";
    match theme {
        Theme::Light => format!("{text}{}", rules(false)),
        Theme::Dark => format!("{text}{}", rules(true)),
        Theme::Reader => format!("{text}{}@media(prefers-color-scheme:dark){{{}}}", rules(false), rules(true)),
    }
}

/// Writes the title and the line below it. A title in a script that runs from right to left begins at the right.
fn head(out: &mut String, heading: &Heading<'_>) {
    let title = shortened(heading.title, TITLE);
    let (x, anchor, title) = if is_right_to_left(&title) {
        // The isolate makes punctuation at the ends belong to the title's own direction.
        (RIGHT, "end", format!("\u{2067}{title}\u{2069}"))
    } else {
        (24.0, "start", title)
    };
    let _ =
        writeln!(out, "<text class=\"ink title\" x=\"{x}\" y=\"38\" text-anchor=\"{anchor}\">{}</text>", xml(&title));
    let below = shortened(heading.below, BELOW);
    let _ = writeln!(out, "<text class=\"faint\" x=\"24\" y=\"62\">{}</text>", xml(&below));
}

/// Writes a panel between two heights.
fn panel(
    out: &mut String,
    table: &Table,
    (top, bottom): (f32, f32),
    label: &str,
    curves: &[Curve<'_>],
    threshold: Option<f32>,
) {
    let n = table.rows.len();
    let axis = Axis::new(curves.iter().map(|c| c.2), threshold);
    let x = |i: f32| LEFT + (i - 0.5) / n.max(1) as f32 * (RIGHT - LEFT);
    let y = |v: f32| bottom - (v - axis.low) / (axis.high - axis.low) * (bottom - top);
    let id = format!("clip{top}");
    let _ = writeln!(
        out,
        "<clipPath id=\"{id}\"><rect x=\"{LEFT}\" y=\"{top}\" width=\"{}\" height=\"{}\"/></clipPath>",
        RIGHT - LEFT,
        bottom - top
    );
    for (first, last) in super::runs(table) {
        let (a, b) = (x(first as f32 - 0.5), x(last as f32 + 0.5));
        let _ = writeln!(
            out,
            "<rect class=\"f-kept\" x=\"{a:.1}\" y=\"{top}\" width=\"{:.1}\" height=\"{}\"/>",
            (b - a).max(1.0),
            bottom - top
        );
    }
    for v in axis.ticks() {
        let at = y(v);
        let _ = writeln!(out, "<path class=\"s-grid\" d=\"M{LEFT} {at:.1}H{RIGHT}\"/>");
        let _ = writeln!(
            out,
            "<text class=\"faint\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            at + 4.5,
            grouped(v)
        );
    }
    for i in ticks(1.0, n.max(1) as f32, 10).into_iter().filter(|i| i.fract() == 0.0 && *i >= 1.0) {
        let at = x(i);
        let _ = writeln!(out, "<path class=\"s-grid\" d=\"M{at:.1} {bottom}v5\"/>");
        let _ = writeln!(
            out,
            "<text class=\"faint\" x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            bottom + 20.0,
            grouped(i)
        );
    }
    let _ = writeln!(out, "<g clip-path=\"url(#{id})\" stroke-width=\"1.4\" stroke-linejoin=\"round\">");
    for (_, class, values) in curves {
        let _ = writeln!(out, "<path class=\"s-{class}\" d=\"{}\"/>", path(values, &x, &y));
        if n <= DOTS {
            for (i, v) in values.iter().enumerate() {
                let _ = writeln!(
                    out,
                    "<circle class=\"f-{class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.4\"/>",
                    x((i + 1) as f32),
                    y(*v)
                );
            }
        }
    }
    if let Some(t) = threshold {
        let _ = writeln!(out, "<path class=\"s-limit\" stroke-dasharray=\"6 4\" d=\"M{LEFT} {0:.1}H{RIGHT}\"/>", y(t));
    }
    let _ = writeln!(out, "</g>");
    for (i, class, above) in beyond(curves, &axis) {
        let (at, edge, tip) = (x((i + 1) as f32), if above { top } else { bottom }, if above { -7.0 } else { 7.0 });
        let _ = writeln!(out, "<path class=\"f-{class}\" d=\"M{:.1} {edge}h9l-4.5 {tip}z\"/>", at - 4.5);
    }
    legend(out, table, top - 18.0, label, curves, &axis, threshold);
}

/// Writes the label of a panel and, to the right of it, the names of its curves, so that neither covers a curve.
fn legend(
    out: &mut String,
    table: &Table,
    y: f32,
    label: &str,
    curves: &[Curve<'_>],
    axis: &Axis,
    threshold: Option<f32>,
) {
    let _ = writeln!(out, "<text class=\"ink\" x=\"24\" y=\"{y}\">{}</text>", xml(label));
    let mut entries: Vec<(String, String)> = Vec::new();
    for (name, class, _) in curves {
        entries.push((format!("<path class=\"s-{class}\" stroke-width=\"2.5\" d=\"M0 -4h20\"/>"), (*name).to_owned()));
    }
    if let Some(t) = threshold {
        let mark = "<path class=\"s-limit\" stroke-width=\"2.5\" stroke-dasharray=\"6 3\" d=\"M0 -4h20\"/>";
        entries.push((mark.into(), format!("threshold {t:.3}")));
    }
    if table.rows.iter().any(|r| r.keep) {
        entries.push(("<rect class=\"f-kept\" y=\"-11\" width=\"20\" height=\"13\"/>".into(), "kept".into()));
    }
    let far = beyond(curves, axis).next().and_then(|(_, class, above)| {
        let values = curves.iter().find(|c| c.1 == class)?.2;
        values
            .iter()
            .copied()
            .enumerate()
            .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
            .map(|(i, v)| (i, v, class, above))
    });
    if let Some((i, v, class, above)) = far {
        let mark = format!(
            "<path class=\"f-{class}\" d=\"M5 {0}h10l-5 {1}z\"/>",
            if above { 0 } else { -8 },
            if above { -8 } else { 8 }
        );
        entries.push((
            mark,
            format!("beyond the axis: up to {} at {} {}", grouped(v), table.unit, grouped((i + 1) as f32)),
        ));
    }
    // From the right, with room for the widest system fonts.
    let mut x = RIGHT;
    for (mark, name) in entries.iter().rev() {
        x -= 30.0 + 13.0 * width(name) + 22.0;
        let _ = writeln!(
            out,
            "<g transform=\"translate({x:.1} {y})\">{mark}<text class=\"ink\" x=\"27\">{}</text></g>",
            xml(name)
        );
    }
}

/// Returns the points beyond the axis: their index, the class of their curve, and whether they are above it. One for each run.
fn beyond<'a>(curves: &'a [Curve<'a>], axis: &'a Axis) -> impl Iterator<Item = (usize, &'static str, bool)> + 'a {
    curves.iter().flat_map(move |(_, class, values)| {
        let out = move |v: f32| v > axis.high || v < axis.low;
        (0..values.len())
            .filter(move |i| out(values[*i]) && (*i == 0 || !out(values[*i - 1])))
            .map(move |i| (i, *class, values[i] > axis.high))
    })
}

/// Returns a path through the values. Where several values share a pixel, it has only the lowest and the highest.
fn path(values: &[f32], x: &dyn Fn(f32) -> f32, y: &dyn Fn(f32) -> f32) -> String {
    let step = values.len().div_ceil((RIGHT - LEFT) as usize).max(1);
    let mut out = String::new();
    for (k, piece) in values.chunks(step).enumerate() {
        let (low, high) = piece.iter().fold((f32::MAX, f32::MIN), |(a, b), v| (a.min(*v), b.max(*v)));
        let at = x((k * step) as f32 + (piece.len() as f32 + 1.0) / 2.0);
        let letter = if k == 0 { 'M' } else { 'L' };
        let _ = write!(out, "{letter}{at:.1} {:.1}", y(high));
        if low < high {
            let _ = write!(out, "V{:.1}", y(low));
        }
    }
    out
}

/// Returns the width of a text in ems, generously.
fn width(text: &str) -> f32 {
    text.chars().map(letter_width).sum()
}

fn letter_width(c: char) -> f32 {
    match c {
        '\u{300}'..='\u{36f}' => 0.0,
        _ if maintext_core::blocks::is_cjk(c) || ('\u{ac00}'..='\u{d7a3}').contains(&c) || c > '\u{ff00}' => 1.05,
        'A'..='Z' | 'm' | 'w' | '@' | '%' => 0.75,
        'i' | 'j' | 'l' | ' ' | '.' | ',' | '\'' | ':' => 0.32,
        _ => 0.58,
    }
}

/// Returns a text, or its beginning with an ellipsis, within a width in ems.
pub(super) fn shortened(text: &str, most: f32) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if width(&text) <= most {
        return text;
    }
    let mut used = 1.0;
    let cut: String = text
        .chars()
        .take_while(|c| {
            used += letter_width(*c);
            used <= most
        })
        .collect();
    cut.trim_end().to_owned() + "\u{2026}"
}

/// Whether the first letter with a direction runs from right to left.
fn is_right_to_left(text: &str) -> bool {
    text.chars()
        .find(|c| c.is_alphabetic())
        .is_some_and(|c| matches!(&c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_cut_and_turned() {
        assert_eq!(shortened("  Two \n herons ", 44.0), "Two herons");
        let long = shortened(&"heron ".repeat(50), 20.0);
        assert!(long.ends_with("heron\u{2026}") && width(&long) <= 21.0, "{long}");
        assert!(shortened(&"\u{9dfa}".repeat(50), 20.0).chars().count() < 20);
        assert!(is_right_to_left("\u{201c}\u{627}\u{644}") && !is_right_to_left("2: heron \u{627}"));
    }

    #[test]
    fn many_values_are_drawn_within_their_pixels() {
        let values: Vec<f32> = (0..9000).map(|i| (i % 7) as f32).collect();
        let drawn = path(&values, &|i| i, &|v| v);
        assert_eq!(drawn.matches('L').count(), 899);
        assert!(drawn.starts_with("M5.5 6.0V0.0L15.5"), "{}", &drawn[..40]);
    }
}
