//! The steps from a method's verdicts to a page.
use super::{Analysis, Extractor, hidden};
use crate::barrier;
use crate::embedded::{self, SHELL_WORDS, needs_rendering, no_content};
use crate::options::Options;
use crate::page::Page;
use crate::parts;
use crate::passes::accordions;
use crate::passes::articles;
use crate::passes::boxes;
use crate::passes::labels;
use crate::passes::noscript;
use crate::passes::notes;
use crate::passes::tabs;
use crate::passes::thread;
use crate::passes::twins;
use maintext_facts::fields::Fields;
use maintext_facts::metadata::layout::Layout;
use maintext_facts::metadata::sources::facts::Facts;
use maintext_facts::metadata::{self, BlockVerdicts, Found, Metadata, Record, RecordModel};
use maintext_facts::preferences::Preferences;
use maintext_facts::rules::{FieldRule, Picked, Rules};
use maintext_facts::site_config::Applied;
use maintext_lists::list::{Group, PageLink, Pagination};
use maintext_page::address::base_url;
use maintext_page::blocks::{Blocks, count_words};
use maintext_page::dom::{self, Dom, NodeId, Tag};
use maintext_page::select::Selector;
use maintext_page::warnings::{Warning, WarningCode};
use maintext_reading::method::{Favor, Method as _, Verdict, View};
use maintext_reading::model::Learned;
use maintext_reading::model::roles::Shares;
use maintext_render::keep::{drop_rows, images, keep_nodes};
use maintext_render::render::{self, AltText, Content, PieceForm, Post};
use maintext_things::things;
use std::borrow::Cow;
use url::Url;

/// Confidence from which a short visible text is the content, whatever the scripts hold.
const SURE_OF_VISIBLE: f32 = 0.85;

/// Probability of content from which a caption is kept with its image.
const MIN_CAPTION_PROBABILITY: f32 = 0.12;

/// The fields that the head of a whole document states. They hold as they are: a title has no name of a site after its dash.
fn stated<'a>(dom: &'a Dom<'_>) -> impl Iterator<Item = FieldRule> + 'a {
    let fields = [
        "title=meta[property='og:title']",
        "author=meta[name=author]",
        "date=meta[property='article:published_time']",
        "sitename=meta[property='og:site_name']",
    ];
    let is_stated = |rule: &FieldRule| !rule.selector.all(dom).is_empty();
    fields.into_iter().filter_map(|rule| FieldRule::parse(rule).ok()).filter(is_stated)
}

/// The facts about a tree that its formats show.
struct Known<'a> {
    posts: &'a [Post],
    /// The probabilities of the roles of each block; empty if they are unknown.
    roles: &'a [Shares],
    /// Whether the tree's positions are those of the page's source.
    offsets: bool,
}

/// A page on its way from verdicts to result.
pub(super) struct Assembly<'a> {
    extractor: &'a Extractor,
    view: View<'a>,
    verdicts: &'a [Verdict],
    base: Option<&'a Url>,
    rules: &'a Rules,
    /// Configurations of FiveFilters for the page.
    configs: Option<&'a Applied<'a, 'a>>,
    /// Whether all of the page is content, so that it has no records.
    whole: bool,
    /// Content that the caller's rules chose or excluded.
    picked: Picked,
    /// The probability of each block, if the method estimates it.
    probabilities: Option<Vec<f32>>,
    /// Whether each block is content.
    kept: Vec<bool>,
    /// Readers' comments; those in the text are taken out at the end.
    comments: Vec<Record>,
    /// Whether the text was read from the data of the page's scripts.
    is_embedded: bool,
    /// Whether the tree's positions are those of the page's source.
    offsets: bool,
    /// The title that the formats begin with.
    title: Option<String>,
    page: Page,
}

impl<'a> Assembly<'a> {
    /// Runs all steps.
    pub(super) fn run(extractor: &'a Extractor, analysis: &'a Analysis<'_>, url: Option<&'a Url>) -> Page {
        let (view, base) = (analysis.view(url), base_url(&analysis.dom, url));
        let mut rules = extractor.rules(url);
        if analysis.whole {
            let rules = rules.to_mut();
            rules.content = rules.content.take().or(Selector::parse("body").ok());
            rules.fields.extend(stated(&analysis.dom));
        }
        let configs = Applied::new(&analysis.dom, &rules.configs);
        let mut a = Assembly::new(extractor, analysis, view, base.as_ref(), &rules, configs.as_ref());
        let settings =
            metadata::Settings { base: base.as_ref(), now: extractor.options.now, ..metadata::Settings::default() };
        let options = &extractor.options;
        let reads = options.metadata || options.comments || options.things || options.writes_title();
        let facts = reads.then(|| Facts::new(&view, &settings));

        let found = a.find_records(facts.as_ref());
        a.keep_one_article();
        a.correct_parts();
        a.find_entries();
        let layout = facts.as_ref().map(|facts| Layout::new(facts, &a.kept, found.of_page()));
        let layout = a.read_metadata(layout, url);
        a.read_things(layout.as_ref());
        a.take_comments();
        let posts = a.posts(&found);
        a.render(&posts);
        a.find_barrier(facts.as_ref());
        a.find_other_addresses(url);
        a.page.preferences = Preferences::of_page(&analysis.dom);
        a.fill_schema();
        a.note_limits();
        a.page
    }

    /// The method's choice, overridden by the caller's rules.
    fn new(
        extractor: &'a Extractor,
        analysis: &'a Analysis<'_>,
        view: View<'a>,
        base: Option<&'a Url>,
        rules: &'a Rules,
        configs: Option<&'a Applied<'a, 'a>>,
    ) -> Assembly<'a> {
        let mut page = Page { warnings: analysis.warnings.clone(), ..Page::default() };
        let mut kept: Vec<bool> = analysis.verdicts.iter().map(|v| v.keep).collect();
        let picked = rules.content(view.dom, configs, &mut page.warnings);
        picked.blocks(view.blocks, &mut kept);
        // The estimate is for the method's choice, not for the caller's.
        page.confidence = analysis.confidence.filter(|_| !picked.is_content());
        let offsets = !analysis.rewritten;
        Assembly {
            extractor,
            view,
            verdicts: &analysis.verdicts,
            base,
            rules,
            configs,
            whole: analysis.whole,
            picked,
            probabilities: analysis.verdicts.iter().map(|v| v.probability).collect(),
            kept,
            comments: Vec::new(),
            is_embedded: false,
            offsets,
            title: None,
            page,
        }
    }

    /// Finds posts and readers' comments. Posts are kept whole and comments dropped, unless the caller's rules chose the content or the
    /// caller favors recall.
    fn find_records(&mut self, facts: Option<&Facts<'_>>) -> Found {
        let options = &self.extractor.options;
        let Some(facts) = facts.filter(|_| options.comments && !self.whole) else { return Found::default() };
        let own_model = self.extractor.record_model.clone();
        // Tests load the shipped model, so this cannot fail in a release.
        let Some(model) = own_model.or_else(|| RecordModel::shipped().ok()) else { return Found::default() };
        let probabilities = self.probabilities.as_deref();
        let verdicts = BlockVerdicts { kept: &self.kept, probabilities };
        let found = metadata::records(facts, &verdicts, &model);
        if options.fields.has(Fields::COMMENTS) {
            self.comments = metadata::comments(facts, &verdicts, &model, &found);
        }
        let (blocks, ruled) = (self.view.blocks, self.picked.is_content());
        if !ruled && options.favor.sets_apart() {
            thread::set_apart(&found, blocks, probabilities, &mut self.kept);
        }
        if !ruled && !found.posts.is_empty() && thread::covers(&found.posts, blocks, &self.kept) {
            thread::keep_posts(&found.posts, blocks, &mut self.kept);
        }
        self.page.posts = found.posts.iter().cloned().map(thread::comment).collect();
        found
    }

    /// Takes over the readers' comments that are not in the text. A caller who favors recall wants them in both places.
    fn take_comments(&mut self) {
        let sets_apart = self.extractor.options.favor.sets_apart();
        let mut comments = std::mem::take(&mut self.comments);
        comments.retain(|c| !sets_apart || !c.lines.iter().any(|b| self.kept[*b as usize]));
        self.page.comments = comments.into_iter().map(thread::comment).collect();
    }

    /// Keeps the named article of an endless page, and drops the articles below it.
    fn keep_one_article(&mut self) {
        if self.picked.is_content() || !self.extractor.options.favor.sets_apart() {
            return;
        }
        let dom = self.view.dom;
        let title = dom.find(NodeId::ROOT, Tag::TITLE).map(|n| dom.text_content(n)).unwrap_or_default();
        articles::keep_named(dom, self.view.blocks, &title, &mut self.kept);
        drop_rows(dom, self.view.blocks, &mut self.kept);
    }

    /// Corrects the choice in parts of the page with their own form, such as boxes and tabs, and keeps the notes to which the text refers.
    fn correct_parts(&mut self) {
        if self.picked.is_content() {
            return;
        }
        let (View { dom, blocks, .. }, kept) = (self.view, &mut self.kept);
        accordions::apply(dom, blocks, self.probabilities.as_deref(), kept);
        boxes::apply(dom, blocks, kept);
        noscript::apply(blocks, kept);
        labels::apply(blocks, kept);
        twins::apply(dom, blocks, kept);
        tabs::apply(dom, blocks, kept);
        if self.extractor.options.render.footnotes {
            notes::keep_referenced(dom, blocks, kept);
        }
    }

    /// Finds the page's kind and its entries, which agree: a page is a listing or a collection if it has entries.
    fn find_entries(&mut self) {
        // Classifying is expensive, so it only runs when requested.
        let Some(lists) = &self.extractor.lists else { return };
        // Tests load the shipped models, so this cannot fail in a release.
        let Ok(kind) = self.extractor.kind_of(&self.view, self.verdicts) else { return };
        let is_judged = self.extractor.judges_by_shipped_model();
        let model = Learned::shipped().ok().filter(|_| !is_judged);
        let judged = model.map(|model| model.judge(&self.view, Favor::Balance));
        let verdicts = judged.as_deref().unwrap_or(self.verdicts);
        let mut groups = lists.confident(&self.view, verdicts, kind.list, &kind.probabilities);
        if thread::has_authors(&self.page.posts, &groups, &kind.probabilities) {
            groups.clear();
        } else if !groups.is_empty() {
            // Rows of a list with names and dates look like posts.
            self.page.posts.clear();
        }
        self.page.lists = groups.iter().map(Group::named).collect();
        self.page.entries = groups.into_iter().flat_map(|g| g.entries).collect();
        self.page.page_type = Some(kind.among(!self.page.entries.is_empty()).to_owned());
        self.page.page_type_probabilities = Some(kind.probabilities);
    }

    /// Reads the metadata that somebody asked for, overridden by the caller's rules. Returns the layout with the heading of the title.
    fn read_metadata<'l>(&mut self, layout: Option<Layout<'l>>, url: Option<&Url>) -> Option<Layout<'l>> {
        let options = &self.extractor.options;
        let page = &mut self.page;
        let wanted = options.metadata_fields(!self.rules.fields.is_empty() || self.configs.is_some());
        let layout = layout.filter(|_| wanted.has(Fields::METADATA)).map(|layout| {
            let (mut read, layout) = metadata::read(layout, &self.kept, wanted);
            page.warnings.extend(layout.graph().is_cut().then(|| Warning::limit_reached("JSON-LD")));
            let (rules, dom) = ((self.rules.fields.as_slice(), self.configs), self.view.dom);
            metadata::apply_rules(rules, dom, self.base, options.now, &mut read, &mut page.warnings);
            self.title.clone_from(&read.title);
            if options.metadata {
                page.metadata = read;
            }
            layout
        });
        if page.metadata.url.is_none() {
            page.metadata.url = url.map(Url::to_string);
        }
        layout
    }

    /// Reads the objects that the page describes.
    fn read_things(&mut self, layout: Option<&Layout<'_>>) {
        let asked = cfg!(feature = "things") && self.extractor.options.things;
        let Some(layout) = layout.filter(|_| asked) else { return };
        let found = match self.extractor.options.metadata {
            true => things::read(layout, &self.page.metadata),
            // The title tells which of the things is the page's main one.
            false => things::read(layout, &Metadata::titled(self.title.clone())),
        };
        self.page.warnings.extend(found.warnings);
        self.page.things = found.things;
    }

    /// Finds the values of the caller's schema, which may name any other part of the page.
    fn fill_schema(&mut self) {
        let schema = self.extractor.options.schema.as_ref().filter(|_| cfg!(feature = "things"));
        let Some(schema) = schema else { return };
        let filled = schema.fill(&self.page, self.view.dom, self.base);
        self.page.data = filled.data;
        self.page.warnings.extend(Warning::beyond(filled.left_out, "values of the schema"));
        let missing = filled.missing.iter().map(|name| {
            Warning::new(WarningCode::MissingProperty, format!("no value for the required property '{name}'"))
        });
        self.page.warnings.extend(missing);
    }

    /// The posts of the thread that is the page's content.
    fn posts(&self, found: &Found) -> Vec<Post> {
        match self.picked.is_content() {
            true => Vec::new(),
            false => thread::posts(found.of_page(), self.view.blocks, &self.kept),
        }
    }

    /// Writes the content, or the prose in the page's scripts if the visible page lacks it.
    fn render(&mut self, posts: &[Post]) {
        let View { dom, blocks, .. } = self.view;
        let likely = |b: usize| self.verdicts[b].probability.is_none_or(|p| p > MIN_CAPTION_PROBABILITY);
        let mut keep = keep_nodes(dom, blocks, &self.kept, likely);
        thread::drop_images_between(posts, blocks, &mut keep);
        self.picked.nodes(&mut keep);
        let posts = if self.extractor.options.render.post_headers { posts } else { &[] };
        self.is_embedded = self.render_scripts();
        if self.is_embedded {
            let message = "the visible page lacks the content: the text was read from the data of its scripts";
            self.page.warnings.push(Warning::new(WarningCode::EmbeddedContent, message));
        } else {
            let typed = self.extractor.options.formats.blocks;
            let roles = if typed { self.extractor.roles_of(&self.view, self.verdicts) } else { Vec::new() };
            self.write(dom, blocks, &keep, Known { posts, roles: &roles, offsets: self.offsets });
            self.page.warnings.extend((!self.kept.contains(&true)).then(|| no_content(blocks)));
            let shell = needs_rendering(dom, blocks);
            self.page.needs_rendering = shell.is_some();
            self.page.warnings.extend(shell);
        }
        let hidden = hidden::report(dom, &self.view.blocks.hidden);
        (self.page.hidden, self.page.hidden_words) = (hidden.parts, hidden.words);
        self.page.warnings.extend(self.view.blocks.styles_cut.then(|| Warning::limit_reached("style rules")));
        self.page.warnings.extend(hidden.warning);
    }

    /// Notes the work, and the limits that were reached.
    fn note_limits(&mut self) {
        let dom = self.view.dom;
        self.page.warnings.extend(dom.left_out());
        self.page.warnings.extend(self.configs.and_then(Applied::warning));
        self.page.warnings.extend(dom.is_out_of_work().then(|| Warning::limit_reached("work")));
        self.page.work = dom.work();
    }

    /// Finds out whether the page is a barrier. Rules of the caller for the content do not change the answer.
    fn find_barrier(&mut self, facts: Option<&Facts<'_>>) {
        let View { dom, blocks, .. } = self.view;
        let verdicts = || self.verdicts.iter().map(|v| v.keep).collect();
        let kept = if self.picked.is_content() { Cow::Owned(verdicts()) } else { Cow::Borrowed(&self.kept) };
        self.page.chosen_words = blocks.kept_words(&kept);
        if self.whole || self.is_embedded || !self.extractor.options.fields.has(Fields::BARRIER) {
            return;
        }
        let is_free = || facts.and_then(metadata::is_free);
        let known = barrier::Known { dom, blocks, kept: &kept, words: self.page.chosen_words };
        self.page.barrier = barrier::find(&known, is_free);
    }

    /// Finds the other parts of the article, and the addresses that hold the content in place of this page.
    fn find_other_addresses(&mut self, url: Option<&Url>) {
        if !self.extractor.options.fields.has(Fields::LINKS) {
            return;
        }
        let View { dom, blocks, .. } = self.view;
        if !self.is_embedded && !self.picked.is_content() {
            let words = blocks.kept_words(&self.kept);
            if let Some((addresses, warning)) = parts::elsewhere(dom, words, self.page.needs_rendering, url, self.base)
            {
                self.page.elsewhere = addresses;
                self.page.warnings.push(warning);
            }
        }
        if let (Some(url), Some(base)) = (url, self.base) {
            (self.page.parts, self.page.single_page) = parts::find(dom, blocks, url, base);
            self.page.markdown_url = parts::markdown_version(dom, base);
            self.find_ruled_addresses(url, base);
        }
    }

    /// Takes the addresses that configurations of the site name for the whole text, and for its next part.
    fn find_ruled_addresses(&mut self, url: &Url, base: &Url) {
        let Some(configs) = self.configs else { return };
        if let Some((address, _)) = configs.single_page(url, base) {
            let message = format!("the rules of the site find the whole text at {address}");
            self.page.warnings.push(Warning::new(WarningCode::ContentElsewhere, message));
            self.page.elsewhere = vec![address.clone()];
            self.page.single_page = vec![address];
        }
        if let Some((url, href)) = configs.next_page(url, base) {
            let next = PageLink::new(String::new(), url, href, 1.0);
            self.page.parts = Pagination::of_parts(Some(next), None, Vec::new());
        }
    }

    /// Writes the prose in the page's scripts, if it has many more words than the kept blocks and not many fewer than the visible page.
    fn render_scripts(&mut self) -> bool {
        let all: u32 = self.view.blocks.blocks.iter().map(|b| b.words).sum();
        let kept = self.view.blocks.kept_words(&self.kept);
        let is_sure = kept >= embedded::MIN_WORDS && self.page.confidence.is_some_and(|c| c >= SURE_OF_VISIBLE);
        if self.picked.is_content() || kept >= SHELL_WORDS || is_sure {
            return false;
        }
        let passages = embedded::passages(self.view.dom);
        let words: u32 = passages.iter().map(|p| count_words(p)).sum();
        if words < (2 * kept.max(embedded::MIN_WORDS / 2)).max(all / 2) {
            return false;
        }
        let html = embedded::as_html(&passages);
        let dom: Dom<'_> = dom::parse(&html, &self.extractor.options.budget);
        let blocks = Blocks::new(&dom);
        let kept = self.judge_embedded(&html, &dom, &blocks);
        let keep = keep_nodes(&dom, &blocks, &kept, |_| true);
        self.write(&dom, &blocks, &keep, Known { posts: &[], roles: &[], offsets: false });
        true
    }

    /// Chooses the content of a page made from scripts. All of it is content, unless it has the frame of a whole page.
    fn judge_embedded(&self, html: &str, dom: &Dom<'_>, blocks: &Blocks) -> Vec<bool> {
        let all = vec![true; blocks.len()];
        let frame = |t: Tag| matches!(t, Tag::MAIN | Tag::NAV | Tag::HEADER | Tag::FOOTER);
        if !blocks.elements.iter().any(|e| frame(e.tag)) {
            return all;
        }
        let view = View { source: html, dom, blocks, url: self.view.url };
        let (verdicts, _) = self.extractor.method.method().judge_page(&view, self.extractor.options.favor);
        let kept: Vec<bool> = verdicts.iter().map(|v| v.keep).collect();
        if blocks.kept_words(&kept) >= embedded::MIN_WORDS { kept } else { all }
    }

    /// Writes the requested formats.
    fn write(&mut self, dom: &Dom<'_>, blocks: &Blocks, keep: &[bool], known: Known<'_>) {
        let options = &self.extractor.options;
        let (title, render) = (self.title.as_deref(), options.render);
        let Known { posts, roles, offsets } = known;
        let content = Content { dom, blocks, keep, base: self.base, posts, roles, title, options: render };
        write(options, &mut self.page, &content, offsets);
    }
}

/// Writes the requested formats into the page. `offsets`: whether the tree's positions are those of the page's source.
pub(super) fn write(options: &Options, page: &mut Page, content: &Content<'_>, offsets: bool) {
    let formats = options.formats;
    if formats.any() || options.pieces.is_some() {
        let tree = render::Tree::new(content);
        let form = options.pieces;
        let mut write = |wanted: bool, of: PieceForm| match form == Some(of) {
            true => {
                let (text, pieces) = tree.with_pieces(of, offsets);
                page.pieces = pieces;
                Some(text)
            }
            false => wanted.then(|| if of == PieceForm::Text { tree.text() } else { tree.markdown() }),
        };
        let (text, markdown) = (write(formats.text, PieceForm::Text), write(formats.markdown, PieceForm::Markdown));
        (page.text, page.markdown) = (text, markdown);
        page.html = formats.html.then(|| tree.html());
        page.xml = formats.xml.then(|| tree.xml(&page.metadata));
        page.blocks = formats.blocks.then(|| tree.typed_blocks(offsets));
    }
    if options.render.images && options.fields.has(Fields::IMAGES) {
        page.images = images(content.dom, content.blocks, content.keep, content.base);
        if options.render.alt_text == AltText::Never {
            page.images.iter_mut().for_each(|image| image.alt = None);
        }
    }
}
