//! The parts of a page that an extraction can leave out.
use std::ops::{BitOr, BitOrAssign};

/// The parts of a page to compute in addition to the formats. The parts that are left out may stay empty; the others, and the formats, are
/// the same as with all parts.
///
/// ```
/// use maintext_core::{Extractor, Fields, Options};
/// let html = "<title>A walk</title><p>By Jane Doe<p>We left early, and the road was empty.";
/// let options = Options { fields: Fields::of(["text", "title"]), ..Options::default() };
/// let page = Extractor::new(options)?.extract(html)?;
/// assert_eq!(page.metadata.title.as_deref(), Some("A walk"));
/// assert!(page.metadata.language.is_none());
/// # Ok::<(), maintext_reading::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields(u16);

impl Fields {
    /// Only the formats.
    pub const NONE: Fields = Fields(0);
    /// The title.
    pub const TITLE: Fields = Fields(1);
    /// The authors.
    pub const AUTHOR: Fields = Fields(1 << 1);
    /// The dates of publication and of the last change.
    pub const DATE: Fields = Fields(1 << 2);
    /// The language, declared and detected.
    pub const LANGUAGE: Fields = Fields(1 << 3);
    /// The canonical address and the host.
    pub const ADDRESS: Fields = Fields(1 << 4);
    /// The lead image and the videos.
    pub const PICTURES: Fields = Fields(1 << 5);
    /// The metadata that the page states in one place: site, description, sections, keywords, licence, breadcrumb, feeds and others.
    pub const STATEMENTS: Fields = Fields(1 << 6);
    /// Readers' comments. If they are left out, they are still found where the text depends on them.
    pub const COMMENTS: Fields = Fields(1 << 7);
    /// The images of the main content.
    pub const IMAGES: Fields = Fields(1 << 8);
    /// The other parts of the article, and the addresses that hold the content instead of the page.
    pub const LINKS: Fields = Fields(1 << 9);
    /// The metadata.
    pub const METADATA: Fields = Fields((1 << 7) - 1);
    /// The barrier that the page is.
    pub const BARRIER: Fields = Fields(1 << 10);
    /// All parts.
    pub const ALL: Fields = Fields((1 << 11) - 1);

    /// Returns the parts that the keys of a page's JSON need. Other keys, such as the formats, need no part.
    pub fn of<'n>(keys: impl IntoIterator<Item = &'n str>) -> Fields {
        let parts = keys.into_iter().map(|key| match key {
            "title" => Fields::TITLE,
            "author" | "authors" => Fields::AUTHOR,
            "date" | "date_modified" => Fields::DATE,
            "metadata_sources" => Fields::TITLE | Fields::AUTHOR | Fields::DATE,
            "language" | "language_detected" => Fields::LANGUAGE,
            "url" | "hostname" => Fields::ADDRESS,
            "image" | "videos" => Fields::PICTURES,
            "sitename"
            | "description"
            | "categories"
            | "tags"
            | "license"
            | "breadcrumb"
            | "accessible_for_free"
            | "alternates"
            | "feeds"
            | "words"
            | "reading_minutes" => Fields::STATEMENTS,
            "comments" => Fields::COMMENTS,
            "images" => Fields::IMAGES,
            "parts" | "single_page" | "elsewhere" | "markdown_url" => Fields::LINKS,
            "barrier" => Fields::BARRIER,
            // Each part can cause a warning.
            "warnings" => Fields::ALL,
            _ => Fields::NONE,
        });
        parts.fold(Fields::NONE, BitOr::bitor)
    }

    /// Whether any of these parts is to be computed.
    pub fn has(self, any: Fields) -> bool {
        self.0 & any.0 != 0
    }
}

impl BitOr for Fields {
    type Output = Fields;
    fn bitor(self, other: Fields) -> Fields {
        Fields(self.0 | other.0)
    }
}

impl BitOrAssign for Fields {
    fn bitor_assign(&mut self, other: Fields) {
        self.0 |= other.0;
    }
}
