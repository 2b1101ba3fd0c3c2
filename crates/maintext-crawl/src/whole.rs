//! Whole sites: a crawl with counts and rows for other formats, and a map.
use crate::run::crawl_into;
use crate::store::{Listing, Output, RECRAWLED_FROM, Store, Totals};
use crate::{Error, Observer, Options, Progress};
use maintext_core::hash::{FNV64, fnv64};
use maintext_core::settings::SETTINGS;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// A crawl that has ended: complete, or at a limit.
pub struct Crawled {
    /// Counts of this run.
    pub progress: Progress,
    /// Counts of all runs.
    pub totals: Totals,
    /// Requests of this run for pages, lists and sitemaps.
    pub requested: u64,
    /// Pages that earlier runs had kept.
    pub resumed: u64,
    store: Store,
}

/// Crawls whole sites. `made` is the file or folder that the caller makes of the rows, if that is not the output itself.
///
/// # Errors
/// As for [`crawl`](crate::crawl); also if the state belongs to a crawl with other settings, or `made` exists and is from elsewhere.
pub fn crawl(options: &Options, made: Option<&Path>, observer: &dyn Observer) -> Result<Crawled, Error> {
    let store = Store::open(&options.state, &options.output)?;
    if let Some(made) = made
        && (made.is_file() || made.join("index.jsonl").exists())
        && store.number("made")? == 0
    {
        let why = "exists but does not belong to a crawl that can resume; choose another name";
        return Err(Error::Output(made.into(), why.into()));
    }
    let settings = settings(options);
    let described: BTreeMap<&str, &str> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let json = serde_json::to_string(&described).map_err(|e| Error::Settings(e.to_string()))?;
    if let Some(earlier) = store.setting("crawl", &json)? {
        let changes = changes(&serde_json::from_str(&earlier).unwrap_or_default(), &settings);
        let why = format!("the crawl began with other settings ({changes}); use those, or choose another output");
        return Err(Error::State(options.state.clone(), why));
    }
    let resumed = store.totals()?.kept;
    let before = store.number("requests")? as u64;
    let (progress, store) = crawl_into(options, observer, store)?;
    let requested = progress.requests.saturating_sub(before);
    Ok(Crawled { progress, totals: store.totals()?, requested, resumed, store })
}

/// Returns the settings that must not change when a crawl resumes, with their values. A crawl of list pages may get further starting points.
fn settings(options: &Options) -> Vec<(&'static str, String)> {
    let uses: Vec<String> = options.obey_preferences.iter().map(ToString::to_string).collect();
    let mut settings = vec![
        ("--all", options.site.is_some().to_string()),
        ("--obey-preferences", uses.join(",")),
        ("--representation", options.fetch.representation.to_string()),
    ];
    if let Some(site) = &options.site {
        settings.push(("START_URL", options.starts.join(" ")));
        settings.extend(site.settings());
    }
    // The reference time may differ at each run.
    let mut extract = options.extract.clone();
    settings.extend(SETTINGS.iter().filter(|setting| setting.name != "now").map(|s| (s.name, s.shown(&mut extract))));
    settings.push(("model of learned", format!("{:?}", extract.parameters.weights)));
    settings
}

/// Names the settings that an earlier run had with other values.
fn changes(earlier: &BTreeMap<String, String>, settings: &[(&'static str, String)]) -> String {
    let mut changes = Vec::new();
    for (name, now) in settings {
        if let Some(before) = earlier.get(*name).filter(|before| *before != now) {
            changes.push(format!("{name} was '{}', is now '{}'", shortened(before), shortened(now)));
        }
    }
    changes.join("; ")
}

/// Returns the part of a value that a message shows.
fn shortened(value: &str) -> String {
    const SHOWN_CHARS: usize = 60;
    match value.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}...", &value[..end]),
        None => value.to_owned(),
    }
}

/// Crawls whole sites into an output of another kind than a file. `state` is the file of the state; without it, the state is in memory, and
/// the crawl cannot resume.
///
/// # Errors
/// As for [`crawl`](crate::crawl).
pub fn crawl_to(
    options: &Options,
    state: Option<&Path>,
    output: Box<dyn Output>,
    observer: &dyn Observer,
) -> Result<(Progress, Totals), Error> {
    let store = Store::with_output(state, output, "output")?;
    let (progress, store) = crawl_into(options, observer, store)?;
    Ok((progress, store.totals()?))
}

impl Crawled {
    /// Returns the rows of the output. Of the rows of one address, only the last counts.
    ///
    /// # Errors
    /// The output cannot be read.
    pub fn rows(&self) -> io::Result<CrawlRows> {
        CrawlRows::new(self.store.output(), self.store.length())
    }

    /// Passes the pages that the last recrawl has written to `take`: the row of the reading before it, if there is one, and the new row. Nothing
    /// is passed before the first recrawl.
    ///
    /// # Errors
    /// The output or the state cannot be read, or `take` fails.
    pub fn rereadings(&self, take: &mut dyn FnMut(Option<Vec<u8>>, Vec<u8>) -> io::Result<()>) -> io::Result<()> {
        let from = self.store.number(RECRAWLED_FROM).map_err(io::Error::other)? as u64;
        if from == 0 {
            return Ok(());
        }
        let mut lines = BufReader::with_capacity(1 << 18, File::open(self.store.output())?.take(self.store.length()));
        // Where the last row of each address is, before and since the recrawl.
        let (mut before, mut since) = (HashMap::new(), BTreeMap::new());
        let (mut at, mut line) = (0, Vec::new());
        loop {
            line.clear();
            let read = lines.read_until(b'\n', &mut line)? as u64;
            match read {
                0 => break,
                _ if at < from => drop(before.insert(address(&line), (at, read))),
                _ => drop(since.insert(at, (address(&line), read))),
            }
            at += read;
        }
        let mut file = lines.into_inner().into_inner();
        let mut row = |(at, length): (u64, u64)| -> io::Result<Vec<u8>> {
            let mut row = vec![0; usize::try_from(length).map_err(io::Error::other)?];
            file.seek(SeekFrom::Start(at))?;
            file.read_exact(&mut row)?;
            Ok(row)
        };
        for (at, (address, length)) in since {
            let earlier = before.get(&address).map(|place| row(*place)).transpose()?;
            take(earlier, row((at, length))?)?;
            before.insert(address, (at, length));
        }
        Ok(())
    }

    /// Records that the caller has made a file or folder of the rows, which a later run may replace.
    ///
    /// # Errors
    /// The state cannot be written.
    pub fn set_made(&self) -> Result<(), Error> {
        self.store.set_number("made", 1)
    }
}

/// The rows of a crawl, as lines of JSON.
pub struct CrawlRows {
    lines: BufReader<io::Take<File>>,
    /// Number of the last line of each address.
    last: HashMap<u64, u64>,
    number: u64,
}

impl CrawlRows {
    fn new(path: &Path, length: u64) -> io::Result<CrawlRows> {
        let open = || Ok::<_, io::Error>(BufReader::with_capacity(1 << 18, File::open(path)?.take(length)));
        let mut rows = CrawlRows { lines: open()?, last: HashMap::new(), number: 0 };
        while let Some(line) = rows.line()? {
            rows.last.insert(address(&line), rows.number);
        }
        Ok(CrawlRows { lines: open()?, number: 0, ..rows })
    }

    fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        self.number += 1;
        Ok(if self.lines.read_until(b'\n', &mut line)? > 0 { Some(line) } else { None })
    }
}

impl Iterator for CrawlRows {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.line().transpose()? {
                Ok(line) if self.last.get(&address(&line)) != Some(&self.number) => {}
                line => return Some(line),
            }
        }
    }
}

/// Returns a hash of the address of a row.
fn address(line: &[u8]) -> u64 {
    #[derive(Default, Deserialize)]
    struct Row {
        id: Option<String>,
        url: Option<String>,
    }
    let row: Row = serde_json::from_slice(line).unwrap_or_default();
    row.id.or(row.url).unwrap_or_default().bytes().fold(FNV64, fnv64)
}

/// Lists the addresses of sites, each once: from sitemaps and feeds, and from links of pages up to the depth of the site.
///
/// # Errors
/// As for [`crawl`](crate::crawl).
pub fn map(options: &Options, observer: &dyn Observer) -> Result<(Vec<Listing>, Totals), Error> {
    let (_, store) = crawl_into(options, observer, Store::in_memory()?)?;
    let mut listings = store.listings()?;
    listings.truncate(usize::try_from(options.max_pages).unwrap_or(usize::MAX));
    Ok((listings, store.totals()?))
}
