//! Tests of the whole command: arguments, files and servers in; output, messages and exit status out.

#[cfg(unix)]
mod accidents;
mod archives;
mod batch;
mod chunks;
mod crawl;
#[cfg(unix)]
mod documents;
mod extract;
mod find;
mod formats;
mod hostile;
mod http;
mod keeping;
mod lists;
#[path = "../../../../maintext-formats/tests/it/make/mod.rs"]
mod make;
mod mcp;
mod mcp_protocol;
mod parts;
mod render;
mod representation;
mod rules;
mod serve;
#[allow(dead_code)]
#[path = "../../../../maintext-fetch/tests/server/mod.rs"]
mod server;
mod settings;
mod shards;
mod site;
mod sites;
mod study;
mod terminal;
mod things;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The result of a run.
#[derive(Debug)]
struct Run {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Run { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Run {
    /// Returns the output of a run, which must succeed without a message on standard error.
    #[track_caller]
    fn good(self) -> String {
        assert_eq!((self.status, self.stderr.as_str()), (Some(0), ""));
        self.stdout
    }

    /// Returns the output of a run, which must succeed but may warn.
    #[track_caller]
    fn output(self) -> String {
        assert_eq!(self.status, Some(0), "{}", self.stderr);
        self.stdout
    }

    /// Returns the message of a run whose only input must fail. It must be one line on standard error.
    #[track_caller]
    fn failure(self) -> String {
        assert_eq!((self.status, self.stdout.as_str()), (Some(1), ""), "{self:?}");
        assert_eq!(self.stderr.matches('\n').count(), 1, "{self:?}");
        assert!(self.stderr.starts_with("maintext: "), "{self:?}");
        self.stderr
    }
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_maintext"));
    // Test servers are reached directly, even if the environment sets a proxy.
    command.args(args).current_dir(root()).env("NO_PROXY", "127.0.0.1").stdin(Stdio::null());
    command
}

fn maintext(args: &[&str]) -> Run {
    command(args).output().unwrap().into()
}

fn maintext_on(stdin: &[u8], args: &[&str]) -> Run {
    let mut child = command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let bytes = stdin.to_vec();
    // The command may close the pipe before it has read everything.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&bytes)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output.into()
}

/// Returns the root of the workspace.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().parent().unwrap()
}

/// Returns an example page, or a small page of the test data.
fn example(name: &str) -> Vec<u8> {
    let folder = if name.starts_with("small/") { "testdata" } else { "examples" };
    fs::read(root().join(folder).join(name)).unwrap()
}

/// Returns a page with one article that contains the word `mark`.
fn article(mark: &str) -> String {
    format!(
        "<html><head><title>About {mark}</title></head><body><nav><a href=/>Home</a> <a href=/b>More</a></nav><article>\
         <p>The first paragraph of this page speaks of {mark}, at some length, so that it is told from the menu.</p>\
         <p>The second one does the same: it is long enough, it has commas, and it ends <a href=\"c\">here</a>.</p>\
         </article></body></html>"
    )
}

/// A temporary folder for one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("maintext-cli-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        fs::write(self.0.join(name), content).unwrap();
        self.path(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
