//! Plots how reliable a page's `confidence` is: `confidence PAGES.jsonl PLOT.svg`.
//!
//! PAGES comes from `cargo xtask train --pages FILE`: one line per page with the predicted F1 (out of fold) and the actual F1.
use maintext_lab::Error;
use plotters::prelude::*;
use std::path::Path;

/// Number of bins of equal width.
const BINS: usize = 10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [pages, plot] = args.as_slice() else { return Err("usage: confidence PAGES.jsonl PLOT.svg".into()) };
    let bins = read(Path::new(pages))?;
    println!("{:>9} {:>6} {:>8} {:>8}", "foreseen", "pages", "foreseen", "reached");
    for (i, b) in bins.iter().enumerate().filter(|(_, b)| b.0 > 0.0) {
        println!(
            "{:>4.1}–{:.1} {:>7} {:>8.3} {:>8.3}",
            i as f64 / 10.0,
            (i + 1) as f64 / 10.0,
            b.0,
            b.1 / b.0,
            b.2 / b.0
        );
    }
    let mut svg = String::new();
    draw(&SVGBackend::with_string(&mut svg, (560, 460)).into_drawing_area(), &bins)?;
    maintext_lab::write(plot.as_ref(), svg.as_bytes())?;
    Ok(())
}

/// Reads, for each bin, the number of pages, the sum of predicted F1 and the sum of actual F1.
fn read(path: &Path) -> Result<[(f64, f64, f64); BINS], Error> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::file(path, e))?;
    let mut bins = [(0.0, 0.0, 0.0); BINS];
    for line in text.lines() {
        let page: serde_json::Value = serde_json::from_str(line).map_err(|e| Error::file(path, e.into()))?;
        let number = |key: &str| page[key].as_f64().unwrap_or(0.0);
        // A page with snippets only has no F1.
        if number("gold_words") > 0.0 {
            let foreseen = number("foreseen").clamp(0.0, 1.0);
            let b = &mut bins[((foreseen * BINS as f64) as usize).min(BINS - 1)];
            *b = (b.0 + 1.0, b.1 + foreseen, b.2 + number("f1"));
        }
    }
    Ok(bins)
}

fn draw(
    root: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    bins: &[(f64, f64, f64); BINS],
) -> Result<(), Box<dyn std::error::Error>> {
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(root)
        .caption("Confidence against the word F1 reached", ("sans-serif", 16))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(48)
        .build_cartesian_2d(0.0..1.0, 0.0..1.0)?;
    chart.configure_mesh().x_desc("predicted F1 (confidence)").y_desc("mean F1 reached, out of fold").draw()?;
    chart.draw_series(LineSeries::new([(0.0, 0.0), (1.0, 1.0)], BLACK.mix(0.4)))?;
    let most = bins.iter().map(|b| b.0).fold(1.0, f64::max);
    let points: Vec<(f64, f64, f64)> = bins.iter().filter(|b| b.0 > 0.0).map(|b| (b.1 / b.0, b.2 / b.0, b.0)).collect();
    chart.draw_series(LineSeries::new(points.iter().map(|p| (p.0, p.1)), BLUE.stroke_width(2)))?;
    // The area of a point is proportional to its number of pages.
    let circle =
        |p: &(f64, f64, f64)| Circle::new((p.0, p.1), 3 + (14.0 * (p.2 / most).sqrt()) as i32, BLUE.mix(0.5).filled());
    chart.draw_series(points.iter().map(circle))?;
    root.present()?;
    Ok(())
}
