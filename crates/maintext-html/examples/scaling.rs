//! Measures time against size for hostile input from 10 KB to 50 MB: nanoseconds and steps per byte, and a plot.
//!
//! `cargo run --release --example scaling [--plot FILE.svg] [--max BYTES] [part of a kind's name…]`

#[path = "../tests/it/support/mod.rs"]
mod support;

use maintext_html::{Arena, Document, ParseOptions};
use std::fmt::Write;
use support::clock::mean_seconds;

const SIZES: [usize; 5] = [10_000, 100_000, 1_000_000, 10_000_000, 50_000_000];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |flag: &str| args.iter().position(|a| a == flag).and_then(|i| args.get(i + 1)).cloned();
    let max: usize = value("--max").and_then(|v| v.parse().ok()).unwrap_or(usize::MAX);
    let mut names: Vec<&String> = args.iter().collect();
    for flag in ["--plot", "--max"] {
        if let Some(i) = names.iter().position(|a| *a == flag) {
            names.drain(i..(i + 2).min(names.len()));
        }
    }
    let options = ParseOptions::default();
    let mut lines = Vec::new();
    println!("{:52} nanoseconds per byte at 10 KB, 100 KB, 1 MB, 10 MB, 50 MB; steps per byte; limits", "kind");
    for kind in support::hostile::ALL {
        if !names.is_empty() && !names.iter().any(|n| kind.name.contains(n.as_str())) {
            continue;
        }
        let mut times = Vec::new();
        let mut row = format!("{:52}", kind.name);
        let mut last = String::new();
        for size in SIZES.into_iter().filter(|&s| s <= max) {
            let input = (kind.make)(size);
            let mut arena = Arena::new();
            let seconds = mean_seconds(0.1, || {
                let doc = Document::parse_into(std::mem::take(&mut arena), &input, &options);
                let limits = doc.limits_hit();
                last = format!(
                    "{:8.2} {}{}{}",
                    doc.steps() as f64 / input.len() as f64,
                    if limits.depth > 0 { " depth" } else { "" },
                    if limits.attributes > 0 { " attributes" } else { "" },
                    if limits.work { " work" } else { "" }
                );
                arena = doc.into_arena();
            });
            times.push((input.len() as f64, seconds));
            let _ = write!(row, " {:7.2}", seconds * 1e9 / input.len() as f64);
        }
        println!("{row} {last}");
        lines.push((kind.name, times));
    }
    if let Some(path) = value("--plot") {
        std::fs::write(&path, plot(&lines)).expect("a path that can be written");
    }
}

/// Plots seconds against bytes, both logarithmic; linear time gives straight lines of slope one.
fn plot(lines: &[(&str, Vec<(f64, f64)>)]) -> String {
    let x = |bytes: f64| 60.0 + (bytes.log10() - 4.0) * 150.0;
    let y = |seconds: f64| 40.0 + (1.0 - seconds.log10()) * 80.0;
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"640\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"720\" height=\"640\" fill=\"#fff\"/>\n",
    );
    for (exponent, label) in [(4, "10 KB"), (5, "100 KB"), (6, "1 MB"), (7, "10 MB"), (8, "100 MB")] {
        let at = x(10f64.powi(exponent));
        let _ = writeln!(svg, "<path d=\"M{at} 40V600\" stroke=\"#ddd\"/><text x=\"{at}\" y=\"620\">{label}</text>");
    }
    for (exponent, label) in [
        (1, "10 s"),
        (0, "1 s"),
        (-1, "0.1 s"),
        (-2, "10 ms"),
        (-3, "1 ms"),
        (-4, "0.1 ms"),
        (-5, "10 µs"),
        (-6, "1 µs"),
    ] {
        let at = y(10f64.powi(exponent));
        let _ = writeln!(svg, "<path d=\"M60 {at}H660\" stroke=\"#ddd\"/><text x=\"5\" y=\"{at}\">{label}</text>");
    }
    for (name, times) in lines {
        let points: Vec<String> = times.iter().map(|&(b, t)| format!("{:.1},{:.1}", x(b), y(t))).collect();
        let title = name.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"#246\" stroke-opacity=\"0.5\"><title>{title}</title></polyline>",
            points.join(" ")
        );
    }
    svg.push_str(
        "<text x=\"60\" y=\"25\">Time to parse hostile input against its size: each line one kind</text>\n</svg>\n",
    );
    svg
}
