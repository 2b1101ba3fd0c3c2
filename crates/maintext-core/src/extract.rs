//! Extraction: decode, parse, find blocks, choose among them, describe the page, write the formats.
mod assembly;
mod described;
mod hidden;
mod join;

use crate::options::{Html, Input, Options};
use crate::page::Page;
use crate::passes::noscript::SHELL_WORDS;
use crate::source::{DecodedPage, page_url, source};
use crate::steps::{self, StepView};
use assembly::{Assembly, stated};
use described::Described;
use maintext_facts::metadata::sources::facts::Facts;
use maintext_facts::metadata::{self, RecordModel};
use maintext_facts::rules::{Picked, Rules};
use maintext_lists::list::Lists;
use maintext_lists::page_type::{PageType, PageTyper};
use maintext_page::address::base_url;
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Arena, Dom, NodeId};
use maintext_page::warnings::Warning;
use maintext_reading::choice::{Choice, Step};
use maintext_reading::error::Error;
use maintext_reading::method::{Favor, Method, View};
use maintext_reading::methods::Chosen;
use maintext_reading::model::roles::{self, Shares};
use maintext_reading::model::site::{Site, Trace};
use maintext_reading::model::{self, Learned, ModelError};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};
use url::Url;

/// Bytes of buffers that an extractor keeps from one page to the next: larger buffers are freed.
const MAX_KEPT_BYTES: usize = 8 << 20;

/// Extracts one page. For many pages, keep an [`Extractor`].
pub fn extract<'a>(page: impl Into<Input<'a>>, options: &Options) -> Result<Page, Error> {
    Extractor::new(options.clone())?.extract(page)
}

/// An extractor with its settings checked and its method ready, for many pages.
///
/// ```
/// use maintext_core::{Extractor, Options};
/// let mut extractor = Extractor::new(Options::default())?;
/// for html in ["<p>One page, with a sentence.", "<p>Another page, and another sentence."] {
///     println!("{}", extractor.extract(html)?.text());
/// }
/// # Ok::<(), maintext_core::Error>(())
/// ```
pub struct Extractor {
    options: Options,
    method: Chosen,
    record_model: Option<Arc<RecordModel>>,
    /// The finder of entries, loaded on first use; `None` if the library was built without it.
    lists: OnceLock<Option<Lists>>,
    /// The buffers of the last page's tree, for the next one.
    arena: Arena,
}

/// A parsed page with the choice of its main content, for inspection and training.
pub struct Analysis<'a> {
    /// The decoded source.
    pub source: &'a str,
    /// Whether it is an XML document rewritten as HTML; then typed blocks have no positions. See [`DecodedPage::rewritten`].
    pub rewritten: bool,
    /// Whether all of it is content; see [`Input::whole`].
    pub whole: bool,
    /// The tree.
    pub dom: Dom<'a>,
    /// The text blocks.
    pub blocks: Blocks,
    /// The choice of the main content: the method's after [`Extractor::analyze`], and the final one, after all steps, when
    /// [`Extractor::extract_seen`] shows the page.
    pub choice: Choice,
    /// The probabilities of the roles of each block, if the method read them with the choice.
    roles: Vec<Shares>,
    /// Limits that were reached, wrong declarations.
    pub warnings: Vec<Warning>,
}

impl Analysis<'_> {
    /// The view that methods judge.
    pub fn view<'v>(&'v self, url: Option<&'v Url>) -> View<'v> {
        View { source: self.source, dom: &self.dom, blocks: &self.blocks, url: url.map(Url::as_str) }
    }
}

impl Extractor {
    /// Checks the options and loads the method.
    pub fn new(options: Options) -> Result<Extractor, Error> {
        if !cfg!(feature = "things") && (options.things || options.schema.is_some()) {
            return Err(ModelError::LeftOut("things").into());
        }
        if !cfg!(feature = "lists") && options.page_type {
            return Err(ModelError::LeftOut("lists").into());
        }
        let method = options.parameters.choose(&options.method)?;
        Ok(Extractor::with(options, method))
    }

    /// An extractor with the caller's own method.
    pub fn with_method(options: Options, method: Box<dyn Method>) -> Extractor {
        Extractor::with(options, Chosen::Other(method))
    }

    /// An extractor with a learned method, such as one that was taught for a site.
    pub fn with_model(options: Options, model: Arc<Learned>) -> Extractor {
        Extractor::with(options, Chosen::Learned(model))
    }

    fn with(mut options: Options, method: Chosen) -> Extractor {
        if options.schema.is_some() {
            (options.things, options.metadata) = (true, true);
        }
        Extractor { options, method, record_model: None, lists: OnceLock::new(), arena: Arena::default() }
    }

    /// Decides about comments and posts with this model instead of the shipped one, for example with the model of a fold in
    /// cross-validation.
    pub fn with_record_model(mut self, record_model: Option<Arc<RecordModel>>) -> Extractor {
        self.record_model = record_model;
        self
    }

    /// The settings.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Extracts a page. An address or a charset that the input lacks is taken from the options.
    ///
    /// # Errors
    /// The input is not a page, or its address is not absolute.
    pub fn extract<'a>(&mut self, page: impl Into<Input<'a>>) -> Result<Page, Error> {
        let (url, charset) = (self.options.url.clone(), self.options.charset.clone());
        let page = page.into();
        let page = Input { url: page.url.or(url.as_deref()), charset: page.charset.or(charset.as_deref()), ..page };
        self.extract_seen(page, |_| ()).map(|read| read.0)
    }

    /// Extracts a page at the given address, and with the charset of its HTTP header if there was one; the options' are ignored.
    ///
    /// # Errors
    /// The same as of [`Extractor::extract`].
    pub fn extract_at<'a>(
        &mut self,
        html: impl Into<Html<'a>>,
        url: Option<&str>,
        charset: Option<&str>,
    ) -> Result<Page, Error> {
        let html: Html<'a> = html.into();
        self.extract_seen(Input::at(html, url, charset), |_| ()).map(|read| read.0)
    }

    /// Extracts a page, and lets `see` look at its analysis, so that a caller who needs the tree or the blocks as well does not parse the
    /// page again. The address and the charset of the options are ignored.
    ///
    /// ```
    /// use maintext_core::{Extractor, Input, Options};
    /// let html = Input::from("<p>The ferry leaves at nine, and comes back in the evening.");
    /// let (page, blocks) = Extractor::new(Options::default())?.extract_seen(html, |analysis| analysis.blocks.len())?;
    /// assert!(blocks == 1 && page.text().starts_with("The ferry"));
    /// # Ok::<(), maintext_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same as of [`Extractor::extract`].
    pub fn extract_seen<T>(
        &mut self,
        page: Input<'_>,
        see: impl FnOnce(&Analysis<'_>) -> T,
    ) -> Result<(Page, T), Error> {
        let url = page.url.map(page_url).transpose()?;
        let source = self.decode(page.html, page.charset)?;
        let analysis = self.analyze_on(&source, page.whole, url.as_ref(), page.site);
        Ok(self.finish(analysis, url.as_ref(), see))
    }

    /// Records a page for the [`Sample`](maintext_reading::model::site::Sample) of its site. Always judged by the learned method.
    ///
    /// # Errors
    /// The input is not a page, or the library was built without the model.
    pub fn trace<'a>(&mut self, html: impl Into<Html<'a>>, charset: Option<&str>) -> Result<Trace, Error> {
        let model = Learned::shipped()?;
        let source = self.decode(html, charset)?;
        let dom = self.parse(&source.text);
        let trace = model.trace(&dom, &Blocks::new(&dom), None);
        self.keep(dom.into_arena());
        Ok(trace)
    }

    fn parse<'a>(&mut self, html: &'a str) -> Dom<'a> {
        let options = &self.options;
        let parse = if options.keep_hidden { Dom::parse_hidden_into } else { Dom::parse_into };
        parse(std::mem::take(&mut self.arena), html, &options.budget).until(options.stop.clone())
    }

    fn keep(&mut self, arena: Arena) {
        if arena.memory() <= MAX_KEPT_BYTES {
            self.arena = arena;
        }
    }

    /// The text of a page, as [`source`] reads it.
    pub fn decode<'a>(&self, html: impl Into<Html<'a>>, charset: Option<&str>) -> Result<DecodedPage<'a>, Error> {
        source(html, charset)
    }

    /// Extracts a decoded page at an address, and lets `see` look at its analysis, as [`Extractor::extract_seen`] does. If `whole`, all of the
    /// document is content; see [`Input::whole`](crate::Input::whole).
    pub fn extract_source<T>(
        &mut self,
        source: &DecodedPage<'_>,
        url: Option<&Url>,
        whole: bool,
        see: impl FnOnce(&Analysis<'_>) -> T,
    ) -> (Page, T) {
        let analysis = self.analyze_on(source, whole, url, None);
        self.finish(analysis, url, see)
    }

    /// Parses a page and lets the method choose among its blocks.
    pub fn analyze<'a>(&mut self, source: &'a str, url: Option<&Url>) -> Analysis<'a> {
        self.judged(source, false, Vec::new(), url, None)
    }

    /// Like [`Extractor::analyze`], for a decoded source with its warnings. If `whole`, all of the document is content; see
    /// [`Input::whole`](crate::Input::whole).
    pub fn analyze_source<'a>(&mut self, source: &'a DecodedPage<'_>, url: Option<&Url>, whole: bool) -> Analysis<'a> {
        self.analyze_on(source, whole, url, None)
    }

    fn analyze_on<'a>(
        &mut self,
        source: &'a DecodedPage<'_>,
        whole: bool,
        url: Option<&Url>,
        site: Option<&Site>,
    ) -> Analysis<'a> {
        let analysis = self.judged(&source.text, whole, source.warnings.clone(), url, site);
        Analysis { rewritten: source.rewritten, ..analysis }
    }

    /// Parses a page and lets the method choose among its blocks, unless all of it is content.
    fn judged<'a>(
        &mut self,
        source: &'a str,
        whole: bool,
        mut warnings: Vec<Warning>,
        url: Option<&Url>,
        site: Option<&Site>,
    ) -> Analysis<'a> {
        let mut dom = self.parse(source);
        warnings.extend(dom.truncated().into_iter().map(Warning::limit_reached));
        let mut blocks = Blocks::new(&dom);
        if whole {
            let choice = Choice::of_whole_document(blocks.len());
            return Analysis { source, rewritten: false, whole, dom, blocks, choice, roles: Vec::new(), warnings };
        }
        let url = url.map(Url::as_str);
        let (mut choice, mut roles) = self.judge(&View { source, dom: &dom, blocks: &blocks, url }, site);
        // Streamed contents are judged in their hidden containers, where most are recommendations, unless their place is between kept texts or the
        // page lacks content without them.
        let words = blocks.kept_words(choice.kept());
        if dom.place_streamed(|place, last_of| {
            words < SHELL_WORDS || is_amid(&blocks, place, last_of, |b| choice.keeps(b))
        }) {
            blocks = Blocks::new(&dom);
            (choice, roles) = self.judge(&View { source, dom: &dom, blocks: &blocks, url }, site);
        }
        Analysis { source, rewritten: false, whole, dom, blocks, choice, roles, warnings }
    }

    /// Returns the method's choice, corrected by the similarities of the pages of a site, and the roles of the blocks if the answer shows them.
    fn judge(&self, view: &View<'_>, site: Option<&Site>) -> (Choice, Vec<Shares>) {
        let favor = self.options.favor;
        match (&self.method, site) {
            (Chosen::Learned(learned), _) if self.options.formats.blocks => learned.judge_with_roles(view, favor, site),
            (Chosen::Learned(learned), Some(site)) => {
                let mut choice = learned.decide_with(view.dom, view.blocks, None, Some((site, &Default::default())));
                model::prefer(favor, view, &mut choice);
                (choice, Vec::new())
            }
            _ => (self.method.method().judge(view, favor), Vec::new()),
        }
    }

    /// The kind of an analysed page, the same as [`Page::page_type`](crate::Page::page_type), with probabilities. Reuses the verdicts if they
    /// are the content model's.
    ///
    /// ```
    /// use maintext_core::{Extractor, Options};
    /// let mut extractor = Extractor::new(Options::default())?;
    /// let analysis = extractor.analyze("<h1>News</h1><p>The ferry leaves at nine, and comes back in the evening.", None);
    /// let kind = extractor.page_type(&analysis, None)?;
    /// println!("{:?} {:.2}", kind.page_type, kind.list);
    /// let page = extractor.assemble(analysis, None);
    /// # assert!(page.page_type.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ModelError`] if the library was built with a damaged model.
    pub fn page_type(&self, analysis: &Analysis<'_>, url: Option<&Url>) -> Result<PageType, ModelError> {
        let (view, base) = (analysis.view(url), base_url(&analysis.dom, url));
        let kind = self.kind_of(&view, &analysis.choice)?;
        let facts = self.facts(&view, base.as_ref());
        let described = self.describe_as(Some(kind.clone()), &view, facts.as_ref(), &analysis.choice);
        Ok(described.kind.unwrap_or(kind))
    }

    /// Returns the probabilities of the roles of each block of an analysed page, in the order of [`Role::ALL`](maintext_reading::model::roles::Role::ALL).
    pub fn roles(&self, analysis: &Analysis<'_>, url: Option<&Url>) -> Vec<Shares> {
        self.roles_of(&analysis.view(url), &analysis.choice, &analysis.roles)
    }

    /// Returns the roles of a page's blocks; `known` are those that were read with the choice.
    fn roles_of(&self, view: &View<'_>, choice: &Choice, known: &[Shares]) -> Vec<Shares> {
        if !known.is_empty() {
            return known.to_vec();
        }
        let is_learned = matches!(self.method, Chosen::Learned(_));
        roles::read(view, if is_learned { choice.probabilities() } else { None })
    }

    /// Assembles the page from the analysis of [`Extractor::analyze`]: runs the steps, reads the metadata, writes the formats.
    pub fn assemble(&mut self, analysis: Analysis<'_>, url: Option<Url>) -> Page {
        self.finish(analysis, url.as_ref(), |_| ()).0
    }

    /// Runs all steps on the method's choice, so that the analysis has the choice of the output, without describing and writing the page.
    pub fn choose(&self, analysis: &mut Analysis<'_>, url: Option<&Url>) {
        let base = base_url(&analysis.dom, url);
        let picked = self.rules(url.or(base.as_ref())).content(&analysis.dom, &mut analysis.warnings);
        let view =
            View { source: analysis.source, dom: &analysis.dom, blocks: &analysis.blocks, url: url.map(Url::as_str) };
        let facts = self.facts(&view, base.as_ref());
        self.settle(view, facts.as_ref(), &picked, &mut analysis.choice);
    }

    /// Finds the repeated parts of a page, and runs all steps on the method's choice.
    fn settle(&self, view: View<'_>, facts: Option<&Facts<'_>>, picked: &Picked, choice: &mut Choice) -> Described {
        let described = self.describe(&view, facts, choice);
        steps::run(&StepView { view, facts, found: &described.found, picked, options: &self.options }, choice);
        described
    }

    /// Turns a method's choice into a page: collects the facts, finds the records, runs the steps, shows the analysis to `see`, and
    /// describes and writes the chosen content. Keeps the tree's buffers for the next page.
    fn finish<T>(
        &mut self,
        mut analysis: Analysis<'_>,
        url: Option<&Url>,
        see: impl FnOnce(&Analysis<'_>) -> T,
    ) -> (Page, T) {
        let base = base_url(&analysis.dom, url);
        let mut rules = self.rules(url.or(base.as_ref()));
        if analysis.whole {
            rules.to_mut().fields.extend(stated(&analysis.dom));
        }
        let mut warnings = analysis.warnings.clone();
        let picked = rules.content(&analysis.dom, &mut warnings);
        let given: Vec<_> = rules.fields.iter().map(|rule| rule.find(&analysis.dom)).collect();
        let assembly = Assembly::new(self, &analysis, base.as_ref(), &picked, &given, warnings);

        let view =
            View { source: analysis.source, dom: &analysis.dom, blocks: &analysis.blocks, url: url.map(Url::as_str) };
        let facts = self.facts(&view, base.as_ref());
        let described = self.settle(view, facts.as_ref(), &picked, &mut analysis.choice);
        let seen = see(&analysis);
        if !picked.is_dropping() {
            let page = assembly.run(&view, url, facts.as_ref(), described, &analysis.choice, &analysis.roles);
            drop(facts);
            self.keep(analysis.dom.into_arena());
            return (page, seen);
        }
        // An element that a rule drops is in no part of the answer: it leaves the tree before the page is described.
        drop(facts);
        let source = analysis.source;
        let (dom, blocks, choice) = without(&picked, analysis);
        let view = View { source, dom: &dom, blocks: &blocks, url: url.map(Url::as_str) };
        let facts = self.facts(&view, base.as_ref());
        let described = self.describe(&view, facts.as_ref(), &choice.before(Step::Comments));
        let page = assembly.run(&view, url, facts.as_ref(), described, &choice, &[]);
        drop(facts);
        self.keep(dom.into_arena());
        (page, seen)
    }

    /// Returns the facts that a page states, if some part of the answer needs them.
    fn facts<'v>(&self, view: &'v View<'v>, base: Option<&'v Url>) -> Option<Facts<'v>> {
        let options = &self.options;
        let settings = metadata::Settings { base, now: options.now, ..Default::default() };
        let is_needed = options.metadata || options.comments || options.things || options.writes_title();
        is_needed.then(|| Facts::new(view, &settings))
    }

    /// The rules for a page at an address, or at the one that it declares if that is unknown.
    fn rules(&self, url: Option<&Url>) -> Cow<'_, Rules> {
        let own = &self.options.rules;
        match self.options.site_rules.of(url.and_then(Url::host_str)) {
            Some(site) => Cow::Owned(own.over(site)),
            None => Cow::Borrowed(own),
        }
    }

    fn kind_of(&self, view: &View<'_>, choice: &Choice) -> Result<PageType, ModelError> {
        let typer = PageTyper::shipped()?;
        Ok(if self.judges_by_shipped_model() { typer.classify_judged(view, choice) } else { typer.classify(view) })
    }

    /// Whether the choice is the shipped content model's, without a preferred kind of error.
    fn judges_by_shipped_model(&self) -> bool {
        self.options.favor == Favor::Balance && matches!(&self.method, Chosen::Learned(model) if is_shipped(model))
    }
}

fn is_shipped(own: &Arc<Learned>) -> bool {
    Learned::shipped().is_ok_and(|shipped| Arc::ptr_eq(own, &shipped))
}

/// Takes the dropped elements out of a page, cuts its blocks again, and carries its choice over to them.
fn without<'a>(picked: &Picked, analysis: Analysis<'a>) -> (Dom<'a>, Blocks, Choice) {
    let Analysis { mut dom, blocks: old, choice, .. } = analysis;
    // The block of each text node.
    let mut block_of = vec![None; dom.len()];
    for (b, block) in old.blocks.iter().enumerate() {
        old.leaves_of(block).iter().for_each(|leaf| block_of[leaf.index()] = Some(b));
    }
    picked.remove_dropped(&mut dom);
    let blocks = Blocks::new(&dom);
    let olds: Vec<Option<usize>> = blocks
        .blocks
        .iter()
        .map(|block| blocks.leaves_of(block).iter().find_map(|leaf| block_of[leaf.index()]))
        .collect();
    let choice = choice.moved(&olds);
    (dom, blocks, choice)
}

/// Whether a placeholder is between kept texts: directly before it, and after the text that it shows until its content arrives. It may also
/// be the last part of the element that holds the kept text before it.
fn is_amid(blocks: &Blocks, place: NodeId, last_of: Option<NodeId>, kept: impl Fn(usize) -> bool) -> bool {
    // Nodes are numbered in the order of the source.
    let after = blocks.blocks.partition_point(|b| blocks.leaves[b.leaves.start as usize] < place);
    after > 0
        && kept(after - 1)
        && (kept(after) || kept(after + 1) || {
            let before = &blocks.elements[blocks.blocks[after - 1].container as usize];
            last_of == Some(blocks.elements[before.parent as usize].node)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use maintext_page::dom;
    use maintext_page::warnings::WarningCode;

    #[test]
    fn what_is_no_page_is_an_error() {
        let err = extract(b"%PDF-1.7\n", &Options::default()).unwrap_err();
        assert_eq!(err.to_string(), "the input is a PDF, not an HTML page");
        let options = Options { method: "magic".into(), ..Default::default() };
        assert!(extract("", &options).unwrap_err().to_string().starts_with("unknown method 'magic' (known: "));
        let options = Options { url: Some("not an address".into()), ..Default::default() };
        assert!(extract("", &options).is_err());
    }

    #[test]
    fn kinds_and_entries_are_told_where_asked_for() {
        let entry = |i: usize| {
            format!(
                "<article class='post'><h2><a href='/news/story-{i}'>What happened on day {i} of the year</a></h2><time>2024-05-1{i}</time></article>"
            )
        };
        let html = format!(
            "<title>News</title><h1>News</h1><div class='post-list archive'>{}</div>",
            (0..9).map(entry).collect::<String>()
        );
        let url = Some("https://example.org/category/news".to_owned());
        let page =
            extract(html.as_str(), &Options { url: url.clone(), page_type: true, ..Default::default() }).unwrap();
        assert_eq!(page.page_type_probabilities.unwrap().len(), 7);
        assert_eq!((page.page_type.as_deref(), page.entries.len()), (Some("listing"), 9));
        let plain = Options { url, ..Default::default() };
        let page = extract(html.as_str(), &plain).unwrap();
        assert_eq!((page.page_type, page.entries.len()), (None, 0));
        // The same model decides the page type, whichever method judges the blocks.
        let asks = Options { page_type: true, ..plain };
        let kinds = |o: &Options| extract(html.as_str(), o).unwrap().page_type_probabilities.unwrap();
        for other in ["line-blocks", "text-density"] {
            assert_eq!(kinds(&Options { method: other.into(), ..asks.clone() }), kinds(&asks), "{other}");
        }
        assert_eq!(kinds(&Options { favor: Favor::Recall, ..asks.clone() }), kinds(&asks));
    }

    /// Short records of links below a text are related links, whatever they look like; the same records alone are a list.
    #[test]
    fn kind_and_entries_agree() {
        let entry = |i: usize| {
            format!(
                "<div class=item><h3><a href='/story-{i}'>What the town council said on day {i} of the year</a></h3>\
                 <p>A line about it, for those who read on.</p></div>"
            )
        };
        let entries: String = (1..9).map(entry).collect();
        let long =
            "The road was empty until noon, and then the first carts came down from the hills with apples. ".repeat(4);
        let article = format!(
            "<title>The carts are here - The Gazette</title><article><h1>The carts are here</h1>{}</article><aside><h2>Related</h2>{entries}</aside>",
            format!("<p>{long}</p>").repeat(9)
        );
        let list = format!("<title>Council - The Gazette</title><h1>Council</h1><div class=list>{entries}</div>");
        let options = Options { page_type: true, ..Default::default() };
        let read =
            |html: &str| extract(html, &options).map(|p| (p.page_type.unwrap_or_default(), p.entries.len())).unwrap();
        assert_eq!(read(&article), ("article".to_owned(), 0));
        assert_eq!(read(&list), ("listing".to_owned(), 8));
    }

    /// Returns the paths of the example pages.
    fn example_pages() -> Vec<std::path::PathBuf> {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folders = ["examples", "testdata/small"].map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
        let paths = folders.into_iter().flatten().map(|entry| entry.unwrap().path());
        paths.filter(|path| path.extension().is_some_and(|e| e == "html")).collect()
    }

    /// A past bug: the kind was the most probable one, whatever the entries.
    #[test]
    fn the_kind_of_an_analysis_is_that_of_the_page() {
        let mut extractor = Extractor::new(Options { page_type: true, ..Default::default() }).unwrap();
        for path in example_pages() {
            let bytes = std::fs::read(&path).unwrap();
            let decoded = source(&bytes, None).unwrap();
            let analysis = extractor.analyze_source(&decoded, None, false);
            let kind = extractor.page_type(&analysis, None).unwrap();
            let page = extractor.assemble(analysis, None);
            assert_eq!(kind.page_type, page.page_type.as_deref(), "{}", path.display());
        }
    }

    /// Where a page has entries, they are those that `maintext list` gives; only lists have any.
    #[test]
    fn entries_are_those_of_the_list() {
        let lists = Lists::named("learned").unwrap();
        let mut listed = 0;
        for path in example_pages() {
            let bytes = std::fs::read(&path).unwrap();
            let page = extract(&bytes, &Options { page_type: true, ..Default::default() }).unwrap();
            let is_list = matches!(page.page_type.as_deref(), Some("listing" | "collection"));
            assert_eq!(is_list, !page.entries.is_empty(), "{}", path.display());
            if is_list {
                listed += 1;
                let text = source(&bytes, None).unwrap().text;
                let dom = dom::parse(&text, &Default::default());
                let blocks = Blocks::new(&dom);
                let groups = lists.page(&View { source: &text, dom: &dom, blocks: &blocks, url: None }).groups;
                let entries: Vec<_> = groups.into_iter().flat_map(|g| g.entries).collect();
                assert_eq!(page.entries, entries, "{}", path.display());
            }
        }
        assert!(listed > 0);
    }

    #[test]
    fn an_empty_page_says_so() {
        let page = extract("", &Options::default()).unwrap();
        assert_eq!(page.text(), "");
        assert_eq!(page.warnings[0].code, WarningCode::NoContent);
    }

    #[test]
    fn a_shell_needs_rendering_and_its_json_says_so_in_a_warning() {
        let shell = "<title>App</title><script src=/app.js></script><div id=root></div>\
            <noscript>You need to enable JavaScript to run this app.</noscript>";
        let page = extract(shell, &Options::default()).unwrap();
        assert!(page.needs_rendering() && page.warnings.iter().any(|w| w.code == WarningCode::NeedsRendering));
        assert!(!serde_json::to_string(&page).unwrap().contains("\"needs_rendering\":"));
        let page = extract("<p>We left early, and the road was empty.", &Options::default()).unwrap();
        assert!(!page.needs_rendering());
    }

    #[test]
    fn the_base_element_counts() {
        let dom = dom::parse("<base href='/x/'><p>a", &Default::default());
        let page = Url::parse("https://e.org/a/b").unwrap();
        assert_eq!(base_url(&dom, Some(&page)).unwrap().as_str(), "https://e.org/x/");
    }

    #[test]
    fn a_page_without_an_address_is_at_the_one_that_it_declares() {
        let base = |html: &str, page: Option<&str>| {
            let page = page.map(|page| Url::parse(page).unwrap());
            base_url(&dom::parse(html, &Default::default()), page.as_ref()).map(String::from)
        };
        let canonical =
            "<head><link rel=canonical href=https://e.org/a/b><meta property=og:url content=https://f.org/>";
        assert_eq!(base(canonical, None).as_deref(), Some("https://e.org/a/b"));
        assert_eq!(base(canonical, Some("https://g.org/c")).as_deref(), Some("https://g.org/c"));
        assert_eq!(base(&format!("{canonical}<base href=/x/>"), None).as_deref(), Some("https://e.org/x/"));
        let relative = "<head><link rel=canonical href=/a><meta property=og:url content=https://f.org/>";
        assert_eq!(base(relative, None).as_deref(), Some("https://f.org/"));
        for none in ["<head><link rel=canonical href=/a>", "<head><link rel=canonical href=file:///a>", "<p>a"] {
            assert_eq!(base(none, None), None, "{none}");
        }
        let html = format!(
            "{canonical}</head><p>We left early, and the road to <a href=fog>the fog</a> was empty until the hills."
        );
        let page = extract(&html, &Options { formats: crate::Formats::ALL, ..Options::default() }).unwrap();
        assert!(page.markdown().contains("](https://e.org/a/fog)"));
    }

    #[test]
    fn extractors_can_cross_threads() {
        fn check<T: Send + Sync>() {}
        check::<Extractor>();
        check::<Page>();
    }
}
