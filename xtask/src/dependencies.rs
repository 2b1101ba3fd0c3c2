//! The crates that a build of the command contains, from `cargo tree`: their licences as a text, and the bill of materials as CycloneDX.
use crate::run::{cargo, root};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The name and version of a crate.
type Id = (String, String);

/// A crate of the build.
struct Crate {
    /// An SPDX expression.
    licence: String,
    repository: String,
    needs: BTreeSet<Id>,
}

/// The crates of a build; the first is the program itself.
pub struct Dependencies {
    program: Id,
    crates: BTreeMap<Id, Crate>,
}

impl Dependencies {
    /// Asks cargo for the crates of `package` with all its `features` on a target.
    pub fn read(package: &str, features: &str, target: &str) -> Result<Self, String> {
        let format = "\t{p}\t{l}\t{r}";
        let mut command = cargo(&["tree", "--locked", "--edges", "normal", "--prefix", "depth", "--format", format]);
        command.args(["--package", package, "--features", features, "--target", target]);
        let output = command.output().map_err(|e| format!("cargo tree did not start: {e}"))?;
        if !output.status.success() {
            return Err(format!("cargo tree: {}", String::from_utf8_lossy(&output.stderr).trim()));
        }
        Self::parse(&String::from_utf8_lossy(&output.stdout)).ok_or_else(|| "cargo tree printed no crates".into())
    }

    fn parse(tree: &str) -> Option<Self> {
        let mut crates: BTreeMap<Id, Crate> = BTreeMap::new();
        // The crates above the current line.
        let mut above: Vec<Id> = Vec::new();
        for line in tree.lines() {
            let mut fields = line.split('\t');
            let (Some(depth), Some(id)) = (fields.next()?.parse::<usize>().ok(), fields.next()) else { continue };
            let (name, version) = id.split_once(" v")?;
            let id = (name.to_owned(), version.split(' ').next()?.to_owned());
            // Old manifests separate alternatives by a slash.
            let licence = fields.next()?.trim().replace(" OR ", "/").replace('/', " OR ");
            // cargo marks crates whose dependencies it has already printed.
            let repository = fields.next()?.trim_end_matches("(*)").trim().to_owned();
            above.truncate(depth);
            if let Some(parent) = above.last().and_then(|parent| crates.get_mut(parent)) {
                parent.needs.insert(id.clone());
            }
            crates.entry(id.clone()).or_insert(Crate { licence, repository, needs: BTreeSet::new() });
            above.push(id);
        }
        Some(Self { program: above.into_iter().next()?, crates })
    }

    /// The crates of others.
    fn foreign(&self) -> impl Iterator<Item = (&Id, &Crate)> {
        self.crates.iter().filter(|((name, _), _)| name != "maintext" && !name.starts_with("maintext-"))
    }

    /// Writes the licences: a list of the crates, then each text once, with the crates that it belongs to.
    pub fn licences(&self) -> Result<String, String> {
        let mut out =
            String::from("maintext contains these crates. Each can be had from https://crates.io/crates/NAME.\n\n");
        let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for ((name, version), c) in self.foreign() {
            let folder = source(name, version)?;
            let mut found = 0;
            for file in licence_files(&folder)? {
                let text = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
                let text = String::from_utf8_lossy(&text).replace("\r\n", "\n").trim().to_owned();
                texts.entry(text).or_default().push(format!("{name} {version}"));
                found += 1;
            }
            let missing = if found == 0 { ", without a licence file" } else { "" };
            let _ = writeln!(out, "{name} {version}: {}{missing} ({})", c.licence, c.repository);
        }
        for (text, of) in texts {
            let _ = write!(out, "\n{}\n{}\n\n{text}\n", "=".repeat(80), of.join(", "));
        }
        Ok(out)
    }

    /// Writes the bill of materials in CycloneDX 1.5. It has no serial number and no time, so that it can be made again.
    pub fn bill(&self) -> Result<String, String> {
        let lock = root().join("Cargo.lock");
        let lock = fs::read_to_string(&lock).map_err(|e| format!("{}: {e}", lock.display()))?;
        let sums = checksums(&lock);
        let components: Vec<String> =
            self.crates.iter().map(|(id, c)| component(id, Some(c), "library", &sums)).collect();
        let dependencies: Vec<String> = self
            .crates
            .iter()
            .map(|(id, c)| {
                let needs: Vec<String> = c.needs.iter().map(|n| json(&purl(n))).collect();
                format!("{{\"ref\": {}, \"dependsOn\": [{}]}}", json(&purl(id)), needs.join(", "))
            })
            .collect();
        let program = ("maintext".to_owned(), self.program.1.clone());
        Ok(format!(
            "{{\n\"bomFormat\": \"CycloneDX\",\n\"specVersion\": \"1.5\",\n\"version\": 1,\n\"metadata\": {{\"component\": {}}},\n\
             \"components\": [\n{}\n],\n\"dependencies\": [\n{}\n]\n}}\n",
            component(&program, None, "application", &sums),
            components.join(",\n"),
            dependencies.join(",\n")
        ))
    }
}

/// Returns the folder of a crate's source, which cargo unpacked to build it.
fn source(name: &str, version: &str) -> Result<PathBuf, String> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).ok_or("no home folder")?;
    let registries = home.join("registry/src");
    let folders = fs::read_dir(&registries).map_err(|e| format!("{}: {e}", registries.display()))?;
    let mut found = folders.filter_map(Result::ok).map(|f| f.path().join(format!("{name}-{version}")));
    found.find(|f| f.is_dir()).ok_or_else(|| format!("the source of {name} {version} is missing; run 'cargo fetch'"))
}

fn licence_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let files = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<PathBuf> = files.filter_map(|f| Some(f.ok()?.path())).filter(|path| is_licence(path)).collect();
    files.sort();
    Ok(files)
}

fn is_licence(path: &Path) -> bool {
    let name = path.file_name().map(|n| n.to_string_lossy().to_ascii_uppercase()).unwrap_or_default();
    path.is_file()
        && ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"].iter().any(|s| name.starts_with(s))
}

/// Reads the SHA-256 of each crate from Cargo.lock.
fn checksums(lock: &str) -> BTreeMap<Id, String> {
    let packages = lock.split("[[package]]").skip(1);
    packages.filter_map(|p| Some(((value_of(p, "name")?, value_of(p, "version")?), value_of(p, "checksum")?))).collect()
}

fn value_of(package: &str, key: &str) -> Option<String> {
    let line = package.lines().find_map(|l| l.strip_prefix(key)?.strip_prefix(" = \""));
    line.map(|l| l.trim_end_matches('"').to_owned())
}

/// The package's address in the form of <https://github.com/package-url/purl-spec>.
fn purl((name, version): &Id) -> String {
    format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"))
}

fn component(id: &Id, c: Option<&Crate>, kind: &str, sums: &BTreeMap<Id, String>) -> String {
    let reference = if c.is_some() { purl(id) } else { id.0.clone() };
    let mut out = format!(
        "{{\"type\": {}, \"bom-ref\": {}, \"name\": {}, \"version\": {}",
        json(kind),
        json(&reference),
        json(&id.0),
        json(&id.1)
    );
    if let Some(c) = c {
        let _ = write!(out, ", \"purl\": {}", json(&reference));
        if !c.licence.is_empty() {
            let _ = write!(out, ", \"licenses\": [{{\"expression\": {}}}]", json(&c.licence));
        }
        if c.repository.starts_with("http") {
            let _ = write!(out, ", \"externalReferences\": [{{\"type\": \"vcs\", \"url\": {}}}]", json(&c.repository));
        }
    }
    if let Some(sum) = sums.get(id) {
        let _ = write!(out, ", \"hashes\": [{{\"alg\": \"SHA-256\", \"content\": {}}}]", json(sum));
    }
    out + "}"
}

/// Writes a string of a manifest as JSON.
fn json(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => _ = write!(out, "\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_gives_crates_licences_and_their_dependencies() {
        let tree = "0\tmaintext-cli v0.1.0 (/src)\tMIT OR Apache-2.0\thttps://example.org/m\n\
                    1\turl v2.5.0\tMIT/Apache-2.0\thttps://example.org/url\n2\tidna v1.0.0\tMIT\t\n\
                    1\tidna v1.0.0\tMIT\t (*)\n1\tserde_derive v1.0.1+x (proc-macro)\tMIT\thttps://example.org/\"s\"\n";
        let d = Dependencies::parse(tree).unwrap();
        assert_eq!(d.program.0, "maintext-cli");
        assert_eq!(d.foreign().map(|(id, _)| id.0.as_str()).collect::<Vec<_>>(), ["idna", "serde_derive", "url"]);
        let id = |name: &str, version: &str| (name.to_owned(), version.to_owned());
        assert_eq!(d.crates[&id("url", "2.5.0")].licence, "MIT OR Apache-2.0");
        assert_eq!(d.crates[&id("url", "2.5.0")].needs, BTreeSet::from([id("idna", "1.0.0")]));
        assert_eq!(d.crates[&d.program].needs.len(), 3);
        let bill = d.bill().unwrap();
        assert!(bill.contains("pkg:cargo/serde_derive@1.0.1%2Bx"), "{bill}");
        assert!(bill.contains("https://example.org/\\\"s\\\""), "{bill}");
    }

    #[test]
    fn checksums_are_those_of_the_lock_file() {
        let sums = checksums(
            "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"ff\"\n\n[[package]]\nname = \"b\"\nversion = \"2.0.0\"\n",
        );
        assert_eq!(sums, BTreeMap::from([(("a".to_owned(), "1.0.0".to_owned()), "ff".to_owned())]));
    }
}
