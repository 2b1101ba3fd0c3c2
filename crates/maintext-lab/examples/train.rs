//! Trains a line classifier: `cargo run --release --example train -- METHOD OUT SET...`. Environment variables contain the settings:
//! `HIDDEN=7-7-3`, `SEED`, `SITE`, `SITE_PAGES`.
use maintext_lab::lines::{Observer, Options, Rows, Trainable, Visit, train};
use std::path::Path;

struct Watch;

impl Observer for Watch {
    fn epoch(&self, hidden: &[usize], epoch: usize, _: usize, loss: f64, validation: f64) {
        if std::env::var_os("VERBOSE").is_some() {
            eprintln!("{hidden:?} epoch {epoch}: {loss:.5} {validation:.5}");
        }
    }
    fn visited(&self, visit: &Visit, remaining: usize) {
        eprintln!("{} {:.5} ({} epochs), {remaining} to go", visit.name(), visit.validation, visit.epochs);
    }
}

fn main() -> Result<(), maintext_lab::Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [method, out, sets @ ..] = &args[..] else { panic!("usage: train METHOD OUT SET...") };
    let method = Trainable::named(method)?;
    let env = |k: &str| std::env::var(k).ok();
    let mut options = Options { site: env("SITE"), ..Options::default() };
    options.hidden = env("HIDDEN").map(|h| h.split('-').filter_map(|n| n.parse().ok()).collect());
    options.seed = env("SEED").and_then(|s| s.parse().ok()).unwrap_or(options.seed);
    options.site_pages = env("SITE_PAGES").and_then(|s| s.parse().ok()).unwrap_or(options.site_pages);
    let mut rows = Rows::default();
    for set in sets {
        rows.add_set(method, Path::new(set), &|_| {})?;
    }
    let trained = train(method, &rows, &options, &Watch)?;
    print!("{}", trained.report.text());
    std::fs::write(out, trained.model.to_json()).map_err(|e| maintext_lab::Error::file(Path::new(out), e))
}
