//! Trains the detector of languages: `cargo xtask train-language`.
#[path = "../../src/languages.rs"]
#[allow(dead_code)]
mod languages;
#[path = "../../src/words.rs"]
mod words;

mod chain;
mod random;
mod sgd;
mod sources;
mod text;

use languages::GROUPS;
use random::Random;
use std::path::PathBuf;
use unicode_script::Script;

/// Returns the script of most letters.
pub(crate) fn script_of(text: &str) -> Script {
    let mut counts = Vec::<(Script, usize)>::new();
    words::words(text, |word, script| match counts.iter_mut().find(|c| c.0 == script) {
        Some(count) => count.1 += word.len(),
        None => counts.push((script, word.len())),
    });
    counts.iter().max_by_key(|c| c.1).map_or(Script::Common, |c| c.0)
}

fn main() -> Result<(), String> {
    let mut args = std::env::args().skip(1);
    let (Some(packages), Some(out)) = (args.next().map(PathBuf::from), args.next().map(PathBuf::from)) else {
        return Err("usage: train PACKAGES MODEL [SAMPLES]".into());
    };
    let samples = args.next().map_or(Ok(5_000_000), |n| n.parse()).map_err(|_| "SAMPLES is not a number")?;
    let mut random = Random(1);
    let classes = sources::read(&packages, &mut random)?;
    let names = GROUPS.iter().flat_map(|g| g.languages.iter().map(move |l| (g.script.short_name(), l)));
    for ((script, language), class) in names.zip(&classes) {
        let count: usize = class.lines.iter().map(Vec::len).sum();
        println!("{script} {language}: {count} words, {} drawn, {} listed", class.drawn.len(), class.list.len());
        if std::env::var("SHOW").is_ok() {
            for w in class.drawn.iter().take(12) {
                print!("{} ", w.iter().collect::<String>());
            }
            println!();
        }
    }
    let bytes = sgd::train(&classes, samples, &mut random);
    std::fs::write(&out, bytes).map_err(|e| format!("{}: {e}", out.display()))
}
