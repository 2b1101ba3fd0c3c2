//! Signs of the kind of page, from the whole page.
use crate::dom::{Dom, NodeId, NodeKind, Tag};
use maintext_html::Attr;

/// Schema.org types that describe the subject of a page; each is a feature of its own.
pub const SCHEMA_TYPES: [(&str, &[&str]); 8] = [
    (
        "article",
        &["Article", "NewsArticle", "BlogPosting", "ReportageNewsArticle", "TechArticle", "ScholarlyArticle", "Report"],
    ),
    ("product", &["Product", "ProductGroup", "Offer", "AggregateOffer"]),
    ("list", &["ItemList", "CollectionPage", "SearchResultsPage", "OfferCatalog", "Blog"]),
    ("forum", &["DiscussionForumPosting", "QAPage", "Question", "Comment"]),
    ("faq", &["FAQPage", "HowTo"]),
    ("organization", &["Organization", "LocalBusiness", "Corporation", "Service", "ProfessionalService"]),
    ("recipe", &["Recipe"]),
    ("breadcrumb", &["BreadcrumbList"]),
];

/// Counts and declarations of a page, collected in one walk.
#[derive(Clone, Debug, Default)]
pub struct PageSigns {
    /// Text of `<title>`.
    pub title: String,
    /// `og:description` or `description`.
    pub description: String,
    /// Address of the first `og:image` or `twitter:image`.
    pub image: String,
    /// For each of [`SCHEMA_TYPES`], whether the page declares one of its types, in JSON-LD or microdata.
    pub schema: [bool; SCHEMA_TYPES.len()],
    /// `og:type`: 0 unknown, 1 article, 2 product, 3 website, 4 other.
    pub og_type: u8,
    /// Whether a publication time is declared in `<meta>`.
    pub published: bool,
    /// Whether the page declares a viewport, which tells phones how wide it is, as modern pages do.
    pub viewport: bool,
    /// Bytes of scripts and styles.
    pub script_bytes: usize,
    /// Elements of the page.
    pub elements: u32,
    /// `<article>` elements.
    pub articles: u32,
    /// `<form>`, `<input>`, `<select>`, `<button>` elements.
    pub controls: u32,
    /// `<img>` elements.
    pub images: u32,
    /// `<p>` elements.
    pub paragraphs: u32,
    /// `<pre>` and `<code>` elements.
    pub code: u32,
    /// `<table>` elements.
    pub tables: u32,
    /// `<a>` elements.
    pub links: u32,
    /// `<time>` elements.
    pub times: u32,
    /// The elements that may declare something to machines, in document order.
    pub declaring: Vec<NodeId>,
}

impl PageSigns {
    /// Collects the signs.
    pub fn new(dom: &Dom) -> PageSigns {
        let mut s = PageSigns::default();
        for n in dom.descendants(NodeId::ROOT) {
            if dom.kind(n) == NodeKind::Element {
                s.element(dom, n);
            }
        }
        s
    }

    /// Returns the `<meta>` elements, in document order.
    pub fn metas<'s>(&'s self, dom: &'s Dom) -> impl Iterator<Item = NodeId> + 's {
        self.declaring.iter().copied().filter(|&n| dom.tag(n) == Tag::META)
    }

    /// Returns the `<script>` elements, in document order.
    pub fn scripts<'s>(&'s self, dom: &'s Dom) -> impl Iterator<Item = NodeId> + 's {
        self.declaring.iter().copied().filter(|&n| dom.tag(n) == Tag::SCRIPT)
    }

    /// Returns the numbers of elements, with their names as features.
    pub fn counts(&self) -> [(&'static str, f32); 8] {
        [
            ("articles", self.articles as f32),
            ("controls", self.controls as f32),
            ("images", self.images as f32),
            ("paragraphs", self.paragraphs as f32),
            ("code", self.code as f32),
            ("tables", self.tables as f32),
            ("links", self.links as f32),
            ("times", self.times as f32),
        ]
    }

    fn element(&mut self, dom: &Dom, n: NodeId) {
        self.elements += 1;
        match dom.tag(n) {
            // The title of a drawing is not the page's.
            Tag::TITLE if self.title.is_empty() && !dom.ancestors(n).any(|a| dom.tag(a) == Tag::SVG) => {
                self.title = dom.text_content(n);
            }
            Tag::META => self.meta(dom, n),
            Tag::SCRIPT => self.script(dom, n),
            Tag::STYLE => self.script_bytes += dom.first_child(n).map_or(0, |t| dom.text(t).len()),
            Tag::ARTICLE => self.articles += 1,
            Tag::FORM | Tag::INPUT | Tag::SELECT | Tag::BUTTON => self.controls += 1,
            Tag::IMG => self.images += 1,
            Tag::P => self.paragraphs += 1,
            Tag::PRE | Tag::CODE => self.code += 1,
            Tag::TABLE => self.tables += 1,
            Tag::A => self.links += 1,
            Tag::TIME => self.times += 1,
            _ => {}
        }
        let itemtype = dom.attribute(n, Attr::ITEMTYPE);
        if let Some(t) = itemtype {
            self.schema_type(t.rsplit(['/', '#']).next().unwrap_or(t));
        }
        if itemtype.is_some() || declares(dom.tag(n)) {
            self.declaring.push(n);
        }
    }

    fn meta(&mut self, dom: &Dom, n: NodeId) {
        let Some(content) = dom.attr(n, "content") else { return };
        let name = dom.attr(n, "property").or_else(|| dom.attr(n, "name")).unwrap_or("");
        match name {
            "og:description" | "description" | "Description" if self.description.len() < content.len() => {
                self.description = content.chars().take(1000).collect();
            }
            "og:image" | "twitter:image" if self.image.is_empty() => content.clone_into(&mut self.image),
            "og:type" => {
                self.og_type = match content {
                    c if c.contains("article") || c.contains("blog") => 1,
                    c if c.contains("product") => 2,
                    "website" => 3,
                    _ => 4,
                }
            }
            "article:published_time" | "datePublished" | "date" | "pubdate" => self.published = true,
            name if name.eq_ignore_ascii_case("viewport") => self.viewport = true,
            _ => {}
        }
    }

    fn script(&mut self, dom: &Dom, n: NodeId) {
        let text = dom.first_child(n).map_or("", |t| dom.text(t));
        self.script_bytes += text.len();
        if !dom.attr(n, "type").is_some_and(|t| t.eq_ignore_ascii_case("application/ld+json")) {
            return;
        }
        // The values of "@type" are found without parsing, so that a broken script still gives its types.
        for at in memchr::memmem::find_iter(text.as_bytes(), b"\"@type\"") {
            let rest = text.get(at + 7..).unwrap_or("");
            let end = rest.find([',', '}', ']']).unwrap_or(rest.len()).min(400);
            for word in rest.get(..end).unwrap_or("").split(|c: char| !c.is_ascii_alphanumeric()) {
                self.schema_type(word);
            }
        }
    }

    fn schema_type(&mut self, name: &str) {
        for (i, (_, types)) in SCHEMA_TYPES.iter().enumerate() {
            self.schema[i] |= types.contains(&name);
        }
    }
}

/// Returns whether elements of this tag may declare something to machines, by their attributes, their name or their text.
fn declares(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::META
            | Tag::LINK
            | Tag::BODY
            | Tag::HTML
            | Tag::INPUT
            | Tag::SELECT
            | Tag::BUTTON
            | Tag::TEXTAREA
            | Tag::FORM
            | Tag::SCRIPT
            | Tag::A
            | Tag::OTHER
    )
}
