//! The words of an answer: the server's own, and a site's.

/// Words of the server. They are made of texts in its code and of numbers, so that nothing from the network can be among them: only they
/// are outside of the marks around the words of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Own(String);

impl Own {
    /// Returns a text of the code.
    pub fn text(text: &'static str) -> Own {
        Own(text.to_owned())
    }

    /// Returns a number.
    pub fn number(number: impl Into<u64>) -> Own {
        Own(number.into().to_string())
    }

    /// Returns a count.
    pub fn count(count: usize) -> Own {
        Own(count.to_string())
    }

    /// Returns a count with the noun for one, or for several.
    pub fn counted(count: usize, one: &'static str, several: &'static str) -> Own {
        Own::count(count).then(if count == 1 { one } else { several })
    }

    /// Returns a number with two decimals.
    pub fn decimal(number: f64) -> Own {
        Own(format!("{number:.2}"))
    }

    /// Returns a text if it is among these.
    pub fn one_of(text: &str, names: &[&'static str]) -> Option<Own> {
        names.iter().find(|name| **name == text).map(|name| Own::text(name))
    }

    /// Appends other words of the server.
    #[must_use]
    pub fn and(mut self, more: Own) -> Own {
        self.0 += &more.0;
        self
    }

    /// Appends a text of the code.
    #[must_use]
    pub fn then(self, text: &'static str) -> Own {
        self.and(Own::text(text))
    }

    /// Returns the words.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A value in the head of an answer.
#[derive(Clone, Debug)]
pub enum HeadValue {
    /// Words of the server.
    Own(Own),
    /// Words of a site, or words that contain some. They are written between the marks.
    Site(String),
}

impl HeadValue {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        match self {
            HeadValue::Own(own) => own.as_str(),
            HeadValue::Site(text) => text,
        }
    }

    /// Shortens the text to at most `room` units of JSON.
    pub fn shortened(&self, room: usize) -> HeadValue {
        match self {
            HeadValue::Own(own) => HeadValue::Own(Own(super::cut::shortened(own.as_str(), room))),
            HeadValue::Site(text) => HeadValue::Site(super::cut::shortened(text, room)),
        }
    }
}

impl From<Own> for HeadValue {
    fn from(own: Own) -> HeadValue {
        HeadValue::Own(own)
    }
}

/// Treats a text of the code as the server's.
impl From<&'static str> for HeadValue {
    fn from(text: &'static str) -> HeadValue {
        HeadValue::Own(Own::text(text))
    }
}

/// Treats a text of unknown origin as a site's.
impl From<String> for HeadValue {
    fn from(text: String) -> HeadValue {
        HeadValue::Site(text)
    }
}

/// Returns the content of an answer: the text between its marks, without the lines about the page above it. Other texts stay as they are.
pub fn content_of(answer: &str) -> &str {
    let Some(page) = between_marks(answer) else { return answer };
    page.split_once("\n\n").map_or(page, |(_, content)| content)
}

/// Returns what [`fenced`] put between marks.
fn between_marks(answer: &str) -> Option<&str> {
    let (mark, rest) = answer.split_once("<<<page ")?.1.split_once('\n')?;
    rest.rsplit_once(&format!("\npage {mark}>>>")).map(|(page, _)| page)
}

/// Returns words of a site between marks that it cannot know.
pub fn fenced(mark: &str, text: &str) -> String {
    format!("<<<page {mark}\n{text}\npage {mark}>>>")
}

#[cfg(test)]
mod tests {
    use super::{content_of, fenced};

    #[test]
    fn the_content_of_an_answer_is_between_the_marks_and_below_the_head() {
        let answer = format!("warnings: cut\n{}\n\n[next_offset: 9]", fenced("7a", "title: T\n\nOne.\n\nTwo."));
        assert_eq!(content_of(&answer), "One.\n\nTwo.");
        for text in ["One.\n\nTwo.", "<<<page 7a\nOne."] {
            assert_eq!(content_of(text), text);
        }
    }
}
