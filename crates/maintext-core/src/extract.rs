//! The way of a page through the house, on one screen: decode, parse, blocks, method, metadata, render.
use crate::address::{base_url, page_url};
use crate::articles;
use crate::blocks::{Blocks, Element, Media, count_words, is_permalink};
use crate::decode::{decode, html_of_xml};
use crate::dom::{self, Arena, Dom, NodeId, Tag};
use crate::embedded;
use crate::error::Error;
use crate::image::image_source;
use crate::list::Lists;
use crate::metadata::{self, Namer};
use crate::method::{Favor, Method, Verdict, View};
use crate::model::{Learned, ModelError};
use crate::options::{Input, Options};
use crate::page::{Comment, Image, Page};
use crate::page_type::{PageType, PageTyper};
use crate::render::{self, Content};
use crate::rules::Rules;
use crate::thread;
use crate::warnings::{Warning, WarningCode};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;
use url::Url;

/// Words below which a page may be a shell whose content stands elsewhere.
const SHELL_WORDS: u32 = 60;
/// Bytes of buffers that an extractor keeps from one page to the next: those of a huge page are given back.
const LARGEST_KEPT: usize = 8 << 20;
/// Bytes of scripts from which a page with hardly any text is taken for a shell.
const SHELL_SCRIPTS: usize = 10_000;

/// Extracts one page. For many pages, keep an [`Extractor`].
pub fn extract<'a>(html: impl Into<Input<'a>>, options: &Options) -> Result<Page, Error> {
    Extractor::new(options.clone())?.extract(html)
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
    method: Box<dyn Method>,
    namer: Option<Arc<Namer>>,
    lists: Option<Lists>,
    /// The buffers of the last page's tree, for the next one.
    arena: Arena,
}

/// A decoded page.
pub struct Source<'a> {
    /// The text; borrowed where the bytes were UTF-8 already.
    pub text: Cow<'a, str>,
    /// What is to be said about its encoding.
    pub warnings: Vec<Warning>,
}

/// A page taken apart: what a method saw and what it said, for inspection and training.
pub struct Analysis<'a> {
    /// The decoded source.
    pub source: &'a str,
    /// The tree.
    pub dom: Dom<'a>,
    /// The text blocks.
    pub blocks: Blocks,
    /// The method's word on each block.
    pub verdicts: Vec<Verdict>,
    /// Expected word F1 of what is kept, if the method can tell.
    pub confidence: Option<f32>,
    /// Limits that were reached, wrong declarations.
    pub warnings: Vec<Warning>,
}

impl Analysis<'_> {
    /// The page as methods see it, at its address.
    pub fn view<'v>(&'v self, url: Option<&'v Url>) -> View<'v> {
        View { source: self.source, dom: &self.dom, blocks: &self.blocks, url: url.map(Url::as_str) }
    }
}

impl Extractor {
    /// Checks the options and makes the method ready.
    pub fn new(options: Options) -> Result<Extractor, Error> {
        let method = options.parameters.method(&options.method)?;
        Ok(Extractor::with_method(options, method))
    }

    /// An extractor with a method of the caller's own, or a trained one.
    pub fn with_method(options: Options, method: Box<dyn Method>) -> Extractor {
        // The shipped models are read by tests: they are whole.
        let lists = options.page_type.then(|| Lists::named("learned").ok()).flatten();
        Extractor { options, method, namer: None, lists, arena: Arena::default() }
    }

    /// Decides about comments and posts by another model than the shipped one: that of a fold in cross-validation, for example.
    pub fn with_namer(mut self, namer: Option<Arc<Namer>>) -> Extractor {
        self.namer = namer;
        self
    }

    /// The settings.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Extracts a page at the address of the options.
    pub fn extract<'a>(&mut self, html: impl Into<Input<'a>>) -> Result<Page, Error> {
        let url = self.options.url.clone();
        let charset = self.options.charset.clone();
        self.extract_at(html, url.as_deref(), charset.as_deref())
    }

    /// Extracts a page at an address of its own, with the charset of its HTTP header if there was one.
    pub fn extract_at<'a>(
        &mut self,
        html: impl Into<Input<'a>>,
        url: Option<&str>,
        charset: Option<&str>,
    ) -> Result<Page, Error> {
        let url = url.map(page_url).transpose()?;
        let source = self.decode(html, charset)?;
        let mut analysis = self.analyze(&source.text, url.as_ref());
        analysis.warnings.splice(0..0, source.warnings);
        let (page, arena) = self.assembled(analysis, url);
        if arena.memory() <= LARGEST_KEPT {
            self.arena = arena;
        }
        Ok(page)
    }

    /// The text of a page, as [`source`] reads it.
    pub fn decode<'a>(&self, html: impl Into<Input<'a>>, charset: Option<&str>) -> Result<Source<'a>, Error> {
        source(html, charset)
    }

    /// Takes a page apart and lets the method judge its blocks, without rendering anything.
    pub fn analyze<'a>(&mut self, source: &'a str, url: Option<&Url>) -> Analysis<'a> {
        let dom = Dom::parse_into(std::mem::take(&mut self.arena), source, &self.options.budget);
        let warnings = dom.truncated().into_iter().map(Warning::limit_reached).collect();
        let blocks = Blocks::new(&dom);
        let view = View { source, dom: &dom, blocks: &blocks, url: url.map(Url::as_str) };
        let (verdicts, confidence) = self.method.judge_page(&view, self.options.favor);
        Analysis { source, dom, blocks, verdicts, confidence, warnings }
    }

    /// The kind of a page that was taken apart. The content model, where it was the method, is not asked again.
    ///
    /// ```
    /// use maintext_core::{Extractor, Options};
    /// let mut extractor = Extractor::new(Options::default())?;
    /// let analysis = extractor.analyze("<h1>News</h1><p>The ferry leaves at nine, and comes back in the evening.", None);
    /// let kind = extractor.page_type(&analysis, None)?;
    /// println!("{} {:.2}", kind.page_type, kind.list);
    /// let page = extractor.assemble(analysis, None);
    /// # assert!(page.page_type.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ModelError`] if the library was built with a damaged model.
    pub fn page_type(&self, analysis: &Analysis<'_>, url: Option<&Url>) -> Result<PageType, ModelError> {
        self.kind_of(&analysis.view(url), &analysis.verdicts)
    }

    /// Renders what [`Extractor::analyze`] took apart, and reads its metadata.
    pub fn assemble(&self, analysis: Analysis<'_>, url: Option<Url>) -> Page {
        self.assembled(analysis, url).0
    }

    /// See [`Extractor::assemble`]; also gives the tree's buffers back.
    fn assembled(&self, analysis: Analysis<'_>, url: Option<Url>) -> (Page, Arena) {
        let Analysis { source, dom, blocks, verdicts, mut confidence, mut warnings } = analysis;
        let base = base_url(&dom, url.as_ref());
        let mut kept: Vec<bool> = verdicts.iter().map(|v| v.keep).collect();
        let rules = self.rules(url.as_ref());
        let picked = rules.content(&dom, &mut warnings);
        picked.blocks(&blocks, &mut kept);
        let view = View { source, dom: &dom, blocks: &blocks, url: url.as_ref().map(Url::as_str) };
        let settings = metadata::Settings { base: base.as_ref(), now: self.options.now, ..Default::default() };
        let reads = self.options.metadata || self.options.comments;
        let mut reader = reads.then(|| metadata::Reader::new(&view, &kept, &settings));
        // The page's kind is told once, for whoever asks.
        let kind = OnceCell::new();
        // The shipped models are read by tests: they are whole.
        let kind = || kind.get_or_init(|| self.kind_of(&view, &verdicts).ok()).as_ref();
        let said = reader
            .as_mut()
            .map(|r| self.records(r, &blocks, &verdicts, &mut kept, picked.is_content()))
            .unwrap_or_default();
        if !picked.is_content() && self.options.favor != Favor::Recall {
            let title = dom.find(NodeId::ROOT, Tag::TITLE).map(|n| dom.text_content(n)).unwrap_or_default();
            articles::keep_named(&dom, &blocks, &title, &mut kept);
        }
        let mut keep = keep_nodes(&dom, &blocks, &kept);
        let posts = match &reader {
            Some(r) if !picked.is_content() => thread::posts(r.known_records(), &blocks, &kept),
            _ => Vec::new(),
        };
        thread::drop_images_between(&posts, &blocks, &mut keep);
        picked.nodes(&mut keep);
        if picked.is_content() {
            confidence = None;
        }
        let headed: &[render::Post] = if self.options.render.post_headers { &posts } else { &[] };
        let content = Content {
            dom: &dom,
            blocks: &blocks,
            keep: &keep,
            base: base.as_ref(),
            posts: headed,
            options: self.options.render,
        };
        let mut page = Page { confidence, ..Page::default() };
        (page.posts, page.comments) = said;
        self.kind(&mut page, &view, &verdicts, &kind);
        if let Some(reader) = reader.as_mut().filter(|_| self.options.metadata) {
            page.metadata = reader.metadata(&kept);
            warnings.extend(reader.is_cut().then(|| Warning::limit_reached("JSON-LD")));
            let now = self.options.now;
            metadata::apply_rules(&rules.fields, &dom, base.as_ref(), now, &mut page.metadata, &mut warnings);
        }
        if page.metadata.url.is_none() {
            page.metadata.url = url.as_ref().map(Url::to_string);
        }
        let words =
            |kept: &[bool]| -> u32 { blocks.blocks.iter().zip(kept).filter(|(_, k)| **k).map(|(b, _)| b.words).sum() };
        let (kept_words, all_words) = (words(&kept), words(&vec![true; kept.len()]));
        let method_says = !picked.is_content() && kept_words < SHELL_WORDS;
        if method_says && self.fill_from_scripts(&mut page, &dom, (kept_words, all_words), base.as_ref()) {
            let message = "the visible page lacks the content; the text stands in the data of its scripts";
            warnings.push(Warning::new(WarningCode::EmbeddedContent, message));
        } else {
            self.fill(&mut page, &content);
            if !kept.contains(&true) {
                warnings.push(no_content(&blocks));
            }
            warnings.extend(needs_rendering(&dom, &blocks));
        }
        if dom.is_out_of_work() {
            warnings.push(Warning::limit_reached("work"));
        }
        page.work = dom.work();
        page.warnings = warnings;
        (page, dom.into_arena())
    }

    /// The posts of a thread and the readers' comments. Comments are dropped from the content, unless a rule of the caller chose the content
    /// or the caller favors recall.
    fn records(
        &self,
        reader: &mut metadata::Reader<'_>,
        blocks: &Blocks,
        verdicts: &[Verdict],
        kept: &mut [bool],
        ruled: bool,
    ) -> (Vec<Comment>, Vec<Comment>) {
        if !self.options.comments {
            return Default::default();
        }
        let probabilities: Option<Vec<f32>> = verdicts.iter().map(|v| v.probability).collect();
        let said = metadata::Said { kept, probabilities: probabilities.as_deref() };
        let found = reader.records(&said, self.namer.as_deref());
        if !ruled && self.options.favor != Favor::Recall {
            set_apart(&found, blocks, probabilities.as_deref(), kept);
        }
        if !ruled && !found.posts.is_empty() && thread::covers(&found.posts, blocks, kept) {
            thread::keep_posts(&found.posts, blocks, kept);
        }
        let comments = |records: Vec<metadata::Record>| records.into_iter().map(comment).collect();
        (comments(found.posts), comments(found.comments))
    }

    /// The rules for a page at an address.
    fn rules(&self, url: Option<&Url>) -> Cow<'_, Rules> {
        let own = &self.options.rules;
        match self.options.site_rules.of(url.and_then(Url::host_str)) {
            Some(site) => Cow::Owned(own.over(site)),
            None => Cow::Borrowed(own),
        }
    }

    fn kind_of(&self, view: &View<'_>, verdicts: &[Verdict]) -> Result<PageType, ModelError> {
        let typer = PageTyper::shipped()?;
        Ok(match self.options.favor {
            Favor::Balance => typer.classify_judged(view, &*self.method, verdicts),
            _ => typer.classify(view),
        })
    }

    /// The page's kind and its entries, which agree: a page is a listing or a collection if its entries are what it is about.
    fn kind<'k>(
        &self,
        page: &mut Page,
        view: &View<'_>,
        verdicts: &[Verdict],
        kind: &dyn Fn() -> Option<&'k PageType>,
    ) {
        // The kind is dear: without lists nobody asks for it.
        let Some(lists) = &self.lists else { return };
        let Some(said) = kind() else { return };
        let groups = match Learned::shipped() {
            Ok(model) if !self.judges_like(&model) => {
                lists.confident(view, &model.judge(view, Favor::Balance), said.list, &said.probabilities)
            }
            _ => lists.confident(view, verdicts, said.list, &said.probabilities),
        };
        page.entries = groups.into_iter().flat_map(|g| g.entries).collect();
        page.page_type = Some(said.among(!page.entries.is_empty()).to_owned());
        page.page_type_probabilities = Some(said.probabilities.clone());
    }

    /// Whether the verdicts are those of the content model, erring neither way.
    fn judges_like(&self, model: &Learned) -> bool {
        let learned = self.method.as_any().and_then(|m| m.downcast_ref::<Learned>());
        self.options.favor == Favor::Balance && learned.is_some_and(|m| std::ptr::eq(m, model))
    }

    /// Renders what was asked for.
    fn fill(&self, page: &mut Page, content: &Content<'_>) {
        let formats = self.options.formats;
        if formats.any() {
            let tree = render::Tree::new(content);
            page.text = formats.text.then(|| tree.text());
            page.markdown = formats.markdown.then(|| tree.markdown());
            page.html = formats.html.then(|| tree.html());
            page.xml = formats.xml.then(|| tree.xml(&page.metadata));
        }
        if self.options.render.images {
            page.images = images(content);
        }
    }

    /// Fills the page with prose from its scripts, if that is much more than the `kept` words and not much less than all visible words.
    fn fill_from_scripts(&self, page: &mut Page, dom: &Dom, (kept, all): (u32, u32), base: Option<&Url>) -> bool {
        let passages = embedded::passages(dom);
        let words: u32 = passages.iter().map(|p| count_words(p)).sum();
        if words < (2 * kept.max(embedded::MIN_WORDS / 2)).max(all / 2) {
            return false;
        }
        let html = embedded::as_html(&passages);
        let dom = dom::parse(&html, &self.options.budget);
        let blocks = Blocks::new(&dom);
        let keep = keep_nodes(&dom, &blocks, &vec![true; blocks.len()]);
        self.fill(
            page,
            &Content { dom: &dom, blocks: &blocks, keep: &keep, base, posts: &[], options: self.options.render },
        );
        true
    }
}

/// The text of a page given as bytes in any encoding, or as text; a document of XML becomes one of HTML.
///
/// # Errors
/// [`Error::NotHtml`] for what is no page: a PDF, an image, an archive.
pub fn source<'a>(html: impl Into<Input<'a>>, charset: Option<&str>) -> Result<Source<'a>, Error> {
    let bytes = match html.into() {
        Input::Text(text) => return Ok(Source { text: as_html(Cow::Borrowed(text)), warnings: Vec::new() }),
        Input::Bytes(bytes) => bytes,
    };
    if let Some(what) = not_html(bytes) {
        return Err(Error::NotHtml(what));
    }
    let decoded = decode(bytes, charset);
    let message = format!("some bytes are not valid {}", decoded.encoding);
    let warning = decoded.had_errors.then_some(Warning::new(WarningCode::EncodingErrors, message));
    Ok(Source { text: as_html(decoded.text), warnings: warning.into_iter().collect() })
}

/// What is to be said about a page that is not extracted but listed or classified: limits that its tree reached, that it has no text,
/// that scripts fill it.
pub fn page_warnings(dom: &Dom, blocks: &Blocks) -> Vec<Warning> {
    let limits = dom.truncated().into_iter().map(Warning::limit_reached);
    limits.chain(blocks.is_empty().then(|| no_content(blocks))).chain(needs_rendering(dom, blocks)).collect()
}

fn no_content(blocks: &Blocks) -> Warning {
    let message = if blocks.is_empty() { "the page has no text" } else { "no main content was found" };
    Warning::new(WarningCode::NoContent, message)
}

/// A page with hardly any text and long scripts is the shell of an application.
fn needs_rendering(dom: &Dom, blocks: &Blocks) -> Option<Warning> {
    let words: u32 = blocks.blocks.iter().map(|b| b.words).sum();
    let is_shell = words < SHELL_WORDS && embedded::script_bytes(dom) > SHELL_SCRIPTS;
    let message = "the page is a shell that scripts fill: its content is there only after rendering";
    is_shell.then(|| Warning::new(WarningCode::NeedsRendering, message))
}

fn as_html(text: Cow<'_, str>) -> Cow<'_, str> {
    match html_of_xml(&text) {
        Some(html) => Cow::Owned(html),
        None => text,
    }
}

/// Probability from which a group of comments is dropped from the content. On the training sets, dropping groups that are less sure loses
/// more content than it saves.
const SURE_COMMENTS: f32 = 0.55;
/// Probability of content from which a block stays, even among comments.
const SURE_CONTENT: f32 = 0.99;

/// Words of content that are left without comments, at least: below that, the comments are the content.
const COMMENTED: u32 = 10;

/// Drops comments from the content.
fn set_apart(found: &metadata::Found, blocks: &Blocks, probabilities: Option<&[f32]>, kept: &mut [bool]) {
    let mut rest = kept.to_vec();
    for (own, _) in found.apart.iter().filter(|a| a.1 > SURE_COMMENTS) {
        for b in own.clone().map(|b| b as usize).filter(|b| *b < kept.len()) {
            rest[b] &= probabilities.and_then(|p| p.get(b)).is_some_and(|p| *p > SURE_CONTENT);
        }
    }
    let words = blocks.blocks.iter().zip(&rest).filter(|(_, k)| **k).map(|(b, _)| b.words).sum::<u32>();
    if words >= COMMENTED {
        kept.copy_from_slice(&rest);
    }
}

fn comment(r: metadata::Record) -> Comment {
    let text = |s: String| Some(s).filter(|s| !s.is_empty());
    Comment {
        author: r.author,
        author_url: r.author_url,
        date: r.stamp.map(|s| s.to_string()),
        date_text: text(r.when),
        text: r.text,
        url: r.url,
        depth: r.depth,
    }
}

/// What the first bytes say the input is, if it is no page.
fn not_html(bytes: &[u8]) -> Option<&'static str> {
    const MAGIC: &[(&[u8], &str)] = &[
        (b"%PDF-", "a PDF"),
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"GIF8", "a GIF image"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"\x1f\x8b\x08", "gzip-compressed data"),
        (b"\x28\xb5\x2f\xfd", "zstd-compressed data"),
        (b"\x7fELF", "an ELF program"),
    ];
    MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, what)| *what)
}

/// For each node, whether it is written: the text of kept blocks without permalinks, and the images that stand among them.
fn keep_nodes(dom: &Dom, blocks: &Blocks, kept: &[bool]) -> Vec<bool> {
    let mut keep = vec![false; dom.len()];
    for (b, _) in blocks.blocks.iter().zip(kept).filter(|(_, k)| **k) {
        for n in &blocks.leaves[b.leaves.start as usize..b.leaves.end as usize] {
            keep[n.index()] = true;
        }
    }
    let is_kept = |e: &Element| kept[e.blocks.start as usize..e.blocks.end as usize].contains(&true);
    for e in blocks.elements.iter().filter(|e| e.tag == Tag::A && is_kept(e) && is_permalink(dom, e.node)) {
        dom.descendants(e.node).for_each(|n| keep[n.index()] = false);
    }
    let (Some(first), Some(last)) = (kept.iter().position(|k| *k), kept.iter().rposition(|k| *k)) else {
        return keep;
    };
    let root = content_root(blocks, first, last);
    for m in &blocks.media {
        let at = m.position as usize;
        let before = at > 0 && kept[at - 1];
        let after = kept.get(at).copied().unwrap_or(false);
        let inside = blocks.elements[root].blocks.contains(&m.position) && at >= first;
        if (before && after) || ((before || after) && inside) {
            keep[m.node.index()] = true;
        }
    }
    drop_second_images(dom, blocks, &mut keep);
    keep
}

/// Images that are loaded late stand in `<noscript>` once more.
fn drop_second_images(dom: &Dom, blocks: &Blocks, keep: &mut [bool]) {
    /// How far above an image its `<noscript>` is looked for: there may be a link and a `<picture>` between.
    const REACH: usize = 3;
    let kept: Vec<_> = blocks.media.iter().filter(|m| keep[m.node.index()] && dom.tag(m.node) == Tag::IMG).collect();
    let again = |m: &Media| dom.ancestors(m.node).take(REACH).any(|n| dom.tag(n) == Tag::NOSCRIPT);
    let source = |m: &Media| image_source(dom, m.node, None);
    for (first, second) in kept.iter().zip(kept.iter().skip(1)) {
        let beside = first.position == second.position && (again(second) || again(first));
        if beside && source(first).is_some_and(|address| source(second) == Some(address)) {
            keep[second.node.index()] = false;
        }
    }
}

/// The smallest element that holds the blocks `first` and `last`.
fn content_root(blocks: &Blocks, first: usize, last: usize) -> usize {
    let holds = |e: &usize| blocks.elements[*e].blocks.contains(&(last as u32));
    blocks.ancestors(first).find(holds).unwrap_or(0)
}

fn images(content: &Content<'_>) -> Vec<Image> {
    let dom = content.dom;
    let kept = content.blocks.media.iter().filter(|m| content.keep[m.node.index()] && dom.tag(m.node) == Tag::IMG);
    let images = kept.filter_map(|m| {
        let src = image_source(dom, m.node, content.base)?;
        let figure = dom.ancestors(m.node).take(8).find(|&n| dom.tag(n) == Tag::FIGURE);
        let caption = figure.and_then(|f| dom.find(f, Tag::FIGCAPTION)).map(|c| dom.text_content(c));
        let clean = |s: String| Some(s.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|s| !s.is_empty());
        Some(Image {
            src,
            alt: dom.attr(m.node, "alt").map(str::to_owned).and_then(clean),
            caption: caption.and_then(clean),
        })
    });
    images.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        // Whatever judges the blocks, the kind is told by the same model.
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

    /// Where a page has entries, they are those that `maintext list` gives; only lists have any.
    #[test]
    fn entries_are_those_of_the_list() {
        let lists = Lists::named("learned").unwrap();
        let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        let mut listed = 0;
        for path in std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()) {
            if path.extension().is_none_or(|e| e != "html") {
                continue;
            }
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
    fn the_base_element_counts() {
        let dom = dom::parse("<base href='/x/'><p>a", &Default::default());
        let page = Url::parse("https://e.org/a/b").unwrap();
        assert_eq!(base_url(&dom, Some(&page)).unwrap().as_str(), "https://e.org/x/");
    }

    #[test]
    fn extractors_can_cross_threads() {
        fn check<T: Send + Sync>() {}
        check::<Extractor>();
        check::<Page>();
    }
}
