//! The head of a page: title, authors, dates and language where an extractor reads them.
pub use maintext_core::render::escape::html as escape;
use memchr::memmem;

/// Longest value of a field in characters, and most values. Fields are repeated on each page made from a file.
#[cfg(feature = "feeds")]
const MAX_VALUE_CHARS: usize = 1000;
#[cfg(feature = "feeds")]
const MAX_VALUES: usize = 100;

/// What a file states about a document.
#[derive(Clone, Debug, Default)]
pub struct HeadFacts {
    pub title: Option<String>,
    pub authors: Vec<String>,
    /// Date of publication, ISO 8601.
    pub date: Option<String>,
    /// Date of the last change, ISO 8601.
    pub modified: Option<String>,
    /// BCP 47.
    pub language: Option<String>,
    /// The feed or site.
    pub site: Option<String>,
    pub description: Option<String>,
    pub url: Option<String>,
    pub tags: Vec<String>,
}

impl HeadFacts {
    /// Cuts fields of absurd length.
    #[cfg(feature = "feeds")]
    pub fn bounded(mut self) -> HeadFacts {
        let fields = [&mut self.title, &mut self.date, &mut self.modified, &mut self.language];
        let others = [&mut self.site, &mut self.description, &mut self.url];
        fields.into_iter().chain(others).flatten().for_each(cut);
        for list in [&mut self.authors, &mut self.tags] {
            list.truncate(MAX_VALUES);
            list.iter_mut().for_each(cut);
        }
        self
    }

    /// Returns the elements of the head.
    fn elements(&self) -> String {
        let mut out = String::new();
        let mut add = |kind: &str, name: &str, value: &str| {
            if !value.trim().is_empty() {
                out += &format!("<meta {kind}=\"{name}\" content=\"{}\">", escape(value.trim()));
            }
        };
        let fields = [
            ("property", "og:title", &self.title),
            ("property", "og:site_name", &self.site),
            ("property", "article:published_time", &self.date),
            ("property", "article:modified_time", &self.modified),
            ("name", "description", &self.description),
        ];
        for (kind, name, value) in fields {
            add(kind, name, value.as_deref().unwrap_or(""));
        }
        self.authors.iter().for_each(|author| add("name", "author", author));
        self.tags.iter().for_each(|tag| add("property", "article:tag", tag));
        if let Some(url) = self.url.as_deref().filter(|u| u.starts_with("http")) {
            out += &format!("<link rel=\"canonical\" href=\"{}\">", escape(url));
        }
        out
    }

    fn title_element(&self) -> String {
        self.title.as_deref().map_or(String::new(), |t| format!("<title>{}</title>", escape(t.trim())))
    }

    fn lang(&self) -> String {
        let language = self.language.as_deref().map(str::trim).filter(|l| !l.is_empty());
        language.map_or(String::new(), |l| format!(" lang=\"{}\"", escape(l)))
    }

    /// Returns a page with this head and that body, in the memory of the body.
    pub fn page(&self, mut body: String) -> String {
        let head = format!(
            "<!DOCTYPE html><html{}><head><meta charset=\"utf-8\">{}{}</head><body>",
            self.lang(),
            self.title_element(),
            self.elements()
        );
        body.insert_str(0, &head);
        body += "</body></html>";
        body
    }

    /// Adds the facts to a page that has a head of its own. The stated title replaces its own, its language stays.
    #[cfg(feature = "mail")]
    pub fn add_to(&self, html: &str) -> String {
        let lower = html.to_ascii_lowercase();
        let tag = |name: &str| {
            let ends = |c: Option<u8>| c.is_some_and(|c| c == b'>' || c.is_ascii_whitespace());
            let at = memmem::find_iter(lower.as_bytes(), name)
                .find(|&i| ends(lower.as_bytes().get(i + name.len()).copied()));
            at.and_then(|i| Some((i, i + lower[i..].find('>')? + 1)))
        };
        let mut head = self.elements();
        let mut html = html.to_owned();
        let Some((_, at)) = tag("<head") else {
            let at = tag("<html").map_or(0, |(_, end)| end);
            html.insert_str(at, &format!("<head>{}{head}</head>", self.title_element()));
            return html;
        };
        let end = memmem::find(&lower.as_bytes()[at..], b"</head").map_or(at, |e| at + e);
        let title = memmem::find(&lower.as_bytes()[at..end], b"<title").map(|t| at + t);
        let titled = title.and_then(|t| Some((t, t + lower[t..end].find("</title>")? + "</title>".len())));
        match titled {
            Some((from, to)) if self.title.is_some() => html.replace_range(from..to, &self.title_element()),
            None => head += &self.title_element(),
            Some(_) => {}
        }
        html.insert_str(at, &head);
        let has_lang = tag("<html").is_some_and(|(from, to)| lower[from..to].contains("lang="));
        if !has_lang && let Some((from, _)) = tag("<html") {
            html.insert_str(from + "<html".len(), &self.lang());
        }
        html
    }
}

/// Cuts a text after [`MAX_VALUE_CHARS`] characters.
#[cfg(feature = "feeds")]
pub fn cut(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(MAX_VALUE_CHARS) {
        text.truncate(end);
    }
}

/// Returns the address of a page saved by a browser: from its comment `saved from url=(0025)https://...`, or from SingleFile's comment.
pub fn saved_from(bytes: &[u8]) -> Option<String> {
    let head = &bytes[..bytes.len().min(4096)];
    let single_file = memmem::find(head, b"Page saved with SingleFile").and_then(|_| value_after(head, b"url: "));
    let url = single_file
        .or_else(|| value_after(head, b"saved from url=(").and_then(|v| v.split_once(')')).map(|(_, url)| url))?
        .trim_end_matches("--");
    let is_web = url::Url::parse(url).is_ok_and(|u| matches!(u.scheme(), "http" | "https") && u.has_host());
    is_web.then(|| url.to_owned())
}

fn value_after<'h>(head: &'h [u8], mark: &[u8]) -> Option<&'h str> {
    let from = memmem::find(head, mark)? + mark.len();
    let end = head[from..].iter().position(|b| b.is_ascii_whitespace() || *b == b'>')?;
    std::str::from_utf8(&head[from..from + end]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_added_to_a_head_or_make_one() {
        let facts = HeadFacts { title: Some("A & b".into()), language: Some("de".into()), ..HeadFacts::default() };
        let title = "<title>A &amp; b</title>";
        for (page, expected) in [
            ("<p>x", format!("<head>{title}<meta")),
            ("<HTML><Head><TITLE>old</Title></head><p>x", title.to_owned()),
            ("<html xml:lang=fr><head></head><header>x", title.to_owned()),
        ] {
            let html = facts.add_to(page);
            assert!(html.contains(&expected) && !html.contains("old"), "{html}");
            assert_eq!(html.contains("lang=\"de\""), page.contains("<HTML>"), "{html}");
        }
        for cut in ["<head", "<html><head><title>", "<head><title></head></title>", "<html"] {
            facts.add_to(cut);
        }
    }

    #[test]
    fn addresses_of_saved_pages_are_read() {
        let of = |text: &str| saved_from(text.as_bytes());
        let saved = "<!DOCTYPE html>\n<!-- saved from url=(0021)https://example.org/a -->\n<html>";
        assert_eq!(of(saved).as_deref(), Some("https://example.org/a"));
        let single = "<!DOCTYPE html> <html><!--\n Page saved with SingleFile \n url: https://example.org/b \n saved date: Mon-->";
        assert_eq!(of(single).as_deref(), Some("https://example.org/b"));
        assert_eq!(of("<!-- saved from url=(0014)about:internet -->"), None);
        assert_eq!(of("<p>url: https://example.org/c </p>"), None);
    }
}
