//! Settings of an extraction.
use crate::error::Error;
use crate::method::Method;
use crate::rules::Rules;
use maintext_core::methods::Parameters;
use maintext_core::model::Weights;
use maintext_core::render::{AltText, TitleHeading};
use maintext_core::rules::SiteRules;
use maintext_core::schema::Schema;
use maintext_core::{Budget, Favor, Fields, Formats};
use std::collections::BTreeMap;
use std::str::FromStr;

/// A format of the main content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Plain text, in [`Page::text`](crate::Page::text).
    Text,
    /// CommonMark with GFM tables, in [`Page::markdown`](crate::Page::markdown).
    Markdown,
    /// Clean HTML, in [`Page::html`](crate::Page::html).
    Html,
    /// A TEI document, in [`Page::xml`](crate::Page::xml).
    Tei,
    /// Typed blocks as JSON, in [`Page::blocks`](crate::Page::blocks).
    Blocks,
}

/// Settings of an extraction. The default gives plain text, metadata and comments.
///
/// ```
/// use maintext::{Favor, Format, Options};
/// let options = Options::new().with_formats([Format::Markdown]).with_favor(Favor::Precision).with_images(false);
/// let page = maintext::extract("<p>Two <b>herons</b> stood in the reeds, and nobody dared to go nearer.", &options)?;
/// assert_eq!(page.markdown(), "Two **herons** stood in the reeds, and nobody dared to go nearer.\n");
/// assert!(page.text.is_none());
/// # Ok::<(), maintext::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub(crate) inner: maintext_core::Options,
    sites: BTreeMap<String, maintext_core::rules::Rules>,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 5] = [Format::Text, Format::Markdown, Format::Html, Format::Tei, Format::Blocks];

    /// The name, as the command's `--format` takes it; `xml` is TEI.
    pub fn as_str(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Markdown => "markdown",
            Format::Html => "html",
            Format::Tei => "xml",
            Format::Blocks => "blocks",
        }
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Format, Error> {
        let names = Format::ALL.map(Format::as_str);
        let found = Format::ALL.into_iter().find(|format| format.as_str() == name);
        found.ok_or_else(|| Error::setting(format!("no format '{name}'; the formats are: {}", names.join(", "))))
    }
}

impl Options {
    /// The names that [`Options::with_fields`] takes: the keys of a page's JSON, and `xml`.
    #[rustfmt::skip]
    pub const FIELDS: [&str; 49] = [
        "url", "hostname", "title", "author", "authors", "date", "date_modified", "sitename", "description", "language", "language_detected",
        "image", "videos", "categories", "tags", "license", "breadcrumb", "accessible_for_free", "alternates", "words", "reading_minutes",
        "feeds", "metadata_sources", "status", "final_url", "barrier", "page_type", "confidence", "text", "markdown", "html", "xml", "blocks",
        "comments", "posts", "images", "entries", "things", "data", "hidden", "hidden_words", "warnings", "preferences", "representation",
        "parts", "single_page", "elsewhere", "markdown_url", "work",
    ];

    /// The default settings.
    pub fn new() -> Options {
        Options::default()
    }

    /// Writes these formats and no others.
    pub fn with_formats(mut self, formats: impl IntoIterator<Item = Format>) -> Options {
        self.inner.formats = Formats::NONE;
        formats.into_iter().for_each(|format| self.add_format(format, true));
        self
    }

    /// Chooses the content by a published method, with its published parameters.
    pub fn with_method(mut self, method: Method) -> Options {
        self.inner.method = method.as_str().to_owned();
        self
    }

    /// Chooses the content by a model file that was trained for a site, instead of the shipped model.
    ///
    /// # Errors
    /// The bytes are not a model file of this version.
    pub fn with_model(mut self, file: &[u8]) -> Result<Options, Error> {
        let weights = Some(Weights::from_bytes(file)?);
        self.inner.method = Method::Learned.as_str().to_owned();
        self.inner.parameters = Parameters { weights, ..Parameters::default() };
        Ok(self)
    }

    /// Computes only the formats and these parts of the page, named by the keys of its JSON ([`Options::FIELDS`]); other parts may stay empty.
    /// The formats and the named parts are the same as with all parts, the default. A named format is added to the formats.
    ///
    /// ```
    /// use maintext::Options;
    /// let html = "<title>A walk</title><p>By Jane Doe</p><p>We left early, and the road was empty.";
    /// let page = maintext::extract(html, &Options::new().with_fields(["url", "title"])?)?;
    /// assert_eq!(page.metadata.title.as_deref(), Some("A walk"));
    /// assert!(page.text().contains("the road") && page.metadata.language.is_none());
    /// # Ok::<(), maintext::Error>(())
    /// ```
    ///
    /// # Errors
    /// A name is not a key of the JSON.
    pub fn with_fields<'n>(mut self, keys: impl IntoIterator<Item = &'n str>) -> Result<Options, Error> {
        let keys: Vec<&str> = keys.into_iter().collect();
        if let Some(key) = keys.iter().find(|key| !Options::FIELDS.contains(key)) {
            return Err(Error::setting(format!("no field '{key}'; the fields are: {}", Options::FIELDS.join(", "))));
        }
        for format in [Format::Markdown, Format::Html, Format::Tei, Format::Blocks] {
            self.add_format(format, keys.contains(&format.as_str()));
        }
        self.inner.things |= keys.contains(&"things");
        self.inner.page_type |= keys.iter().any(|key| matches!(*key, "page_type" | "entries"));
        self.inner.fields = Fields::of(keys);
        Ok(self)
    }

    fn add_format(&mut self, format: Format, is_wanted: bool) {
        let formats = &mut self.inner.formats;
        let own = match format {
            Format::Text => &mut formats.text,
            Format::Markdown => &mut formats.markdown,
            Format::Html => &mut formats.html,
            Format::Tei => &mut formats.xml,
            Format::Blocks => &mut formats.blocks,
        };
        *own |= is_wanted;
    }

    /// The schema of [`Page::data`](crate::Page::data): a JSON Schema whose properties name things, their fields, fields of the page or, by
    /// `x-selector`, elements. Turns on metadata and things. If the page has no value for a required property, `data` is `None` and a
    /// warning names the property.
    ///
    /// ```
    /// use maintext::Options;
    /// let options = Options::new().with_schema(r#"{"type": "object", "required": ["name"], "properties": {
    ///     "name": {"type": "string"}, "rooms": {"type": "integer", "x-selector": ".rooms"}}}"#)?;
    /// let html = "<div itemscope itemtype=https://schema.org/Hotel><h1 itemprop=name>The Old Quay</h1></div><p class=rooms>24 rooms";
    /// let page = maintext::extract(html, &options)?;
    /// assert_eq!(page.data.as_deref(), Some(r#"{"name":"The Old Quay","rooms":24}"#));
    /// # Ok::<(), maintext::Error>(())
    /// ```
    ///
    /// # Errors
    /// The text is not a JSON Schema of an object, a selector is malformed, or a type does not have the named field.
    pub fn with_schema(mut self, json: &str) -> Result<Options, Error> {
        self.inner.schema = Some(Schema::parse(json)?);
        Ok(self)
    }

    /// The day, as `2024-05-17` or with a time, that relative dates such as "3 hours ago" count from, and after which no date is the page's.
    /// Without it, relative dates are ignored.
    ///
    /// # Errors
    /// The value is not a date.
    pub fn with_now(mut self, now: &str) -> Result<Options, Error> {
        let stamp = maintext_core::metadata::Stamp::parse(now);
        self.inner.now =
            Some(stamp.ok_or_else(|| Error::setting(format!("'{now}' is not a date, such as 2024-05-17")))?);
        Ok(self)
    }

    /// Overrides for every page.
    pub fn with_rules(mut self, rules: Rules) -> Options {
        self.inner.rules = rules.0;
        self
    }

    /// Overrides for the pages of a host and its subdomains, in place of earlier ones for the same host; `*` is for all other pages.
    /// [`Options::with_rules`] takes precedence over them.
    ///
    /// # Errors
    /// `host` is not a host but, for example, an address or a pattern.
    pub fn with_site_rules(mut self, host: &str, rules: Rules) -> Result<Options, Error> {
        self.sites.insert(host.to_ascii_lowercase(), rules.0);
        self.inner.site_rules = SiteRules::new(self.sites.clone())?;
        Ok(self)
    }
}

/// Makes a method that sets a field of the library's options.
macro_rules! settings {
    ($($(#[$about:meta])* $name:ident: $kind:ty = $($field:ident).+;)*) => {
        impl Options {
            $($(#[$about])*
            pub fn $name(mut self, value: $kind) -> Options {
                self.inner.$($field).+ = value;
                self
            })*
        }
    };
}

settings! {
    /// The preferred kind of error: losing content or keeping boilerplate.
    with_favor: Favor = favor;

    /// Whether to read title, author, date and the other metadata. On by default.
    with_metadata: bool = metadata;

    /// Whether to find readers' comments and the posts of a thread. On by default. Without it, threads are read like
    /// other pages, so that signatures may stay in the text.
    with_comments: bool = comments;

    /// Whether to classify the page and find the entries of a list page. Off by default, since it costs about as much as the text.
    with_lists: bool = page_type;

    /// Whether to read products, recipes, events, jobs, questions and other objects as data, in [`Page::things`](crate::Page::things). Off by
    /// default.
    ///
    /// ```
    /// use maintext::Options;
    /// let html = r#"<script type="application/ld+json">{"@type": "Event", "name": "Rowing day", "startDate": "2027-05-02T09:00+02:00",
    ///     "location": {"name": "Old harbour"}}</script><h1>Rowing day</h1>"#;
    /// let page = maintext::extract(html, &Options::new().with_things(true))?;
    /// let day = &page.things[0];
    /// assert_eq!((&day.kind[..], day.text("start"), day.text("place.name")), ("Event", Some("2027-05-02T09:00+02:00"), Some("Old harbour")));
    /// assert_eq!(day.sources["start"].from, "json-ld");
    /// # Ok::<(), maintext::Error>(())
    /// ```
    with_things: bool = things;

    /// Whether to write images. On by default.
    with_images: bool = render.images;

    /// Whether to write links as links; their text is written in any case. On by default.
    with_links: bool = render.links;

    /// Whether to write only links to other sites as links. Off by default.
    with_external_links: bool = render.external_links;

    /// Whether Markdown has links as references, `[text][1]`, with their addresses at the end. Off by default.
    with_reference_links: bool = render.reference_links;

    /// Whether to write tables. On by default.
    with_tables: bool = render.tables;

    /// Whether a table of data that a Markdown table cannot hold, with code of several lines or other tables in its cells, is written as HTML
    /// inside Markdown; otherwise each cell becomes one line. On by default.
    with_html_tables: bool = render.html_tables;

    /// Whether Markdown repeats a cell that spans rows in each row, and a heading that spans columns in each column. On by default.
    with_repeat_spans: bool = render.repeat_spans;

    /// Whether plain text has the numbers of ordered lists and the boxes of task lists. On by default.
    with_list_numbers: bool = render.list_numbers;

    /// Whether each post of a thread begins with its author and date, except in plain text. On by default.
    with_post_headers: bool = render.post_headers;

    /// Whether Markdown and HTML begin with the title of the page. Once by default.
    with_title: TitleHeading = render.title;

    /// Whether gaps in the levels of headings are closed. Off by default.
    with_level_headings: bool = render.level_headings;

    /// Where alternative texts of images are written. With the images by default.
    with_alt_text: AltText = render.alt_text;

    /// Whether text that no visitor sees is kept. Off by default: [`Page::hidden`](crate::Page::hidden) lists it.
    with_hidden_text: bool = keep_hidden;

    /// Whether to write footnotes, citations included, and the references to them. On by default.
    with_footnotes: bool = render.footnotes;

    /// Bounds on the cost of one page.
    with_budget: Budget = budget;
}
