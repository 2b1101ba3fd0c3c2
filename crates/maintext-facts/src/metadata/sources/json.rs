//! A JSON reader that tolerates publishers' usual mistakes and stores values in a flat arena.
//!
//! Trailing and missing commas, raw line breaks in strings, comments, CDATA marks, single quotes and a missing end are tolerated. The
//! parser does not recurse: each level of nesting costs one vector entry. Input beyond the limits is ignored.

/// Maximum number of values of one script; more than any real page needs.
const MAX_VALUES: usize = 100_000;
/// Maximum number of members of one object that are searched.
const MAX_MEMBERS: usize = 500;

/// A value, as an index of [`Arena::values`].
pub type Id = u32;

/// A JSON value; its children are in the same arena.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`, `true`, `false`, or unreadable input.
    Literal(&'static str),
    /// A number as written.
    Number(String),
    /// A string, escapes resolved.
    String(String),
    /// The elements.
    Array(Vec<Id>),
    /// The members in order.
    Object(Vec<(String, Id)>),
}

/// All values read so far.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    /// Children come after their parents.
    pub values: Vec<Value>,
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Arena {
    /// Reads one script and returns its top-level values.
    pub fn read(&mut self, text: &str) -> Vec<Id> {
        let mut r = Scanner { text, at: 0 };
        let mut tops = Vec::new();
        // Open containers, each with the key of the next value.
        let mut open: Vec<(Id, Option<String>)> = Vec::new();
        while let Some(c) = r.skip_to_token() {
            match c {
                ',' | ':' => r.at += 1,
                '}' | ']' => {
                    r.at += 1;
                    open.pop();
                }
                _ if self.is_full() => break,
                _ => {
                    let in_object = open.last().is_some_and(|o| matches!(self.values[o.0 as usize], Value::Object(_)));
                    if in_object && open.last().is_some_and(|o| o.1.is_none()) && !matches!(c, '{' | '[') {
                        let key = r.key(c);
                        if let Some(o) = open.last_mut() {
                            o.1 = Some(key);
                        }
                        continue;
                    }
                    let id = self.values.len() as Id;
                    let value = match c {
                        '{' => Value::Object(Vec::new()),
                        '[' => Value::Array(Vec::new()),
                        '"' | '\'' => Value::String(r.string(c)),
                        _ => r.literal(),
                    };
                    if matches!(c, '{' | '[') {
                        r.at += 1;
                    }
                    self.values.push(value);
                    match open.last_mut() {
                        Some((parent, key)) => match &mut self.values[*parent as usize] {
                            Value::Object(members) => members.push((key.take().unwrap_or_default(), id)),
                            Value::Array(items) => items.push(id),
                            _ => {}
                        },
                        None => tops.push(id),
                    }
                    if matches!(c, '{' | '[') {
                        open.push((id, None));
                    }
                }
            }
        }
        tops
    }

    /// Returns whether the limit on values was reached.
    pub fn is_full(&self) -> bool {
        self.values.len() >= MAX_VALUES
    }

    /// Returns the member with a key among the first [`MAX_MEMBERS`]; the limit bounds the cost of many references to one large object.
    pub fn get(&self, id: Id, key: &str) -> Option<Id> {
        match &self.values[id as usize] {
            Value::Object(members) => members.iter().take(MAX_MEMBERS).find(|(k, _)| k == key).map(|m| m.1),
            _ => None,
        }
    }

    /// Returns the text of a string or a number.
    pub fn text(&self, id: Id) -> Option<&str> {
        match &self.values[id as usize] {
            Value::String(s) | Value::Number(s) => Some(s),
            _ => None,
        }
    }

    /// Returns the elements of an array, or the value itself.
    pub fn items(&self, id: Id) -> Vec<Id> {
        match &self.values[id as usize] {
            Value::Array(items) => items.clone(),
            Value::Literal(_) => Vec::new(),
            _ => vec![id],
        }
    }
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Returns the next character that may begin a token, past white space, comments and marks around the script.
    fn skip_to_token(&mut self) -> Option<char> {
        loop {
            let rest = self.rest();
            let c = rest.chars().next()?;
            let skip = if c.is_whitespace() || c == ';' || c == '\u{feff}' {
                c.len_utf8()
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |e| e + 2)
            } else if rest.starts_with("//<![CDATA[") || rest.starts_with("<![CDATA[") {
                rest.find("CDATA[").map_or(1, |e| e + 6)
            } else if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("<!--") || rest.starts_with("]]>") || rest.starts_with("-->") {
                if c == '<' { 4 } else { 3 }
            } else {
                return Some(c);
            };
            self.at += skip;
        }
    }

    fn key(&mut self, c: char) -> String {
        match c {
            '"' | '\'' => self.string(c),
            _ => {
                let end = self.rest().find([':', ',', '}', '{', '[', ']']).unwrap_or(self.rest().len());
                let key = self.rest()[..end].trim().to_owned();
                self.at += end.max(c.len_utf8());
                key
            }
        }
    }

    fn string(&mut self, quote: char) -> String {
        self.at += 1;
        let mut out = String::new();
        let mut chars = self.text[self.at..].char_indices();
        let mut high = None;
        while let Some((i, c)) = chars.next() {
            if c == quote && self.ends_here(self.at + i + 1) {
                self.at += i + 1;
                return out;
            }
            if c != '\\' {
                out.push(if c.is_control() { ' ' } else { c });
                continue;
            }
            let Some((_, c)) = chars.next() else { break };
            match c {
                'n' => out.push('\n'),
                'r' | 't' => out.push(' '),
                'b' | 'f' => {}
                'u' => {
                    let hex: String = chars.clone().take(4).map(|x| x.1).collect();
                    let Ok(unit) = u32::from_str_radix(&hex, 16) else { continue };
                    chars.nth(3);
                    match (high.take(), unit) {
                        (_, 0xd800..=0xdbff) => high = Some(unit),
                        (Some(h), 0xdc00..=0xdfff) => {
                            out.extend(char::from_u32(0x10000 + ((h - 0xd800) << 10) + (unit - 0xdc00)));
                        }
                        _ => out.extend(char::from_u32(unit)),
                    }
                }
                c => out.push(c),
            }
        }
        self.at = self.text.len();
        out
    }

    /// Returns whether a quotation mark before `at` ends the string; publishers often leave inner ones unescaped.
    fn ends_here(&self, at: usize) -> bool {
        let rest = self.text[at..].trim_start();
        rest.is_empty() || rest.starts_with([',', ':', '}', ']', '/', '<', '\n', '"', ';'])
    }

    fn literal(&mut self) -> Value {
        let rest = self.rest();
        let end = rest.find([',', '}', ']', '{', '[', '"', '\n']).unwrap_or(rest.len()).max(1);
        let end = (end..=rest.len()).find(|&e| rest.is_char_boundary(e)).unwrap_or(rest.len());
        let word = rest[..end].trim();
        let value = match word {
            "true" => Value::Literal("true"),
            "false" => Value::Literal("false"),
            w if w.starts_with(|c: char| c.is_ascii_digit() || c == '-') => Value::Number(w.to_owned()),
            _ => Value::Literal("null"),
        };
        self.at += end;
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(text: &str, key: &str) -> Option<String> {
        let mut a = Arena::default();
        let top = a.read(text);
        let v = a.get(*top.first()?, key)?;
        a.text(v).map(str::to_owned)
    }

    #[test]
    fn common_mistakes_are_tolerated() {
        for text in [
            r#"{"a": 1, "b": "x \"y\" \u00e9\ud83d\ude00"}"#,
            "//<![CDATA[\n{\"a\":[1,2,],\"b\":\"x \\\"y\\\" é😀\",}\n//]]>",
            "<!-- {\"a\":null \"b\":\"x \"y\" é😀\" } -->",
            "/* c */ {'b': 'x \"y\" é😀'",
            "{a:{}, b:\"x \"y\" é😀\"",
        ] {
            assert_eq!(get(text, "b").as_deref(), Some("x \"y\" é😀"), "{text}");
        }
    }

    #[test]
    fn deep_and_long_scripts_terminate() {
        let mut a = Arena::default();
        assert_eq!(a.read(&"[".repeat(300_000)).len(), 1);
        assert!(a.values.len() <= MAX_VALUES);
        let mut a = Arena::default();
        assert!(a.read("]]}}:::,,,").is_empty());
        let quotes = "{\"a\":\"".to_owned() + &"\"x ".repeat(100_000);
        a.read(&quotes);
    }
}
