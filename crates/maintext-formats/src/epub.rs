//! EPUB 2 and 3: the chapters in the order of the spine.
use crate::head::{HeadFacts, cut};
use crate::xml::{Steps, XmlStep};
use crate::{Document, Refusal};
use maintext_core::decode::{decode, html_of_xml};
use std::collections::HashMap;
use std::io::{Cursor, Read};
use zip::ZipArchive;
use zip::result::ZipError;

fn damaged(reason: impl ToString) -> Refusal {
    Refusal::Damaged("an EPUB book".into(), reason.to_string())
}

/// The files of a book. All that is read from them counts towards one limit.
struct Files {
    zip: ZipArchive<Cursor<Vec<u8>>>,
    max_size: usize,
    left: usize,
}

impl Files {
    fn text(&mut self, name: &str) -> Result<String, Refusal> {
        let file = match self.zip.by_name(name) {
            Ok(file) => file,
            Err(ZipError::FileNotFound) => return Err(damaged(format!("{name} is missing"))),
            Err(error) => return Err(damaged(format!("{name}: {error}"))),
        };
        let mut bytes = Vec::new();
        let read = file.take(self.left as u64 + 1).read_to_end(&mut bytes);
        if bytes.len() > self.left {
            return Err(Refusal::TooLarge(self.max_size));
        }
        self.left -= bytes.len();
        read.map_err(|error| damaged(format!("{name}: {error}")))?;
        Ok(decode(&bytes, None).text.into_owned())
    }

    fn names(&self) -> Vec<String> {
        self.zip.file_names().filter_map(|name| Some(name.ok()?.into_owned())).collect()
    }
}

/// What the package document states.
#[derive(Default)]
struct Package {
    facts: HeadFacts,
    /// Path, media type and properties by id.
    items: HashMap<String, (String, String, String)>,
    /// The ids in the order of the manifest.
    manifest: Vec<String>,
    spine: Vec<String>,
    contents: Option<String>,
}

/// The chapters.
pub struct Chapters {
    files: Files,
    facts: HeadFacts,
    /// Paths of the chapters, and their names in the table of contents.
    chapters: std::vec::IntoIter<String>,
    titles: HashMap<String, String>,
    number: usize,
    ended: bool,
}

impl Chapters {
    pub fn new(bytes: Vec<u8>, max_size: usize) -> Result<Chapters, Refusal> {
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
        let mut files = Files { zip, max_size, left: max_size };
        let names = files.names();
        let container = files.text("META-INF/container.xml").unwrap_or_default();
        let rootfile = Steps::new(&container).find_map(|step| match step {
            XmlStep::Open(e) if e.name == "rootfile" => e.attribute("full-path").map(str::to_owned),
            _ => None,
        });
        let path = rootfile.or_else(|| names.iter().find(|n| n.ends_with(".opf")).cloned());
        let mut package = match &path {
            Some(path) => Package::read(&files.text(path)?, path),
            None => Package::default(),
        };
        package.check_encryption(&mut files)?;
        let mut chapters: Vec<String> = package.spine.iter().filter_map(|id| page_path(&package, id)).collect();
        if chapters.is_empty() {
            chapters = package
                .manifest
                .iter()
                .filter(|id| !package.items.get(*id).is_some_and(|item| item.2.split_whitespace().any(|p| p == "nav")))
                .filter_map(|id| page_path(&package, id))
                .collect();
        }
        if chapters.is_empty() {
            chapters = names.into_iter().filter(|name| is_page(name, "")).collect();
            chapters.sort_unstable();
        }
        if chapters.is_empty() {
            return Err(damaged("it has no chapters"));
        }
        let titles = package.titles(&mut files);
        Ok(Chapters {
            files,
            facts: package.facts.bounded(),
            chapters: chapters.into_iter(),
            titles,
            number: 0,
            ended: false,
        })
    }

    fn chapter(&mut self, path: &str) -> Result<Document, Refusal> {
        let html = self.files.text(path)?;
        // Before HTML is added to it, which would hide that it is XML.
        let html = html_of_xml(&html).unwrap_or(html);
        let book = self.facts.title.clone();
        let own = title_of(&html).filter(|t| Some(t) != book.as_ref());
        let mut facts = self.facts.clone();
        facts.title = self.titles.get(path).cloned().or(own).or_else(|| heading_of(&html)).or_else(|| book.clone());
        facts.site = book;
        Ok(Document { part: Some(self.number.to_string()), ..Document::made(facts.add_to(&html), true) })
    }
}

fn is_page(path: &str, kind: &str) -> bool {
    kind.contains("html") || [".xhtml", ".html", ".htm"].iter().any(|e| path.ends_with(e))
}

fn page_path(package: &Package, id: &String) -> Option<String> {
    package.items.get(id).filter(|i| is_page(&i.0, &i.1)).map(|i| i.0.clone())
}

impl Iterator for Chapters {
    type Item = Result<Document, Refusal>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let path = self.chapters.next()?;
        self.number += 1;
        let chapter = self.chapter(&path);
        self.ended = matches!(chapter, Err(Refusal::TooLarge(_)));
        Some(chapter)
    }
}

impl Package {
    fn read(opf: &str, path: &str) -> Package {
        let mut package = Package::default();
        let (mut text, mut role, mut property) = (String::new(), String::new(), String::new());
        let mut steps = Steps::new(opf);
        while let Some(step) = steps.next() {
            match step {
                XmlStep::Open(e) => {
                    text.clear();
                    role = e.attribute("role").unwrap_or("aut").to_owned();
                    property = e.attribute("property").unwrap_or("").to_owned();
                    match (e.name.as_str(), e.attribute("id")) {
                        ("item", Some(id)) => {
                            let item = (
                                resolved(path, &attribute_of(&e, "href")),
                                attribute_of(&e, "media-type"),
                                attribute_of(&e, "properties"),
                            );
                            package.items.insert(id.to_owned(), item);
                            package.manifest.push(id.to_owned());
                        }
                        ("itemref", _) => package.spine.extend(e.attribute("idref").map(str::to_owned)),
                        _ => {}
                    }
                    if e.name == "spine" {
                        package.contents = e.attribute("toc").map(str::to_owned);
                    }
                }
                XmlStep::Text(t) => text += &t,
                XmlStep::Close(name) => {
                    let value = text.split_whitespace().collect::<Vec<_>>().join(" ");
                    if steps.open.last().is_some_and(|parent| parent == "metadata") && !value.is_empty() {
                        package.field(&name, value, &role, &property);
                    }
                    text.clear();
                }
            }
        }
        package
    }

    fn field(&mut self, name: &str, value: String, role: &str, property: &str) {
        let facts = &mut self.facts;
        match name {
            "title" => _ = facts.title.get_or_insert(value),
            "creator" if role == "aut" => facts.authors.push(value),
            "date" => _ = facts.date.get_or_insert(value),
            "language" => _ = facts.language.get_or_insert(value),
            "meta" if property == "dcterms:modified" => facts.modified = Some(value),
            "subject" => facts.tags.push(value),
            _ => {}
        }
    }

    /// Refuses a book whose chapters are encrypted; fonts may be.
    fn check_encryption(&mut self, files: &mut Files) -> Result<(), Refusal> {
        let Ok(list) = files.text("META-INF/encryption.xml") else { return Ok(()) };
        if Steps::new(&list).any(encrypts_chapter) {
            Err(Refusal::NotAPage("an encrypted EPUB book".into()))
        } else {
            Ok(())
        }
    }

    /// Returns the names that the table of contents gives to files.
    fn titles(&self, files: &mut Files) -> HashMap<String, String> {
        let navigation = self.items.values().find(|i| i.2.split_whitespace().any(|p| p == "nav"));
        let ncx = self.contents.as_ref().and_then(|id| self.items.get(id));
        let ncx = ncx.or_else(|| self.items.values().find(|i| i.1 == "application/x-dtbncx+xml"));
        let mut titles = HashMap::new();
        for (path, _, _) in navigation.into_iter().chain(ncx) {
            let Ok(contents) = files.text(path) else { continue };
            let (mut text, mut target) = (String::new(), None);
            for step in Steps::new(&contents) {
                match step {
                    XmlStep::Open(e) if e.name == "a" => {
                        text.clear();
                        target = e.attribute("href").map(str::to_owned);
                    }
                    XmlStep::Open(e) if e.name == "navLabel" => text.clear(),
                    XmlStep::Open(e) if e.name == "content" => target = e.attribute("src").map(str::to_owned),
                    XmlStep::Text(t) => text += &t,
                    XmlStep::Close(name) if name == "a" || name == "content" => {
                        let mut title = text.split_whitespace().collect::<Vec<_>>().join(" ");
                        cut(&mut title);
                        let target = target.take().map(|t| resolved(path, &t));
                        if !title.is_empty()
                            && let Some(target) = target
                        {
                            titles.entry(target).or_insert(title);
                        }
                    }
                    _ => {}
                }
            }
            if !titles.is_empty() {
                break;
            }
        }
        titles
    }
}

fn encrypts_chapter(step: XmlStep) -> bool {
    let XmlStep::Open(e) = step else { return false };
    e.attribute("URI").is_some_and(|uri| [".xhtml", ".html", ".htm"].iter().any(|end| uri.ends_with(end)))
}

fn attribute_of(e: &crate::xml::XmlElement, name: &str) -> String {
    e.attribute(name).unwrap_or("").to_owned()
}

/// Returns the path of a file in the archive, from the path of the file that refers to it. Paths stay inside the archive.
fn resolved(from: &str, to: &str) -> String {
    let to = to.split(['#', '?']).next().unwrap_or("");
    let to = percent_decoded(to);
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut out: Vec<&str> = if to.starts_with('/') { Vec::new() } else { folder.split('/').collect() };
    for part in to.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = out.pop(),
            part => out.push(part),
        }
    }
    out.retain(|part| !part.is_empty());
    out.join("/")
}

fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'%'
            && let Some(hex) = text.get(at + 1..at + 3)
            && let Ok(byte) = u8::from_str_radix(hex, 16)
        {
            out.push(byte);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

fn text_in(html: &str, names: &[&str]) -> Option<String> {
    let mut text: Option<String> = None;
    for step in Steps::new(html) {
        match (step, &mut text) {
            (XmlStep::Open(e), None) if names.contains(&e.name.as_str()) => text = Some(String::new()),
            (XmlStep::Text(t), Some(text)) => *text += &t,
            (XmlStep::Close(name), Some(_)) if names.contains(&name.as_str()) => break,
            _ => {}
        }
    }
    let text = text?.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty() && text.len() <= 500).then_some(text)
}

fn title_of(html: &str) -> Option<String> {
    text_in(html, &["title"])
}

fn heading_of(html: &str) -> Option<String> {
    text_in(html, &["h1", "h2"])
}

#[cfg(test)]
mod tests {
    #[test]
    fn paths_stay_inside_the_archive() {
        for (from, to, path) in [
            ("OEBPS/content.opf", "text/a%20b.xhtml#x", "OEBPS/text/a b.xhtml"),
            ("OEBPS/toc/nav.xhtml", "../text/a.xhtml", "OEBPS/text/a.xhtml"),
            ("content.opf", "../../../../etc/passwd", "etc/passwd"),
            ("a/b.opf", "/c.xhtml", "c.xhtml"),
            ("a.opf", "%zz%", "%zz%"),
        ] {
            assert_eq!(super::resolved(from, to), path);
        }
    }
}
