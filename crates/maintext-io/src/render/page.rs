//! Loading one page: a context of its own, until the network is idle, then the document without what is invisible.
use super::browser::Browser;
use super::{ElementBox, RenderError, RenderOptions, Rendered, earlier};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// What is not loaded: it does not change the text.
const BLOCKED: [&str; 3] = ["Image", "Font", "Media"];

/// Takes invisible elements out, then gives the document and a box for each of its elements.
const READ: &str = r"(limit) => {
  const keep = new Set(['HTML', 'HEAD', 'BODY', 'BR', 'WBR', 'NOSCRIPT']);
  const invisible = [];
  for (const e of document.body ? document.body.querySelectorAll('*') : []) {
    if (keep.has(e.tagName) || e.tagName === 'SCRIPT' || e.tagName === 'TEMPLATE' || e.closest('svg, math')) continue;
    const style = getComputedStyle(e);
    if (style.display === 'none') invisible.push(e);
    else if (style.visibility !== 'visible' && ![...e.querySelectorAll('*')].some((x) => getComputedStyle(x).visibility === 'visible')) invisible.push(e);
  }
  for (const e of invisible) e.remove();
  const round = (x) => Math.round(x * 10) / 10;
  const boxes = [];
  for (const e of document.querySelectorAll('*')) {
    const r = e.getBoundingClientRect();
    boxes.push(round(r.x + scrollX), round(r.y + scrollY), round(r.width), round(r.height), round(parseFloat(getComputedStyle(e).fontSize) || 0));
  }
  const type = document.doctype ? '<!DOCTYPE ' + document.doctype.name + '>' : '';
  const html = type + document.documentElement.outerHTML;
  return html.length > limit ? { large: true } : { html, boxes, url: location.href };
}";

/// Renders a page in a context of its own, which is closed whatever happens.
pub fn render(browser: &mut Browser, options: &RenderOptions, url: &str) -> Result<Rendered, RenderError> {
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
    options: &RenderOptions,
    url: &str,
    context: &Value,
) -> Result<Rendered, RenderError> {
    let deny = json!({"behavior": "deny", "browserContextId": context});
    browser.call(None, "Browser.setDownloadBehavior", deny)?;
    let target = json!({"url": "about:blank", "browserContextId": context});
    let target = browser.call(None, "Target.createTarget", target)?;
    let attached = json!({"targetId": target["targetId"], "flatten": true});
    let attached = browser.call(None, "Target.attachToTarget", attached)?;
    let session = attached["sessionId"].as_str().unwrap_or("").to_owned();
    let mut load =
        Load { browser, session, options, deadline: Instant::now() + options.timeout, seen: Seen::default() };
    load.prepare()?;
    load.navigate(url)?;
    load.wait(url)?;
    load.read(url)
}

struct Load<'a> {
    browser: &'a mut Browser,
    session: String,
    options: &'a RenderOptions,
    deadline: Instant,
    seen: Seen,
}

/// What the events have said.
#[derive(Default)]
struct Seen {
    frame: String,
    open: HashSet<String>,
    loaded: bool,
    status: u16,
    kind: String,
    timed_out: bool,
}

impl Load<'_> {
    fn call(&mut self, method: &str, params: Value) -> Result<Value, RenderError> {
        self.browser.call(Some(&self.session), method, params)
    }

    fn prepare(&mut self) -> Result<(), RenderError> {
        self.call("Page.enable", json!({}))?;
        self.call("Network.enable", json!({}))?;
        let patterns: Vec<Value> =
            BLOCKED.iter().map(|kind| json!({"urlPattern": "*", "resourceType": kind})).collect();
        self.call("Fetch.enable", json!({"patterns": patterns}))?;
        let (width, height) = self.options.window;
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", metrics).map(drop)
    }

    fn navigate(&mut self, url: &str) -> Result<(), RenderError> {
        // The answer comes with the page's own, which may take long: the events tell the rest.
        self.browser.send(Some(&self.session), "Page.navigate", json!({"url": url})).map(drop)
    }

    /// Waits until the document is loaded and the network idle, or the time is up.
    fn wait(&mut self, url: &str) -> Result<(), RenderError> {
        let mut quiet_since = Instant::now();
        loop {
            let idle = self.seen.loaded && self.seen.open.is_empty();
            let until = if idle { earlier(quiet_since + self.options.idle, self.deadline) } else { self.deadline };
            match self.browser.event(until)? {
                Some(event) => {
                    if self.note(&event, url)? {
                        quiet_since = Instant::now();
                    }
                }
                None if idle && Instant::now() < self.deadline => return Ok(()),
                None => {
                    self.seen.timed_out = true;
                    return match self.seen.status {
                        0 => Err(RenderError::Load { url: url.into(), reason: "no answer in time".into() }),
                        _ => Ok(()),
                    };
                }
            }
        }
    }

    /// Takes note of an event; whether it is one of the network.
    fn note(&mut self, event: &Value, url: &str) -> Result<bool, RenderError> {
        if event["sessionId"] != self.session.as_str() {
            return Ok(false);
        }
        let p = &event["params"];
        let id = || p["requestId"].as_str().unwrap_or("").to_owned();
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
                // Streams stay open as long as the page does.
                if !matches!(p["type"].as_str(), Some("EventSource" | "WebSocket" | "Ping")) {
                    self.seen.open.insert(id());
                }
                return Ok(true);
            }
            "Network.responseReceived" if p["type"] == "Document" && p["frameId"] == self.seen.frame.as_str() => {
                self.seen.status = p["response"]["status"].as_u64().unwrap_or(0) as u16;
                self.seen.kind = p["response"]["mimeType"].as_str().unwrap_or("").to_owned();
                return Ok(true);
            }
            "Network.loadingFinished" => {
                self.seen.open.remove(&id());
                return Ok(true);
            }
            "Network.loadingFailed" => {
                self.seen.open.remove(&id());
                if p["type"] == "Document" && self.seen.status == 0 && p["canceled"] != true {
                    let reason = p["errorText"].as_str().unwrap_or("failed").to_owned();
                    return Err(RenderError::Load { url: url.into(), reason });
                }
                return Ok(true);
            }
            "Inspector.targetCrashed" => return Err(RenderError::Gone),
            _ => {}
        }
        Ok(false)
    }

    fn read(&mut self, url: &str) -> Result<Rendered, RenderError> {
        let failed = |reason: String| RenderError::Load { url: url.into(), reason };
        if !(200..300).contains(&self.seen.status) {
            return Err(failed(format!("HTTP status {}", self.seen.status)));
        }
        if !self.seen.kind.contains("html") && !self.seen.kind.contains("xml") && !self.seen.kind.starts_with("text/") {
            return Err(failed(format!("is {}, not a page", self.seen.kind)));
        }
        // A script that never ends is stopped, so that the document can be read.
        let limit = Duration::from_secs(5).as_millis() as u64;
        let expression = format!("({READ})({})", self.options.max_size);
        let ask = json!({"expression": expression, "returnByValue": true, "timeout": limit});
        let answer = self.call("Runtime.evaluate", ask)?;
        let value = &answer["result"]["value"];
        if value["large"] == true {
            return Err(RenderError::TooLarge { url: url.into(), limit: self.options.max_size });
        }
        let Some(html) = value["html"].as_str() else {
            let reason = answer["exceptionDetails"]["text"].as_str().unwrap_or("the document could not be read");
            return Err(failed(reason.to_owned()));
        };
        let numbers: Vec<f32> =
            value["boxes"].as_array().into_iter().flatten().map(|n| n.as_f64().unwrap_or(0.0) as f32).collect();
        let boxed = |n: &[f32]| ElementBox { x: n[0], y: n[1], width: n[2], height: n[3], font_size: n[4] };
        Ok(Rendered {
            url: value["url"].as_str().unwrap_or(url).to_owned(),
            status: self.seen.status,
            html: html.to_owned(),
            boxes: numbers.chunks_exact(5).map(boxed).collect(),
            timed_out: self.seen.timed_out,
        })
    }
}
