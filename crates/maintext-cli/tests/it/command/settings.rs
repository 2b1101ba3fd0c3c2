//! All settings of an extraction, in one table: each front end has each of them, with the same name and default, or a reason why not.
use crate::command::{maintext, maintext_on, root};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

/// The kind of a setting, with its default.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    /// On or off.
    Flag(bool),
    /// One of several words; the first is the default.
    Words(&'static [&'static str]),
    /// Several of these words.
    Several(&'static [&'static str]),
    /// A value without a default that is written out.
    Other,
}

use Kind::{Flag, Other, Several, Words};

/// The settings of the library.
const SETTINGS: &[(&str, Kind)] = &[
    (
        "method",
        Words(&["learned", "line-density", "line-blocks", "text-density", "markup-ratio", "density-statistics"]),
    ),
    ("favor", Words(&["balance", "precision", "recall"])),
    ("formats", Several(&["text", "markdown", "html", "xml", "blocks"])),
    ("charset", Other),
    ("metadata", Flag(true)),
    ("comments", Flag(true)),
    ("tables", Flag(true)),
    ("images", Flag(true)),
    ("links", Flag(true)),
    ("external_links", Flag(false)),
    ("reference_links", Flag(false)),
    ("html_tables", Flag(true)),
    ("repeat_spans", Flag(true)),
    ("list_numbers", Flag(true)),
    ("post_headers", Flag(true)),
    ("title", Words(&["once", "never", "as-is"])),
    ("footnotes", Flag(true)),
    ("level_headings", Flag(false)),
    ("alt_text", Words(&["images", "never", "all"])),
    ("keep_hidden", Flag(false)),
    ("threshold", Other),
    ("k", Other),
    ("smoothing", Flag(false)),
    ("classifier", Other),
    ("model", Other),
    ("fdr", Other),
    ("page_type", Flag(false)),
    ("things", Flag(false)),
    ("schema", Other),
    ("content_selector", Other),
    ("drop_selector", Other),
    ("field", Other),
    ("rules", Other),
    ("now", Other),
    ("max_bytes", Other),
    ("max_nodes", Other),
    ("max_depth", Other),
    ("max_work", Other),
];

/// The settings that a front end lacks, or has in another form, and the reason.
const EXCEPTIONS: &[(&str, &[&str], &str)] = &[
    ("command", &["formats"], "--format: a run writes one format"),
    ("command", &["metadata"], "--with-metadata: only some formats have a place for it"),
    ("command", &["charset"], "files state it, and servers send it"),
    ("service", &["charset"], "it belongs to the page, beside the options"),
    ("service", &["formats"], "no TEI, which is for corpora"),
    ("service", &["model"], "site_model: the service keeps the models of its sites"),
    ("service", &["max_bytes", "max_nodes", "max_depth", "max_work"], "its operator sets the limits"),
    ("query", &["schema", "field", "rules"], "objects, for JSON requests only"),
    ("mcp", &["links", "images"], "off, since an answer to an agent is short"),
    ("javascript", &["charset"], "PageOptions: it belongs to the page"),
    ("javascript", &["content_selector", "drop_selector", "field"], "together in the object rules"),
    ("rust", &["charset"], "Input::with_charset: it belongs to the page"),
    ("rust", &["content_selector", "drop_selector", "field"], "together in Rules"),
    (
        "rust",
        &["threshold", "k", "smoothing", "classifier", "fdr"],
        "published methods have their published parameters",
    ),
    ("rust", &["max_bytes", "max_nodes", "max_depth", "max_work"], "together in Budget"),
];

/// Settings under another name.
const RENAMED: &[(&str, &str, &str)] = &[
    ("javascript", "rules", "site_rules"),
    ("rust", "page_type", "lists"),
    ("rust", "keep_hidden", "hidden_text"),
    ("rust", "rules", "site_rules"),
];

/// What a front end has beyond the settings of an extraction.
const FURTHER: &[(&str, &[&str])] = &[
    ("service", &["site_model", "render", "representation", "cache"]),
    ("query", &["url", "charset", "format", "site_model", "render", "representation"]),
    ("javascript", &["rules", "whole"]),
    ("rust", &["fields", "rules", "budget"]),
];

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// Reads the flags of `maintext extract`.
fn command() -> BTreeMap<String, Kind> {
    let help = maintext(&["extract", "--help"]).good();
    let content = &help[help.find("\nContent:").unwrap()..help.find("\nNetwork:").unwrap_or(help.len())];
    let mut found = BTreeMap::new();
    for entry in content.split("\n      --").skip(1) {
        let name = entry.split([' ', '\n', '[']).next().unwrap();
        let takes_value = entry.lines().next().unwrap().contains('<');
        let off = name.strip_prefix("no-").filter(|_| !takes_value);
        let listed = |name: &str| {
            let after = entry.split(name).nth(1)?;
            Some(
                after
                    .split(']')
                    .next()
                    .unwrap()
                    .split([',', '\n'])
                    .map(str::trim)
                    .filter(|word| !word.is_empty())
                    .map(str::to_owned)
                    .collect::<Vec<_>>(),
            )
        };
        // Words with a description are a list, one per line.
        let described =
            entry.lines().filter_map(|line| line.trim_start().strip_prefix("- ")?.split(':').next()).map(str::to_owned);
        let words = listed("[possible values: ").unwrap_or_else(|| described.collect());
        let kind = match (takes_value, listed("[default: ")) {
            (true, Some(default)) if !words.is_empty() => known_words(words, &default[0]),
            (true, _) => Other,
            (false, _) => Flag(off.is_some()),
        };
        found.insert(off.unwrap_or(name).replace('-', "_"), kind);
    }
    found
}

/// Returns the words of the table that are equal to these, with this default.
fn known_words(mut words: Vec<String>, default: &str) -> Kind {
    words.sort();
    let same = |known: &&'static [&'static str]| {
        let mut sorted = known.to_vec();
        sorted.sort_unstable();
        sorted == words && known[0] == default
    };
    let all = SETTINGS.iter().filter_map(|(_, kind)| if let Words(words) = kind { Some(*words) } else { None });
    all.into_iter().find(|known| same(known)).map_or(Other, Words)
}

/// Returns the kind of a property in a JSON Schema.
fn kind(schema: &Value) -> Kind {
    let words = |list: &Value| {
        list.as_array().map(|list| list.iter().filter_map(|w| w.as_str().map(str::to_owned)).collect::<Vec<_>>())
    };
    match (&schema["type"], &schema["default"]) {
        (_, Value::Bool(on)) => Flag(*on),
        (_, Value::String(default)) => known_words(words(&schema["enum"]).unwrap_or_default(), default),
        _ => Other,
    }
}

fn service() -> (BTreeMap<String, Kind>, BTreeMap<String, Kind>) {
    let document: Value = serde_json::from_str(&read("crates/maintext-server/src/openapi.json")).unwrap();
    let options = document["components"]["schemas"]["Options"]["properties"].as_object().unwrap();
    let query = document["paths"]["/v1/extract"]["post"]["parameters"].as_array().unwrap();
    let query = query.iter().map(|p| (p["name"].as_str().unwrap().to_owned(), kind(&p["schema"])));
    (options.iter().map(|(name, schema)| (name.clone(), kind(schema))).collect(), query.collect())
}

/// Reads the arguments of the tool `extract`.
fn mcp() -> BTreeMap<String, Kind> {
    let client =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}),
    ];
    let input: String = messages.iter().map(|message| format!("{message}\n")).collect();
    let output = maintext_on(input.as_bytes(), &["mcp"]).output();
    let listed: Value = serde_json::from_str(output.lines().nth(1).expect(&output)).unwrap();
    let tools = listed["result"]["tools"].as_array().unwrap();
    let extract = tools.iter().find(|tool| tool["name"] == "extract").unwrap();
    let properties = extract["inputSchema"]["properties"].as_object().unwrap();
    properties.iter().map(|(name, schema)| (name.clone(), kind(schema))).collect()
}

/// Reads the parameters of `Extractor`.
fn python() -> BTreeMap<String, Kind> {
    let (stubs, options) = (read("python/maintext/_maintext.pyi"), read("python/maintext/_options.py"));
    let words = |name: &str| {
        let list = options.split(&format!("\n{name} = Literal[")).nth(1)?.split(']').next()?;
        Some(list.split(", ").map(|word| word.trim_matches('"').to_owned()).collect::<Vec<_>>())
    };
    let parameters = stubs.split("class Extractor:").nth(1).unwrap();
    let parameters = parameters.split("*,\n").nth(1).unwrap().split(") -> Self").next().unwrap();
    let parameter = |line: &str| {
        let (name, rest) = line.trim().trim_end_matches(',').split_once(": ")?;
        let (of, default) = rest.split_once(" = ")?;
        let kind = match (default, words(of.trim_end_matches(" | None"))) {
            ("True" | "False", _) => Flag(default == "True"),
            (word, Some(words)) if word.starts_with('"') => known_words(words, word.trim_matches('"')),
            (tuple, _) if tuple.starts_with("(\"") => several(words("Format").unwrap()),
            _ => Other,
        };
        Some((name.to_owned(), kind))
    };
    parameters.lines().filter_map(parameter).collect()
}

/// Returns the formats of the table if these are all of them.
fn several(words: Vec<String>) -> Kind {
    let known = SETTINGS.iter().map(|(_, kind)| *kind).find(|kind| matches!(kind, Several(_)));
    known.filter(|kind| matches!(kind, Several(known) if *known == words)).unwrap_or(Other)
}

/// Reads the members of `Settings`, and those of the full module that `Settings` of `index.d.ts` adds.
fn javascript() -> BTreeMap<String, Kind> {
    let mut found = BTreeMap::new();
    for path in ["js/types/page.d.ts", "js/types/index.d.ts"] {
        let text = read(path);
        let body = text.split("export interface Settings").nth(1).unwrap();
        let body = &body[body.find("{\n").unwrap()..body.find("\n}").unwrap()];
        for member in body.split("  /**").skip(1) {
            let (about, member) = member.split_once("*/").unwrap();
            let (name, of) = member.trim().split_once("?: ").unwrap();
            let snake =
                name.chars().flat_map(|c| if c.is_uppercase() { vec!['_', c.to_ascii_lowercase()] } else { vec![c] });
            let words: Vec<String> = of.split('"').skip(1).step_by(2).map(str::to_owned).collect();
            let kind = match of {
                _ if of.starts_with("boolean") => Flag(about.contains("On by default")),
                _ if of.starts_with("Format") => several(
                    text.split("interface Settings<")
                        .nth(1)
                        .unwrap()
                        .split('>')
                        .next()
                        .unwrap()
                        .split('"')
                        .skip(1)
                        .step_by(2)
                        .map(str::to_owned)
                        .collect(),
                ),
                // The declarations do not name the default of each word.
                _ if words.len() > 2 => SETTINGS
                    .iter()
                    .map(|(_, kind)| *kind)
                    .find(|kind| {
                        matches!(kind, Words(known)
                    if known.len() == words.len() && words.iter().all(|word| known.contains(&word.as_str())))
                    })
                    .unwrap_or(Other),
                _ => Other,
            };
            found.insert(snake.collect(), kind);
        }
    }
    found
}

/// Reads the methods of `Options`; their names alone count, since the compiler knows the kinds.
fn rust() -> BTreeMap<String, Kind> {
    let text = read("crates/maintext/src/options.rs");
    let methods = text.split("pub fn with_").skip(1).map(|rest| rest.split(['(', '<']).next().unwrap());
    let kind = |name: &str| SETTINGS.iter().find(|(known, _)| *known == name).map_or(Other, |(_, kind)| *kind);
    methods.map(|name| (name.to_owned(), kind(name))).collect()
}

#[test]
fn all_front_ends_have_all_settings_with_the_same_names_and_defaults() {
    let (service, query) = service();
    let fronts = [
        ("command", command()),
        ("service", service),
        ("query", query),
        ("mcp", mcp()),
        ("python", python()),
        ("javascript", javascript()),
        ("rust", rust()),
    ];
    let mut wrong = Vec::new();
    let mut used = vec![false; EXCEPTIONS.len()];
    for (front, found) in &fronts {
        for (name, kind) in SETTINGS {
            let renamed = RENAMED.iter().find(|(of, from, _)| of == front && from == name);
            let has = found.get(renamed.map_or(*name, |(_, _, to)| to));
            // The tools for agents have few arguments.
            let right = has.map_or(*front == "mcp", |has| has == kind || (renamed.is_some() && *front == "rust"));
            // A query has the exceptions of the options in JSON, too.
            let covers = |of: &str| of == *front || (of == "service" && *front == "query");
            let exception = EXCEPTIONS.iter().position(|(of, names, _)| covers(of) && names.contains(name));
            match exception {
                Some(at) if !right => used[at] = true,
                None if !right => wrong.push(format!("{front}: {name} is {has:?}, expected {kind:?}")),
                _ => {}
            }
        }
        let known = |name: &String| {
            let further = FURTHER.iter().any(|(of, names)| of == front && names.contains(&name.as_str()));
            let renamed = RENAMED.iter().any(|(of, _, to)| of == front && to == name);
            further || renamed || SETTINGS.iter().any(|(known, _)| known == name)
        };
        let takes_further_flags = ["command", "mcp"].contains(front);
        wrong.extend(
            found
                .keys()
                .filter(|name| !takes_further_flags && !known(name))
                .map(|n| format!("{front}: {n} is not in the table")),
        );
    }
    let unused = EXCEPTIONS.iter().zip(&used).filter(|(_, used)| !**used);
    wrong.extend(unused.map(|((front, names, _), _)| format!("{front}: {names:?} need no exception")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
