//! `maintext extract`: writes the main content of pages.
use crate::browser::{BrowserArgs, PageBrowser};
use crate::content::{ContentArgs, html_flag};
#[cfg(feature = "chunks")]
use crate::cut::{ChunkShape, Chunking, CutArgs};
use crate::fetch::FetchArgs;
#[cfg(feature = "chunks")]
use crate::find_args::FindArgs;
use crate::follow::{self, Follow, FollowArgs, FollowedPage, Load};
use crate::input::{CommandInput, hint_at_addresses, wait_for};
use crate::output::{OutputFolder, OutputFormat, OutputStyle, Stdout};
use crate::representation::WantedRepresentation;
#[cfg(feature = "chunks")]
use crate::rows::{self, Row, RowContent};
use crate::schema::Check;
use crate::{guard, keep, report};
use maintext_core::{Extractor, Fields, Options, Page, Warning, WarningCode};
use maintext_fetch::representation::is_same_host;
use maintext_fetch::{FetchOptions, Fetcher};
use maintext_formats::Document;
use maintext_util::atomic::write_atomic;
use std::borrow::Cow;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;

const AFTER_HELP: &str = "\
Examples:
  maintext extract https://example.org/article
  maintext extract -f markdown --with-metadata -o article.md article.html
  maintext extract -f json a.html b.html > pages.jsonl
  maintext extract --follow-pages 20 https://example.org/long-read
  maintext extract --render --wait-for article --screenshot page.png https://example.org/app
  maintext extract -f json --things https://example.org/kettle | jq .things
  maintext extract --schema product.schema.json https://example.org/kettle
  maintext extract --find 'What does a ticket cost?' https://example.org/ferries
  maintext extract --output-dir texts --favor recall *.html

Other formats are recognised by content: compressed pages, plain text; with --features full also Markdown, e-mail, MHTML, RSS, \
Atom, JSON Feed, sitemaps, WARC and WACZ. A file with several documents, such as an archive, gives them in order.

The encoding is determined from the byte-order mark, the Content-Type header, the page's own declaration and its bytes, in \
this order; a declaration that contradicts the bytes is ignored. Output is always UTF-8.

Exit status: 0 success, 1 at least one input failed, 2 invalid usage. A failed input does not stop the others.";

/// Extract the main text of pages
///
/// Reads pages from addresses, files or standard input and writes their main content to standard output, a file or
/// a folder. Files are written atomically: an interrupted run leaves no incomplete file under their names.
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER_HELP)]
pub struct ExtractArgs {
    /// Addresses (http or https), files, or - for standard input [default: -]
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,

    /// Output format
    #[arg(short, long, value_name = "FORMAT", default_value = "text", conflicts_with = "schema")]
    pub(crate) format: OutputFormat,

    /// Write JSON on one line, as for several inputs
    #[arg(long)]
    pub(crate) compact: bool,

    /// Write to FILE instead of standard output; results of several inputs are concatenated
    #[arg(short, long, value_name = "FILE", conflicts_with = "output_dir")]
    pub(crate) output: Option<PathBuf>,

    /// Write one file for each input into DIR, which is created if it does not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) output_dir: Option<PathBuf>,

    /// Replace files that exist already
    #[arg(long)]
    pub(crate) overwrite: bool,

    /// Suppress warnings; failures are still reported
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Address of a page from a file or standard input; its relative links are resolved against it
    #[arg(long, value_name = "URL", value_parser = crate::look::absolute)]
    pub(crate) url: Option<String>,

    /// Write title, author, date and the other metadata before the text
    ///
    /// Text and Markdown get YAML front matter, HTML gets a head, typed blocks become one key of an object. XML and JSON always include the metadata.
    #[arg(long, conflicts_with = "schema")]
    pub(crate) with_metadata: bool,

    /// Add the passages of the page for retrieval as the key "chunks" (JSON); see 'maintext chunk'
    #[cfg(feature = "chunks")]
    #[arg(long, conflicts_with = "schema")]
    pub(crate) chunks: bool,

    #[cfg(feature = "chunks")]
    #[command(flatten)]
    pub(crate) find: FindArgs,

    /// Write only the changes since an earlier reading of the page: FILE is an earlier page, or a result of 'extract' as text or JSON, or of 'crawl'
    ///
    /// New, gone, edited and moved blocks, as text, Markdown or JSON. Counters, times such as "3 minutes ago" and dates of updates do not
    /// count.
    #[cfg(feature = "chunks")]
    #[arg(long, value_name = "FILE", help_heading = "Changes")]
    #[arg(conflicts_with_all = ["output_dir", "schema", "chunks", "find", "follow", "follow_pages"])]
    pub(crate) since: Option<PathBuf>,

    #[cfg(feature = "chunks")]
    #[command(flatten)]
    pub(crate) cut: CutArgs,

    #[command(flatten)]
    pub(crate) content: ContentArgs,

    #[command(flatten)]
    pub(crate) fetch: FetchArgs,

    /// Representation of pages to ask servers for
    #[arg(long, value_name = "NAME", default_value = "auto", help_heading = "Fetching")]
    pub(crate) representation: WantedRepresentation,

    #[command(flatten)]
    pub(crate) follow: FollowArgs,

    #[command(flatten)]
    pub(crate) render: BrowserArgs,

    /// Write a picture of the whole rendered page to FILE, as PNG; for one address, with --render
    #[arg(long, value_name = "FILE", help_heading = "Browser")]
    pub(crate) screenshot: Option<PathBuf>,
}

/// The inputs of a run with its validated settings.
pub(crate) struct ExtractJob {
    inputs: Vec<CommandInput>,
    style: OutputStyle,
    extractor: Extractor,
    fetcher: Option<Fetcher>,
    browser: Option<Rc<PageBrowser>>,
    follow: Option<Follow>,
    /// Whether the Markdown version that a page declares is read in its place.
    takes_version: bool,
    max_size: usize,
    failed: usize,
    /// Whether a part of an input failed.
    damaged: bool,
    /// The check of the objects that are written in place of pages.
    check: Option<Check>,
    /// The chunks that are written with pages or instead of them.
    #[cfg(feature = "chunks")]
    chunking: Option<Chunking>,
}

/// A document of an input: its name in messages, and its page or the reason why it failed.
pub(crate) struct InputPart {
    pub(crate) name: String,
    pub(crate) page: Result<Page, String>,
}

/// A page with its source.
#[cfg(feature = "chunks")]
pub(crate) struct WholePage {
    pub(crate) page: Page,
    pub(crate) bytes: Vec<u8>,
    pub(crate) charset: Option<String>,
}

/// Writes the only result of a run to the output that the flags name.
#[cfg(feature = "chunks")]
pub(crate) fn write_one(args: &ExtractArgs, out: &str) -> ExitCode {
    let (written, to) = match &args.output {
        Some(path) if path.as_os_str() != "-" => {
            (write_atomic(path, |file| file.write_all(out.as_bytes())), path.display().to_string())
        }
        _ => (Stdout::new().write(out), "standard output".to_owned()),
    };
    written.map_or_else(|error| report::write_failed(&to, &error), |()| ExitCode::SUCCESS)
}

/// Returns the message of a warning, with the flag that helps.
fn advised(warning: &Warning, rendered: bool) -> String {
    match warning.code {
        WarningCode::NeedsRendering if !rendered => {
            format!("{}; --render loads an address in a browser", warning.message)
        }
        _ => warning.message.clone(),
    }
}

/// Returns a flag that has no effect on any of the formats that are written.
fn unused_flag(args: &ExtractArgs) -> Option<(&'static str, &'static str)> {
    let written = args.format.needs();
    if args.content.schema.is_some() {
        return None;
    }
    // Chunks are written as Markdown or text, whatever the format.
    args.content.without_effect(written)
}

/// Refuses flags without effect, and outputs whose names promise another format.
fn check(args: &ExtractArgs) {
    let is_object = args.content.schema.is_some();
    if args.content.page_type && args.format != OutputFormat::Json && !is_object {
        report::usage(&"--page-type needs -f json, the only format that holds it");
    }
    if args.compact && !matches!(args.format, OutputFormat::Json | OutputFormat::Blocks) && !is_object {
        report::usage(&"--compact needs -f json or -f blocks");
    }
    if args.representation != WantedRepresentation::Auto
        && !args.inputs.iter().any(|name| matches!(CommandInput::new(name), CommandInput::Url(_)))
    {
        report::usage(&"--representation needs an address as input");
    }
    if let Some((flag, format)) = unused_flag(args) {
        report::usage(&format!("{flag} has no effect without {format}"));
    }
    if args.overwrite && args.output.is_none() && args.output_dir.is_none() {
        report::usage(&"--overwrite has no effect without -o or --output-dir");
    }
    if args.output.as_deref().and_then(Path::extension).is_some_and(|e| e == "parquet") {
        report::usage(&"-o: 'extract' does not write tables; for Parquet use 'maintext batch'");
    }
}

/// Returns a flag that needs HTML.
fn needs_html(args: &ExtractArgs, options: &Options) -> Option<String> {
    let flags = [
        ("--follow", args.follow.follow),
        ("--follow-pages", args.follow.follow_pages.is_some()),
        ("--render", args.render.is_used()),
        ("--screenshot", args.screenshot.is_some()),
    ];
    html_flag(options).or_else(|| flags.into_iter().find(|f| f.1).map(|f| f.0.to_owned()))
}

#[cfg(not(feature = "chunks"))]
pub fn run(args: &ExtractArgs) -> ExitCode {
    check(args);
    finish(ExtractJob::new(args), args)
}

/// Refuses flags without effect.
#[cfg(feature = "chunks")]
pub(crate) fn check_all(args: &ExtractArgs) {
    check(args);
    if args.chunks && args.format != OutputFormat::Json {
        report::usage(&"--chunks needs -f json, the only format that holds them");
    }
    let has_chunks = args.chunks || args.find.find.is_some();
    if let Some(flag) = args.cut.given().or(args.cut.tokenizer.as_ref().map(|_| "--tokenizer"))
        && !has_chunks
    {
        report::usage(&format!("{flag} has no effect without --chunks or --find"));
    }
    if args.find.find.is_none()
        && let Some(flag) = args.find.given()
    {
        report::usage(&format!("{flag} has no effect without --find"));
    }
}

/// Extracts pages, with their chunks if requested.
#[cfg(feature = "chunks")]
pub fn run(args: &ExtractArgs) -> ExitCode {
    let chunking = args.chunks.then(|| Chunking { settings: args.cut.settings(), shape: ChunkShape::Key });
    run_chunked(args, chunking)
}

/// Extracts pages and writes their chunks.
#[cfg(feature = "chunks")]
pub fn run_chunked(args: &ExtractArgs, chunking: Option<Chunking>) -> ExitCode {
    let mut job = ExtractJob::new(args);
    if let Some(chunking) = &chunking {
        job.set_options(|options| {
            options.pieces = Some(chunking.settings.form);
            if chunking.shape != ChunkShape::Key {
                ask_for_metadata(options, maintext_core::Formats::NONE);
            }
        });
    }
    job.chunking = chunking;
    finish(job, args)
}

/// Asks for the metadata, whatever the output's format needs, and for the formats that are read from the page.
#[cfg(feature = "chunks")]
pub(crate) fn ask_for_metadata(options: &mut maintext_core::Options, formats: maintext_core::Formats) {
    (options.formats, options.metadata) = (formats, true);
    options.fields = OutputFormat::Json.parts(true);
}

fn finish(mut job: ExtractJob, args: &ExtractArgs) -> ExitCode {
    keep::inputs(job.inputs.iter().filter_map(CommandInput::file), args.output.as_deref());
    let result = match (&args.output, &args.output_dir) {
        (_, Some(folder)) => job.write_folder(folder, args.overwrite),
        (Some(path), None) if path.as_os_str() != "-" => {
            keep::existing([path.as_path()], args.overwrite);
            job.write_file(path)
        }
        _ => job.write_stdout(),
    };
    match result {
        Err(status) if !job.damaged => status,
        Ok(()) if !job.damaged => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

#[cfg(feature = "chunks")]
impl ExtractJob {
    /// Changes the options of the extraction.
    pub(crate) fn set_options(&mut self, change: impl FnOnce(&mut maintext_core::Options)) {
        let mut options = self.extractor.options().clone();
        change(&mut options);
        self.extractor = Extractor::new(options).unwrap_or_else(|e| report::usage(&e));
    }

    pub(crate) fn inputs(&self) -> &[CommandInput] {
        &self.inputs
    }

    pub(crate) fn max_size(&self) -> usize {
        self.max_size
    }

    /// Reads one page with its source.
    pub(crate) fn whole(&mut self, input: &CommandInput) -> Result<WholePage, String> {
        if let (CommandInput::Url(url), true) = (input, self.browser.is_some()) {
            let FollowedPage { page, bytes, charset, .. } = self.load(url)?;
            return Ok(WholePage { page, bytes, charset });
        }
        let source = input.read(self.fetcher.as_ref(), self.max_size)?;
        self.whole_of(source)
    }

    /// Reads one page of a file with its source.
    pub(crate) fn whole_of_file(&mut self, path: &Path, url: Option<&str>) -> Result<WholePage, String> {
        let mut source = CommandInput::File(path.to_owned()).read(None, self.max_size)?;
        source.url = url.map(str::to_owned);
        self.whole_of(source)
    }

    fn whole_of(&mut self, mut source: crate::input::FileBytes) -> Result<WholePage, String> {
        source.url = source.url.or_else(|| self.extractor.options().url.clone());
        let url = source.url.clone();
        let mut documents = guard::catch(|| source.documents(self.max_size))??;
        let first = guard::catch(|| documents.next())?.ok_or("the input holds no page")?.map_err(|e| e.to_string())?;
        if documents.format().is_container() && guard::catch(|| documents.next())?.is_some() {
            return Err("the input holds several documents; changes are found between two versions of one page".into());
        }
        let page = self.document(&first, url.as_deref())?;
        let charset = first.charset.map(Cow::into_owned);
        Ok(WholePage { page, bytes: first.bytes, charset })
    }

    /// Returns the page of a row of an earlier result.
    pub(crate) fn page_of(&mut self, row: &Row) -> Result<Page, String> {
        let (html, whole) = match row.content() {
            Some(RowContent::Page(html)) => (html.into_bytes(), false),
            Some(RowContent::Html(html)) => (html.into_bytes(), true),
            Some(RowContent::Markdown(markdown)) => (rows::html_of(markdown, self.max_size)?, true),
            None => {
                let said = row.error.as_ref().and_then(|e| e.as_str()).map(|e| format!(": {e}"));
                return Err(format!("the row holds no page{}", said.unwrap_or_default()));
            }
        };
        let input =
            maintext_core::Input { whole, ..maintext_core::Input::at(&html, row.url.as_deref(), Some("utf-8")) };
        let mut page = guard::catch(|| self.extractor.extract(input))?.map_err(|error| error.to_string())?;
        let metadata = &mut page.metadata;
        metadata.title = row.title.clone().or(metadata.title.take());
        metadata.language = row.language.clone().or(metadata.language.take());
        Ok(page)
    }
}

impl ExtractJob {
    pub(crate) fn new(args: &ExtractArgs) -> ExtractJob {
        if args.quiet {
            report::silence_warnings();
        }
        hint_at_addresses(&args.inputs);
        let names: &[String] = if args.inputs.is_empty() { &["-".to_owned()] } else { &args.inputs };
        let inputs: Vec<CommandInput> = names.iter().map(|name| CommandInput::new(name)).collect();
        if inputs.iter().filter(|i| **i == CommandInput::Stdin).count() > 1 {
            report::usage(&"standard input can be read only once");
        }
        let has_address = inputs.iter().any(|input| matches!(input, CommandInput::Url(_)));
        if args.url.is_some() && (inputs.len() > 1 || has_address) {
            report::usage(&"--url is the address of one file or of standard input");
        }
        let check = args.content.schema_file().map(Check::new);
        if args.content.things && args.format != OutputFormat::Json {
            report::usage(&"--things needs -f json, the only format that holds them");
        }
        let format = if check.is_some() { OutputFormat::Json } else { args.format };
        let metadata = args.with_metadata || format.holds_metadata();
        let mut options = args.content.options(format.needs(), metadata);
        // Parts of an article are joined if their titles agree.
        options.fields = if args.follow.any() { Fields::ALL } else { format.parts(metadata) };
        options.url = args.url.clone();
        let is_plain = matches!(format, OutputFormat::Text | OutputFormat::Markdown) && !args.with_metadata;
        let representation = args.representation.resolve(needs_html(args, &options), is_plain);
        let extractor = Extractor::new(options).unwrap_or_else(|e| report::usage(&e));
        let fetch = FetchOptions { representation, ..args.fetch.for_documents() };
        let fetcher = has_address.then(|| Fetcher::new(fetch).unwrap_or_else(|e| report::usage(&e)));
        let screenshot = args.screenshot.as_deref();
        if screenshot.is_some() && (inputs.len() > 1 || !has_address) {
            report::usage(&"--screenshot needs one address as the only input");
        }
        if screenshot.is_some() && screenshot == args.output.as_deref() {
            report::usage(&"--screenshot and --output name the same file");
        }
        if args.render.is_used() && !has_address {
            report::usage(&"--render needs an address as input");
        }
        let browser = args.render.browser(screenshot).unwrap_or_else(|e| report::usage(&e));
        if args.follow.any() && !has_address {
            report::usage(&"--follow and --follow-pages need an address as input");
        }
        let follow = args
            .follow
            .any()
            .then(|| Follow::new(&args.follow, args.fetch.options(), &extractor).unwrap_or_else(|e| report::usage(&e)));
        let one_line = args.compact || inputs.len() > 1 && args.output_dir.is_none();
        let style = OutputStyle { format, with_metadata: args.with_metadata, one_line };
        ExtractJob {
            inputs,
            style,
            extractor,
            fetcher,
            browser: browser.map(Rc::new),
            follow,
            takes_version: args.representation == WantedRepresentation::Markdown,
            max_size: args.fetch.max_size,
            failed: 0,
            damaged: false,
            check,
            #[cfg(feature = "chunks")]
            chunking: None,
        }
    }

    /// Returns the output for a page of this name.
    pub(crate) fn written(&self, name: &str, page: &mut Page, style: OutputStyle) -> Result<String, String> {
        if let Some(check) = &self.check {
            return Ok(format!("{}\n", check.object(page)?));
        }
        #[cfg(feature = "chunks")]
        if let Some(chunking) = &self.chunking {
            return chunking.render(name, page, style.one_line);
        }
        Ok(if self.inputs.len() > 1 { style.render_named(name, page) } else { style.render(page) })
    }

    /// Whether the output holds the warnings of pages.
    fn holds_warnings(&self) -> bool {
        #[cfg(feature = "chunks")]
        if self.chunking.as_ref().is_some_and(|c| c.shape != ChunkShape::Key) {
            return false;
        }
        self.style.format == OutputFormat::Json && self.check.is_none()
    }

    fn write_stdout(&mut self) -> Result<(), ExitCode> {
        let mut stdout = Stdout::new();
        self.one_after_another(|text| stdout.write(text)).map_err(|e| report::write_failed("standard output", &e))
    }

    /// Writes all results to one file. If every input failed, an existing file of that name stays unchanged.
    fn write_file(&mut self, path: &Path) -> Result<(), ExitCode> {
        let result = write_atomic(path, |file| {
            self.one_after_another(|text| file.write_all(text.as_bytes()))?;
            if self.failed == self.inputs.len() { Err(io::Error::other("nothing to write")) } else { Ok(()) }
        });
        match result {
            Err(_) if self.failed == self.inputs.len() => Err(ExitCode::FAILURE),
            other => other.map_err(|e| report::write_failed(&path.display().to_string(), &e)),
        }
    }

    fn write_folder(&mut self, path: &Path, overwrite: bool) -> Result<(), ExitCode> {
        let folder = OutputFolder::new(path, self.style.format, &self.inputs);
        keep::inputs(self.inputs.iter().filter_map(CommandInput::file), folder.files());
        keep::existing(folder.files(), overwrite);
        folder.create().map_err(|e| report::write_failed(&path.display().to_string(), &e))?;
        for i in 0..self.inputs.len() {
            let Some(text) = self.result(i) else { continue };
            let input = &self.inputs[i];
            if let Err(error) = folder.write(i, &text) {
                report::failed(&input.to_string(), &error);
                (self.failed, self.damaged) = (self.failed + 1, true);
                if ends_all_writing(&error) {
                    let left = self.inputs.len() - i - 1;
                    let message = format!("nothing more can be written; {left} inputs are left");
                    report::failed(&path.display().to_string(), &message);
                    break;
                }
            }
        }
        Ok(())
    }

    /// Writes the results in order: JSON as one object or array per line, other formats separated by an empty line.
    fn one_after_another(&mut self, mut write: impl FnMut(&str) -> io::Result<()>) -> io::Result<()> {
        let mut first = true;
        for i in 0..self.inputs.len() {
            let Some(text) = self.result(i) else { continue };
            if !first && !matches!(self.style.format, OutputFormat::Json | OutputFormat::Blocks) {
                write("\n")?;
            }
            first = false;
            write(&text)?;
        }
        Ok(())
    }

    /// Returns the output for an input, or nothing if it failed. The failure has then been reported.
    fn result(&mut self, i: usize) -> Option<String> {
        let input = self.inputs[i].clone();
        if input == CommandInput::Stdin && io::stdin().is_terminal() {
            report::note(&"reading a page from the terminal; see --help for other inputs");
        }
        let parts = self
            .pages(&input)
            .unwrap_or_else(|message| vec![InputPart { name: input.to_string(), page: Err(message) }]);
        let style = OutputStyle { one_line: self.style.one_line || parts.len() > 1, ..self.style };
        let mut texts = Vec::new();
        let mut failed = false;
        for InputPart { name, page } in parts {
            match page.and_then(|mut page| Ok((self.written(&name, &mut page, style)?, page))) {
                Ok((text, page)) => {
                    if !self.holds_warnings() {
                        for warning in &page.warnings {
                            report::warning(&name, &advised(warning, self.browser.is_some()));
                        }
                        if let Some(barrier) = page.barrier {
                            report::warning(&name, &barrier.message());
                        }
                    }
                    texts.push(text);
                }
                Err(message) => {
                    report::failed(&name, &message);
                    failed = true;
                }
            }
        }
        self.damaged |= failed;
        if texts.is_empty() {
            self.failed += 1;
            return None;
        }
        let between = if matches!(style.format, OutputFormat::Json | OutputFormat::Blocks) { "" } else { "\n" };
        Some(texts.join(between))
    }

    pub(crate) fn pages(&mut self, input: &CommandInput) -> Result<Vec<InputPart>, String> {
        let CommandInput::Url(url) = input else { return Ok(self.plain(input)?.0) };
        let one = |page| vec![InputPart { name: input.to_string(), page: Ok(page) }];
        let loaded = match self.browser.clone() {
            Some(r) if r.always() => self.rendered(&r, url)?,
            browser => match (self.plain(input)?, browser) {
                // An archive or a feed leads nowhere else.
                ((parts, None), _) => return Ok(parts),
                ((mut parts, Some(loaded)), None) if self.takes_version => {
                    parts[0].page = Ok(self.with_version(loaded.page, &loaded.url));
                    return Ok(parts);
                }
                ((_, Some(loaded)), Some(r)) if PageBrowser::needed(&loaded.page) => self.rendered(&r, url)?,
                ((_, Some(loaded)), _) => loaded,
            },
        };
        match self.follow.take() {
            Some(mut follow) => {
                // The extractor joins the parts and also reads the pages that are followed.
                let extractor = Extractor::new(self.extractor.options().clone()).map_err(|e| e.to_string())?;
                let page = follow.run(loaded, &extractor, self);
                self.follow = Some(follow);
                Ok(one(page))
            }
            None => Ok(one(loaded.page)),
        }
    }

    fn rendered(&mut self, browser: &PageBrowser, url: &str) -> Result<FollowedPage, String> {
        if let Some(fetcher) = &self.fetcher {
            wait_for(fetcher, url);
            if let Some(rest) = fetcher.rest(url) {
                return Err(format!("{url}: the server asks to wait {} s", rest.as_secs_f64().ceil()));
            }
        }
        let shown = browser.load(url, &self.extractor.options().method)?;
        let mut page = follow::extract(&mut self.extractor, shown.html.as_bytes(), &shown.url, Some("utf-8"))?;
        page.warnings.extend(shown.warning);
        page.final_url = Some(shown.url.clone());
        page.representation = Some("text/html".into());
        if shown.status > 0 {
            page.answered(shown.status, Some(shown.url.clone()));
        }
        Ok(FollowedPage { page, url: shown.url, bytes: shown.html.into_bytes(), charset: Some("utf-8".into()) })
    }

    /// Extracts the documents of an input: one page, or the pages of an archive.
    ///
    /// If the input is one page at an address, it is returned with its source instead.
    fn plain(&mut self, input: &CommandInput) -> Result<(Vec<InputPart>, Option<FollowedPage>), String> {
        let mut source = input.read(self.fetcher.as_ref(), self.max_size)?;
        source.url = source.url.or_else(|| self.extractor.options().url.clone());
        let (url, facts) = (source.url.clone(), source.facts.take());
        let mut documents = guard::catch(|| source.documents(self.max_size))??;
        let format = documents.format();
        let is_container = format.is_container();
        let mut parts = Vec::new();
        let mut single = None;
        // Parsers of formats run in `next`.
        while let Some(document) = guard::catch(|| documents.next())? {
            let part = document.as_ref().ok().and_then(|d| d.part.as_deref()).map(str::to_owned);
            let name = if is_container && (part.is_some() || document.is_err()) {
                format!("{input}#{}", part.unwrap_or_else(|| (parts.len() + 1).to_string()))
            } else {
                input.to_string()
            };
            let page = document.map_err(|e| e.to_string()).and_then(|document| {
                let mut page = self.document(&document, url.as_deref())?;
                if let Some(facts) = &facts {
                    facts.complete(&mut page, format);
                }
                let is_page = !is_container && document.part.is_none() && !document.whole;
                single = (is_page && matches!(input, CommandInput::Url(_))).then(|| (document, page.clone()));
                Ok(page)
            });
            parts.push(InputPart { name, page });
        }
        if parts.is_empty() {
            return Err("the input holds no page".into());
        }
        let single = if parts.len() == 1 { single } else { None };
        let loaded = single.zip(url).map(|((document, page), url)| FollowedPage {
            page,
            url,
            bytes: document.bytes,
            charset: document.charset.map(Cow::into_owned),
        });
        Ok((parts, loaded))
    }

    /// Returns a page in the Markdown version that it declares on its host. If that cannot be read, the page itself has a warning.
    fn with_version(&mut self, mut page: Page, url: &str) -> Page {
        let Some(address) = page.markdown_url.clone().filter(|address| is_same_host(url, address)) else { return page };
        match self.version(&address, url) {
            Ok(mut version) => {
                version.preferences.add(&page.preferences);
                version
            }
            Err(why) => {
                let message = format!("the Markdown version could not be read: {why}");
                page.warnings.push(Warning::new(WarningCode::MarkdownFailed, message));
                page
            }
        }
    }

    fn version(&mut self, address: &str, url: &str) -> Result<Page, String> {
        let (parts, _) = self.plain(&CommandInput::Url(address.to_owned()))?;
        let page = parts.into_iter().next().ok_or("the input holds no page")?.page?;
        match page.representation.as_deref().unwrap_or_default() {
            _ if !page.final_url.as_deref().is_some_and(|found| is_same_host(url, found)) => {
                Err(format!("{address}: redirects to another host"))
            }
            "text/markdown" | "text/plain"
                if page.text.as_deref().or(page.markdown.as_deref()).is_some_and(str::is_empty) =>
            {
                Err(format!("{address}: is empty"))
            }
            "text/markdown" | "text/plain" => Ok(page),
            other => Err(format!("{address}: is {other}, not Markdown")),
        }
    }

    fn document(&mut self, document: &Document, url: Option<&str>) -> Result<Page, String> {
        // A part has an address of its own; a page has the address that was given.
        let url = match document.part {
            Some(_) => document.url.as_deref(),
            None => url.or(document.url.as_deref()),
        };
        let charset = document.charset.as_deref();
        let input =
            maintext_core::Input { whole: document.whole, ..maintext_core::Input::at(&document.bytes, url, charset) };
        let mut page = guard::catch(|| self.extractor.extract(input))?.map_err(|error| error.to_string())?;
        let cut = document.warning.clone();
        page.warnings.extend(cut.map(|message| Warning::new(WarningCode::LimitReached, message)));
        Ok(page)
    }
}

impl Load for ExtractJob {
    fn load(&mut self, url: &str) -> Result<FollowedPage, String> {
        if let Some(browser) = self.browser.clone().filter(|b| b.always()) {
            return self.rendered(&browser, url);
        }
        let loaded = self.plain(&CommandInput::Url(url.to_owned()))?.1.ok_or("is not a single page")?;
        match self.browser.clone() {
            Some(browser) if PageBrowser::needed(&loaded.page) => self.rendered(&browser, url),
            _ => Ok(loaded),
        }
    }

    fn extract(&mut self, bytes: &[u8], url: &str, charset: Option<&str>) -> Result<Page, String> {
        follow::extract(&mut self.extractor, bytes, url, charset)
    }
}

/// Whether an error of the file system also awaits the next file.
fn ends_all_writing(error: &io::Error) -> bool {
    use io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | ReadOnlyFilesystem)
}
