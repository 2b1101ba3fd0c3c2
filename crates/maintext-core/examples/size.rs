//! Time by size for a full extraction, from 1 KB to 20 MB: a table in Markdown and a plot.
//!
//! `cargo run --release -p maintext-core --example size [--plot FILE.svg] [--max BYTES]`. The pages are generated, so that the same page
//! exists at any size. Measures the processor time of this thread.

#[path = "../../maintext-html/tests/it/support/clock.rs"]
mod clock;

use clock::mean_seconds;
use maintext_core::{Extractor, Formats, Options};
use std::fmt::Write;

const SIZES: [usize; 10] =
    [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 20_000_000];

const HEAD: &str = "<!doctype html><html lang=en><head><title>The walk to the ridge - Valley Post</title>\
    <meta name=author content='Ann Lee'><meta property=og:title content='The walk to the ridge'></head><body>\
    <header><nav><ul><li><a href=/>Home</a></li><li><a href=/news>News</a></li><li><a href=/about>About</a></li></ul></nav></header>\
    <main><h1>The walk to the ridge</h1><p class=byline>By Ann Lee, <time datetime=2024-05-01>1 May 2024</time></p>";
const FOOT: &str = "</main><footer><p>All rights reserved.</p><a href=/terms>Terms</a></footer></body></html>";

/// Kinds of pages, each with the piece that it repeats; `#` is a number.
const KINDS: [(&str, &str); 5] = [
    (
        "article",
        "<h2>Part #</h2><p>The path leads along the river, past the <a href=/mill/#>old mill</a>, and up to the ridge, where the fog lifted \
        at noon on day #.</p><p>We had <em>seen</em> two herons and a fox by then, and the road was empty.</p>",
    ),
    (
        "list",
        "<article class=post><h3><a href='/story/#'>What happened on day # of the year</a></h3><p class=summary>Some words that say what the \
        story is about.</p><time datetime=2024-05-01>1 May</time></article>",
    ),
    (
        "table",
        "<table><tr><th>Stage #</th><th>Length</th></tr><tr><td>River</td><td>3.5 km</td></tr><tr><td>Ridge</td><td>4 km</td></tr></table>",
    ),
    (
        "thread",
        "<div class=comment id=c#><a class=author href=/u/#>User #</a> <time datetime=2024-05-01>1 May</time><p>I walked it twice, and the second \
        time I took the path by the mill, which is longer.</p></div>",
    ),
    ("markup without text", "<div class='row a#'><span class=x><i></i></span><img src=/i/#.png alt=''></div>"),
];

fn page(piece: &str, size: usize) -> String {
    let mut out = HEAD.to_owned();
    let mut number = 0;
    while out.len() + FOOT.len() < size {
        out += &piece.replace('#', &number.to_string());
        number += 1;
    }
    out + FOOT
}

/// Seconds by bytes for one kind of page and one set of options.
struct Line {
    what: &'static str,
    kind: &'static str,
    times: Vec<(f64, f64)>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |flag: &str| args.iter().position(|a| a == flag).and_then(|i| args.get(i + 1)).cloned();
    let max: usize = value("--max").map_or(Ok(usize::MAX), |v| v.parse())?;
    let sizes: Vec<usize> = SIZES.into_iter().filter(|s| *s <= max).collect();
    let url = || Some("https://example.org/news/walk".to_owned());
    let formats = Formats { blocks: false, ..Formats::ALL };
    let plain = Options { url: url(), metadata: false, comments: false, ..Options::default() };
    let usual = Options { url: url(), ..Options::default() };
    let all = Options { url: url(), formats, page_type: true, ..Options::default() };
    let mut lines = Vec::new();
    for (what, options) in [("text", plain), ("text and metadata", usual), ("every format, page type and entries", all)]
    {
        let mut extractor = Extractor::new(options)?;
        println!(
            "\n{what}: microseconds per KB\n\n| page |{}",
            sizes.iter().map(|s| format!(" {} KB |", s / 1000)).collect::<String>()
        );
        println!("| --- |{}", " --- |".repeat(sizes.len()));
        for (kind, piece) in KINDS {
            let mut row = format!("| {kind} |");
            let mut times = Vec::new();
            for &size in &sizes {
                let html = page(piece, size);
                let mut warnings = None;
                let seconds = mean_seconds(0.05, || warnings = extractor.extract(&html).ok().map(|p| p.warnings));
                if let Some(warning) = warnings.iter().flatten().find(|w| w.code.as_str() == "limit_reached") {
                    return Err(format!("{kind} of {size} bytes: {}", warning.message).into());
                }
                let _ = write!(row, " {:.0} |", seconds * 1e9 / html.len() as f64);
                times.push((html.len() as f64, seconds));
            }
            println!("{row}");
            lines.push(Line { what, kind, times });
        }
    }
    if let Some(path) = value("--plot") {
        std::fs::write(&path, plot(&lines)).map_err(|e| format!("{path}: {e}"))?;
    }
    Ok(())
}

/// Plots seconds by bytes, both logarithmic: straight lines of slope one.
fn plot(lines: &[Line]) -> String {
    const COLOURS: [&str; 3] = ["#1b6", "#246", "#b42"];
    let x = |bytes: f64| 60.0 + (bytes.log10() - 3.0) * 130.0;
    let y = |seconds: f64| 60.0 + (1.0 - seconds.log10()) * 80.0;
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"740\" height=\"600\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"740\" height=\"600\" fill=\"#fff\"/>\n\
         <text x=\"60\" y=\"22\" font-size=\"14\">Time to extract a page against its size</text>\n",
    );
    for (exponent, label) in [(3, "1 KB"), (4, "10 KB"), (5, "100 KB"), (6, "1 MB"), (7, "10 MB"), (8, "100 MB")] {
        let at = x(10f64.powi(exponent));
        let _ = writeln!(
            svg,
            "<path d=\"M{at} 60V540\" stroke=\"#ddd\"/><text x=\"{at}\" y=\"558\" text-anchor=\"middle\">{label}</text>"
        );
    }
    for (exponent, label) in
        [(1, "10 s"), (0, "1 s"), (-1, "0.1 s"), (-2, "10 ms"), (-3, "1 ms"), (-4, "0.1 ms"), (-5, "10 µs")]
    {
        let at = y(10f64.powi(exponent));
        let _ = writeln!(
            svg,
            "<path d=\"M60 {at}H710\" stroke=\"#ddd\"/><text x=\"52\" y=\"{}\" text-anchor=\"end\">{label}</text>",
            at + 4.0
        );
    }
    let mut groups: Vec<&str> = Vec::new();
    for Line { what, kind, times } in lines {
        if !groups.contains(what) {
            groups.push(what);
        }
        let group = groups.len() - 1;
        let colour = COLOURS[group % COLOURS.len()];
        let points: Vec<String> = times.iter().map(|&(b, t)| format!("{:.1},{:.1}", x(b), y(t))).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-opacity=\"0.6\"><title>{what}: {kind}</title></polyline>",
            points.join(" ")
        );
        let at = 40 + group * 130;
        if kind == &KINDS[0].0 {
            let _ = writeln!(svg, "<text x=\"{}\" y=\"45\" fill=\"{colour}\">{what}</text>", 20 + at);
        }
    }
    svg.push_str("</svg>\n");
    svg
}
