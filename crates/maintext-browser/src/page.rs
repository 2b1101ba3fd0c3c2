//! Loads one page: opens a browser context, waits until the network is idle and reads the document with the styles that hide text.
use super::chromium::Browser;
use super::{BOX_ATTRIBUTE, BrowserError, BrowserOptions, MAX_HEIGHT, MAX_SCROLLS, Snapshot};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// Resource types that are not loaded because they do not change the text; the first two only without a screenshot.
const BLOCKED: [&str; 3] = ["Image", "Font", "Media"];
/// Time between two looks for an element.
const LOOK: Duration = Duration::from_millis(100);
/// Time without a request after which scrolling continues.
const PAUSE: Duration = Duration::from_millis(150);

/// Scrolls by one window. Returns whether the page has moved, and its height.
const SCROLL: &str = r"(() => {
  const e = document.scrollingElement || document.documentElement, before = e.scrollTop;
  e.scrollTo({ top: before + innerHeight, behavior: 'instant' });
  return [e.scrollTop > before, e.scrollHeight];
})()";

/// Writes the computed styles that hide text into the elements' own styles and the box of each element into an attribute, then returns the
/// document.
///
/// The extractor decides from these styles, as it does for pages that no browser has loaded (docs/robustness.md). Text of formulas stays:
/// pages often clip the source of a formula that they draw.
const READ: &str = r"(limit, attribute) => {
  const NAMES = /hid|sr-|sronly|screen|visually|none|invisible|offscreen|collapse/i;
  const CLIPS = new Set(['rect(0px, 0px, 0px, 0px)', 'rect(1px, 1px, 1px, 1px)', 'inset(50%)', 'inset(100%)']);
  const TINY_FONT = 2, FAR = -500;
  const marks = [];
  for (const e of document.body ? document.body.querySelectorAll('*') : []) {
    if (e.closest('svg, math, head, script, template')) continue;
    const style = getComputedStyle(e), above = getComputedStyle(e.parentElement), box = e.getBoundingClientRect();
    const mark = (property, value) => marks.push([e, property, value]);
    if (style.display === 'none') {
      mark('display', 'none');
      continue;
    }
    // The extractor knows names that hide, which this page may use otherwise.
    if (e.hidden || NAMES.test(e.className)) mark('display', style.display);
    if (style.visibility !== above.visibility) mark('visibility', style.visibility);
    if (style.contentVisibility === 'hidden') mark('content-visibility', 'hidden');
    if (Number(style.opacity) < 0.05) mark('opacity', style.opacity);
    const [size, inherited] = [style, above].map((s) => parseFloat(s.fontSize));
    if (size !== inherited && Math.min(size, inherited) < TINY_FONT) mark('font-size', style.fontSize);
    if (parseFloat(style.textIndent) < FAR) mark('text-indent', style.textIndent);
    if (/^matrix\(0, 0, 0, 0,/.test(style.transform)) mark('transform', 'scale(0)');
    const painted = [style.backgroundClip, style.webkitBackgroundClip].includes('text');
    if (!painted && /, 0\)$/.test(style.color) && style.color.startsWith('rgba')) mark('color', 'transparent');
    if (e.querySelector('math')) continue;
    if (style.position === 'absolute' || style.position === 'fixed') {
      const left = box.width > 0 && box.right + scrollX < FAR, up = box.height > 0 && box.bottom + scrollY < FAR;
      if (left || up) {
        mark('position', 'absolute');
        mark(left ? 'left' : 'top', '-9999px');
      }
      if (CLIPS.has(style.clip)) {
        mark('position', 'absolute');
        mark('clip', style.clip);
      }
    }
    if (CLIPS.has(style.clipPath)) mark('clip-path', style.clipPath);
    if ((box.width <= 1 || box.height <= 1) && style.overflow !== 'visible' && style.display !== 'inline' && e.innerText) {
      mark(box.width <= 1 ? 'width' : 'height', '0px');
      mark('overflow', 'hidden');
    }
  }
  for (const [e, property, value] of marks) e.style.setProperty(property, value, 'important');
  if (document.documentElement.outerHTML.length > limit) return { large: true };
  const round = (x) => Math.round(x * 10) / 10;
  for (const e of document.querySelectorAll('*')) {
    const r = e.getBoundingClientRect();
    const size = parseFloat(getComputedStyle(e).fontSize) || 0;
    const box = [r.x + scrollX, r.y + scrollY, r.width, r.height, size].map(round);
    e.setAttribute(attribute, box.join(' '));
  }
  const type = document.doctype ? '<!DOCTYPE ' + document.doctype.name + '>' : '';
  return { html: type + document.documentElement.outerHTML, url: location.href };
}";

/// Loads a page in a new browser context and always closes the context.
pub fn load(browser: &mut Browser, options: &BrowserOptions, url: &str) -> Result<Snapshot, BrowserError> {
    browser.forget_events();
    let context = browser.call(None, "Target.createBrowserContext", json!({"disposeOnDetach": true}))?;
    let context = context["browserContextId"].clone();
    let result = in_context(browser, options, url, &context);
    let closed = browser.call(None, "Target.disposeBrowserContext", json!({"browserContextId": context}));
    let rendered = result?;
    closed?;
    Ok(rendered)
}

fn in_context(
    browser: &mut Browser,
    options: &BrowserOptions,
    url: &str,
    context: &Value,
) -> Result<Snapshot, BrowserError> {
    let deny = json!({"behavior": "deny", "browserContextId": context});
    browser.call(None, "Browser.setDownloadBehavior", deny)?;
    let target = json!({"url": "about:blank", "browserContextId": context});
    let target = browser.call(None, "Target.createTarget", target)?;
    let attached = json!({"targetId": target["targetId"], "flatten": true});
    let attached = browser.call(None, "Target.attachToTarget", attached)?;
    let session = attached["sessionId"].as_str().unwrap_or("").to_owned();
    let deadline = Instant::now() + options.timeout;
    let mut load = Load { browser, session, options, url, deadline, seen: SeenEvents::default() };
    load.prepare()?;
    load.navigate()?;
    let waited_in_vain = match &options.wait_for {
        Some(selector) => !load.wait_for(selector)?,
        None => load.wait(options.idle).map(|()| false)?,
    };
    if !options.pause.is_zero() {
        load.note_until((Instant::now() + options.pause).min(load.deadline))?;
    }
    if options.scroll {
        load.scroll()?;
    }
    // Reading changes styles, so the picture comes first.
    let screenshot = if options.screenshot { Some(load.screenshot()?) } else { None };
    load.read().map(|page| Snapshot { waited_in_vain, screenshot, ..page })
}

/// Returns the name of the same browser on a phone: with another system, and with the word by which sites recognise phones.
fn phone(agent: &str) -> String {
    let (start, rest) = agent.split_once('(').unwrap_or((agent, ""));
    let (_, rest) = rest.split_once(')').unwrap_or(("", rest));
    let rest = rest.replace("HeadlessChrome", "Chrome").replace(" Safari/", " Mobile Safari/");
    format!("{start}(Linux; Android 10; K){rest}")
}

struct Load<'a> {
    browser: &'a mut Browser,
    session: String,
    options: &'a BrowserOptions,
    url: &'a str,
    deadline: Instant,
    seen: SeenEvents,
}

/// State collected from the browser's events.
#[derive(Default)]
struct SeenEvents {
    frame: String,
    open: HashSet<String>,
    loaded: bool,
    status: u16,
    kind: String,
    timed_out: bool,
}

impl Load<'_> {
    fn call(&mut self, method: &str, params: Value) -> Result<Value, BrowserError> {
        self.browser.call(Some(&self.session), method, params)
    }

    fn failed(&self, reason: impl Into<String>) -> BrowserError {
        BrowserError::Load { url: self.url.into(), reason: reason.into() }
    }

    fn prepare(&mut self) -> Result<(), BrowserError> {
        self.call("Page.enable", json!({}))?;
        self.call("Network.enable", json!({}))?;
        let patterns: Vec<Value> =
            self.blocked().iter().map(|kind| json!({"urlPattern": "*", "resourceType": kind})).collect();
        self.call("Fetch.enable", json!({"patterns": patterns}))?;
        let (width, height) = self.options.window;
        let mobile = self.options.mobile;
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile});
        self.call("Emulation.setDeviceMetricsOverride", metrics)?;
        if mobile {
            let version = self.browser.call(None, "Browser.getVersion", json!({}))?;
            let agent = phone(version["userAgent"].as_str().unwrap_or(""));
            self.call("Emulation.setUserAgentOverride", json!({"userAgent": agent, "platform": "Android"}))?;
        }
        Ok(())
    }

    fn blocked(&self) -> &'static [&'static str] {
        if self.options.screenshot { &BLOCKED[2..] } else { &BLOCKED }
    }

    fn navigate(&mut self) -> Result<(), BrowserError> {
        // `Page.navigate` may take as long as the page itself to answer, so the events report the progress instead.
        self.browser.send(Some(&self.session), "Page.navigate", json!({"url": self.url})).map(drop)
    }

    /// Waits until the document is loaded and the network is idle for some time, or until the deadline.
    fn wait(&mut self, quiet: Duration) -> Result<(), BrowserError> {
        let mut quiet_since = Instant::now();
        loop {
            let idle = self.seen.loaded && self.seen.open.is_empty();
            let until = if idle { (quiet_since + quiet).min(self.deadline) } else { self.deadline };
            match self.browser.event(until)? {
                Some(event) => {
                    if self.note(&event)? {
                        quiet_since = Instant::now();
                    }
                }
                None if idle && Instant::now() < self.deadline => return Ok(()),
                None => {
                    self.seen.timed_out = true;
                    return self.check_answer();
                }
            }
        }
    }

    /// Checks that the page has answered by the deadline.
    fn check_answer(&self) -> Result<(), BrowserError> {
        if self.seen.status == 0 { Err(self.failed("no answer in time")) } else { Ok(()) }
    }

    /// Waits until an element matches, and a moment for content that appears with it. Returns false after the deadline.
    fn wait_for(&mut self, selector: &str) -> Result<bool, BrowserError> {
        let look = format!("document.querySelector({}) !== null", Value::from(selector));
        loop {
            let until = (Instant::now() + LOOK).min(self.deadline);
            self.note_until(until)?;
            let answer = match self.evaluate(&look) {
                // During a navigation, the page has no document.
                Err(BrowserError::Protocol(_)) => Value::Null,
                other => other?,
            };
            if answer["exceptionDetails"]["exception"]["className"] == "DOMException" {
                return Err(BrowserError::BadSelector(selector.to_owned()));
            }
            if answer["result"]["value"] == true {
                self.note_until((Instant::now() + self.options.idle).min(self.deadline))?;
                return Ok(true);
            }
            let has_failed = self.seen.status != 0 && !(200..300).contains(&self.seen.status);
            if Instant::now() >= self.deadline || has_failed {
                self.seen.timed_out = !has_failed;
                return self.check_answer().map(|()| false);
            }
        }
    }

    fn note_until(&mut self, until: Instant) -> Result<(), BrowserError> {
        while let Some(event) = self.browser.event(until)? {
            self.note(&event)?;
        }
        Ok(())
    }

    /// Scrolls to the end of the page, which may grow, and back.
    fn scroll(&mut self) -> Result<(), BrowserError> {
        let mut last = (true, 0.0);
        for _ in 0..MAX_SCROLLS {
            let answer = self.evaluate(SCROLL)?;
            let value = &answer["result"]["value"];
            let now = (value[0] == true, value[1].as_f64().unwrap_or(0.0));
            // At the end, content that loads there gets as much time as a page.
            self.wait(if now.0 { PAUSE } else { self.options.idle })?;
            if !now.0 && !last.0 && now.1 == last.1 || Instant::now() >= self.deadline {
                break;
            }
            last = now;
        }
        self.evaluate("scrollTo({ top: 0, behavior: 'instant' })").map(drop)
    }

    /// Takes a picture of the whole page, or of the window.
    fn screenshot(&mut self) -> Result<Vec<u8>, BrowserError> {
        let mut ask = json!({"format": "png"});
        if !self.options.window_only {
            let size = self.call("Page.getLayoutMetrics", json!({}))?["cssContentSize"].take();
            ask["captureBeyondViewport"] = true.into();
            ask["clip"] =
                json!({"x": 0, "y": 0, "width": side(&size["width"]), "height": side(&size["height"]), "scale": 1});
        }
        let answer = self.call("Page.captureScreenshot", ask)?;
        let png = answer["data"].as_str().and_then(|data| BASE64_STANDARD.decode(data).ok());
        png.ok_or_else(|| self.failed("no screenshot"))
    }

    /// Evaluates an expression. The timeout stops a script that never ends.
    fn evaluate(&mut self, expression: &str) -> Result<Value, BrowserError> {
        let limit = Duration::from_secs(5).as_millis() as u64;
        self.call("Runtime.evaluate", json!({"expression": expression, "returnByValue": true, "timeout": limit}))
    }

    /// Records an event. Returns whether it is a network event.
    fn note(&mut self, event: &Value) -> Result<bool, BrowserError> {
        if event["sessionId"] != self.session.as_str() {
            return Ok(false);
        }
        let p = &event["params"];
        let id = p["requestId"].as_str().unwrap_or("");
        match event["method"].as_str().unwrap_or("") {
            "Fetch.requestPaused" => {
                let refuse = json!({"requestId": p["requestId"], "errorReason": "BlockedByClient"});
                self.browser.send(Some(&self.session), "Fetch.failRequest", refuse)?;
            }
            "Page.javascriptDialogOpening" => {
                self.browser.send(Some(&self.session), "Page.handleJavaScriptDialog", json!({"accept": false}))?;
            }
            "Page.loadEventFired" => self.seen.loaded = true,
            "Network.requestWillBeSent" => {
                if self.seen.frame.is_empty() {
                    self.seen.frame = p["frameId"].as_str().unwrap_or("").to_owned();
                }
                // These streams stay open as long as the page does.
                if !matches!(p["type"].as_str(), Some("EventSource" | "WebSocket" | "Ping")) {
                    self.seen.open.insert(id.to_owned());
                }
                return Ok(true);
            }
            "Network.responseReceived" if p["type"] == "Document" && p["frameId"] == self.seen.frame.as_str() => {
                self.seen.status = p["response"]["status"].as_u64().unwrap_or(0) as u16;
                self.seen.kind = p["response"]["mimeType"].as_str().unwrap_or("").to_owned();
                return Ok(true);
            }
            "Network.loadingFinished" => {
                self.seen.open.remove(id);
                return Ok(true);
            }
            "Network.loadingFailed" => {
                self.seen.open.remove(id);
                if p["type"] == "Document" && self.seen.status == 0 && p["canceled"] != true {
                    return Err(self.failed(p["errorText"].as_str().unwrap_or("failed")));
                }
                return Ok(true);
            }
            "Inspector.targetCrashed" => return Err(BrowserError::Gone),
            _ => {}
        }
        Ok(false)
    }

    fn read(&mut self) -> Result<Snapshot, BrowserError> {
        if !(200..300).contains(&self.seen.status) {
            return Err(self.failed(format!("HTTP status {}", self.seen.status)));
        }
        if !self.seen.kind.contains("html") && !self.seen.kind.contains("xml") && !self.seen.kind.starts_with("text/") {
            return Err(self.failed(format!("is {}, not a page", self.seen.kind)));
        }
        let answer = self.evaluate(&format!("({READ})({}, '{BOX_ATTRIBUTE}')", self.options.max_size))?;
        let value = &answer["result"]["value"];
        if value["large"] == true {
            return Err(BrowserError::TooLarge { url: self.url.into(), limit: self.options.max_size });
        }
        let Some(html) = value["html"].as_str() else {
            let reason = answer["exceptionDetails"]["text"].as_str().unwrap_or("the document could not be read");
            return Err(self.failed(reason));
        };
        Ok(Snapshot {
            url: value["url"].as_str().unwrap_or(self.url).to_owned(),
            status: self.seen.status,
            html: without_boxes(html),
            html_with_boxes: html.to_owned(),
            timed_out: self.seen.timed_out,
            ..Snapshot::default()
        })
    }
}

/// Returns a side of a picture within the bounds of browsers.
fn side(length: &Value) -> f64 {
    length.as_f64().unwrap_or(0.0).clamp(1.0, f64::from(MAX_HEIGHT))
}

/// Returns the document without the attributes that [`READ`] added.
fn without_boxes(html: &str) -> String {
    let opening = format!(" {BOX_ATTRIBUTE}=\"");
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find(&opening) {
        let value = &rest[at + opening.len()..];
        let length = value.find(|c| !matches!(c, '0'..='9' | '.' | '-' | ' ' | 'e' | '+')).unwrap_or(value.len());
        out.push_str(&rest[..at]);
        rest = match value[length..].strip_prefix('"') {
            Some(behind) => behind,
            // The text of the page contains something similar to the attribute.
            None => {
                out.push_str(&opening);
                value
            }
        };
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_box_attributes_are_removed() {
        let html = "<p data-maintext-box=\"1 -2.5 3 4e-7 16\" class=\"a\">b data-maintext-box=\"x\"</p>";
        assert_eq!(without_boxes(html), "<p class=\"a\">b data-maintext-box=\"x\"</p>");
        assert_eq!(without_boxes(" data-maintext-box=\"1"), " data-maintext-box=\"1");
    }

    #[test]
    fn a_phone_has_its_own_name() {
        let agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36";
        let expected = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36";
        assert_eq!(phone(agent), expected);
    }
}
