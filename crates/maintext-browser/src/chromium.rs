//! A headless Chromium as a child process, controlled over a pipe by the DevTools protocol.
//!
//! A pipe is safer than a WebSocket: it opens no port that others on the machine could use, and a browser exits when its pipe closes,
//! so it never outlives a crashed parent. Each message is a JSON text followed by a zero byte.
//! <https://chromedevtools.github.io/devtools-protocol/>
use super::BrowserError;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Flags for every browser: no telemetry, no prompts, no background updates.
const FLAGS: &[&str] = &[
    "--headless=new",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-features=Translate,MediaRouter,OptimizationHints,IsolateSandboxedIframes",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--metrics-recording-only",
    "--mute-audio",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pings",
    "--password-store=basic",
    "--use-mock-keychain",
];

/// Longest wait for the answer to a command. The first answer may take long on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running browser with its own profile. Dropping it ends the process and deletes the profile.
pub struct Browser {
    child: Child,
    to: Option<ChildStdin>,
    from: Receiver<Value>,
    /// Events received while waiting for an answer.
    events: VecDeque<Value>,
    next_id: u64,
    profile: PathBuf,
}

impl Browser {
    /// Starts a browser with the common flags and `flags`.
    ///
    /// # Errors
    /// The browser does not start or does not answer.
    pub fn start(program: &Path, flags: &[String]) -> Result<Browser, BrowserError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let profile = std::env::temp_dir().join(format!("maintext-browser-{}-{number}", std::process::id()));
        let failed = |e: std::io::Error| BrowserError::Start(format!("{}: {e}", program.display()));
        fs::create_dir_all(&profile).map_err(failed)?;
        // The browser reads commands from descriptor 3 and writes answers to 4; the shell maps its standard input and output to them.
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null"])
            .arg(program)
            .args(FLAGS)
            .args(flags);
        command.arg(format!("--user-data-dir={}", profile.display()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(failed)?;
        let to = child.stdin.take();
        let stdout = child.stdout.take().ok_or_else(|| BrowserError::Start("no pipe".into()))?;
        let (sender, from) = channel();
        std::thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            let mut message = Vec::new();
            while reader.read_until(0, &mut message).is_ok_and(|n| n > 0) {
                message.pop();
                let parsed = serde_json::from_slice(&message);
                message.clear();
                if parsed.is_ok_and(|value| sender.send(value).is_err()) {
                    return;
                }
            }
        });
        let mut browser = Browser { child, to, from, events: VecDeque::new(), next_id: 0, profile };
        browser.call(None, "Browser.getVersion", json!({}))?;
        Ok(browser)
    }

    /// Sends a command without waiting for its answer.
    ///
    /// # Errors
    /// The browser has exited.
    pub fn send(&mut self, session: Option<&str>, method: &str, params: Value) -> Result<u64, BrowserError> {
        self.next_id += 1;
        let mut message = json!({"id": self.next_id, "method": method, "params": params});
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        let to = self.to.as_mut().ok_or(BrowserError::Gone)?;
        to.write_all(&bytes).map_err(|_| BrowserError::Gone)?;
        Ok(self.next_id)
    }

    /// Sends a command and waits for its answer. Events that arrive first are kept for [`Browser::event`].
    ///
    /// # Errors
    /// The browser has exited, does not answer, or reports that the command failed.
    pub fn call(&mut self, session: Option<&str>, method: &str, params: Value) -> Result<Value, BrowserError> {
        let id = self.send(session, method, params)?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mut message =
                self.receive(deadline)?.ok_or_else(|| BrowserError::Protocol(format!("no answer to {method}")))?;
            if message["id"] == id {
                return match message.get("error") {
                    Some(error) => Err(BrowserError::Protocol(format!("{method}: {}", error["message"]))),
                    None => Ok(message["result"].take()),
                };
            }
            if message.get("method").is_some() {
                self.events.push_back(message);
            }
        }
    }

    /// Returns the next event, or `None` if the deadline passes first.
    ///
    /// # Errors
    /// The browser has exited.
    pub fn event(&mut self, deadline: Instant) -> Result<Option<Value>, BrowserError> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Ok(Some(event));
            }
            match self.receive(deadline)? {
                Some(message) if message.get("method").is_some() => return Ok(Some(message)),
                Some(_) => {}
                None => return Ok(None),
            }
        }
    }

    /// Discards pending events.
    pub fn forget_events(&mut self) {
        self.events.clear();
    }

    fn receive(&mut self, deadline: Instant) -> Result<Option<Value>, BrowserError> {
        match self.from.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(message) => Ok(Some(message)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(BrowserError::Gone),
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Chromium ends all its processes when asked. If it has not exited after two seconds, its process group is killed.
        let _ = self.send(None, "Browser.close", json!({}));
        self.to = None;
        let deadline = Instant::now() + Duration::from_secs(2);
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
        #[cfg(unix)]
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        // Killed processes may still be writing to the profile for a moment.
        for _ in 0..20 {
            if fs::remove_dir_all(&self.profile).is_ok() || !self.profile.exists() {
                break;
            }
            std::thread::sleep(Duration::from_millis(25));
        }
    }
}
