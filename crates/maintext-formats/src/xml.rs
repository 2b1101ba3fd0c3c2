//! A tolerant reader of XML: no recursion; an error ends the document, and the part before it counts.
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;

/// Open elements whose names are kept; no format needs more.
const MAX_DEPTH: usize = 100;

/// A step through a document.
pub enum XmlStep {
    /// An element begins: its name without prefix, its prefix, its attributes.
    Open(XmlElement),
    /// The innermost element ends.
    Close,
    /// Text, without entities.
    Text(String),
}

/// An element.
#[derive(Default)]
pub struct XmlElement {
    pub name: String,
    pub prefix: String,
    attributes: Vec<(String, String)>,
}

impl XmlElement {
    /// Returns the value of an attribute, by its name without prefix.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

/// Steps through a text. `open` and the positions are those after the last step.
pub struct Steps<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    /// Names of the open elements, outermost first.
    pub open: Vec<String>,
    /// Open elements beyond [`MAX_DEPTH`].
    deeper: usize,
    /// An empty element whose end is due.
    due: bool,
    /// Where the last step begins.
    start: usize,
    /// Whether the document ended before its elements.
    pub is_cut: bool,
}

impl<'a> Steps<'a> {
    pub fn new(text: &'a str) -> Steps<'a> {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        Steps { text, reader, open: Vec::new(), deeper: 0, due: false, start: 0, is_cut: false }
    }

    /// The number of open elements.
    pub fn depth(&self) -> usize {
        self.open.len() + self.deeper
    }

    /// The source between a place and the beginning of the last step.
    pub fn since(&self, place: usize) -> &'a str {
        self.text.get(place..self.start).unwrap_or("")
    }

    /// The place after the last step.
    pub fn place(&self) -> usize {
        self.reader.buffer_position() as usize
    }

    /// Closes the innermost element, if one is open.
    fn close(&mut self) -> Option<XmlStep> {
        if self.deeper > 0 {
            self.deeper -= 1;
        } else {
            self.open.pop()?;
        }
        Some(XmlStep::Close)
    }
}

impl Iterator for Steps<'_> {
    type Item = XmlStep;

    fn next(&mut self) -> Option<XmlStep> {
        if std::mem::take(&mut self.due) {
            self.start = self.place();
            return self.close();
        }
        loop {
            self.start = self.place();
            let Ok(event) = self.reader.read_event() else {
                self.is_cut = true;
                return None;
            };
            let is_empty = matches!(event, Event::Empty(_));
            match event {
                Event::Start(e) | Event::Empty(e) => {
                    let element = element(&e);
                    self.due = is_empty;
                    if self.open.len() < MAX_DEPTH {
                        self.open.push(element.name.clone())
                    } else {
                        self.deeper += 1
                    }
                    return Some(XmlStep::Open(element));
                }
                Event::End(_) => match self.close() {
                    Some(step) => return Some(step),
                    None => continue,
                },
                Event::Text(t) => return Some(XmlStep::Text(t.to_string())),
                Event::CData(t) => return Some(XmlStep::Text(t.to_string())),
                Event::GeneralRef(name) => return Some(XmlStep::Text(reference(&name).into_owned())),
                Event::Eof => {
                    self.is_cut = self.depth() > 0;
                    return None;
                }
                _ => {}
            }
        }
    }
}

fn element(e: &BytesStart<'_>) -> XmlElement {
    let name = e.name().as_ref().to_owned();
    let mut attributes = e.attributes();
    let attributes = attributes.with_checks(false).flatten().take(64);
    XmlElement {
        prefix: name.split_once(':').map_or(String::new(), |(prefix, _)| prefix.to_owned()),
        name: local_name(&name),
        attributes: attributes.map(|a| (local_name(a.key.as_ref()), unescaped(&a.value))).collect(),
    }
}

fn local_name(name: &str) -> String {
    name.rsplit(':').next().unwrap_or(name).to_owned()
}

fn unescaped(text: &str) -> String {
    quick_xml::escape::unescape(text).map_or_else(|_| text.to_owned(), Cow::into_owned)
}

/// Returns the text of an entity. Those of HTML that feeds use without declaring them are known, too.
fn reference(name: &str) -> Cow<'static, str> {
    let number = name.strip_prefix('#').and_then(|n| match n.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => n.parse().ok(),
    });
    if let Some(c) = number.and_then(char::from_u32) {
        return c.to_string().into();
    }
    Cow::Borrowed(match name {
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "quot" => "\"",
        "apos" => "'",
        "nbsp" => "\u{a0}",
        "ndash" => "–",
        "mdash" => "—",
        "hellip" => "…",
        "lsquo" => "‘",
        "rsquo" => "’",
        "ldquo" => "“",
        "rdquo" => "”",
        "laquo" => "«",
        "raquo" => "»",
        "auml" => "ä",
        "ouml" => "ö",
        "uuml" => "ü",
        "szlig" => "ß",
        "eacute" => "é",
        "egrave" => "è",
        "ccedil" => "ç",
        "copy" => "©",
        "euro" => "€",
        _ => "",
    })
}
