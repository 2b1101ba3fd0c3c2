//! Writes the header from the metadata.
use super::super::Post;
use super::TeiWriter;
use maintext_facts::Metadata;
use maintext_page::hash::HashMap;

impl TeiWriter<'_> {
    pub(super) fn header(&mut self, m: &Metadata) {
        let title = m.title.as_deref().unwrap_or("");
        let site = m.sitename.as_deref().or(m.hostname.as_deref());
        self.out.push_str("<teiHeader>\n<fileDesc>\n<titleStmt>\n");
        self.line("title", &[("type", "main")], title);
        self.authors(m);
        self.out.push_str("</titleStmt>\n<publicationStmt>\n");
        match (site, &m.license) {
            (None, None) => self.out.push_str("<p/>\n"),
            (site, license) => {
                self.line("publisher", &[], site.unwrap_or(""));
                if let Some(license) = license {
                    self.out.push_str("<availability>\n");
                    let is_address = license.starts_with("http://") || license.starts_with("https://");
                    let target: &[_] = if is_address { &[("target", license.as_str())] } else { &[] };
                    self.line("licence", target, license);
                    self.out.push_str("</availability>\n");
                }
            }
        }
        self.out.push_str("</publicationStmt>\n<sourceDesc>\n<bibl>\n");
        self.line("title", &[], title);
        self.authors(m);
        if let Some(site) = site {
            self.line("publisher", &[], site);
        }
        self.date(m.date.as_deref(), None);
        self.date(m.date_modified.as_deref(), Some("modified"));
        if let Some(url) = &m.url {
            self.out.push_str("<ptr type=\"URL\"");
            self.attribute("target", url);
            self.out.push_str("/>\n");
        }
        self.out.push_str("</bibl>\n</sourceDesc>\n</fileDesc>\n");
        self.profile(m);
        self.out.push_str("</teiHeader>\n");
    }

    fn authors(&mut self, m: &Metadata) {
        if m.authors.is_empty()
            && let Some(author) = m.author.as_ref()
        {
            self.line("author", &[], author);
        }
        for author in &m.authors {
            self.line("author", &[], author);
        }
    }

    fn date(&mut self, date: Option<&str>, kind: Option<&str>) {
        if let Some(date) = date {
            let mut attributes = vec![("when", date)];
            attributes.extend(kind.map(|k| ("type", k)));
            self.line("date", &attributes, date);
        }
    }

    fn profile(&mut self, m: &Metadata) {
        let language = m.language.as_deref().filter(|l| is_language(l));
        let nothing = m.description.is_none() && language.is_none() && m.tags.is_empty() && m.categories.is_empty();
        if nothing && self.posters.is_empty() {
            return;
        }
        self.out.push_str("<profileDesc>\n");
        if let Some(d) = &m.description {
            self.out.push_str("<abstract>\n");
            self.line("p", &[], d);
            self.out.push_str("</abstract>\n");
        }
        if let Some(l) = language {
            self.out.push_str("<langUsage>\n");
            self.line("language", &[("ident", l)], l);
            self.out.push_str("</langUsage>\n");
        }
        self.particulars();
        if !m.tags.is_empty() || !m.categories.is_empty() {
            self.out.push_str("<textClass>\n");
            for (kind, terms) in [("categories", &m.categories), ("tags", &m.tags)] {
                if !terms.is_empty() {
                    self.out.push_str("<keywords");
                    self.attribute("n", kind);
                    self.out.push_str(">\n");
                    terms.iter().for_each(|t| self.line("term", &[], t));
                    self.out.push_str("</keywords>\n");
                }
            }
            self.out.push_str("</textClass>\n");
        }
        self.out.push_str("</profileDesc>\n");
    }

    /// Writes the list of the authors of a thread.
    fn particulars(&mut self) {
        if self.posters.is_empty() {
            return;
        }
        let mut names: Vec<(usize, &str)> = self.posters.iter().map(|(name, i)| (*i, *name)).collect();
        names.sort_unstable();
        self.out.push_str("<particDesc>\n<listPerson>\n");
        for (i, name) in names {
            self.out.push_str("<person");
            self.attribute("xml:id", &format!("poster-{i}"));
            self.out.push_str(">\n");
            self.line("persName", &[], name);
            self.out.push_str("</person>\n");
        }
        self.out.push_str("</listPerson>\n</particDesc>\n");
    }
}

/// Whether the text has the form of a BCP 47 tag.
pub(super) fn is_language(s: &str) -> bool {
    !s.is_empty() && s.split('-').all(|p| (1..=8).contains(&p.len()) && p.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// Returns the names of the posts' authors, numbered from 1 in order of appearance.
pub(super) fn posters(posts: &[Post]) -> HashMap<&str, usize> {
    let mut out = HashMap::default();
    for name in posts.iter().map(|p| p.author.as_str()).filter(|a| !a.is_empty()) {
        let next = out.len() + 1;
        out.entry(name).or_insert(next);
    }
    out
}
