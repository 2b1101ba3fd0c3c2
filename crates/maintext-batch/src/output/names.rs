//! Names of files that follow the addresses of pages.
use maintext_core::list::without_tracking;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use sha2::{Digest, Sha256};
use std::collections::HashSet;

/// Maximum number of bytes of a folder's name, and of a file's name without its end.
const MAX_NAME_BYTES: usize = 90;
/// Maximum number of folders above a file, without the host.
const DEEPEST: usize = 200;
/// Maximum number of bytes of a path; some systems allow 1024, including the output folder.
const LONGEST_PATH: usize = 700;
/// The last segment that crawls ignore.
const INDEX: &str = "index.html";
/// Characters besides letters and digits that all file systems allow.
const SAFE: &str = "-._~!$&'()+,;=@ ";
/// The characters that are written as they are in a name, but escaped in an address, besides the ones beyond ASCII.
const DECODED: &AsciiSet = &CONTROLS.add(b' ');
/// Endings of files that this crate writes. A folder with such a name might have the name of a page's file.
const ENDINGS: [&str; 3] = [".md", ".txt", ".jsonl"];
/// Names without extension that Windows reserves, besides the ones with a number.
const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Gives the pages of sites paths that follow their addresses: `example.org/docs/install.md`.
///
/// A path depends on the address alone: if the address is not readable from it, it ends in a hash of the address. Only addresses whose paths
/// differ in nothing but case, or that are variants of one address, depend on the order: the later one gets a hash.
#[derive(Debug, Default)]
pub(super) struct Paths {
    /// In lower case, since some file systems ignore case.
    taken: HashSet<String>,
}

impl Paths {
    /// Returns the path for a page, with slashes.
    pub(super) fn path(&mut self, address: &str, extension: &str) -> String {
        let address = &*without_tracking(address);
        let (readable, is_own) = readable(address);
        let mut path =
            if is_own { format!("{readable}.{extension}") } else { with_hash(&readable, address, extension, 1) };
        let mut number = 1;
        while !self.taken.insert(path.to_lowercase()) {
            path = with_hash(&readable, address, extension, number);
            number += 1;
        }
        path
    }
}

fn with_hash(readable: &str, address: &str, extension: &str, number: u32) -> String {
    let hash: String = Sha256::digest(address)[..4].iter().map(|b| format!("{b:02x}")).collect();
    let number = if number > 1 { format!("-{number}") } else { String::new() };
    format!("{readable}-{hash}{number}.{extension}")
}

/// Returns a readable path for an address, and whether no other address has it.
fn readable(address: &str) -> (String, bool) {
    let address = address.split('#').next().unwrap_or("");
    let (host, rest) = match address.split_once("://") {
        Some((_, rest)) => rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len())),
        None => ("pages", address),
    };
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = path.strip_prefix('/').unwrap_or(path);
    let (above, last) = path.rsplit_once('/').map_or((None, path), |(above, last)| (Some(above), last));
    let host = host.rsplit('@').next().unwrap_or("").to_lowercase().replace(':', "+");
    let mut is_own = true;
    // Hosts have no files next to them.
    let mut folders = clean(&host, &mut is_own);
    for (depth, segment) in above.into_iter().flat_map(|above| above.split('/')).enumerate() {
        let folder = folder(&decoded(segment, &mut is_own), &mut is_own);
        if depth == DEEPEST || folders.len() + folder.len() + MAX_NAME_BYTES + 30 > LONGEST_PATH {
            is_own = false;
            break;
        }
        folders = folders + "/" + &folder;
    }
    let mut name = if last.is_empty() || last == INDEX { "index".into() } else { decoded(last, &mut is_own) };
    // A query follows an @, with commas between its parts.
    is_own &= last != "index" && !name.char_indices().any(|(at, c)| at > 0 && c == '@') && !query.contains(',');
    if !query.is_empty() {
        name = name + "@" + &query.replace('&', ",");
    }
    (folders + "/" + &clean(&name, &mut is_own), is_own)
}

/// Returns the text of a segment. If another segment has the same text, the path is not the address's own.
fn decoded(segment: &str, is_own: &mut bool) -> String {
    let text = percent_decode_str(segment).decode_utf8().unwrap_or(segment.into());
    *is_own &= !segment.contains('%') || utf8_percent_encode(&text, DECODED).to_string() == segment;
    text.into_owned()
}

/// Returns the name of a folder.
fn folder(text: &str, is_own: &mut bool) -> String {
    let name = clean(text, is_own);
    let is_file = ENDINGS.iter().any(|end| name.to_lowercase().ends_with(end));
    *is_own &= !is_file;
    if is_file { name + "_" } else { name }
}

/// Replaces the characters and names that some system does not allow, and cuts a long name.
fn clean(text: &str, is_own: &mut bool) -> String {
    let mut name: String =
        text.chars().map(|c| if c.is_alphanumeric() || SAFE.contains(c) { c } else { '_' }).collect();
    name.truncate(name.floor_char_boundary(MAX_NAME_BYTES - 2));
    if name.starts_with(['.', ' ']) {
        name.replace_range(..1, "_");
    }
    if name.ends_with(['.', ' ']) {
        name.replace_range(name.len() - 1.., "_");
    }
    let stem = name.split('.').next().unwrap_or("").trim_end().to_lowercase();
    let port = stem.strip_prefix("com").or(stem.strip_prefix("lpt")).unwrap_or("");
    let is_port = port.chars().count() == 1 && port.chars().all(char::is_numeric);
    if name.is_empty() || is_port || RESERVED.contains(&&*stem) {
        name.insert(0, '_');
    }
    *is_own &= name == text;
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(address: &str) -> String {
        Paths::default().path(address, "md")
    }

    #[test]
    fn paths_follow_addresses() {
        for (address, expected) in [
            ("https://example.org", "example.org/index.md"),
            ("https://Example.org/", "example.org/index.md"),
            ("http://127.0.0.1:8080/a/b.html#part", "127.0.0.1+8080/a/b.html.md"),
            ("https://example.org/docs", "example.org/docs.md"),
            ("https://example.org/docs/", "example.org/docs/index.md"),
            ("https://example.org/docs/index.html", "example.org/docs/index.md"),
            ("https://example.org/list?page=2&sort=up", "example.org/list@page=2,sort=up.md"),
            ("https://example.org/?page=2", "example.org/index@page=2.md"),
            ("https://example.org?page=2", "example.org/index@page=2.md"),
            ("https://example.org/a?utm_source=x", "example.org/a.md"),
            ("https://example.org/%D0%B6%20x/@user", "example.org/ж x/@user.md"),
            ("https://me:secret@example.md/a", "example.md/a.md"),
            ("notes/a", "pages/notes/a.md"),
        ] {
            assert_eq!(path(address), expected, "{address}");
        }
        assert_eq!(Paths::default().path("https://example.org/a", "txt"), "example.org/a.txt");
    }

    #[test]
    fn other_addresses_have_other_paths_in_any_order() {
        let rests = [
            "a",
            "a/",
            "a/b",
            "a.md",
            "a.md/b",
            "a.md/",
            "a.html",
            "a%2Fb",
            "a:b",
            "a*b",
            "a_b",
            "a%5Fb",
            "a//b",
            "a?b",
            "a@b",
            "a%40b",
            "a?b=1",
            "a?b=%31",
            "a?b,c",
            "a?b&c",
            "index",
            "",
            "?x",
            "con",
            "_con",
            "CON.txt",
            "com1/x",
            "_com1/x",
            ".a",
            "_a",
            "a.",
            "a ",
            "%2e%2e/x",
            "..%2fx",
            "%00",
            "%FF",
            "%EF%BF%BD",
            "a%0Ab",
            "x%2Fa.md/c",
            ".txt/b",
            "e%CC%81",
            "%C3%A9",
        ];
        let address = |rest: &&str| format!("https://example.org/{rest}");
        let alone: Vec<String> = rests.iter().map(|rest| path(&address(rest))).collect();
        let mut names = Paths::default();
        let mut back: Vec<String> = rests.iter().rev().map(|rest| names.path(&address(rest), "md")).collect();
        back.reverse();
        assert_eq!(alone, back);
        // No file has the name of a folder.
        let folders: HashSet<&str> = alone.iter().flat_map(|p| p.match_indices('/').map(|(at, _)| &p[..at])).collect();
        for path in &alone {
            assert!(!folders.contains(&**path), "{path}");
        }
    }

    #[test]
    fn paths_are_safe_and_short() {
        let long = format!("https://example.org/{}", "ж".repeat(500));
        let deep = format!("https://example.org/{}x", "a/".repeat(900));
        let wide = format!("https://example.org/{}x?{}", "folder-with-a-long-name/".repeat(90), "q".repeat(900));
        let host = format!("https://{}/a", "h".repeat(300));
        let odd = [
            "https://../../etc/passwd",
            "https://e.org/../../../etc",
            "/etc/passwd",
            "..",
            "",
            "://",
            "https://[::1]:80/a\\b\u{1}\u{7f}|",
        ];
        for address in
            [&*long, &deep, &wide, &host, "https://index.jsonl/", "https://nul/aux/LPT¹.x/prn"].iter().chain(&odd)
        {
            let path = path(address);
            assert!(path.len() <= LONGEST_PATH && path.split('/').count() <= DEEPEST + 2, "{path}");
            for name in path.split('/') {
                let stem = name.split('.').next().unwrap_or("").to_lowercase();
                assert!(
                    !name.is_empty() && name.len() <= 120 && !name.starts_with('.') && !name.ends_with('.'),
                    "{path}"
                );
                assert!(!RESERVED.contains(&&*stem) && !["lpt¹", "index.jsonl"].contains(&&*stem), "{path}");
                assert!(!name.contains(|c: char| c.is_control() || "<>:\"\\|?*".contains(c)), "{path}");
            }
        }
        assert_ne!(path(&long), path(&(long.clone() + "x")));
        assert_ne!(path(&deep), path(&deep.replacen('a', "b", 900)));
        assert_ne!(path(&deep), path(&deep.replace("/x", "/c/x")));
        assert_ne!(path(&wide), path(&(wide.clone() + "q")));
    }

    #[test]
    fn paths_that_differ_in_case_get_a_hash() {
        let mut names = Paths::default();
        let mut path = |address: &str| names.path(address, "md");
        assert_eq!(path("https://example.org/Wiki/A"), "example.org/Wiki/A.md");
        let second = path("https://example.org/wiki/a");
        assert!(second.starts_with("example.org/wiki/a-") && second.ends_with(".md"), "{second}");
        let third = path("https://example.org/wiki/a");
        assert!(third != second && third.ends_with("-2.md"), "{third}");
    }
}
