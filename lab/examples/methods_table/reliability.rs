//! Compares the promised false discovery rate with the measured one, and shows the recall.
use maintext_lab::Error;
use maintext_lab::eval::Row;
use plotters::prelude::*;

/// Results at one level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The promised largest share of boilerplate among the kept words.
    pub alpha: f64,
    /// The measured share.
    pub boilerplate: f64,
    /// Share of the content words that were kept.
    pub recall: f64,
}

/// Returns the points of an evaluation whose candidate was measured at `levels`, without levels at which nothing was kept.
pub fn points(levels: &[f32], row: &Row) -> Vec<Point> {
    let point = |(alpha, [boilerplate, recall]): (&f32, &[Option<f64>; 2])| {
        Some(Point { alpha: *alpha as f64, boilerplate: (*boilerplate)?, recall: (*recall)? })
    };
    levels.iter().zip(&row.levels).filter_map(point).collect()
}

/// Width of the plot and of the legend, in pixels.
const WIDTH: u32 = 760;
const LEGEND: u32 = 280;

/// Draws a reliability plot as SVG: promised against measured share, one thick curve per name, and the recall as a thin one. Below the
/// diagonal the promise is kept.
///
/// # Errors
/// The plot cannot be drawn.
pub fn svg(title: &str, curves: &[(String, Vec<Point>)]) -> Result<String, Error> {
    let mut out = String::new();
    {
        let root = SVGBackend::with_string(&mut out, (WIDTH + LEGEND, 520)).into_drawing_area();
        draw(&root, title, curves).map_err(|e| Error::other(format!("the plot could not be drawn: {e}")))?;
    }
    Ok(out)
}

fn draw(
    root: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    title: &str,
    curves: &[(String, Vec<Point>)],
) -> Result<(), Box<dyn std::error::Error>> {
    let points = || curves.iter().flat_map(|c| &c.1);
    let right = points().map(|p| p.alpha).fold(0.05, f64::max) * 1.1;
    let top = points().map(|p| p.boilerplate).fold(right, f64::max) * 1.05;
    root.fill(&WHITE)?;
    let (plot, legend) = root.split_horizontally(WIDTH);
    let named = |row: usize, name: &str, style: ShapeStyle| -> Result<(), Box<dyn std::error::Error>> {
        let y = 60 + 20 * row as i32;
        legend.draw(&PathElement::new([(0, y), (18, y)], style))?;
        legend.draw(&Text::new(name.to_owned(), (26, y - 6), ("sans-serif", 13)))?;
        Ok(())
    };
    let mut chart = ChartBuilder::on(&plot)
        .caption(title, ("sans-serif", 16))
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(52)
        .right_y_label_area_size(52)
        .build_cartesian_2d(0.0..right, 0.0..top)?
        .set_secondary_coord(0.0..right, 0.0..1.0);
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc("promised: largest share of boilerplate")
        .y_desc("measured share (thick)")
        .label_style(("sans-serif", 13))
        .draw()?;
    chart.configure_secondary_axes().y_desc("recall of content words (thin)").label_style(("sans-serif", 13)).draw()?;
    chart.draw_series(LineSeries::new([(0.0, 0.0), (right, right)], BLACK.mix(0.5)))?;
    named(0, "measured = promised", BLACK.mix(0.5).into())?;
    for (i, (name, points)) in curves.iter().enumerate() {
        let color = Palette99::pick(i).to_rgba();
        let measured = points.iter().map(|p| (p.alpha, p.boilerplate));
        chart.draw_series(LineSeries::new(measured, color.stroke_width(3)).point_size(4))?;
        named(i + 1, name, color.stroke_width(3))?;
        chart.draw_secondary_series(LineSeries::new(points.iter().map(|p| (p.alpha, p.recall)), color))?;
    }
    root.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_drawn() {
        let p = |alpha| Point { alpha, boilerplate: alpha * 0.9, recall: 0.5 + alpha };
        let out = svg("Reliability", &[("mlp".into(), vec![p(0.01), p(0.05), p(0.2)])]).unwrap();
        assert!(out.starts_with("<svg") && out.contains("mlp") && out.contains("recall"));
    }
}
