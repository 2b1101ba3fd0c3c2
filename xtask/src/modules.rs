//! Finds circles between the modules of a crate by the paths in its source.
//!
//! Two modules that use each other can only be understood, moved and tested together. So modules with the same parent must not form circles, on
//! any level. A module and its own children may use each other.
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The names of a module and of the modules around it, from the root of its crate, whose path is empty.
pub type ModulePath = Vec<String>;

/// The modules of a crate: their code without comments and tests.
pub type Modules = BTreeMap<ModulePath, String>;

/// The modules that each of several siblings uses, itself or through its children.
pub type Graph = BTreeMap<String, BTreeSet<String>>;

/// Reads the modules of a crate from its `src` folder.
///
/// # Errors
/// A file cannot be read.
pub fn read(src: &Path) -> Result<Modules, String> {
    let mut out = Modules::new();
    collect(src, &mut Vec::new(), &mut out)?;
    Ok(out)
}

fn collect(dir: &Path, parent: &mut ModulePath, out: &mut Modules) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("{}: {e}", dir.display());
    for entry in std::fs::read_dir(dir).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            parent.push(name);
            collect(&path, parent, out)?;
            parent.pop();
        } else if path.extension().is_some_and(|e| e == "rs") && name != "tests" {
            let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let is_parent = matches!(name.as_str(), "mod" | "lib" | "main");
            let own = parent.iter().cloned().chain((!is_parent).then_some(name)).collect();
            out.entry(own).or_default().push_str(&code(&text));
        }
    }
    Ok(())
}

/// Returns a file without comments and without its tests, which may use anything.
fn code(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    text[..end].lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// Returns the graphs of siblings by their parent.
fn graphs(modules: &Modules) -> BTreeMap<ModulePath, Graph> {
    let mut out: BTreeMap<ModulePath, Graph> = BTreeMap::new();
    for (module, code) in modules {
        for path in paths(code) {
            let Some(target) = resolve(&path, module, modules, 0) else { continue };
            let common = module.iter().zip(&target).take_while(|(a, b)| a == b).count();
            if let (Some(user), Some(used)) = (module.get(common), target.get(common)) {
                let graph = out.entry(module[..common].to_vec()).or_default();
                graph.entry(used.clone()).or_default();
                graph.entry(user.clone()).or_default().insert(used.clone());
            }
        }
    }
    out
}

/// Returns the paths that code names: in `use`, without groups, and paths that begin with `crate`, `super` or `self`.
fn paths(code: &str) -> Vec<Vec<&str>> {
    let mut out = Vec::new();
    for (i, statement) in code.split("use ").enumerate() {
        let (tree, rest) = match statement.split_once(';') {
            Some((tree, rest)) if i > 0 => (tree, rest),
            _ => ("", statement),
        };
        flatten(&mut Vec::new(), tree, &mut out);
        for start in ["crate::", "super::", "self::"] {
            for (at, _) in rest.match_indices(start) {
                if !rest[..at].ends_with(is_path) {
                    let end = rest[at..].find(|c| !is_path(c)).map_or(rest.len(), |n| at + n);
                    out.push(rest[at..end].split("::").filter(|name| !name.is_empty()).collect());
                }
            }
        }
    }
    out
}

fn is_path(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == ':'
}

/// Adds the paths of the tree of a `use` to `out`.
fn flatten<'a>(above: &mut Vec<&'a str>, tree: &'a str, out: &mut Vec<Vec<&'a str>>) {
    let (names, group) = tree.split_once('{').map_or((tree, None), |(names, group)| (names, Some(group)));
    let depth = above.len();
    above.extend(names.split("::").map(|n| n.split(" as ").next().unwrap_or("").trim()).filter(|n| !n.is_empty()));
    match group {
        None if above.is_empty() => {}
        None => out.push(above.clone()),
        Some(group) => {
            let group = group.rsplit_once('}').map_or(group, |(inside, _)| inside);
            let (mut open, mut start) = (0, 0);
            for (at, c) in group.char_indices() {
                match c {
                    '{' => open += 1,
                    '}' => open -= 1,
                    ',' if open == 0 => {
                        flatten(above, &group[start..at], out);
                        start = at + 1;
                    }
                    _ => {}
                }
            }
            flatten(above, &group[start..], out);
        }
    }
    above.truncate(depth);
}

/// Returns the module that holds what a path names, through re-exports; `None` for other crates.
fn resolve(path: &[&str], from: &[String], modules: &Modules, steps: usize) -> Option<ModulePath> {
    let (mut at, mut rest) = match *path.first()? {
        "crate" => (Vec::new(), &path[1..]),
        "self" => (from.to_vec(), &path[1..]),
        "super" => (from[..from.len().checked_sub(1)?].to_vec(), &path[1..]),
        name if modules.contains_key(&child(from, name)) => (from.to_vec(), path),
        _ => return None,
    };
    while let [name, more @ ..] = rest {
        match *name {
            "super" => drop(at.pop()),
            name if modules.contains_key(&child(&at, name)) => at.push(name.to_owned()),
            name => {
                let code = modules.get(&at)?;
                let exported = code.split("pub").filter_map(|s| s.split_once("use ").filter(|s| is_visibility(s.0)));
                let trees = exported.filter_map(|(_, tree)| tree.split_once(';').map(|t| t.0));
                let mut found = Vec::new();
                trees.for_each(|tree| flatten(&mut Vec::new(), tree, &mut found));
                let same = found.into_iter().find(|p| p.len() > 1 && p.last() == Some(&name));
                let further = if steps < 8 { same } else { None };
                return further.and_then(|p| resolve(&p, &at, modules, steps + 1)).or(Some(at));
            }
        }
        rest = more;
    }
    Some(at)
}

/// Whether a text between `pub` and `use` only says who sees the item.
fn is_visibility(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || (text.starts_with('(') && text.ends_with(')'))
}

fn child(parent: &[String], name: &str) -> ModulePath {
    parent.iter().cloned().chain([name.to_owned()]).collect()
}

/// Returns the circles: groups of siblings in which each module reaches all others.
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

    /// Returns the circles of a crate by their parents. `files`: paths of modules with their source.
    fn of(files: &[(&str, &str)]) -> Vec<(String, Vec<String>)> {
        let path = |name: &str| name.split('/').filter(|n| !n.is_empty()).map(str::to_owned).collect::<ModulePath>();
        let modules = files.iter().map(|(name, source)| (path(name), code(source))).collect();
        let found = graphs(&modules).into_iter().map(|(parent, graph)| (parent.join("/"), circles(&graph)));
        found.flat_map(|(parent, all)| all.into_iter().map(move |c| (parent.clone(), c))).collect()
    }

    fn circle(parent: &str, names: &[&str]) -> (String, Vec<String>) {
        (parent.to_owned(), names.iter().map(|n| (*n).to_owned()).collect())
    }

    #[test]
    fn circles_are_found_through_re_exported_names_and_groups() {
        assert_eq!(of(&[("", ""), ("a", "use crate::b::X;"), ("b", "// crate::a")]), []);
        let two = [("", ""), ("a", "use crate::b::X;"), ("b", "fn f() { crate::a::g() }")];
        assert_eq!(of(&two), [circle("", &["a", "b"])]);
        let files = [
            ("", "pub use c::{Deep, Error};"),
            ("a", "use crate::{Error, x};"),
            ("b", "use crate::a::y;"),
            ("c", "use crate::b;"),
        ];
        assert_eq!(of(&files), [circle("", &["a", "b", "c"])]);
    }

    #[test]
    fn circles_of_nested_siblings_are_found_and_parents_may_use_children() {
        let files = [
            ("", "mod a;"),
            ("a", "mod b; mod c; mod d; pub(crate) use c::deep::Thing; use d::run;"),
            ("a/b", "use super::{Other, Thing};"),
            ("a/c", "mod deep; use super::Size;"),
            ("a/c/deep", "pub(in crate::a) fn f() { super::super::b::g() }"),
            ("a/d", "use crate::a::Size;"),
        ];
        assert_eq!(of(&files), [circle("a", &["b", "c"])]);
        assert_eq!(of(&files[..3]), []);
    }

    #[test]
    fn no_crate_has_a_circle_of_modules() {
        let crates = std::fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
        let mut found = Vec::new();
        for src in crates
            .chain(["python", "xtask", "fuzz/targets", "lab"].map(|name| root().join(name)))
            .map(|p| p.join("src"))
        {
            for (parent, graph) in graphs(&read(&src).unwrap()) {
                for circle in circles(&graph) {
                    found.push(format!("{}, {}: {}", src.display(), parent.join("::"), circle.join(", ")));
                }
            }
        }
        assert!(found.is_empty(), "modules use each other in a circle:\n{}", found.join("\n"));
    }
}
