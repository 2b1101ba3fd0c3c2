//! `cargo xtask site`: builds the documentation site from the documents of the repository with mdBook, and checks their links.
use crate::args;
use crate::dist::at;
use crate::report::Outcome;
use crate::run::{root, run, target};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

const USAGE: &str = "usage: cargo xtask site [--check]

  --check  only check that all links between documents lead somewhere; needs no mdBook

Writes the site to target/site/book; docs/site/SUMMARY.md is its order. mdBook: cargo install mdbook.";

const REPOSITORY: &str = "https://github.com/maintext/maintext/blob/main";

/// Returns the links of a document: the place of each in the text, and its address.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut code = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        code ^= line.trim_start().starts_with("```");
        let mut from = 0;
        while let Some(open) = line[from..].find("](").filter(|_| !code) {
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

/// Returns the documents in the order of the summary, as paths from the root of the repository.
fn summary() -> Result<(String, Vec<PathBuf>), String> {
    let path = root().join("docs/site/SUMMARY.md");
    let text = fs::read_to_string(&path).map_err(at(&path))?;
    let documents = links(&text).into_iter().filter_map(|(_, l)| resolve(Path::new("SUMMARY.md"), l)).collect();
    Ok((text, documents))
}

/// Returns the links that lead nowhere, in documents of the site and from its summary.
fn broken(documents: &[PathBuf]) -> Result<Vec<String>, String> {
    let mut wrong = Vec::new();
    for document in documents {
        let path = root().join(document);
        let text = fs::read_to_string(&path).map_err(at(&path))?;
        for (_, link) in links(&text) {
            if resolve(document, link).is_some_and(|to| !root().join(to).exists()) {
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
    match only_check {
        true => println!("all links between documents lead somewhere"),
        false => build()?,
    }
    Ok(())
}

/// Checks that all links between documents lead somewhere.
fn check() -> Result<(), String> {
    let wrong = broken(&summary()?.1)?;
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
        let (_, documents) = summary().unwrap();
        assert_eq!(broken(&documents).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn the_summary_has_every_document_once() {
        let (_, documents) = summary().unwrap();
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
