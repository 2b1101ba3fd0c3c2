//! `cargo xtask release`: checks a release, lists the crates in publishing order, and installs the built packages as users would.
use crate::dist::version;
use crate::prove;
use crate::run::{at, root};
use crate::semver;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const USAGE: &str = "usage: cargo xtask release check [TAG] | order | semver [OPTIONS] | prove [OPTIONS]

  check [TAG]  see that all packages carry one version, that of TAG (v0.1.0), and what registries show
  order        print the crates in the order in which they can be published
  semver       compare the public interface with that of the version before; see 'semver --help'
  prove        install what was built in empty folders, extract a page, and print the times; see 'prove --help'

CONTRIBUTING.md has the steps of a release.";

/// The fields that crates.io shows.
const FIELDS: [&str; 6] = ["description", "repository", "documentation", "readme", "keywords", "categories"];

/// Returns the manifests of the crates that are published, by name.
fn manifests() -> Result<BTreeMap<String, String>, String> {
    let crates = root().join("crates");
    let mut found = BTreeMap::new();
    for folder in fs::read_dir(&crates).map_err(at(&crates))? {
        let folder = folder.map_err(at(&crates))?;
        let path = folder.path().join("Cargo.toml");
        let manifest = fs::read_to_string(&path).map_err(at(&path))?;
        if !manifest.lines().any(|l| l == "publish = false") {
            found.insert(folder.file_name().to_string_lossy().into_owned(), manifest);
        }
    }
    Ok(found)
}

/// Returns the crates of the workspace that a manifest names. crates.io must have dependencies of tests, too, except dependencies with only
/// a path, which cargo leaves out of a package: examples of the lower crates use the core.
fn needs(manifest: &str) -> BTreeSet<String> {
    let lines =
        manifest.lines().filter(|l| l.starts_with("maintext") && (!l.contains("path =") || l.contains("version =")));
    lines.filter_map(|l| Some(l.split(['.', ' ', '=']).next()?.to_owned())).collect()
}

/// Sorts crates so that each follows those that it needs.
fn order(manifests: &BTreeMap<String, String>) -> Result<Vec<String>, String> {
    let mut waiting: BTreeMap<&String, BTreeSet<String>> = manifests.iter().map(|(n, m)| (n, needs(m))).collect();
    let mut sorted: Vec<String> = Vec::new();
    while !waiting.is_empty() {
        let ready = waiting.iter().find(|(_, needs)| needs.iter().all(|n| sorted.contains(n)));
        let Some(name) = ready.map(|(name, _)| (*name).clone()) else {
            let left: Vec<&str> = waiting.keys().map(|n| n.as_str()).collect();
            return Err(format!("these crates need each other or one that is not published: {}", left.join(", ")));
        };
        waiting.remove(&name);
        sorted.push(name);
    }
    Ok(sorted)
}

/// Returns one message for each field that a manifest lacks.
fn missing(name: &str, manifest: &str) -> Vec<String> {
    FIELDS
        .iter()
        .filter(|f| !manifest.lines().any(|l| l.split(['.', ' ']).next() == Some(f)))
        .map(|f| format!("crates/{name}/Cargo.toml: no {f}"))
        .collect()
}

fn check(tag: Option<&str>) -> Result<(), String> {
    let version = version()?;
    if let Some(tag) = tag.filter(|tag| *tag != format!("v{version}")) {
        return Err(format!("the tag is {tag}, but Cargo.toml has version {version}"));
    }
    let manifests = manifests()?;
    let mut wrong: Vec<String> = manifests.iter().flat_map(|(name, m)| missing(name, m)).collect();
    for (file, text) in [
        ("js/package.json", format!("\"version\": \"{version}\"")),
        ("js/package-lock.json", format!("\"version\": \"{version}\"")),
    ] {
        if !contains(file, &text)? {
            wrong.push(format!("{file}: no {text}"));
        }
    }
    // Between releases, changes are under "Unreleased".
    if tag.is_some() && !contains("CHANGELOG.md", &format!("## [{version}]"))? {
        wrong.push(format!("CHANGELOG.md: no section [{version}]"));
    }
    order(&manifests)?;
    if wrong.is_empty() {
        println!("{} crates, the wheel and the npm package are ready as {version}", manifests.len());
        Ok(())
    } else {
        Err(wrong.join("\n"))
    }
}

fn contains(file: &str, text: &str) -> Result<bool, String> {
    let path = root().join(file);
    fs::read_to_string(&path).map_err(at(&path)).map(|t| t.contains(text))
}

/// Runs `cargo xtask release`.
pub fn run_task(args: &[String]) -> Result<(), String> {
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["check"] => check(None),
        ["check", tag] => check(Some(tag)),
        ["order"] => {
            println!("{}", order(&manifests()?)?.join("\n"));
            Ok(())
        }
        ["semver", ..] => semver::run_task(&args[1..]),
        ["prove", ..] => prove::run_task(&args[1..]),
        ["-h" | "--help"] => {
            println!("{USAGE}");
            Ok(())
        }
        _ => Err(USAGE.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crate_can_be_published_after_those_that_it_needs() {
        let manifests = manifests().unwrap();
        let sorted = order(&manifests).unwrap();
        assert_eq!(sorted.len(), manifests.len());
        let place = |name: &str| sorted.iter().position(|n| n == name).unwrap();
        assert!(place("maintext-html") < place("maintext-core") && place("maintext-core") < place("maintext"));
        assert!(place("maintext-batch") < place("maintext-cli"));
        let circle = [("a", "maintext-b = 1"), ("maintext-b", "maintext-c = 1")];
        let circle = circle.map(|(n, m)| (n.to_owned(), m.to_owned()));
        assert!(order(&BTreeMap::from(circle)).is_err());
    }

    #[test]
    fn the_packages_carry_what_registries_show() {
        check(None).unwrap();
        assert!(check(Some("v9.9.9")).is_err_and(|e| e.starts_with("the tag is v9.9.9")));
        assert_eq!(
            missing("x", "description = \"a\"\nrepository.workspace = true\nreadme = 1\nkeywords = 1\ncategories = 1"),
            ["crates/x/Cargo.toml: no documentation"]
        );
    }
}
