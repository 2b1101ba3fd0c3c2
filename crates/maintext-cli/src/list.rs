//! `maintext list`: the entries of a list page.
use crate::fetch::FetchArgs;
use crate::input::CommandInput;
use crate::look::{FirstDocument, warn};
use crate::{list_feed, report};
use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use maintext_core::dom::{Dom, NodeKind};
use maintext_core::list::{self, Lists};
use maintext_core::{Options, Warning, WarningCode};
use serde::Serialize;
use std::fmt::Write as _;
use std::process::ExitCode;

const AFTER_HELP: &str = "\
Prints the links to the page's entries in groups, the best group first. Menus, tag clouds, footers and similar links are \
omitted. Feeds (RSS, Atom, JSON Feed) and sitemaps state their entries, which form one group. docs/lists.md describes the methods and their accuracy.

Examples:
  maintext list https://example.org/news
  maintext list --url https://example.org/news -f json saved.html | jq -r '.groups[0].entries[].url'
  maintext list https://example.org/feed.xml
  maintext list -f rss https://example.org/news > news.xml
  maintext list --method siblings page.html";

/// List the entries of a list page in order, and its links to further pages
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER_HELP)]
pub struct ListArgs {
    /// An address (http or https), a file, or - for standard input
    #[arg(value_name = "INPUT", default_value = "-")]
    input: String,

    /// Address of a page from a file or standard input; its relative links are resolved against it
    #[arg(long, value_name = "URL", value_parser = crate::look::absolute)]
    url: Option<String>,

    /// Method that finds the entries
    #[arg(long, value_name = "NAME", default_value = list::METHODS[0])]
    #[arg(value_parser = PossibleValuesParser::new(list::METHODS))]
    method: String,

    /// Output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    format: ListFormat,

    /// Remove tracking parameters (utm_source, fbclid, ...) from the addresses
    #[arg(long)]
    strip_tracking: bool,

    #[command(flatten)]
    fetch: FetchArgs,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum ListFormat {
    /// For reading, one line per entry
    Table,
    /// One JSON object with all fields
    Json,
    /// One JSON object per entry and line
    Jsonl,
    /// Comma-separated values with a header
    Csv,
    /// A feed of the main group, to subscribe to a page that has none
    Rss,
}

/// The JSON output.
#[derive(Serialize)]
struct ListOutput {
    url: Option<String>,
    #[serde(skip)]
    title: Option<String>,
    #[serde(flatten)]
    list: list::ListPage,
    /// The probability of a list page, for an HTML page.
    #[serde(skip)]
    is_list: Option<f32>,
    warnings: Vec<Warning>,
}

/// Probability of a list below which the groups of a page may be menus.
const UNLIKELY_LIST: f32 = 0.1;

pub fn run(args: &ListArgs) -> ExitCode {
    let lists = Lists::named(&args.method).unwrap_or_else(|e| report::usage(&e));
    let read = read(args, &lists).and_then(|page| Ok((write(args.format, &page)?, page)));
    match read {
        Ok((text, page)) => {
            let written = crate::output::Stdout::new().write(&text);
            if args.format != ListFormat::Json {
                warn(&args.input, &page.warnings);
                if page.list.groups.is_empty() {
                    report::warning(&CommandInput::new(&args.input).to_string(), &"no list of entries was found");
                } else if page.is_list.is_some_and(|p| p < UNLIKELY_LIST) {
                    let message = "probably not a list page; the entries may be a menu";
                    report::warning(&CommandInput::new(&args.input).to_string(), &message);
                }
            }
            written.map_or_else(|e| report::write_failed("standard output", &e), |()| ExitCode::SUCCESS)
        }
        Err(message) => {
            report::failed(&CommandInput::new(&args.input).to_string(), &message);
            ExitCode::FAILURE
        }
    }
}

fn write(format: ListFormat, page: &ListOutput) -> Result<String, String> {
    Ok(match format {
        ListFormat::Table => table(page),
        ListFormat::Json => serde_json::to_string_pretty(page).map_err(|e| e.to_string())? + "\n",
        ListFormat::Jsonl => page
            .list
            .groups
            .iter()
            .flat_map(|g| &g.entries)
            .map(|entry| serde_json::to_string(entry).map(|line| line + "\n"))
            .collect::<Result<String, _>>()
            .map_err(|e| e.to_string())?,
        ListFormat::Csv => list_feed::csv(page.list.groups.iter().flat_map(|g| &g.entries)),
        ListFormat::Rss => {
            let url = page.url.as_deref().ok_or("a feed needs the address of the page: --url")?;
            let main = page.list.groups.first().map_or(&[][..], |group| &group.entries);
            list_feed::rss(page.title.as_deref().unwrap_or(url), url, main)
        }
    })
}

/// Returns the title in the head of a page.
fn title(dom: &Dom<'_>) -> Option<String> {
    let title = dom.title()?;
    let texts = dom.descendants(title).filter(|n| dom.kind(*n) == NodeKind::Text).map(|n| dom.text(n));
    let text = texts.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}

fn read(args: &ListArgs, lists: &Lists) -> Result<ListOutput, String> {
    let mut seen = FirstDocument::open(&args.fetch, &args.input, args.url.as_deref())?;
    let mut output = match seen.document.list.take() {
        // Feeds and sitemaps state their entries.
        Some(list) => {
            let cut = seen.document.warning.map(|message| Warning::new(WarningCode::LimitReached, message));
            ListOutput { url: seen.url, title: None, list, is_list: None, warnings: cut.into_iter().collect() }
        }
        None => seen.analyze(Options::default(), |extractor, mut analysis, url| {
            let mut warnings = std::mem::take(&mut analysis.warnings);
            warnings.extend(analysis.dom.left_out());
            let is_list = extractor.page_type(&analysis, url).map_err(|e| e.to_string())?.list;
            let view = &analysis.view(url);
            let list = lists.page(view);
            // A saved page is where it says that it is; its entries are resolved against that address, too.
            let url = match view.url {
                Some(url) => Some(url.to_owned()),
                None => maintext_core::address::base_url(view.dom, None).map(String::from),
            };
            Ok(ListOutput { url, title: title(view.dom), list, is_list: Some(is_list), warnings })
        })?,
    };
    if args.strip_tracking {
        let entries = output.list.groups.iter_mut().flat_map(|g| &mut g.entries);
        entries.for_each(|e| e.url = e.url.as_deref().map(list::without_tracking));
    }
    Ok(output)
}

/// Returns one line per entry (title, date, address), with a blank line between groups.
fn table(page: &ListOutput) -> String {
    let columns = terminal_size::terminal_size().map_or(120, |(w, _)| (w.0 as usize).max(60));
    let mut out = String::new();
    for (k, group) in page.list.groups.iter().enumerate() {
        let gap = if k > 0 { "\n" } else { "" };
        let name = group.name.as_ref().map_or(String::new(), |name| format!(": {}", cut(name, columns / 2)));
        let entries = report::counted(group.entries.len() as u64, "entry", "entries");
        let _ = writeln!(out, "{gap}Group {} of {}: {entries}{name}", k + 1, page.list.groups.len());
        let mut category = None;
        let dated = group.entries.iter().any(|e| e.date.is_some());
        for e in &group.entries {
            if e.category.is_some() && e.category != category {
                let _ = writeln!(out, "      {}", e.category.as_deref().unwrap_or(""));
                category.clone_from(&e.category);
            }
            let date = e.date.as_deref().map_or("", |d| d.get(..10).unwrap_or(d));
            let title = cut(&e.title, columns / 2);
            let pad = " ".repeat((columns / 2).saturating_sub(width(&title)));
            let date = if dated { format!("{date:10}  ") } else { String::new() };
            let _ = writeln!(out, "{:>4}  {title}{pad}  {date}{}", e.position, e.url.as_deref().unwrap_or(""));
        }
    }
    let p = &page.list.pagination;
    let named = [("Next", &p.next), ("Previous", &p.previous), ("First", &p.first), ("Last", &p.last)];
    let links: Vec<String> = named.iter().filter_map(|(n, l)| Some(format!("{n}: {}", l.as_ref()?.url))).collect();
    if !links.is_empty() || !p.pages.is_empty() || !p.load_more.is_empty() {
        out.push('\n');
        links.iter().for_each(|l| out += &format!("{l}\n"));
        if let (Some(a), Some(b)) = (p.pages.first(), p.pages.last()) {
            let _ = writeln!(out, "Numbered pages: {} ({} to {})", p.pages.len(), a.text, b.text);
        }
        p.load_more.iter().for_each(|b| out += &format!("Button that loads more: {b}\n"));
    }
    out
}

/// Returns the number of terminal columns of a text; East Asian characters take two.
fn width(text: &str) -> usize {
    text.chars()
        .map(|c| 1 + (maintext_core::blocks::is_cjk(c) || ('\u{ff01}'..='\u{ff60}').contains(&c)) as usize)
        .sum()
}

fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    for c in text.chars() {
        if width(&out) + 2 > columns.saturating_sub(1) {
            break;
        }
        out.push(c);
    }
    out.push('\u{2026}');
    out
}
