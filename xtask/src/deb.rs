//! The Debian package of `cargo xtask dist`, made by dpkg-deb from the files of the archive.
use crate::run::{at, commit, root, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const MAINTAINER: &str = "The maintext authors <maintext@users.noreply.github.com>";

/// What a package contains.
pub struct Parts<'a> {
    pub version: &'a str,
    pub target: &'a str,
    /// The folder that the archive holds, with the command in it.
    pub folder: &'a Path,
    /// Where the results go.
    pub out: &'a Path,
}

/// Returns the newest version of glibc whose symbols a binary uses.
pub fn glibc(binary: &[u8]) -> Option<(u32, u32)> {
    const MARK: &[u8] = b"GLIBC_2.";
    let minor = |at: usize| {
        let digits = binary[at + MARK.len()..].iter().take_while(|b| b.is_ascii_digit()).take(3);
        digits.fold(None, |n: Option<u32>, b| Some(n.unwrap_or(0) * 10 + u32::from(b - b'0')))
    };
    let places = binary.windows(MARK.len()).enumerate().filter(|(_, w)| *w == MARK);
    places.filter_map(|(at, _)| minor(at)).max().map(|minor| (2, minor))
}

/// Compresses a file in place, without name and time.
fn gzip(file: &Path) -> Result<(), String> {
    run(Command::new("gzip").args(["-9", "-n", "-f"]).arg(file))
}

/// The files below `usr/`: their path in the archive and in the package. Files in `doc` and `man` are compressed.
fn files(parts: &Parts) -> Result<Vec<(PathBuf, String)>, String> {
    let from = |name: &str| parts.folder.join(name);
    let mut files = vec![
        (from("maintext"), "bin/maintext".to_owned()),
        (from("completions/maintext.bash"), "share/bash-completion/completions/maintext".to_owned()),
        (from("completions/_maintext"), "share/zsh/vendor-completions/_maintext".to_owned()),
        (from("completions/maintext.fish"), "share/fish/vendor_completions.d/maintext.fish".to_owned()),
        (from("CHANGELOG.md"), "share/doc/maintext/changelog".to_owned()),
        (from("THIRD-PARTY.txt"), "share/doc/maintext/THIRD-PARTY.txt".to_owned()),
    ];
    let man = from("man");
    for page in fs::read_dir(&man).map_err(at(&man))? {
        let page = page.map_err(at(&man))?;
        files.push((page.path(), format!("share/man/man1/{}", page.file_name().display())));
    }
    Ok(files)
}

/// The licences, in Debian's form.
fn copyright() -> Result<String, String> {
    let path = root().join("LICENSE-MIT");
    let mit = fs::read_to_string(&path).map_err(at(&path))?;
    let body: String = mit.lines().map(|l| if l.is_empty() { " .\n".to_owned() } else { format!(" {l}\n") }).collect();
    Ok(format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: maintext\n\
         Source: https://github.com/maintext/maintext\nComment: /usr/share/doc/maintext/THIRD-PARTY.txt.gz has the licences of the \
         crates inside.\n\nFiles: *\nCopyright: 2026 The maintext authors\nLicense: Expat or Apache-2.0\n\nLicense: Expat\n{body}\n\
         License: Apache-2.0\n On Debian systems, the text is in /usr/share/common-licenses/Apache-2.0.\n"
    ))
}

fn control(parts: &Parts, architecture: &str, size: u64) -> Result<String, String> {
    let binary = parts.folder.join("maintext");
    let (major, minor) =
        glibc(&fs::read(&binary).map_err(at(&binary))?).ok_or_else(|| format!("{}: no glibc", binary.display()))?;
    Ok(format!(
        "Package: maintext\nVersion: {}-1\nArchitecture: {architecture}\nMaintainer: {MAINTAINER}\nInstalled-Size: {}\n\
         Depends: libc6 (>= {major}.{minor})\nRecommends: ca-certificates\nSuggests: chromium\nSection: text\nPriority: optional\n\
         Homepage: https://github.com/maintext/maintext\nDescription: main text of any web page, with title, author and date\n \
         Removes menus, adverts, related links and cookie banners, and writes text,\n Markdown, HTML, XML (TEI) or JSON. \
         Also extracts lists, crawls sites, reads\n web archives and serves all of this over HTTP.\n",
        parts.version,
        size.div_ceil(1024),
    ))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::create_dir_all(path.parent().unwrap_or(path)).map_err(at(path))?;
    fs::write(path, text).map_err(at(path))
}

/// Builds the package, or reports why it cannot be built here.
pub fn build(parts: &Parts) -> Result<(), String> {
    let architecture = match parts.target.split('-').next() {
        Some("x86_64") => "amd64",
        Some("aarch64") => "arm64",
        _ => return Ok(()),
    };
    if Command::new("dpkg-deb").arg("--version").output().is_err() {
        println!("SKIPPED: no Debian package, because dpkg-deb is not installed");
        return Ok(());
    }
    let tree = parts.out.join("debian");
    let mut size = 0;
    for (from, to) in files(parts)? {
        let to = tree.join("usr").join(to);
        fs::create_dir_all(to.parent().unwrap_or(&to)).map_err(at(&to))?;
        size += fs::copy(&from, &to).map_err(at(&from))?;
        if to.components().any(|c| c.as_os_str() == "doc" || c.as_os_str() == "man") {
            gzip(&to)?;
        }
    }
    let documents = tree.join("usr/share/doc/maintext");
    write(&documents.join("copyright"), &copyright()?)?;
    let news = format!(
        "maintext ({}-1) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- {MAINTAINER}  {}\n",
        parts.version,
        commit("%cD")?
    );
    write(&documents.join("changelog.Debian"), &news)?;
    gzip(&documents.join("changelog.Debian"))?;
    write(&tree.join("DEBIAN/control"), &control(parts, architecture, size)?)?;
    run(Command::new("chmod").args(["-R", "u=rwX,go=rX"]).arg(&tree))?;
    run(Command::new("chmod").args(["755"]).arg(tree.join("usr/bin/maintext")))?;
    let file = parts.out.join(format!("maintext_{}-1_{architecture}.deb", parts.version));
    let mut command = Command::new("dpkg-deb");
    command.args(["--root-owner-group", "--build", "-Zxz"]).arg(&tree).arg(&file);
    run(command.env("SOURCE_DATE_EPOCH", commit("%ct")?))?;
    fs::remove_dir_all(&tree).map_err(at(&tree))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_glibc_is_found_in_the_symbols_of_a_binary() {
        assert_eq!(glibc(b"\0GLIBC_2.2.5\0GLIBC_2.17\0x\0GLIBC_2.3\0"), Some((2, 17)));
        assert_eq!(glibc(b"\0GLIBC_PRIVATE\0GLIBC_2."), None);
    }
}
