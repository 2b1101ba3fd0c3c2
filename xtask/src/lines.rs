//! `cargo xtask lines`: the size of the project, and figures of its style, from the files that git tracks.
use crate::run::root;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Folders whose Rust is not the product: measurement, training, tasks and fuzz targets.
const BESIDE_THE_PRODUCT: [&str; 6] = ["bench", "crates/maintext-learn", "fuzz", "lab", "xtask", "python/tests"];

/// Maximum number of closures bound to a name in 1,000 lines: those that capture what changes, or several values for several calls. ripgrep
/// has 0.6.
#[cfg(test)]
const MAX_NAMED_CLOSURES: f64 = 3.0;

/// Maximum share of types whose name another file defines as well, in percent. In ripgrep it is a fifth.
#[cfg(test)]
const MAX_SHARED_TYPES: f64 = 20.0;

/// Lines of some files by their content.
#[derive(Default, Clone, Copy)]
struct Lines {
    code: usize,
    tests: usize,
    comments: usize,
}

impl Lines {
    fn add(&mut self, other: Lines) {
        self.code += other.code;
        self.tests += other.tests;
        self.comments += other.comments;
    }
}

/// Statements that are written as expressions, and names, in the code of the product.
#[derive(Default)]
struct Style {
    /// Closures bound to a name.
    named_closures: usize,
    /// Arms on `true` or `false`.
    bool_arms: usize,
    /// `.filter(|_| …)` in place of an `if`.
    filters: usize,
    /// Comments between statements; documentation does not count.
    inline_comments: usize,
    /// For each name of a type, in how many files it is defined.
    types: BTreeMap<String, BTreeSet<String>>,
}

/// The figures of the whole project.
#[derive(Default)]
struct Figures {
    folders: BTreeMap<String, Lines>,
    product: Lines,
    style: Style,
    /// Words of Markdown.
    words: usize,
}

/// Reads all files that git tracks.
fn figures() -> Result<Figures, String> {
    let tracked =
        Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output().map_err(|e| e.to_string())?;
    let names = String::from_utf8_lossy(&tracked.stdout).into_owned();
    let mut found = Figures::default();
    for name in names.split_terminator('\0') {
        let Ok(text) = std::fs::read_to_string(root().join(name)) else { continue };
        if name.ends_with(".md") && !name.starts_with("testdata/") {
            found.words += text.split_whitespace().count();
        }
        let Some(mark) = comment_mark(name) else { continue };
        let lines = count(name, &text, mark);
        found.folders.entry(folder(name)).or_default().add(lines);
        if name.ends_with(".rs") && !BESIDE_THE_PRODUCT.iter().any(|beside| name.starts_with(beside)) {
            found.product.add(lines);
            found.style.read(name, &text);
        }
    }
    Ok(found)
}

pub fn run_task(args: &[String]) -> Result<(), String> {
    if !args.is_empty() {
        return Err("usage: cargo xtask lines".into());
    }
    let Figures { folders, product, style, words } = figures()?;
    println!("{:34} {:>8} {:>8} {:>9}", "", "code", "tests", "comments");
    for (name, lines) in &folders {
        println!("{name:34} {:>8} {:>8} {:>9}", lines.code, lines.tests, lines.comments);
    }
    println!("{:34} {:>8} {:>8} {:>9}", "Rust of the product", product.code, product.tests, product.comments);
    println!("{:34} {words:>8}", "words of Markdown");
    style.print(product.code);
    Ok(())
}

/// Returns the beginning of comments in files of this kind; `None` for files that are not code.
fn comment_mark(name: &str) -> Option<&'static str> {
    let is_generated = name.contains("package-lock") || name.contains("/assets/") || name.starts_with("testdata/");
    match name.rsplit('.').next() {
        _ if is_generated => None,
        Some("rs" | "js" | "mjs" | "ts") => Some("//"),
        Some("py" | "pyi" | "sh") => Some("#"),
        Some("css" | "html") => Some("<!--"),
        _ => None,
    }
}

/// Returns the folder that a file counts for: a crate, or the first level of the tree with its kind.
fn folder(name: &str) -> String {
    let mut parts = name.split('/');
    let first = parts.next().unwrap_or("");
    match (first, parts.next()) {
        ("crates", Some(own)) if name.contains("/playground/") => format!("crates/{own}/playground"),
        ("crates", Some(own)) => format!("crates/{own}"),
        (first, Some(_)) if first == "python" && name.ends_with(".rs") => "python (Rust)".into(),
        (first, Some(_)) => first.into(),
        (_, None) => ".".into(),
    }
}

fn is_test_file(name: &str) -> bool {
    let stem = name.rsplit('/').next().unwrap_or("");
    let in_folder = ["/tests/", "/test/", "/benches/", "/examples/"].iter().any(|part| name.contains(part));
    in_folder || stem == "tests.rs" || stem.contains(".test.")
}

fn count(name: &str, text: &str, mark: &str) -> Lines {
    let mut lines = Lines::default();
    let mut in_tests = is_test_file(name);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        in_tests |= line == "#[cfg(test)]";
        if in_tests {
            lines.tests += 1;
        } else if line.starts_with(mark) {
            lines.comments += 1;
        } else {
            lines.code += 1;
        }
    }
    lines
}

impl Style {
    fn read(&mut self, name: &str, text: &str) {
        if is_test_file(name) {
            return;
        }
        let code = text.split("#[cfg(test)]\n").next().unwrap_or(text);
        let mut lines = code.lines().map(str::trim).peekable();
        while let Some(line) = lines.next() {
            self.named_closures += usize::from(binds_closure(line, lines.peek().unwrap_or(&"")));
            self.bool_arms += usize::from(line.starts_with("true =>") || line.starts_with("false =>"));
            self.filters += line.matches(".filter(|_|").count();
            let is_inline = line.starts_with("// ") || line.contains("; // ");
            self.inline_comments += usize::from(is_inline);
            if let Some(defined) = defined_type(line) {
                self.types.entry(defined.to_owned()).or_default().insert(name.to_owned());
            }
        }
    }

    fn print(&self, code: usize) {
        println!("{:34} {:>8.1}", "named closures in 1,000 lines", per_thousand(self.named_closures, code));
        println!("{:34} {:>8}", "arms on true or false", self.bool_arms);
        println!("{:34} {:>8}", "filters in place of an if", self.filters);
        println!("{:34} {:>7.1}%", "inline comments", per_thousand(self.inline_comments, code) / 10.0);
        println!("{:34} {:>7.1}%", "types that share a name", self.shared_types());
    }

    /// Returns the share of types whose name another file defines as well, in percent.
    fn shared_types(&self) -> f64 {
        let files = self.types.values().map(BTreeSet::len);
        let shared: usize = files.clone().filter(|files| *files > 1).sum();
        shared as f64 * 100.0 / files.sum::<usize>().max(1) as f64
    }
}

fn per_thousand(n: usize, code: usize) -> f64 {
    n as f64 * 1000.0 / code.max(1) as f64
}

/// Whether a line binds a closure to a name: `let is_link = |b| …`. The value may begin on the next line.
fn binds_closure(line: &str, next: &str) -> bool {
    let Some(rest) = line.strip_prefix("let ") else { return false };
    let rest = rest.strip_prefix("mut ").unwrap_or(rest);
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let Some(value) = rest[end..].strip_prefix(" =").map(str::trim_start) else { return false };
    let value = if value.is_empty() { next } else { value };
    end > 0 && (value.starts_with('|') || value.starts_with("move |"))
}

/// Returns the name of the type that a line defines.
fn defined_type(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub(crate) ").or_else(|| line.strip_prefix("pub(super) ")).unwrap_or(line);
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let rest = line.strip_prefix("struct ").or_else(|| line.strip_prefix("enum "))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_code_tests_or_comments() {
        let lines = count("crates/a/src/b.rs", "//! A file.\n\nfn a() {}\n// why\n#[cfg(test)]\nmod tests {}\n", "//");
        assert_eq!((lines.code, lines.tests, lines.comments), (1, 2, 2));
        assert_eq!(count("crates/a/tests/it/b.rs", "fn a() {}\n", "//").tests, 1);
    }

    #[test]
    fn closures_with_names_and_types_are_found() {
        assert!(binds_closure("let is_link = |b: usize| b > 0;", "") && binds_closure("let mut f = move |x| x;", ""));
        assert!(!binds_closure("let a = b.map(|x| x);", "") && !binds_closure("let a = 1;", ""));
        assert!(binds_closure("let is_link =", "|b: usize| b > 0;") && !binds_closure("let a =", "b.map(|x| x);"));
        assert_eq!(defined_type("pub(crate) struct Sight<'a> {"), Some("Sight"));
        assert_eq!(defined_type("structure of it"), None);
    }

    #[test]
    fn the_product_keeps_its_style() {
        let Figures { style, product, .. } = figures().unwrap();
        let closures = per_thousand(style.named_closures, product.code);
        assert!(closures <= MAX_NAMED_CLOSURES, "{closures:.1} named closures in 1,000 lines: write functions");
        // Clippy finds the arms on `true` and `false`.
        assert_eq!(style.filters, 0, "filters that ignore their argument: write an if");
        let shared = style.shared_types();
        assert!(shared <= MAX_SHARED_TYPES, "{shared:.1} % of types share a name: say which one each is");
    }

    #[test]
    fn files_belong_to_their_crate() {
        assert_eq!(folder("crates/maintext-page/src/dom/mod.rs"), "crates/maintext-page");
        assert_eq!(folder("crates/maintext-server/playground/src/a.ts"), "crates/maintext-server/playground");
        assert_eq!(folder("xtask/src/main.rs"), "xtask");
    }
}
