//! Measures the value of each group of features: the forest alone, cross-validated by site, without one group at a time.
//!
//! `ablation DATA_DIR [GROUP...]` prints one line per group with the mean word F1 of the sets, as Markdown.
use maintext_lab::Error;
use maintext_lab::learned::{ablate, fold_of, page_f1};
use maintext_lab::shipped::{load, report, rows, settings};
use maintext_learn::gbdt::Settings;
use std::path::Path;
use std::process::ExitCode;

/// Whether a feature, given by its name, belongs to a group.
type Holds = fn(&str) -> bool;

/// Groups of features by name; the first match counts.
const GROUPS: [(&str, Holds); 10] = [
    ("page types by tokens", |n| n.starts_with("page_kind_")),
    ("class, id and role tokens", |n| n.starts_with("tokens_") || n.starts_with("document_")),
    ("words", |n| n.starts_with("word_score_")),
    ("elements with a role", |n| n.starts_with("role_")),
    ("the page", |n| n.starts_with("page_")),
    ("subtrees", |n| n.contains("_up_") || n.ends_with("_up") || n.starts_with("in_") || n.starts_with("most_")),
    ("blocks of the same path", |n| n.ends_with("_path")),
    ("tags and ancestors", |n| {
        n.starts_with("tag_") || n.starts_with("distance_") || n.contains("depth") || n == "heading"
    }),
    ("place", |n| {
        let of_place =
            ["position", "blocks_", "words_before", "words_after", "last_heading", "words_since", "title_distance"];
        of_place.iter().any(|p| n.starts_with(p)) || n == "text_run"
    }),
    ("the block's own text", |_| true),
];

fn group(name: &str) -> &'static str {
    GROUPS.iter().find(|g| g.1(name)).map_or("", |g| g.0)
}

/// The sets to print.
const SETS: [&str; 12] = [
    "wcxb-dev",
    "wcxb-dev/article",
    "wcxb-dev/documentation",
    "wcxb-dev/service",
    "wcxb-dev/forum",
    "wcxb-dev/listing",
    "wcxb-dev/collection",
    "wcxb-dev/product",
    "fundus",
    "misinfo-crawler",
    "krdwrd-canola",
    "web-forum-52",
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((data, asked)) = args.split_first() else {
        eprintln!("usage: ablation DATA_DIR [GROUP...]");
        return ExitCode::from(2);
    };
    if let Some(unknown) = asked.iter().find(|a| GROUPS.iter().all(|g| g.0 != **a)) {
        eprintln!("unknown group '{unknown}'; the groups are: {}", GROUPS.map(|g| g.0).join(", "));
        return ExitCode::from(2);
    }
    match run(Path::new(data), asked) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}

fn run(data: &Path, asked: &[String]) -> Result<(), Error> {
    let samples = load(data, &Default::default(), |m| eprintln!("{m}"))?;
    let fold: Vec<usize> = samples.iter().map(|s| fold_of(&s.site)).collect();
    let rows = rows(&samples);
    // Half the trees at twice the rate show the same differences and train faster.
    let shipped = settings(1).forest;
    let half = Settings { trees: shipped.trees / 2, learning_rate: shipped.learning_rate * 1.6, ..shipped };
    println!("| without | features | {} |", SETS.map(|s| s.trim_start_matches("wcxb-dev/")).join(" | "));
    println!("| --- | --: |{}", " --: |".repeat(SETS.len()));
    let names = maintext_core::features::names();
    let groups = GROUPS.iter().map(|g| g.0).filter(|g| asked.is_empty() || asked.iter().any(|a| a == g));
    for without in std::iter::once("").chain(groups) {
        let p = ablate(&samples, &fold, &rows, &half, |name| group(name) != without);
        let found = report(&samples, |i| page_f1(&samples[i], &p[i]));
        let figures = SETS.map(|s| found.get(s).map_or("-".into(), |f| format!("{:.4}", f.1)));
        let count = names.iter().filter(|n| group(n) == without).count();
        println!("| {} | {count} | {} |", if without.is_empty() { "nothing" } else { without }, figures.join(" | "));
    }
    Ok(())
}
