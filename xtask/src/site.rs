//! `cargo xtask site`: builds the documentation site from the documents of the repository with mdBook, and checks their links.
use crate::args;
use crate::report::Outcome;
use crate::run::{at, root, run, target};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

const USAGE: &str = "usage: cargo xtask site [--check]

  --check  only check that the targets of all links between documents exist; needs no mdBook

Writes the site to target/site/book; docs/site/SUMMARY.md is its order. mdBook: cargo install mdbook.";

const SUMMARY: &str = "docs/site/SUMMARY.md";
const REPOSITORY: &str = "https://github.com/maintext/maintext/blob/main";

/// Returns the links of a document: the position of each in the text, and its address.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut code = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        code ^= line.trim_start().starts_with("```");
        let mut from = 0;
        while !code && let Some(open) = line[from..].find("](") {
            let begin = from + open + 2;
            let Some(len) = line[begin..].find(')') else { break };
            // An odd number of backquotes before the link: the link is code.
            if line[..begin].matches('`').count() % 2 == 0 {
                found.push((at + begin, &line[begin..begin + len]));
            }
            from = begin + len;
        }
        at += line.len();
    }
    found
}

/// Resolves an address in a document to a path from the root of the repository, without its fragment. `None` for other sites.
fn resolve(document: &Path, link: &str) -> Option<PathBuf> {
    let path = link.split('#').next()?;
    if link.contains("://") || link.starts_with("mailto:") || path.is_empty() {
        return None;
    }
    let mut resolved = document.parent()?.to_path_buf();
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => _ = resolved.pop(),
            Component::Normal(name) => resolved.push(name),
            _ => {}
        }
    }
    Some(resolved)
}

/// Returns the summary as mdBook reads it, with paths from the root of the site, and its documents as paths from the root of the repository.
fn summary() -> Result<(String, Vec<PathBuf>), String> {
    let path = root().join(SUMMARY);
    let text = fs::read_to_string(&path).map_err(at(&path))?;
    let (mut site, mut documents, mut from) = (String::new(), Vec::new(), 0);
    for (at, link) in links(&text) {
        if let Some(document) = resolve(Path::new(SUMMARY), link) {
            site += &text[from..at];
            site += &document.to_string_lossy().replace('\\', "/");
            from = at + link.len();
            documents.push(document);
        }
    }
    Ok((site + &text[from..], documents))
}

/// Adds the Markdown files of a folder, as paths from the root of the repository. The files in `testdata` are expected outputs.
fn markdown(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let whole = root().join(folder);
    for entry in fs::read_dir(&whole).map_err(at(&whole))? {
        let name = entry.map_err(at(&whole))?.file_name();
        let path = folder.join(&name);
        if root().join(&path).is_dir() {
            let other = ["target", "node_modules", "testdata", ".git"].iter().any(|other| name == *other);
            if !other {
                markdown(&path, found)?;
            }
        } else if path.extension().is_some_and(|e| e == "md") {
            found.push(path);
        }
    }
    Ok(())
}

/// Returns the fragments that lead to the headings of a document, as GitHub and mdBook name them.
fn fragments(text: &str) -> Vec<String> {
    let mut code = false;
    let mut found: Vec<String> = Vec::new();
    for line in text.lines() {
        code ^= line.trim_start().starts_with("```");
        let heading = line.trim_start_matches('#');
        if code || heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        let kept = heading.trim().to_lowercase();
        let kept =
            kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).map(|c| if c == ' ' { '-' } else { c });
        let name: String = kept.collect();
        let same = found.iter().filter(|known| **known == name).count();
        found.push(if same == 0 { name } else { format!("{name}-{same}") });
    }
    found
}

/// Returns the links of documents that lead nowhere: to a file that is missing, or to a heading that is not in it.
fn broken(documents: &[PathBuf]) -> Result<Vec<String>, String> {
    let mut wrong = Vec::new();
    for document in documents {
        let path = root().join(document);
        let text = fs::read_to_string(&path).map_err(at(&path))?;
        for (_, link) in links(&text) {
            let to = resolve(document, link).map(|to| root().join(to));
            let fragment =
                if !link.contains("://") { link.split_once('#').map(|(_, fragment)| fragment) } else { None };
            let target = to.clone().unwrap_or_else(|| path.clone());
            let leads = match fragment {
                _ if to.is_some_and(|to| !to.exists()) => false,
                Some(fragment) if target.extension().is_some_and(|e| e == "md") => {
                    let text = fs::read_to_string(&target).map_err(at(&target))?;
                    fragments(&text).iter().any(|known| known == fragment)
                }
                _ => true,
            };
            if !leads {
                wrong.push(format!("{}: {link} leads nowhere", document.display()));
            }
        }
    }
    Ok(wrong)
}

/// Points links that leave the site to the repository.
fn rewritten(document: &Path, text: &str, inside: &BTreeSet<PathBuf>) -> String {
    let mut out = String::new();
    let mut from = 0;
    for (at, link) in links(text) {
        out += &text[from..at];
        from = at + link.len();
        match resolve(document, link) {
            Some(to) if !inside.contains(&to) && !to.extension().is_some_and(|e| e == "png" || e == "svg") => {
                let to = to.to_string_lossy().replace('\\', "/");
                out += &format!("{REPOSITORY}/{to}{}", link.find('#').map_or("", |at| &link[at..]));
            }
            // mdBook names the page of a README.md index.html.
            Some(to) if to.ends_with("README.md") => out += &link.replace("README.md", "index.html"),
            _ => out += link,
        }
    }
    out + &text[from..]
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::create_dir_all(to.parent().unwrap_or(to)).map_err(at(to))?;
    fs::copy(from, to).map_err(at(from)).map(drop)
}

fn build() -> Result<(), String> {
    let (summary, documents) = summary()?;
    let folder = std::path::absolute(target().join("site")).map_err(|e| e.to_string())?;
    let source = folder.join("src");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&source).map_err(at(&source))?;
    fs::write(source.join("SUMMARY.md"), summary).map_err(at(&source))?;
    let inside: BTreeSet<PathBuf> = documents.iter().cloned().collect();
    for document in &documents {
        let path = root().join(document);
        let text = fs::read_to_string(&path).map_err(at(&path))?;
        for (_, link) in links(&text) {
            let picture = resolve(document, link).filter(|to| to.extension().is_some_and(|e| e == "png" || e == "svg"));
            picture.map_or(Ok(()), |to| copy(&root().join(&to), &source.join(&to)))?;
        }
        let to = source.join(document);
        fs::create_dir_all(to.parent().unwrap_or(&to)).map_err(at(&to))?;
        fs::write(&to, rewritten(document, &text, &inside)).map_err(at(&to))?;
    }
    for file in ["book.toml", "site.css"] {
        copy(&root().join("docs/site").join(file), &folder.join(file))?;
    }
    run(Command::new("mdbook").arg("build").arg(&folder)).map_err(|e| format!("{e} (cargo install mdbook)"))?;
    println!("{}", folder.join("book/index.html").display());
    Ok(())
}

/// Runs `cargo xtask site`.
pub fn run_task(args: &[String]) -> Result<(), String> {
    let mut only_check = false;
    let go = args::each(args, USAGE, |arg, _| {
        only_check |= arg == "--check";
        Ok(arg == "--check")
    })?;
    if !go {
        return Ok(());
    }
    check()?;
    if only_check {
        println!("the targets of all links between documents exist");
    } else {
        build()?;
    }
    Ok(())
}

/// Checks that the targets of all links in the repository's documents exist.
fn check() -> Result<(), String> {
    let mut documents = Vec::new();
    markdown(Path::new(""), &mut documents)?;
    let wrong = broken(&documents)?;
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The step `links` of `cargo xtask test`.
pub fn test(_: &mut Outcome) -> Result<(), String> {
    check()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_between_documents_lead_somewhere() {
        assert_eq!(check(), Ok(()));
    }

    #[test]
    fn headings_have_fragments() {
        let text = "# `a b`, c\n## A-b_c\n```\n# d\n```\n## A-b_c\n#e\n";
        assert_eq!(fragments(text), ["a-b-c", "a-b_c", "a-b_c-1"]);
    }

    #[test]
    fn the_summary_has_every_document_once() {
        let (site, documents) = summary().unwrap();
        assert!(site.contains("](docs/start.md)") && !site.contains("../"));
        let unique: BTreeSet<&PathBuf> = documents.iter().collect();
        assert_eq!(unique.len(), documents.len());
        for file in fs::read_dir(root().join("docs")).unwrap() {
            let name = file.unwrap().file_name();
            let path = Path::new("docs").join(&name);
            let document = path.extension().is_some_and(|e| e == "md");
            assert!(!document || unique.contains(&path), "{} is missing in docs/site/SUMMARY.md", path.display());
        }
    }

    #[test]
    fn links_out_of_the_site_lead_to_the_repository() {
        let inside = BTreeSet::from([PathBuf::from("docs/a.md")]);
        let text = "[a](a.md#x) [b](../b/c.rs#L1) [w](https://w.org)\n```\n[d](d.md)\n```\n`[e](e.md)` ![p](p.png)\n";
        let out = rewritten(Path::new("docs/z.md"), text, &inside);
        let new = text.replace("../b/c.rs", &format!("{REPOSITORY}/b/c.rs"));
        assert_eq!(out, new);
    }
}
