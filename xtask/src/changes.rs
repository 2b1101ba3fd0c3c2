//! `cargo xtask changes REV`: shows the effects of a change on pages.
use crate::args;
use crate::run::{answer, cargo, lab_program, root, run, target};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const USAGE: &str = "usage: cargo xtask changes [--data DIR] REV

  --data DIR  folder of the data sets, see docs/data.md [default: $MAINTEXT_DATA; without it, testdata/ and examples/]
  REV         the revision to compare with, such as HEAD or main

Extracts all pages of DIR/train with the present build and with that of REV. Prints by set and by kind of page how many texts, titles, authors, dates
and entries differ, the word F1 of both, and the largest differences; target/changes/REV.html shows these whole. The answers of a revision are
kept in target/changes.";

/// The program that writes answers, in the laboratory. It is copied into revisions that lack it.
const PROGRAM: &str = "examples/answers.rs";
/// The folders of the laboratory in the revisions to compare with, the present one first.
const LABS: [&str; 2] = ["lab", "crates/maintext-lab"];

/// Returns the laboratory of some sources.
fn lab_of(sources: &Path) -> PathBuf {
    LABS.iter().map(|lab| sources.join(lab)).find(|lab| lab.exists()).unwrap_or_else(|| sources.join(LABS[0]))
}

/// Returns the files to extract: the training sets, or the pages of this repository.
fn files(data: Option<&Path>) -> Result<Vec<PathBuf>, String> {
    let (folders, extension) = match data {
        Some(data) => (vec![data.join("train")], "zst"),
        None => (
            ["examples", "testdata/small", "testdata/forums", "testdata/cases"]
                .map(|folder| root().join(folder))
                .to_vec(),
            "html",
        ),
    };
    let mut files = Vec::new();
    for folder in folders {
        let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        files.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
    }
    // A set without pages, only with their Markdown.
    let wanted =
        |path: &PathBuf| path.extension().is_some_and(|e| e == extension) && !path.ends_with("wcxb-markdown.jsonl.zst");
    files.retain(wanted);
    files.sort();
    if files.is_empty() {
        Err("there are no pages to extract".into())
    } else {
        files.iter().map(|file| std::path::absolute(file).map_err(|e| e.to_string())).collect()
    }
}

/// Writes the answers of the sources in a folder, built in `build`, into `out`.
fn extract(sources: &Path, build: &Path, out: &Path, files: &[PathBuf]) -> Result<(), String> {
    // A run that ends early leaves no file that looks complete.
    let part = out.with_extension("part");
    let mut command = cargo(&["run", "--release", "--quiet", "--example", "answers", "--manifest-path"]);
    command.arg(lab_of(sources).join("Cargo.toml")).arg("--").arg(&part).args(files);
    command.current_dir(sources).env("CARGO_TARGET_DIR", build);
    run(&mut command)?;
    fs::rename(&part, out).map_err(|e| format!("{}: {e}", out.display()))
}

/// Runs git in a folder.
fn git(folder: &Path, args: &[&str]) -> Result<(), String> {
    run(Command::new("git").args(args).current_dir(folder))
        .map_err(|e| format!("'git {}' failed ({e})", args.join(" ")))
}

/// Checks out a commit in a working tree of its own.
fn check_out(commit: &str, sources: &Path) -> Result<(), String> {
    if sources.join(".git").exists() {
        git(sources, &["checkout", "--quiet", "--force", "--detach", commit])?
    } else {
        // A folder that was deleted by hand is still registered.
        git(&root(), &["worktree", "prune"])?;
        let path = sources.display().to_string();
        git(&root(), &["worktree", "add", "--quiet", "--detach", &path, commit])?;
    }
    let program = lab_of(sources).join(PROGRAM);
    if !program.exists() {
        fs::copy(lab_of(&root()).join(PROGRAM), &program).map_err(|e| format!("{}: {e}", program.display()))?;
    }
    Ok(())
}

/// Runs `cargo xtask changes`.
pub fn run_task(args: &[String]) -> Result<(), String> {
    let (mut data, mut revision) = (None, None);
    let go = args::each(args, USAGE, |arg, values| {
        match arg {
            "--data" => data = Some(values.path()?),
            flag if flag.starts_with('-') || revision.is_some() => return Ok(false),
            rev => revision = Some(rev),
        }
        Ok(true)
    })?;
    if !go {
        return Ok(());
    }
    let revision = revision.ok_or_else(|| format!("name a revision\n\n{USAGE}"))?;
    let root_folder = root().display().to_string();
    let commit =
        answer("git", &["-C", &root_folder, "rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")]);
    let commit = commit.ok_or_else(|| format!("'{revision}' is not a revision"))?;
    let data = data.or_else(|| std::env::var_os("MAINTEXT_DATA").map(PathBuf::from));
    let data = data.map(std::path::absolute).transpose().map_err(|e| e.to_string())?;
    let files = files(data.as_deref())?;
    let folder = std::path::absolute(target().join("changes")).map_err(|e| e.to_string())?;
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let pages = if data.is_some() { "data" } else { "examples" };
    let before = folder.join(format!("{commit}-{pages}.jsonl"));
    if !before.exists() {
        println!("==> building and running {commit}");
        let sources = folder.join("source");
        check_out(&commit, &sources)?;
        extract(&sources, &folder.join("build"), &before, &files)
            .map_err(|e| format!("the answers of {revision} could not be made ({e}); see its output above"))?;
    }
    println!("==> running the present sources");
    let after = folder.join("present.jsonl");
    let own = std::path::absolute(target()).map_err(|e| e.to_string())?;
    extract(&root(), &own, &after, &files)?;
    let report = folder.join(format!("{}.html", revision.replace(['/', '~', '^'], "-")));
    let mut command = lab_program("--example", "changes");
    run(command.arg(before).arg(after).arg(report).args(data))
}
