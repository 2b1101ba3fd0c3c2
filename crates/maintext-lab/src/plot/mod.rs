//! Plots lengths and scores along the page, as in the articles on the line methods.
mod pixel_text;
use crate::error::Error;
use maintext_core::classic::markup_ratio::smooth;
use maintext_learn::inspect::{Row, Table};
use pixel_text::PixelText;
use plotters::coord::Shift;
use plotters::prelude::*;

/// Size of a plot in pixels.
const SIZE: (u32, u32) = (1000, 640);

const HTML: RGBColor = RGBColor(200, 40, 40);
const TEXT: RGBColor = RGBColor(30, 70, 200);
const SCORE: RGBColor = RGBColor(150, 150, 150);
const SMOOTHED: RGBColor = RGBColor(20, 20, 20);
const LIMIT: RGBColor = RGBColor(230, 120, 0);
const KEPT: RGBColor = RGBColor(120, 210, 130);

/// Draws the plot as SVG.
///
/// Above: the lengths of each line's HTML and text. Below: its score, the score smoothed over five lines, and the threshold.
/// Kept lines are shaded.
pub fn svg(table: &Table, title: &str) -> Result<String, Error> {
    let mut out = String::new();
    {
        let root = SVGBackend::with_string(&mut out, SIZE).into_drawing_area();
        draw(&root, table, title)?;
    }
    Ok(out)
}

/// Draws the plot as PNG. Letters outside Latin appear as `?`, because the plot uses its own small font and needs no installed one.
pub fn png(table: &Table, title: &str) -> Result<Vec<u8>, Error> {
    let mut pixels = vec![255u8; (SIZE.0 * SIZE.1 * 3) as usize];
    {
        let root = PixelText(BitMapBackend::with_buffer(&mut pixels, SIZE)).into_drawing_area();
        draw(&root, table, title)?;
    }
    encode(&pixels, SIZE)
}

/// Writes RGB pixels as PNG.
pub(crate) fn encode(pixels: &[u8], (width, height): (u32, u32)) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(|e| Error::other(format!("PNG: {e}")))?;
    writer.write_image_data(pixels).map_err(|e| Error::other(format!("PNG: {e}")))?;
    writer.finish().map_err(|e| Error::other(format!("PNG: {e}")))?;
    Ok(out)
}

fn failed<E: std::error::Error + Send + Sync>(e: DrawingAreaErrorKind<E>) -> Error {
    Error::other(format!("the plot could not be drawn: {e}"))
}

fn draw<B: DrawingBackend>(root: &DrawingArea<B, Shift>, table: &Table, title: &str) -> Result<(), Error>
where
    B::ErrorType: 'static,
{
    root.fill(&WHITE).map_err(failed)?;
    let root = root.titled(title, ("sans-serif", 16)).map_err(failed)?;
    let (above, below) = root.split_vertically(330);
    let lengths = |f: fn(&Row) -> u32| table.rows.iter().map(|r| f(r) as f32).collect::<Vec<f32>>();
    let (html, text) = (lengths(|r| r.bytes), lengths(|r| r.chars));
    let curves = [("HTML", HTML, html), ("text", TEXT, text)];
    panel(&above, table, "length (mean of 5)", &curves.map(|(n, c, v)| (n, c, smooth(&v))), None)?;
    let scores: Vec<f32> = table.rows.iter().map(|r| r.score).collect();
    let smoothed = smooth(&scores);
    panel(&below, table, "score", &[("score", SCORE, scores), ("mean of 5", SMOOTHED, smoothed)], table.threshold)?;
    root.present().map_err(failed)
}

type Curve = (&'static str, RGBColor, Vec<f32>);

fn panel<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    table: &Table,
    label: &str,
    curves: &[Curve],
    threshold: Option<f32>,
) -> Result<(), Error>
where
    B::ErrorType: 'static,
{
    let all = || curves.iter().flat_map(|c| &c.2).copied().chain(threshold).filter(|x| x.is_finite());
    let (low, high) = (all().fold(0.0, f32::min), all().fold(f32::MIN_POSITIVE, f32::max) * 1.05);
    let n = table.rows.len().max(1) as f32;
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .x_label_area_size(34)
        .y_label_area_size(64)
        .build_cartesian_2d(0.5..n + 0.5, low..high)
        .map_err(failed)?;
    let kept = runs(table)
        .map(|(a, b)| Rectangle::new([(a as f32 - 0.5, low), (b as f32 + 0.5, high)], KEPT.mix(0.45).filled()));
    chart.draw_series(kept).map_err(failed)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc(table.unit)
        .y_desc(label)
        .x_label_formatter(&|x| format!("{x:.0}"))
        .label_style(("sans-serif", 12))
        .draw()
        .map_err(failed)?;
    for (name, color, values) in curves {
        let points = values.iter().enumerate().map(|(i, v)| ((i + 1) as f32, if v.is_finite() { *v } else { 0.0 }));
        let color = *color;
        let line = chart.draw_series(LineSeries::new(points, color.stroke_width(1))).map_err(failed)?;
        line.label(*name).legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
    }
    if let Some(t) = threshold {
        let limit =
            chart.draw_series(LineSeries::new([(0.5, t), (n + 0.5, t)], LIMIT.stroke_width(2))).map_err(failed)?;
        limit
            .label(format!("threshold {t:.3}"))
            .legend(|(x, y)| PathElement::new([(x, y), (x + 16, y)], LIMIT.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.85))
        .label_font(("sans-serif", 13))
        .draw()
        .map_err(failed)
}

/// Returns ranges of kept rows as (first, last) numbers.
fn runs(table: &Table) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let first = at + table.rows[at..].iter().position(|r| r.keep)?;
        let length = table.rows[first..].iter().position(|r| !r.keep).unwrap_or(table.rows.len() - first);
        at = first + length;
        Some((first + 1, at))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(n: usize) -> Table {
        let row = |i: usize| Row {
            number: i as u32 + 1,
            bytes: 100,
            chars: 40,
            density: 0.4,
            score: if i == 3 { f32::NAN } else { 0.4 },
            probability: None,
            keep: i % 4 == 1,
            text: String::new(),
        };
        Table { method: "m".into(), unit: "line", rows: (0..n).map(row).collect(), threshold: Some(0.5), facts: vec![] }
    }

    #[test]
    fn consecutive_kept_rows_form_a_range() {
        assert_eq!(runs(&table(10)).collect::<Vec<_>>(), [(2, 2), (6, 6), (10, 10)]);
        assert_eq!(runs(&table(1)).count(), 0);
    }

    #[test]
    fn plots_are_drawn_without_any_font_installed() {
        for n in [0, 1, 500] {
            let out = svg(&table(n), "Страница").unwrap();
            assert!(out.starts_with("<svg") && out.contains("threshold 0.500"));
            let out = png(&table(n), "A page").unwrap();
            assert!(out.starts_with(b"\x89PNG"));
        }
    }
}
