//! From the choice of the content to the page: metadata, objects, formats.
use super::described::Described;
use super::{Analysis, Extractor, hidden};
use crate::barrier;
use crate::embedded;
use crate::options::Options;
use crate::page::Page;
use crate::parts;
use crate::passes::noscript::SHELL_WORDS;
use crate::passes::thread;
use crate::shell::{needs_rendering, no_content};
use maintext_facts::fields::Fields;
use maintext_facts::metadata::layout::Layout;
use maintext_facts::metadata::sources::facts::Facts;
use maintext_facts::metadata::{self, Metadata, Record};
use maintext_facts::preferences::Preferences;
use maintext_facts::rules::{FieldRule, FoundField, Picked};
use maintext_lists::list::Group;
use maintext_lists::page_type::PageType;
use maintext_page::blocks::{Blocks, count_words};
use maintext_page::dom::{self, Dom, Tag};
use maintext_page::warnings::{Warning, WarningCode};
use maintext_reading::choice::{Choice, Step};
use maintext_reading::method::View;
use maintext_reading::model::roles::Shares;
use maintext_render::keep::{KeptNodes, images, keep_nodes};
use maintext_render::render::{self, AltText, Content, PieceForm, Post};
use maintext_things::things;
use std::cell::OnceCell;
use url::Url;

/// Confidence from which a short visible text is the content, whatever the scripts hold.
const SURE_OF_VISIBLE: f32 = 0.85;

/// The fields that the head of a whole document states. They are used unchanged: the part of a title after a dash is not the name of a
/// site.
pub(super) fn stated<'a>(dom: &'a Dom<'_>) -> impl Iterator<Item = FieldRule> + 'a {
    let fields = [
        "title=meta[property='og:title']",
        "author=meta[name=author]",
        "date=meta[property='article:published_time']",
        "sitename=meta[property='og:site_name']",
    ];
    fields.into_iter().filter_map(|rule| FieldRule::parse(rule).ok()).filter(|rule| !rule.selector.all(dom).is_empty())
}

/// The facts about a tree that its formats show.
struct TreeFacts<'a> {
    posts: &'a [Post],
    /// The probabilities of the roles of each block; empty if they are unknown.
    roles: &'a [Shares],
    /// Whether the tree's positions are valid in the page's source.
    offsets: bool,
    /// The title that the formats begin with.
    title: Option<&'a str>,
}

/// The method's choice with all steps except the caller's, if a selector of the caller chose the content.
fn by_method(choice: &Choice) -> Vec<bool> {
    if choice.is_by_method() { choice.kept().to_vec() } else { choice.kept_before(Step::Caller) }
}

/// A page on its way from the choice of its content to the result. It reads the choice and never changes it.
pub(super) struct Assembly<'a> {
    extractor: &'a Extractor,
    base: Option<&'a Url>,
    /// Content that the caller's rules chose or excluded.
    picked: &'a Picked,
    given: &'a [FoundField<'a>],
    /// Whether all of the page is content, so that it has no records.
    whole: bool,
    /// Whether the tree's positions are valid in the page's source.
    offsets: bool,
    page: Page,
}

/// A page whose content was chosen.
#[derive(Clone, Copy)]
struct ChosenPage<'a> {
    view: &'a View<'a>,
    choice: &'a Choice,
    /// The roles of the blocks, if they were read with the choice.
    roles: &'a [Shares],
}

impl<'a> Assembly<'a> {
    /// Begins a page with the warnings of its reading.
    pub(super) fn new(
        extractor: &'a Extractor,
        analysis: &Analysis<'_>,
        base: Option<&'a Url>,
        picked: &'a Picked,
        given: &'a [FoundField<'a>],
        warnings: Vec<Warning>,
    ) -> Assembly<'a> {
        let page = Page { warnings, ..Page::default() };
        Assembly { extractor, base, picked, given, whole: analysis.whole, offsets: !analysis.rewritten, page }
    }

    /// Describes the page and writes its formats.
    pub(super) fn run(
        mut self,
        view: &View<'_>,
        url: Option<&Url>,
        facts: Option<&Facts<'_>>,
        described: Described,
        choice: &Choice,
        roles: &[Shares],
    ) -> Page {
        let chosen = ChosenPage { view, choice, roles };
        let Described { found, comments, kind, groups } = described;
        self.page.confidence = choice.confidence;
        self.take_comments(comments, choice);
        self.page.posts = found.posts.iter().cloned().map(thread::comment).collect();
        if self.extractor.options.page_type
            && let Some(kind) = kind
        {
            self.take_entries(kind, groups);
        }
        let layout = facts.map(|facts| Layout::new(facts, choice.kept(), found.of_page()));
        let (layout, title) = self.read_metadata(layout, chosen, url);
        self.read_things(layout.as_ref(), title.as_deref());
        let posts =
            if choice.is_by_method() { thread::posts(found.of_page(), view.blocks, choice.kept()) } else { Vec::new() };
        let is_embedded = self.render(chosen, &posts, title.as_deref());
        if !is_embedded {
            self.find_barrier(chosen, facts);
        }
        self.page.chosen_words = view.blocks.kept_words(&by_method(choice));
        self.find_other_addresses(chosen, url, is_embedded);
        self.page.preferences = Preferences::of_page(view.dom, view.blocks.signs(view.dom));
        self.fill_schema(view.dom);
        self.note_limits(view.dom);
        self.page
    }

    /// Takes over the readers' comments that are not in the text. A caller who favors recall wants them in both places.
    fn take_comments(&mut self, mut comments: Vec<Record>, choice: &Choice) {
        if self.extractor.options.favor.sets_apart() {
            comments.retain(|comment| !comment.lines.iter().any(|block| choice.keeps(*block as usize)));
        }
        self.page.comments = comments.into_iter().map(thread::comment).collect();
    }

    /// Takes over the page's kind and its entries, which agree: a page is a listing or a collection if it has entries.
    fn take_entries(&mut self, kind: PageType, groups: Vec<Group>) {
        self.page.lists = groups.iter().map(Group::named).collect();
        self.page.entries = groups.into_iter().flat_map(|group| group.entries).collect();
        self.page.page_type = kind.page_type.map(str::to_owned);
        self.page.page_type_probabilities = kind.page_type.map(|_| kind.probabilities);
    }

    /// Reads the requested metadata, overridden by the caller's rules. Returns the layout with the heading of the title, and the title that
    /// the formats begin with.
    fn read_metadata<'l>(
        &mut self,
        layout: Option<Layout<'l>>,
        ChosenPage { view, choice, .. }: ChosenPage<'_>,
        url: Option<&Url>,
    ) -> (Option<Layout<'l>>, Option<String>) {
        let options = &self.extractor.options;
        let page = &mut self.page;
        let wanted = options.metadata_fields(!self.given.is_empty());
        let mut title = None;
        let layout = if wanted.has(Fields::METADATA) { layout } else { None };
        let layout = layout.map(|layout| {
            let (mut read, layout) = metadata::read(layout, choice, wanted);
            page.warnings.extend(layout.graph().is_cut().then(|| Warning::limit_reached("JSON-LD")));
            metadata::apply_rules(self.given, view.dom, self.base, options.now, &mut read, &mut page.warnings);
            title.clone_from(&read.title);
            if options.metadata {
                page.metadata = read;
            }
            layout
        });
        if page.metadata.url.is_none() {
            page.metadata.url = url.map(Url::to_string);
        }
        (layout, title)
    }

    /// Reads the objects that the page describes.
    fn read_things(&mut self, layout: Option<&Layout<'_>>, title: Option<&str>) {
        if !cfg!(feature = "things") || !self.extractor.options.things {
            return;
        }
        let Some(layout) = layout else { return };
        let found = if self.extractor.options.metadata {
            things::read(layout, &self.page.metadata)
        } else {
            // The title identifies the page's main thing.
            things::read(layout, &Metadata::titled(title.map(str::to_owned)))
        };
        self.page.warnings.extend(found.warnings);
        self.page.things = found.things;
    }

    /// Finds the values of the caller's schema, which may name any other part of the page.
    fn fill_schema(&mut self, dom: &Dom<'_>) {
        let schema = if cfg!(feature = "things") { self.extractor.options.schema.as_ref() } else { None };
        let Some(schema) = schema else { return };
        let filled = schema.fill(&self.page, dom, self.base);
        self.page.data = filled.data;
        self.page.warnings.extend(filled.spent);
        self.page.warnings.extend(Warning::beyond(filled.left_out, "values of the schema"));
        let missing = filled.missing.iter().map(|name| {
            Warning::new(WarningCode::MissingProperty, format!("no value for the required property '{name}'"))
        });
        self.page.warnings.extend(missing);
    }

    /// Writes the content, or the prose in the page's scripts if the visible page lacks it. Returns whether the text comes from the scripts.
    fn render(&mut self, chosen: ChosenPage<'_>, posts: &[Post], title: Option<&str>) -> bool {
        let ChosenPage { view: &View { dom, blocks, .. }, choice, roles: known } = chosen;
        let is_embedded = self.render_scripts(chosen, title);
        if is_embedded {
            let message = "the visible page lacks the content: the text was read from the data of its scripts";
            self.page.warnings.push(Warning::new(WarningCode::EmbeddedContent, message));
        } else {
            let mut keep = keep_nodes(dom, blocks, choice.kept());
            thread::drop_images_between(posts, blocks, &mut keep.nodes);
            self.picked.nodes(&mut keep.nodes);
            keep.captions.retain(|n| self.picked.allows(*n));
            let typed = self.extractor.options.formats.blocks;
            let roles = if typed { self.extractor.roles_of(chosen.view, choice, known) } else { Vec::new() };
            let posts = if self.extractor.options.render.post_headers { posts } else { &[] };
            self.write(dom, blocks, &keep, TreeFacts { posts, roles: &roles, offsets: self.offsets, title });
            self.page.warnings.extend((!choice.kept().contains(&true)).then(|| no_content(blocks)));
            let shell = needs_rendering(dom, blocks);
            self.page.needs_rendering = shell.is_some();
            self.page.warnings.extend(shell);
        }
        let hidden = hidden::report(dom, &blocks.hidden);
        (self.page.hidden, self.page.hidden_words) = (hidden.parts, hidden.words);
        self.page.warnings.extend(blocks.cut.iter().map(|part| Warning::limit_reached(part)));
        self.page.warnings.extend(hidden.warning);
        is_embedded
    }

    /// Notes the work, and the limits that were reached.
    fn note_limits(&mut self, dom: &Dom<'_>) {
        self.page.warnings.extend(dom.left_out());
        self.page.warnings.extend(dom.is_out_of_work().then(|| Warning::limit_reached("work")));
        self.page.work = dom.work();
    }

    /// Finds out whether the page is a barrier. Rules of the caller for the content do not change the answer.
    fn find_barrier(&mut self, ChosenPage { view, choice, .. }: ChosenPage<'_>, facts: Option<&Facts<'_>>) {
        if self.whole || !self.extractor.options.fields.has(Fields::BARRIER) {
            return;
        }
        let kept = by_method(choice);
        let known = barrier::BarrierFacts {
            dom: view.dom,
            blocks: view.blocks,
            kept: &kept,
            words: view.blocks.kept_words(&kept),
        };
        self.page.barrier = barrier::find(&known, || facts.and_then(metadata::is_free));
    }

    /// Finds the other parts of the article, and the addresses that hold the content instead of this page.
    fn find_other_addresses(
        &mut self,
        ChosenPage { view, choice, .. }: ChosenPage<'_>,
        url: Option<&Url>,
        is_embedded: bool,
    ) {
        if !self.extractor.options.fields.has(Fields::LINKS) {
            return;
        }
        let (dom, blocks) = (view.dom, view.blocks);
        if !is_embedded && choice.is_by_method() {
            let words = blocks.kept_words(choice.kept());
            let is_shell = self.page.needs_rendering;
            let found = parts::elsewhere(dom, blocks.signs(dom), words, is_shell, url, self.base);
            if let Some((addresses, warning)) = found {
                self.page.elsewhere = addresses;
                self.page.warnings.push(warning);
            }
        }
        if let (Some(url), Some(base)) = (url, self.base) {
            (self.page.parts, self.page.single_page) = parts::find(dom, blocks, url, base);
            self.page.markdown_url = parts::markdown_version(dom, base);
        }
    }

    /// Writes the prose in the page's scripts, if it has many more words than the kept blocks and not many fewer than the visible page.
    fn render_scripts(&mut self, ChosenPage { view, choice, .. }: ChosenPage<'_>, title: Option<&str>) -> bool {
        let all: u32 = view.blocks.blocks.iter().map(|b| b.words).sum();
        let kept = view.blocks.kept_words(choice.kept());
        // Text of scripts does not replace a short text of which the model is sure.
        let is_sure = kept >= embedded::MIN_WORDS && self.page.confidence.is_some_and(|c| c >= SURE_OF_VISIBLE);
        if !choice.is_by_method() || kept >= SHELL_WORDS || is_sure {
            return false;
        }
        let is_shell = needs_rendering(view.dom, view.blocks).is_some();
        let embedded::FoundPassages { passages, is_cut, .. } =
            embedded::passages(view.dom, view.blocks.signs(view.dom), is_shell);
        self.page.warnings.extend(is_cut.then(|| Warning::limit_reached("data in scripts")));
        let words: u32 = passages.iter().map(|p| count_words(p)).sum();
        if words < (2 * kept.max(embedded::MIN_WORDS / 2)).max(all / 2) {
            return false;
        }
        let html = embedded::as_html(&passages);
        let dom: Dom<'_> = dom::parse(&html, &self.extractor.options.budget);
        let blocks = Blocks::new(&dom);
        let embedded = View { source: &html, dom: &dom, blocks: &blocks, url: view.url };
        let keep = keep_nodes(&dom, &blocks, &self.judge_embedded(&embedded));
        self.write(&dom, &blocks, &keep, TreeFacts { posts: &[], roles: &[], offsets: false, title });
        true
    }

    /// Chooses the content of a page made from scripts. All of it is content, unless it has the frame of a whole page.
    fn judge_embedded(&self, view: &View<'_>) -> Vec<bool> {
        let all = vec![true; view.blocks.len()];
        if !view.blocks.elements.iter().any(|e| matches!(e.tag, Tag::MAIN | Tag::NAV | Tag::HEADER | Tag::FOOTER)) {
            return all;
        }
        let choice = self.extractor.method.method().judge(view, self.extractor.options.favor);
        if view.blocks.kept_words(choice.kept()) >= embedded::MIN_WORDS { choice.kept().to_vec() } else { all }
    }

    /// Writes the requested formats.
    fn write(&mut self, dom: &Dom<'_>, blocks: &Blocks, kept: &KeptNodes, known: TreeFacts<'_>) {
        let options = &self.extractor.options;
        let TreeFacts { posts, roles, offsets, title } = known;
        let keep = &kept.nodes[..];
        let illustrated = if options.render.images { kept.illustrated() } else { None };
        let content = Content { dom, blocks, keep, base: self.base, posts, roles, title, options: options.render };
        write(options, &mut self.page, &content, illustrated.as_deref(), offsets);
    }
}

/// Writes the requested formats into the page.
///
/// `illustrated`: the nodes that formats with images write, if others than `content` says. `offsets`: whether the tree's positions are valid in
/// the page's source.
pub(super) fn write(
    options: &Options,
    page: &mut Page,
    content: &Content<'_>,
    illustrated: Option<&[bool]>,
    offsets: bool,
) {
    let illustrated = illustrated.map(|keep| Content { keep, ..*content });
    let (plain, pictured) = (OnceCell::new(), OnceCell::new());
    let text_tree = || plain.get_or_init(|| render::Tree::new(content));
    let tree = || match &illustrated {
        Some(content) => pictured.get_or_init(|| render::Tree::new(content)),
        None => text_tree(),
    };
    let formats = options.formats;
    match options.pieces {
        Some(PieceForm::Text) => {
            let (text, pieces) = text_tree().with_pieces(PieceForm::Text, offsets);
            (page.text, page.pieces) = (Some(text), pieces);
        }
        _ => page.text = formats.text.then(|| text_tree().text()),
    }
    match options.pieces {
        Some(PieceForm::Markdown) => {
            let (markdown, pieces) = tree().with_pieces(PieceForm::Markdown, offsets);
            (page.markdown, page.pieces) = (Some(markdown), pieces);
        }
        _ => page.markdown = formats.markdown.then(|| tree().markdown()),
    }
    page.html = formats.html.then(|| tree().html());
    page.xml = formats.xml.then(|| tree().xml(&page.metadata));
    page.blocks = formats.blocks.then(|| tree().typed_blocks(offsets));
    if options.metadata && options.fields.has(Fields::STATEMENTS) {
        // Rules and notes move words within blocks, so the text itself is counted.
        let words = page.text.as_ref().map_or_else(|| count_words(&text_tree().text()), |text| count_words(text));
        (page.metadata.words, page.metadata.reading_minutes) = (words, words.div_ceil(metadata::WORDS_A_MINUTE));
    }
    if options.render.images && options.fields.has(Fields::IMAGES) {
        page.images = images(content.dom, content.blocks, content.keep, content.base);
        if options.render.alt_text == AltText::Never {
            page.images.iter_mut().for_each(|image| image.alt = None);
        }
    }
}
