//! Runs the html5lib tests of the tokenizer and tree construction from `$MAINTEXT_DATA/html5lib-tests`.
//!
//! Prints the numbers of passed, failed and excepted cases by file. `$HTML5LIB_FILE` selects files by a part of their name.

use crate::support::ours;
use maintext_html::tokens::{Token, tokenize};
use maintext_html::{Context, Document, ParseOptions};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Cases that cannot pass, by file and input, each with its reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[];

#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
    excepted: usize,
}

#[test]
#[ignore = "needs $MAINTEXT_DATA with html5lib-tests; 'cargo xtask html5lib' runs it"]
fn the_cases_of_the_standard_pass() {
    let data = std::env::var_os("MAINTEXT_DATA").expect("$MAINTEXT_DATA names the folder of the data sets");
    let wanted = std::env::var("HTML5LIB_FILE").unwrap_or_default();
    let root = PathBuf::from(data).join("html5lib-tests");
    let mut total = Tally::default();
    for (folder, extension) in [("tokenizer", "test"), ("tree-construction", "dat")] {
        for path in files(&root.join(folder), extension) {
            let name = format!("{folder}/{}", path.file_name().unwrap().to_string_lossy());
            if !name.contains(&wanted) {
                continue;
            }
            let mut tally = Tally::default();
            if extension == "test" {
                tokenizer_file(&path, &name, &mut tally);
            } else {
                tree_file(&path, &name, &mut tally);
            }
            println!("{name:60} passed {:5}  failed {:3}  excepted {:3}", tally.passed, tally.failed, tally.excepted);
            total.passed += tally.passed;
            total.failed += tally.failed;
            total.excepted += tally.excepted;
        }
    }
    println!("{:60} passed {:5}  failed {:3}  excepted {:3}", "total", total.passed, total.failed, total.excepted);
    assert!(total.passed > 0, "no cases were found in {}", root.display());
    assert_eq!(total.failed, 0);
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).map(|dir| dir.filter_map(|e| Some(e.ok()?.path())).collect()).unwrap_or_default();
    files.retain(|f| f.extension().is_some_and(|e| e == extension));
    files.sort();
    files
}

fn judge(file: &str, input: &str, tally: &mut Tally, result: Result<(), String>) {
    match result {
        Ok(()) => tally.passed += 1,
        Err(_) if EXCEPTIONS.iter().any(|e| file.ends_with(e.0) && e.1 == input) => tally.excepted += 1,
        Err(why) => {
            tally.failed += 1;
            println!("FAILED in {file}: {input:?}\n{why}\n");
        }
    }
}

/// A case in a `.dat` file.
#[derive(Default)]
struct TreeCase {
    data: String,
    document: String,
    fragment: Option<String>,
    script: Option<bool>,
}

fn tree_file(path: &Path, name: &str, tally: &mut Tally) {
    let bytes = std::fs::read(path).expect("readable test file");
    for case in tree_cases(&String::from_utf8_lossy(&bytes)) {
        for scripting in [false, true] {
            if case.script.is_some_and(|s| s != scripting) {
                continue;
            }
            let result = tree_case(&case, scripting);
            judge(name, &case.data, tally, result);
        }
    }
}

fn tree_cases(text: &str) -> Vec<TreeCase> {
    let mut cases = Vec::new();
    let mut case: Option<TreeCase> = None;
    let mut section = String::new();
    for line in text.split('\n') {
        if line == "#data" {
            cases.extend(case.take());
            case = Some(TreeCase::default());
            section = line.to_string();
            continue;
        }
        let Some(case) = case.as_mut() else { continue };
        match line {
            "#errors" | "#new-errors" | "#document" | "#document-fragment" => section = line.to_string(),
            "#script-on" => case.script = Some(true),
            "#script-off" => case.script = Some(false),
            _ => match section.as_str() {
                "#data" => {
                    case.data.push_str(line);
                    case.data.push('\n');
                }
                "#document-fragment" => case.fragment = Some(line.to_string()),
                "#document" => {
                    case.document.push_str(line);
                    case.document.push('\n');
                }
                _ => {}
            },
        }
    }
    cases.extend(case);
    for case in &mut cases {
        case.data.pop();
        case.document = case.document.trim_end_matches('\n').to_string();
    }
    cases
}

fn tree_case(case: &TreeCase, scripting: bool) -> Result<(), String> {
    let options = ParseOptions { scripting, ..ParseOptions::default() };
    let doc = match &case.fragment {
        None => Document::parse(&case.data, &options),
        Some(context) => {
            let context = match context.split_once(' ') {
                Some(("svg", name)) => Context::svg(name),
                Some(("math", name)) => Context::mathml(name),
                _ => Context::html(context),
            };
            Document::parse_fragment(&case.data, &context, &options)
        }
    };
    let outline = ours::outline(&doc);
    if outline.trim_end_matches('\n') == case.document {
        return Ok(());
    }
    Err(format!(
        "input (scripting {scripting}, context {:?}):\n{}\nexpected:\n{}\ngot:\n{outline}",
        case.fragment, case.data, case.document
    ))
}

fn tokenizer_file(path: &Path, name: &str, tally: &mut Tally) {
    let text = std::fs::read_to_string(path).expect("readable test file");
    let json: Value = serde_json::from_str(&escape_surrogates(&text)).expect("a test file is JSON");
    let Some(tests) = json.get("tests").or_else(|| json.get("xmlViolationTests")).and_then(Value::as_array) else {
        return;
    };
    let xml = json.get("xmlViolationTests").is_some();
    for test in tests {
        let doubly = test["doubleEscaped"].as_bool().unwrap_or(false);
        let input = test["input"].as_str().unwrap_or("");
        let states: Vec<&str> = match test["initialStates"].as_array() {
            Some(states) => states.iter().filter_map(Value::as_str).collect(),
            None => vec!["Data state"],
        };
        for state in states {
            if xml {
                // Rules for converting HTML to XML, which this parser does not support.
                tally.excepted += 1;
                continue;
            }
            match unescape(input, doubly) {
                None => tally.excepted += 1, // A lone surrogate, which a &str cannot contain.
                Some(text) => {
                    let result = tokenizer_case(test, &text, state, doubly);
                    judge(name, &text, tally, result);
                }
            }
        }
    }
}

/// Keeps escapes of lone surrogates as text, because serde_json rejects them; `unescape` rejects them later.
fn escape_surrogates(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\\u") {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let code = escape.get(2..6).and_then(|hex| u32::from_str_radix(hex, 16).ok());
        let low_follows = escape.get(6..8) == Some("\\u")
            && escape
                .get(8..12)
                .and_then(|h| u32::from_str_radix(h, 16).ok())
                .is_some_and(|c| (0xDC00..0xE000).contains(&c));
        let escaped_backslash = before.bytes().rev().take_while(|&b| b == b'\\').count() % 2 == 1;
        match code {
            Some(0xD800..=0xDBFF) if low_follows => {
                out.push_str(&escape[..12]);
                rest = &escape[12..];
            }
            Some(0xD800..=0xDFFF) if !escaped_backslash => {
                out.push_str("\\\\u");
                rest = &escape[2..];
            }
            _ => {
                out.push_str("\\u");
                rest = &escape[2..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Undoes the second escaping of a test. Returns `None` if a lone surrogate remains.
fn unescape(text: &str, doubly: bool) -> Option<String> {
    if !doubly && !text.contains("\\uD") && !text.contains("\\ud") {
        return Some(text.to_string());
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\\u") {
        out.push_str(&rest[..at]);
        let code = u32::from_str_radix(rest.get(at + 2..at + 6)?, 16).ok()?;
        out.push(char::from_u32(code)?);
        rest = &rest[at + 6..];
    }
    out.push_str(rest);
    Some(out)
}

fn tokenizer_case(test: &Value, input: &str, state: &str, doubly: bool) -> Result<(), String> {
    let tokens = tokenize(input, state, test["lastStartTag"].as_str());
    let expected = expected_tokens(test, doubly);
    if tokens != expected {
        return Err(format!(
            "{}\ninput {input:?} in {state}\nexpected {expected:?}\ngot      {tokens:?}",
            test["description"]
        ));
    }
    Ok(())
}

fn expected_tokens(test: &Value, doubly: bool) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    for token in test["output"].as_array().into_iter().flatten() {
        let part = |i: usize| token[i].as_str().map(|s| unescape(s, doubly).unwrap_or_default());
        match token[0].as_str() {
            Some("StartTag") => {
                let attrs = token[2].as_object().into_iter().flatten();
                let mut attrs: Vec<(String, String)> = attrs
                    .map(|(k, v)| {
                        let text = |s: &str| unescape(s, doubly).unwrap_or_default();
                        (text(k), text(v.as_str().unwrap_or("")))
                    })
                    .collect();
                attrs.sort();
                tokens.push(Token::StartTag(part(1).unwrap_or_default(), attrs, token[3].as_bool().unwrap_or(false)));
            }
            Some("EndTag") => tokens.push(Token::EndTag(part(1).unwrap_or_default())),
            Some("Comment") => tokens.push(Token::Comment(part(1).unwrap_or_default())),
            Some("DOCTYPE") => {
                tokens.push(Token::Doctype(part(1), part(2), part(3), !token[4].as_bool().unwrap_or(true)));
            }
            _ => {
                let text = part(1).unwrap_or_default();
                match tokens.last_mut() {
                    Some(Token::Text(before)) => before.push_str(&text),
                    _ => tokens.push(Token::Text(text)),
                }
            }
        }
    }
    tokens
}
