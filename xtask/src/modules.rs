//! Finds circles between the modules of a crate by the paths in its source.
//!
//! Two modules that use each other can only be understood, moved and tested together. So the modules directly below the root of a crate
//! must not form circles. Modules nested inside them may.
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The modules that each module below the root uses.
pub type Graph = BTreeMap<String, BTreeSet<String>>;

/// Reads the modules of a crate from its `src` folder.
///
/// # Errors
/// A file cannot be read.
pub fn read(src: &Path) -> Result<Graph, String> {
    let mut sources: BTreeMap<String, String> = BTreeMap::new();
    collect(src, src, &mut sources)?;
    Ok(graph(&sources))
}

fn collect(root: &Path, dir: &Path, out: &mut BTreeMap<String, String>) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("{}: {e}", dir.display());
    for entry in std::fs::read_dir(dir).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            collect(root, &path, out)?;
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs") {
            let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let first = path.strip_prefix(root).ok().and_then(|p| p.components().next());
            let name = first.map(|c| c.as_os_str().to_string_lossy().into_owned()).unwrap_or_default();
            let source = out.entry(name.trim_end_matches(".rs").to_owned()).or_default();
            source.push_str(code(&text));
            source.push('\n');
        }
    }
    Ok(())
}

/// Returns the part of a file before its tests, which may use anything.
fn code(text: &str) -> &str {
    text.find("#[cfg(test)]\nmod ").map_or(text, |end| &text[..end])
}

/// Builds the graph of modules from their names and sources. `lib` and `main` are the root: a name that they re-export counts as its
/// module.
fn graph(sources: &BTreeMap<String, String>) -> Graph {
    let is_root = |name: &str| matches!(name, "lib" | "main");
    let mut module_of: BTreeMap<&str, &str> = BTreeMap::new();
    for root in sources.iter().filter(|(name, _)| is_root(name)).map(|(_, source)| source) {
        for declaration in root.split(';').filter_map(|d| d.rsplit_once("use ").map(|d| d.1)) {
            if let Some((module, names)) = declaration.split_once("::")
                && sources.contains_key(module)
            {
                let names = names.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|n| !n.is_empty());
                module_of.extend(names.map(|n| (n, module)));
            }
        }
    }
    let modules: Vec<&str> = sources.keys().map(String::as_str).filter(|n| !is_root(n)).collect();
    let mut out = Graph::new();
    for module in &modules {
        let mut used = BTreeSet::new();
        for line in sources[*module].lines().filter(|l| !l.trim_start().starts_with("//")) {
            for path in line.split("crate::").skip(1) {
                let end = path.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(path.len());
                let group = path.strip_prefix('{').and_then(|p| p.split_once('}')).map_or(&path[..end], |g| g.0);
                for item in group.split(',').map(|n| n.split("::").next().unwrap_or("").trim()) {
                    let name = module_of.get(item).copied().unwrap_or(item);
                    if name != *module && modules.contains(&name) {
                        used.insert(name.to_owned());
                    }
                }
            }
        }
        out.insert((*module).to_owned(), used);
    }
    out
}

/// Returns the circles: groups of modules in which each module reaches all others.
pub fn circles(graph: &Graph) -> Vec<Vec<String>> {
    let reach: BTreeMap<&str, BTreeSet<&str>> = graph.keys().map(|m| (m.as_str(), reached(graph, m))).collect();
    let mut out: Vec<Vec<String>> = Vec::new();
    for (module, own) in &reach {
        let circle: Vec<String> = reach
            .keys()
            .filter(|o| own.contains(**o) && reach[**o].contains(module))
            .map(|o| (*o).to_owned())
            .collect();
        if !circle.is_empty() && !out.contains(&circle) {
            out.push(circle);
        }
    }
    out
}

fn reached<'g>(graph: &'g Graph, from: &str) -> BTreeSet<&'g str> {
    let mut out = BTreeSet::new();
    let mut open: Vec<&str> = graph[from].iter().map(String::as_str).collect();
    while let Some(module) = open.pop() {
        if out.insert(module) {
            open.extend(graph[module].iter().map(String::as_str));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::root;

    fn of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        circles(&graph(&files.iter().map(|(n, s)| ((*n).to_owned(), (*s).to_owned())).collect()))
    }

    #[test]
    fn circles_are_found_through_re_exported_names_and_groups() {
        let none: Vec<Vec<String>> = Vec::new();
        assert_eq!(of(&[("a", "use crate::b::X;"), ("b", "// crate::a")]), none);
        assert_eq!(of(&[("a", "use crate::b::X;"), ("b", "fn f() { crate::a::g() }")]), [["a", "b"]]);
        let files = [
            ("lib", "pub use c::{Deep, Error};"),
            ("a", "use crate::{Error, x};"),
            ("b", "use crate::a::y;"),
            ("c", "use crate::b;"),
        ];
        assert_eq!(of(&files), [["a", "b", "c"]]);
    }

    #[test]
    fn no_crate_has_a_circle_of_modules() {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(root().join("crates")).unwrap() {
            let src = entry.unwrap().path().join("src");
            let graph = read(&src).unwrap();
            for circle in circles(&graph) {
                let uses = |m: &String| {
                    let inside: Vec<&str> =
                        graph[m].iter().filter(|n| circle.contains(n)).map(String::as_str).collect();
                    format!("  {m} uses {}", inside.join(", "))
                };
                found.push(format!("{}\n{}", src.display(), circle.iter().map(uses).collect::<Vec<_>>().join("\n")));
            }
        }
        assert!(found.is_empty(), "modules use each other in a circle:\n{}", found.join("\n"));
    }
}
