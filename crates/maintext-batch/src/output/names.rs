//! Names of files that follow the addresses of pages.
use maintext_core::list::without_tracking;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::HashSet;

/// Maximum number of bytes of a file or folder name.
const MAX_NAME_BYTES: usize = 120;
/// Maximum number of bytes of a query in a name; a longer one is cut and gets a hash.
const LONGEST_QUERY: usize = 60;
/// Maximum number of folders above a file, without the host.
const DEEPEST: usize = 200;
/// Maximum number of bytes of a path; some systems allow 1024, including the output folder.
const LONGEST_PATH: usize = 700;
/// The last segment that crawls ignore.
const INDEX: &str = "index.html";
/// Characters besides letters and digits that all file systems allow.
const SAFE: &str = "-._~!$&'()+,;=@ ";
/// Endings of files that this crate writes. A folder with such a name might have the name of a page's file.
const ENDINGS: [&str; 3] = [".md", ".txt", ".jsonl"];
/// Names without extension that Windows reserves, besides the ones with a number.
const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Gives the pages of sites paths that follow their addresses: `example.org/docs/install.md`.
///
/// A path depends on the address alone: if cleaning changes a name, the name gets a hash of the original. Only addresses whose paths differ
/// in nothing but case, or that are variants of one address, depend on the order: the later one gets a hash.
#[derive(Debug, Default)]
pub(super) struct Paths {
    /// In lower case, since some file systems ignore case.
    taken: HashSet<String>,
}

impl Paths {
    /// Returns the path for a page, with slashes.
    pub(super) fn path(&mut self, address: &str, extension: &str) -> String {
        let address = &*without_tracking(address);
        let (folders, name) = parts(address);
        let mut path = format!("{folders}/{}.{extension}", with_end(&name, "", extension));
        let mut number = 1;
        while !self.taken.insert(path.to_lowercase()) {
            let end = match number {
                1 => format!("-{}", hash(address)),
                _ => format!("-{}-{number}", hash(address)),
            };
            path = format!("{folders}/{}.{extension}", with_end(&name, &end, extension));
            number += 1;
        }
        path
    }
}

/// Returns the folders and the name of an address, without the extension.
fn parts(address: &str) -> (String, String) {
    let address = address.split('#').next().unwrap_or("");
    let (host, rest) = match address.split_once("://") {
        Some((_, rest)) => {
            let (host, rest) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
            (host_name(host.rsplit('@').next().unwrap_or("")), rest)
        }
        None => ("pages".into(), address),
    };
    let (path, query) = rest.split_once('?').map_or((rest, ""), |(path, query)| (path, query));
    let path = path.strip_prefix('/').unwrap_or(path);
    let (above, last) = path.rsplit_once('/').map_or((None, path), |(above, last)| (Some(above), last));
    let mut folders = host;
    let mut cut = false;
    for (depth, segment) in above.into_iter().flat_map(|above| above.split('/')).enumerate() {
        let folder = folder_name(segment);
        if depth == DEEPEST || folders.len() + 1 + folder.len() + 1 + MAX_NAME_BYTES > LONGEST_PATH {
            cut = true;
            break;
        }
        folders = folders + "/" + &folder;
    }
    let is_index = last.is_empty() || last == INDEX;
    let name = if is_index { "index".into() } else { file_name(last) };
    let name = match query {
        "" => name,
        query => with_query(&name, query),
    };
    let name = if cut { with_end(&name, &format!("-{}", hash(address)), "") } else { name };
    (folders, name)
}

/// `example.org:8080` is `example.org+8080`.
fn host_name(host: &str) -> String {
    let lower = host.to_lowercase();
    let name = clean(&lower.replace(':', "+"));
    // The folder of the hosts also has the index of the output.
    let is_same = !lower.contains('[')
        && lower != "index.jsonl"
        && name.len() <= MAX_NAME_BYTES
        && name == lower.replace(':', "+");
    if is_same { name } else { with_hash(&name, host) }
}

fn folder_name(segment: &str) -> String {
    let (text, is_plain) = decoded(segment);
    let name = clean(&text);
    let lower = name.to_lowercase();
    let is_file = ENDINGS.iter().any(|end| lower.ends_with(end));
    if is_plain && name == text && name.len() <= MAX_NAME_BYTES && !is_file { name } else { with_hash(&name, segment) }
}

/// Names with a query have it after `@`. So other names with `@` get a hash, unless they begin with it.
fn file_name(segment: &str) -> String {
    let (text, is_plain) = decoded(segment);
    let name = clean(&text);
    let is_own = name != "index" && !name.char_indices().any(|(at, c)| at > 0 && c == '@');
    // The longest ending with its dot.
    let is_short = name.len() + 4 <= MAX_NAME_BYTES;
    if is_plain && name == text && is_short && is_own { name } else { with_hash(&name, segment) }
}

fn with_query(name: &str, query: &str) -> String {
    let readable: String = query
        .chars()
        .map(|c| match c {
            '&' => ',',
            c if c.is_ascii_alphanumeric() || "-._~=+".contains(c) => c,
            _ => '_',
        })
        .collect();
    let is_same = readable.len() <= LONGEST_QUERY && readable.replace(',', "&") == query && !query.ends_with('.');
    let end =
        if is_same { format!("@{readable}") } else { format!("@{}-{}", cut(&readable, LONGEST_QUERY), hash(query)) };
    if name.len() + end.len() + 4 <= MAX_NAME_BYTES {
        return name.to_owned() + &end;
    }
    with_end(name, &format!("{end}-{}", hash(name)), "")
}

/// Returns the text of a segment, and whether it is the only segment with that text.
fn decoded(segment: &str) -> (Cow<'_, str>, bool) {
    if !segment.contains('%') {
        return (segment.into(), true);
    }
    let (mut bytes, mut rest, mut is_plain) = (Vec::new(), segment.as_bytes(), true);
    while let Some((&first, after)) = rest.split_first() {
        match (first, hex_digit(after, 0), hex_digit(after, 1)) {
            (b'%', Some(high), Some(low)) => {
                let byte = (16 * high + low) as u8;
                // An address has no bare spaces and letters beyond ASCII, but it may have other characters both escaped and bare.
                is_plain &= byte == b' ' || !byte.is_ascii();
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    match String::from_utf8(bytes) {
        Ok(text) => (text.into(), is_plain),
        Err(_) => (segment.into(), false),
    }
}

fn hex_digit(after: &[u8], at: usize) -> Option<u32> {
    after.get(at).and_then(|b| char::from(*b).to_digit(16))
}

/// Replaces the characters and names that some system does not allow.
fn clean(text: &str) -> String {
    let mut name: String =
        text.chars().map(|c| if c.is_alphanumeric() || SAFE.contains(c) { c } else { '_' }).collect();
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
    name
}

fn with_hash(name: &str, of: &str) -> String {
    with_end(name, &format!("-{}", hash(of)), "")
}

/// Appends to a name and cuts the name, so that the whole with an extension is at most [`MAX_NAME_BYTES`] bytes.
fn with_end(name: &str, end: &str, extension: &str) -> String {
    // The longest extension, if it comes later.
    let extension = 1 + extension.len().max(3);
    cut(name, MAX_NAME_BYTES.saturating_sub(end.len() + extension)).to_owned() + end
}

fn cut(text: &str, longest: usize) -> &str {
    &text[..text.floor_char_boundary(longest)]
}

/// Returns eight hexadecimal digits.
fn hash(text: &str) -> String {
    Sha256::digest(text)[..4].iter().map(|b| format!("{b:02x}")).collect()
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
                    !name.is_empty() && name.len() <= MAX_NAME_BYTES && !name.starts_with('.') && !name.ends_with('.'),
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
