//! Each front end that does not read the table of settings itself has each of them, with the same name and default, or a reason why not.
use crate::command::{maintext, maintext_on, root};
use maintext_core::settings::SETTINGS;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

/// The kind of a setting, with its default.
#[derive(Clone, PartialEq, Debug)]
enum Kind {
    /// On or off.
    Flag(bool),
    /// One of several words, in alphabetical order, with the default.
    Words(Vec<String>, String),
    /// Several of these words.
    Several(Vec<String>),
    /// A value without a default that is written out.
    Other,
}

use Kind::{Flag, Other, Several, Words};

impl Kind {
    /// Returns the kind of a setting from its JSON Schema.
    fn of(schema: &Value) -> Kind {
        let words = |list: &Value| Some(list.as_array()?.iter().filter_map(|w| Some(w.as_str()?.to_owned())).collect());
        match (&schema["type"], &schema["default"]) {
            (_, Value::Bool(on)) => Flag(*on),
            (_, Value::String(default)) => Kind::words(words(&schema["enum"]).unwrap_or_default(), default),
            (Value::String(kind), _) if kind == "array" => words(&schema["items"]["enum"]).map_or(Other, Several),
            _ => Other,
        }
    }

    fn words(mut words: Vec<String>, default: &str) -> Kind {
        words.sort();
        Words(words, default.to_owned())
    }
}

/// Returns the settings of the library.
fn settings() -> Vec<(&'static str, Kind)> {
    SETTINGS.iter().map(|setting| (setting.name, Kind::of(&setting.schema()))).collect()
}

/// Returns the kind of the setting that takes exactly these words, in any order.
fn kind_with(words: &[String]) -> Kind {
    let same = |kind: &Kind| match kind {
        Words(known, _) | Several(known) => known.len() == words.len() && words.iter().all(|word| known.contains(word)),
        _ => false,
    };
    settings().into_iter().map(|(_, kind)| kind).find(same).unwrap_or(Other)
}

/// The settings that a front end lacks or represents differently, and the reason.
const EXCEPTIONS: &[(&str, &[&str], &str)] = &[
    ("command", &["formats"], "--format: a run writes one format"),
    ("command", &["metadata"], "--with-metadata: only some formats have a place for it"),
    ("command", &["charset"], "files state it, and servers send it"),
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
const FURTHER: &[(&str, &[&str])] = &[("javascript", &["rules", "whole"]), ("rust", &["fields", "rules", "budget"])];

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
            (true, Some(default)) if !words.is_empty() => Kind::words(words, &default[0]),
            (true, _) => Other,
            (false, _) => Flag(off.is_some()),
        };
        found.insert(off.unwrap_or(name).replace('-', "_"), kind);
    }
    found
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
    properties.iter().map(|(name, schema)| (name.clone(), Kind::of(schema))).collect()
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
            (word, Some(words)) if word.starts_with('"') => Kind::words(words, word.trim_matches('"')),
            (tuple, _) if tuple.starts_with("(\"") => Several(words("Format").unwrap()),
            _ => Other,
        };
        Some((name.to_owned(), kind))
    };
    parameters.lines().filter_map(parameter).collect()
}

/// Reads the members of `Settings`, including the ones that `Settings` of `index.d.ts` adds for the full module.
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
                _ if of.starts_with("Format") => {
                    let formats = text.split("interface Settings<").nth(1).unwrap().split('>').next().unwrap();
                    let formats = formats.split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
                    kind_with(&formats)
                }
                // The declarations do not name the default of each word.
                _ if words.len() > 2 => kind_with(&words),
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
    let method = |line: &str| line.trim().trim_start_matches("pub fn ").strip_prefix("with_").map(str::to_owned);
    let methods = text.lines().filter_map(method).map(|rest| rest.split(['(', '<', ':']).next().unwrap().to_owned());
    let known = settings();
    let kind = |name: &str| known.iter().find(|(known, _)| *known == name).map_or(Other, |(_, kind)| kind.clone());
    methods.map(|name| (name.clone(), kind(&name))).collect()
}

#[test]
fn all_front_ends_have_all_settings_with_the_same_names_and_defaults() {
    let fronts =
        [("command", command()), ("mcp", mcp()), ("python", python()), ("javascript", javascript()), ("rust", rust())];
    let settings = settings();
    let mut wrong = Vec::new();
    let mut used = vec![false; EXCEPTIONS.len()];
    for (front, found) in &fronts {
        for (name, kind) in &settings {
            let renamed = RENAMED.iter().find(|(of, from, _)| of == front && from == name);
            let has = found.get(renamed.map_or(*name, |(_, _, to)| to));
            // The tools for agents have few arguments.
            let right = has.map_or(*front == "mcp", |has| has == kind || (renamed.is_some() && *front == "rust"));
            let exception = EXCEPTIONS.iter().position(|(of, names, _)| of == front && names.contains(name));
            match exception {
                Some(at) if !right => used[at] = true,
                None if !right => wrong.push(format!("{front}: {name} is {has:?}, expected {kind:?}")),
                _ => {}
            }
        }
        let known = |name: &String| {
            let further = FURTHER.iter().any(|(of, names)| of == front && names.contains(&name.as_str()));
            let renamed = RENAMED.iter().any(|(of, _, to)| of == front && to == name);
            further || renamed || settings.iter().any(|(known, _)| known == name)
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
