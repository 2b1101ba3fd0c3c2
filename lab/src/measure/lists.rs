//! `cargo xtask measure --entries`, `--pagination`, `--page-type`: accuracy on list pages.
use super::fields::As;
use indicatif::ProgressBar;
use maintext_lab::Error;
use maintext_lab::list_eval::{self, entries_cells, kind_cells, markdown, role_cells, table, told_cells};
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::time::Duration;

/// The number of parts in the cross-validation of the shipped models. Held-out models exist only for this number.
const PARTS: u16 = maintext_lab::learned::FOLDS as u16;

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "List pages")]
pub struct ListArgs {
    /// Measure list entries, on pages with entries in "links" or as lines of "text"
    ///
    /// With --cross-validate 5 (also for the options below), each page is measured with models that have not seen its site. On sets
    /// that the shipped models were trained on, only these figures predict the accuracy on other sites.
    #[arg(long, conflicts_with_all = ["method", "types", "predictions", "fields"])]
    entries: bool,

    /// Measure pagination links, on pages with a pagination in "extra.pagination"
    #[arg(long, conflicts_with_all = ["method", "types", "predictions", "fields"])]
    pagination: bool,

    /// Measure page types, on pages with a type in "page_type", and print a confusion matrix
    ///
    /// With --cross-validate 5, the content model that the classifier relies on has not seen the page's site either. This takes minutes.
    #[arg(long, conflicts_with_all = ["method", "types", "predictions", "fields"])]
    page_type: bool,
}

impl ListArgs {
    pub fn wanted(&self) -> bool {
        self.entries || self.pagination || self.page_type
    }
}

pub fn run(args: &ListArgs, data: &[PathBuf], folds: Option<u16>, form: As) -> Result<String, Error> {
    if folds.is_some_and(|k| k != PARTS) {
        return Err(Error::other(format!(
            "list pages can be cross-validated in {PARTS} parts only: use --cross-validate {PARTS}"
        )));
    }
    let held_out = folds.is_some();
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut parts: Vec<String> = Vec::new();
    let mut json = Map::new();
    let write = |cells| match form {
        As::Markdown => markdown(&cells),
        _ => table(&cells),
    };
    if args.entries {
        let rows = list_eval::entries(data, held_out, |m| bar.set_message(format!("entries: {m}")))?;
        parts.push(write(entries_cells(&rows)));
        json.insert("entries".into(), value(&rows)?);
    }
    if args.pagination {
        bar.set_message("pagination");
        let rows = list_eval::paginations(data, held_out)?;
        parts.push(write(role_cells(&rows)));
        json.insert("pagination".into(), value(&rows)?);
    }
    if args.page_type {
        let told = list_eval::kinds(data, held_out, |m| bar.set_message(format!("page types: {m}")))?;
        parts.extend(told.iter().filter(|t| t.is_mixed()).map(|t| format!("{}:\n\n{}", t.set, write(kind_cells(t)))));
        parts.push(write(told_cells(&told)));
        json.insert("page_type".into(), value(&told)?);
    }
    bar.finish_and_clear();
    Ok(match form {
        As::Json => format!("{:#}\n", Value::Object(json)),
        _ => parts.join("\n"),
    })
}

fn value(rows: &impl serde::Serialize) -> Result<Value, Error> {
    serde_json::to_value(rows).map_err(|e| Error::other(e.to_string()))
}
