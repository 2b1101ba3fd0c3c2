//! Changes to configuration files of agent programs. Everything but the entry stays as it is, byte for byte.
use serde_json::Value;
use std::ops::Range;

/// The name of the entry.
pub const NAME: &str = "maintext";

/// The form of a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// JSON with an object of servers under this key.
    Json(&'static str),
    /// TOML with a table of tables under this key.
    Toml(&'static str),
}

/// Returns the file with the entry; `None` if it has the same entry already. `text` is empty if there is no file.
///
/// # Errors
/// The file cannot be changed safely; the message says why.
pub fn with_entry(text: &str, form: Form, entry: &Value) -> Result<Option<String>, String> {
    match form {
        Form::Json(key) => in_json(text, key, entry),
        Form::Toml(key) => in_toml(text, key, entry),
    }
}

/// Returns the entry as a person would paste it.
pub fn shown(form: Form, entry: &Value) -> String {
    match form {
        Form::Json(key) => format!("{:#}", serde_json::json!({key: {NAME: entry}})),
        Form::Toml(key) => table(key, entry),
    }
}

fn in_json(text: &str, key: &str, entry: &Value) -> Result<Option<String>, String> {
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    if body.trim().is_empty() {
        return Ok(Some(format!("{mark}{:#}\n", serde_json::json!({key: {NAME: entry}}))));
    }
    let parsed: Value = serde_json::from_str(body)
        .map_err(|e| format!("the file is not plain JSON ({e}); comments and trailing commas are not supported"))?;
    let Value::Object(fields) = &parsed else { return Err("the file holds no JSON object".into()) };
    match fields.get(key) {
        Some(Value::Object(servers)) if servers.get(NAME) == Some(entry) => return Ok(None),
        Some(Value::Object(_)) | None => {}
        Some(_) => return Err(format!("'{key}' is not an object")),
    }
    let whole = body.len() - body.trim_start().len()..body.trim_end().len();
    let step = indent(body);
    let changed = match member(body, whole.clone(), key) {
        None => inserted(body, whole, key, &serde_json::json!({NAME: entry}), &step, 1),
        Some(servers) => match member(body, servers.clone(), NAME) {
            None => inserted(body, servers, NAME, entry, &step, 2),
            Some(old) => {
                let new = indented(entry, &step, 2);
                format!("{}{new}{}", &body[..old.start], &body[old.end..])
            }
        },
    };
    // Nothing is written unless the result is what it should be.
    let mut expected = parsed;
    expected[key][NAME] = entry.clone();
    match serde_json::from_str::<Value>(&changed) {
        Ok(found) if found == expected => Ok(Some(format!("{mark}{changed}"))),
        _ => Err("the file has a form that cannot be changed safely".into()),
    }
}

/// Returns the first indentation of a file, or two spaces.
fn indent(text: &str) -> String {
    let lines = text.lines().skip(1);
    let spaces = lines.map(|line| &line[..line.len() - line.trim_start().len()]);
    spaces.filter(|s| !s.is_empty()).min_by_key(|s| s.len()).unwrap_or("  ").to_owned()
}

fn indented(value: &Value, step: &str, depth: usize) -> String {
    let text = format!("{value:#}");
    let mut lines = text.lines();
    let mut out = lines.next().unwrap_or("").to_owned();
    for line in lines {
        let spaces = line.len() - line.trim_start().len();
        out += &format!("\n{}{}", step.repeat(depth + spaces / 2), line.trim_start());
    }
    out
}

/// Returns the text with a member at the end of the object at `object`.
fn inserted(text: &str, object: Range<usize>, key: &str, value: &Value, step: &str, depth: usize) -> String {
    let inside = &text[object.start + 1..object.end - 1];
    let (end, comma) = (object.start + 1 + inside.trim_end().len(), if inside.trim().is_empty() { "" } else { "," });
    let member = format!("{comma}\n{}{}: {}", step.repeat(depth), Value::from(key), indented(value, step, depth));
    format!("{}{member}\n{}{}", &text[..end], step.repeat(depth - 1), &text[object.end - 1..])
}

/// Returns the place of the value of the last member `key` of the object at `object`, in text that is valid JSON.
fn member(text: &str, object: Range<usize>, key: &str) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let (mut at, mut depth, mut found, mut name) = (object.start, 0_usize, None, None);
    // The beginning of the value that is being read.
    let mut value: Option<usize> = None;
    while at < object.end {
        match bytes[at] {
            b'"' => {
                let end = string_end(bytes, at);
                if depth == 1 && value.is_none() {
                    name = serde_json::from_str::<String>(&text[at..end]).ok();
                }
                at = end;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b':' if depth == 1 && value.is_none() => value = Some(at + 1),
            _ => {}
        }
        let ends = depth == 0 || (depth == 1 && bytes[at] == b',');
        if let Some(start) = value.filter(|_| ends) {
            let raw = &text[start..at];
            let start = start + raw.len() - raw.trim_start().len();
            if name.as_deref() == Some(key) {
                found = Some(start..start + raw.trim().len());
            }
            value = None;
        }
        at += 1;
    }
    found
}

fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// Returns the table of an entry. Strings of JSON are strings of TOML.
fn table(key: &str, entry: &Value) -> String {
    let mut out = format!("[{key}.{NAME}]\n");
    for (name, value) in entry.as_object().into_iter().flatten() {
        out += &format!("{name} = {value}\n");
    }
    out
}

fn in_toml(text: &str, key: &str, entry: &Value) -> Result<Option<String>, String> {
    let parsed = |text: &str| -> Result<Value, String> {
        let table: toml::Table = text.parse().map_err(|e: toml::de::Error| e.to_string())?;
        serde_json::to_value(table).map_err(|e| e.to_string())
    };
    let before = parsed(text).map_err(|e| format!("the file is not valid TOML: {}", e.trim()))?;
    if before[key][NAME] == *entry {
        return Ok(None);
    }
    let header = format!("[{key}.{NAME}]");
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_header = |line: &&str| line.split('#').next().unwrap_or("").trim() == header;
    let changed = match lines.iter().position(is_header) {
        Some(start) => {
            let rest = lines[start + 1..].iter().position(|line| line.trim_start().starts_with('['));
            let end = rest.map_or(lines.len(), |n| start + 1 + n);
            let blank = lines[start..end].iter().rev().take_while(|line| line.trim().is_empty()).count();
            let new = table(key, entry);
            lines.splice(start..end - blank, [new.as_str()]);
            lines.concat()
        }
        None => {
            let gap = match text.trim().is_empty() {
                true => "",
                false if text.ends_with('\n') => "\n",
                false => "\n\n",
            };
            format!("{text}{gap}{}", table(key, entry))
        }
    };
    let mut expected = before;
    if !expected[key].is_object() {
        expected[key] = serde_json::json!({});
    }
    // Tables below the entry, such as its environment, stay.
    let tables = expected[key][NAME].as_object().cloned().unwrap_or_default();
    expected[key][NAME] = entry.clone();
    for (name, value) in tables {
        if value.is_object() {
            expected[key][NAME][name] = value;
        }
    }
    match parsed(&changed) {
        Ok(found) if found == expected => Ok(Some(changed)),
        _ => Err(format!("'{key}' has a form that cannot be changed safely")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const JSON: Form = Form::Json("mcpServers");
    const TOML: Form = Form::Toml("mcp_servers");

    fn entry() -> Value {
        json!({"command": "/opt/a \"b\"/maintext", "args": ["mcp"]})
    }

    fn changed(text: &str, form: Form) -> String {
        let first = with_entry(text, form, &entry()).unwrap().unwrap();
        assert_eq!(with_entry(&first, form, &entry()), Ok(None), "{first}");
        first
    }

    #[test]
    fn json_keeps_all_that_it_has() {
        let new = "{\n  \"mcpServers\": {\n    \"maintext\": {\n      \"args\": [\n        \"mcp\"\n      ],\n      \"command\": \
            \"/opt/a \\\"b\\\"/maintext\"\n    }\n  }\n}\n";
        assert_eq!(changed("", JSON), new);
        assert_eq!(changed(" \n", JSON), new);
        let text = "{\n\t\"z\": 1e2, \"a\": [\"}\", {\"mcpServers\": {}}],\n\t\"mcpServers\": {\"x\": {\"k\": \"\\\"{\"} }\n}\n";
        let out = changed(text, JSON);
        assert!(out.starts_with(&text[..text.len() - 5]) && out.ends_with("\n\t\t}\n\t}\n}\n"), "{out}");
        for text in [
            "{}",
            "{ }\n",
            "\u{feff}{\"a\":1}",
            "{\"mcpServers\":{}}",
            "{\"mcpServers\": {\"maintext\": {\"command\": \"old\", \"args\": []}, \"b\": 2}, \"c\": \"\u{e9}\\u00e9\"}",
            "{\"\\u006dcpServers\": {\"maintext\": 7}}",
        ] {
            let out = changed(text, JSON);
            let parse = |t: &str| serde_json::from_str::<Value>(t.trim_start_matches('\u{feff}')).unwrap();
            let mut expected = parse(text);
            expected["mcpServers"]["maintext"] = entry();
            assert_eq!(parse(&out), expected);
            assert_eq!(out.starts_with('\u{feff}'), text.starts_with('\u{feff}'));
        }
    }

    #[test]
    fn what_cannot_be_changed_safely_is_an_error() {
        for text in [
            "{\n  // a comment\n  \"a\": 1\n}",
            "{\"a\": 1,}",
            "[]",
            "3",
            "{\"mcpServers\": []}",
            "{\"mcpServers\": null}",
            "{\"mcpServers\": {}, \"mcpServers\": 3}",
            "{",
            "{\"a\": \"\\",
        ] {
            assert!(with_entry(text, JSON, &entry()).is_err(), "{text}");
        }
        for text in ["a = ", "mcp_servers = 3", "mcp_servers = {a = 1}", "[[mcp_servers]]\na = 1"] {
            assert!(with_entry(text, TOML, &entry()).is_err(), "{text}");
        }
    }

    #[test]
    fn toml_keeps_all_that_it_has() {
        let table = "[mcp_servers.maintext]\nargs = [\"mcp\"]\ncommand = \"/opt/a \\\"b\\\"/maintext\"\n";
        assert_eq!(changed("", TOML), table);
        let text = "# mine\nmodel = \"m\" # the model\n\n[mcp_servers.other]\ncommand = \"x\"";
        assert_eq!(changed(text, TOML), format!("{text}\n\n{table}"));
        let text = "[mcp_servers.maintext] # old\ncommand = \"old\"\nargs = []\nenabled = false\n\n[mcp_servers.maintext.env]\nA = \"b\"\n";
        assert_eq!(
            with_entry(text, TOML, &entry()).unwrap().unwrap(),
            format!("{table}\n[mcp_servers.maintext.env]\nA = \"b\"\n")
        );
    }
}
