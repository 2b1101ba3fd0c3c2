//! A system in a process of its own: a page that makes it loop or overflow its stack costs that page and no other.
use crate::systems::{Answer, Request, Runner, System};
use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Stack of the thread that extracts: systems that recurse over the tree get through deep pages.
const STACK: usize = 256 << 20;

/// How long a page may take.
#[derive(Clone, Copy)]
pub struct Patience {
    /// Seconds of processor time: more makes the answer void.
    pub cpu: f64,
    /// On the clock, for a page that never ends.
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
        // Errors mean that it has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The interpreters of the systems that are not in Rust.
pub struct Programs {
    /// A Python that has bench/requirements.txt installed.
    pub python: String,
    /// A Node.js; `npm ci` has installed bench/package.json.
    pub node: String,
}

impl Default for Programs {
    fn default() -> Programs {
        Programs { python: "python3".into(), node: "node".into() }
    }
}

/// Asks a system about pages, in a process that is started anew whenever it dies or has to be ended.
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
            return Err("a worker without pipes".into());
        };
        let (send, answers) = channel();
        std::thread::spawn(move || BufReader::new(output).lines().map_while(Result::ok).all(|l| send.send(l).is_ok()));
        Ok(Running { child, pages, answers })
    }

    /// A script of bench/ that runs the system.
    fn script(&self, program: &str, name: &str) -> Command {
        let mut command = Command::new(program);
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)).arg(self.system.name);
        command
    }

    /// The most memory that the process has held, in KB, where the system tells (Linux).
    pub fn peak_memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.running.as_ref()?.child.id())).ok()?;
        let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
        line.split_whitespace().next()?.parse().ok()
    }

    /// What the system says about a page.
    ///
    /// # Errors
    /// The worker does not start. Whatever happens on the page itself is the answer's `error`.
    pub fn ask(&mut self, page: &Request, patience: Patience) -> Result<Answer, String> {
        let mut running = match self.running.take() {
            Some(r) => r,
            None => self.start()?,
        };
        let line = serde_json::to_string(page).map_err(|e| e.to_string())?;
        // A write fails when the worker is dead, and then the answers end too.
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
        match answer.cpu > patience.cpu {
            true => Ok(Answer { cpu: answer.cpu, ..Answer::error("timeout") }),
            false => Ok(answer),
        }
    }
}

/// Processor time of this process.
pub fn seconds() -> f64 {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    t.tv_sec as f64 + t.tv_nsec as f64 / 1e9
}

/// The other side: answers pages on standard input until it ends.
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
