//! The sets and how systems are run on them.
use maintext_core::method::Favor;
use maintext_lab::data::Page;

/// Suffix of the files with outputs of a recall setting.
pub const RECALL: &str = "-recall";

/// A way to run the systems on a set.
pub struct Variant {
    /// Suffix of the row's name.
    pub label: &'static str,
    /// Suffix of the file names of outputs.
    pub suffix: &'static str,
    /// maintext's setting.
    pub favor: Favor,
}

const BALANCE: Variant = Variant { label: "", suffix: "", favor: Favor::Balance };
const FOR_RECALL: Variant = Variant { label: ", for recall", suffix: RECALL, favor: Favor::Recall };

/// A set.
pub struct Set {
    /// Its name: the file name up to `.jsonl`.
    pub name: &'static str,
    /// `train` or `eval`.
    pub folder: &'static str,
    /// The ways to run the systems on it.
    pub runs: &'static [Variant],
    /// Returns the part of the set to which a page belongs, for a separate row.
    pub part: fn(&Page) -> Option<&str>,
}

const fn set(folder: &'static str, name: &'static str) -> Set {
    Set { name, folder, runs: &[BALANCE], part: |_| None }
}

/// All sets, in the order of the rows.
pub const SETS: &[Set] = &[
    Set { part: |p| p.page_type.as_deref(), ..set("train", "wcxb-dev") },
    set("train", "magic-html-article"),
    set("train", "magic-html-forum"),
    set("train", "web-forum-52"),
    set("train", "fundus"),
    set("train", "misinfo-crawler"),
    set("train", "naeb-newspaper4k"),
    set("train", "krdwrd-canola"),
    set("train", "trafilatura-eval"),
    set("eval", "dragnet"),
    set("eval", "l3s-gn1"),
    set("eval", "zh-news-wwwxmu"),
    Set { part: |p| p.lang.as_deref(), ..set("eval", "daniel-multiling") },
    set("eval", "msv-big9"),
    set("eval", "mozilla-readability"),
    Set { runs: &[BALANCE, FOR_RECALL], ..set("eval", "cleaneval-final") },
];
