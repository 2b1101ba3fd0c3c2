//! Runs a system in a process of its own: a page that makes it loop or overflow its stack affects no other page.
use crate::systems::{Answer, Request, Runner, System};
use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Stack of the extracting thread; large, so that systems that recurse over the tree survive deep pages.
const STACK: usize = 256 << 20;

/// Limits for one page.
#[derive(Clone, Copy)]
pub struct Patience {
    /// Seconds of processor time; a slower answer does not count.
    pub cpu: f64,
    /// Wall-clock time, for pages on which a system never returns.
    pub clock: Duration,
}

/// A running worker.
struct Running {
    child: Child,
    pages: ChildStdin,
    answers: Receiver<String>,
}

impl Drop for Running {
    fn drop(&mut self) {
        // Fails if the process has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The interpreters for systems that are not written in Rust.
pub struct Programs {
    /// Python with bench/requirements.txt installed.
    pub python: String,
    /// Node.js with bench/package.json installed by `npm ci`.
    pub node: String,
}

impl Default for Programs {
    fn default() -> Programs {
        Programs { python: "python3".into(), node: "node".into() }
    }
}

/// Runs a system on pages, in a process that is restarted whenever it dies or has to be killed.
pub struct Worker<'a> {
    system: &'a System,
    programs: &'a Programs,
    running: Option<Running>,
}

impl<'a> Worker<'a> {
    pub fn new(system: &'a System, programs: &'a Programs) -> Worker<'a> {
        Worker { system, programs, running: None }
    }

    fn start(&self) -> Result<Running, String> {
        let mut command = match self.system.runner {
            Runner::Rust(_) => {
                let mut c = Command::new(std::env::current_exe().map_err(|e| e.to_string())?);
                c.args(["--worker", self.system.name]);
                c
            }
            Runner::Python => self.script(&self.programs.python, "peers.py"),
            Runner::Node => self.script(&self.programs.node, "peers.mjs"),
        };
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child =
            command.spawn().map_err(|e| format!("{} did not start: {e}", command.get_program().display()))?;
        let (Some(pages), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the worker has no pipes".into());
        };
        let (send, answers) = channel();
        std::thread::spawn(move || BufReader::new(output).lines().map_while(Result::ok).all(|l| send.send(l).is_ok()));
        Ok(Running { child, pages, answers })
    }

    /// Returns the command that runs a script of bench/ for the system.
    fn script(&self, program: &str, name: &str) -> Command {
        let mut command = Command::new(program);
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)).arg(self.system.name);
        command
    }

    /// Returns the peak memory of the process in KB, if the operating system reports it (Linux).
    pub fn peak_memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.running.as_ref()?.child.id())).ok()?;
        let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
        line.split_whitespace().next()?.parse().ok()
    }

    /// Returns the system's answer for a page.
    ///
    /// # Errors
    /// The worker does not start. Failures on the page itself are reported in the answer's `error`.
    pub fn ask(&mut self, page: &Request, patience: Patience) -> Result<Answer, String> {
        let mut running = match self.running.take() {
            Some(r) => r,
            None => self.start()?,
        };
        let line = serde_json::to_string(page).map_err(|e| e.to_string())?;
        // Writing fails if the worker has died; reading its answer then fails too.
        let _ = writeln!(running.pages, "{line}").and_then(|()| running.pages.flush());
        let answer = match running.answers.recv_timeout(patience.clock) {
            Ok(line) => serde_json::from_str(&line).unwrap_or_else(Answer::error),
            Err(RecvTimeoutError::Timeout) => return Ok(Answer::error("timeout")),
            Err(RecvTimeoutError::Disconnected) => {
                let status = running.child.wait().map_or_else(|e| e.to_string(), |s| s.to_string());
                return Ok(Answer::error(status));
            }
        };
        self.running = Some(running);
        if answer.cpu > patience.cpu { Ok(Answer { cpu: answer.cpu, ..Answer::error("timeout") }) } else { Ok(answer) }
    }
}

/// Returns the processor time of this process.
pub fn seconds() -> f64 {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    t.tv_sec as f64 + t.tv_nsec as f64 / 1e9
}

/// The worker's side: answers pages on standard input until it ends.
pub fn work(run: fn(&Request) -> Answer) -> Result<(), String> {
    std::panic::set_hook(Box::new(|_| ()));
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let mut output = std::io::stdout().lock();
        for line in std::io::stdin().lock().lines() {
            let page: Request = serde_json::from_str(&line.map_err(|e| e.to_string())?).map_err(|e| e.to_string())?;
            let start = seconds();
            let mut answer = catch_unwind(AssertUnwindSafe(|| run(&page))).unwrap_or_else(|_| Answer::error("panic"));
            answer.cpu = seconds() - start;
            let line = serde_json::to_string(&answer).map_err(|e| e.to_string())?;
            writeln!(output, "{line}").and_then(|()| output.flush()).map_err(|e| e.to_string())?;
        }
        Ok(())
    });
    thread.map_err(|e| e.to_string())?.join().unwrap_or_else(|_| Err("the worker panicked".into()))
}
