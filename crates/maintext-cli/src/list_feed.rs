//! The entries of a list page as CSV and as a feed.
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use maintext_core::Entry;
use maintext_core::render::escape::xml;
use std::collections::HashMap;
use std::fmt::Write as _;

const COLUMNS: [&str; 13] = [
    "group", "position", "title", "url", "date", "author", "price", "image", "summary", "category", "rating", "place",
    "replies",
];

/// Writes entries as comma-separated values (RFC 4180) with a header; groups count from 1.
pub fn csv<'e>(entries: impl Iterator<Item = &'e Entry>) -> String {
    let mut out = COLUMNS.join(",") + "\n";
    for e in entries {
        let row = [
            (e.group + 1).to_string(),
            e.position.to_string(),
            cell(&e.title),
            optional_cell(&e.url),
            optional_cell(&e.date),
            optional_cell(&e.author),
            optional_cell(&e.price),
            optional_cell(&e.image),
            optional_cell(&e.summary),
            optional_cell(&e.category),
            optional_cell(&e.rating),
            optional_cell(&e.place),
            e.replies.map_or(String::new(), |n| n.to_string()),
        ];
        out += &row.join(",");
        out.push('\n');
    }
    out
}

fn optional_cell(value: &Option<String>) -> String {
    cell(value.as_deref().unwrap_or(""))
}

fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// Writes entries as RSS 2.0. The address of an entry is its identity, or its title and date if it has none, and nothing depends on the
/// time of writing, so that a feed reader shows only the entries that are new on the page.
pub fn rss(title: &str, page: &str, entries: &[Entry]) -> String {
    let (title, page) = (xml(title), xml(page));
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n<channel>\n\
         <title>{title}</title>\n<link>{page}</link>\n<description>Entries of {page}</description>\n"
    );
    let mut seen = HashMap::new();
    for e in entries {
        let _ = write!(out, "<item>\n<title>{}</title>\n", xml(&e.title));
        let _ = match e.url.as_deref().map(xml) {
            Some(url) => write!(out, "<link>{url}</link>\n<guid>{url}</guid>\n"),
            None => writeln!(out, "<guid isPermaLink=\"false\">{page}#{}</guid>", xml(&identity(e, &mut seen))),
        };
        let mut add = |tag: &str, value: Option<String>| {
            if let Some(value) = value {
                let _ = writeln!(out, "<{tag}>{}</{tag}>", xml(&value));
            }
        };
        add("pubDate", e.date.as_deref().and_then(mail_date));
        add("dc:creator", e.author.clone());
        add("category", e.category.clone());
        add("description", e.summary.clone());
        out += "</item>\n";
    }
    out + "</channel>\n</rss>\n"
}

/// Returns the identity of an entry without a link: its title, its date, and which one of several such entries it is.
fn identity(e: &Entry, seen: &mut HashMap<String, usize>) -> String {
    let name = [Some(e.title.as_str()), e.date.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let count = seen.entry(name.clone()).or_default();
    *count += 1;
    if *count > 1 { format!("{name} {count}") } else { name }
}

/// Returns an ISO 8601 date in the form of RFC 2822. A time without a zone is taken as UTC.
fn mail_date(date: &str) -> Option<String> {
    let zoned = match date.parse::<Timestamp>() {
        Ok(time) => time.to_zoned(TimeZone::UTC),
        Err(_) => match date.parse::<DateTime>() {
            Ok(time) => time.to_zoned(TimeZone::UTC).ok()?,
            Err(_) => date.parse::<Date>().ok()?.to_zoned(TimeZone::UTC).ok()?,
        },
    };
    jiff::fmt::rfc2822::to_string(&zoned).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_only_where_they_must_be() {
        assert_eq!(cell("a, \"b\"\nc"), "\"a, \"\"b\"\"\nc\"");
        assert_eq!(cell("plain text"), "plain text");
    }

    #[test]
    fn dates_have_the_form_of_mail() {
        assert_eq!(mail_date("2024-05-02").as_deref(), Some("Thu, 2 May 2024 00:00:00 +0000"));
        assert_eq!(mail_date("2025-10-21T21:27:02+02:00").as_deref(), Some("Tue, 21 Oct 2025 19:27:02 +0000"));
        assert_eq!(mail_date("2025-10-21T21:27:02").as_deref(), Some("Tue, 21 Oct 2025 21:27:02 +0000"));
        assert_eq!(mail_date("2024-05"), None);
    }

    #[test]
    fn a_feed_has_no_markup_of_its_entries() {
        let mut entry = Entry::default();
        (entry.title, entry.url) = ("1 < 2 & \u{1}3".into(), Some("https://e.org/?a=1&b=2".into()));
        let feed = rss("News", "https://e.org/", &[entry]);
        assert!(feed.contains("<title>1 &lt; 2 &amp; 3</title>\n<link>https://e.org/?a=1&amp;b=2</link>"), "{feed}");
    }

    #[test]
    fn entries_without_links_are_identified_by_title_and_date() {
        let mut entry = Entry::default();
        (entry.title, entry.date) = ("Tea & talk".into(), Some("2024-05-02".into()));
        let feed = rss("Events", "https://e.org/", &[entry.clone(), entry]);
        let guid =
            |id: &str| format!("<guid isPermaLink=\"false\">https://e.org/#Tea &amp; talk 2024-05-02{id}</guid>");
        assert!(feed.contains(&guid("")) && feed.contains(&guid(" 2")) && !feed.contains("<item>\n<link>"), "{feed}");
    }
}
