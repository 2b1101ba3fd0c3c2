//! A tab of a real browser, driven with mouse and keyboard.
#![allow(dead_code)]
use base64::Engine as _;
use maintext_browser::{Browser, find_browser};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

pub struct Tab {
    browser: Browser,
    session: String,
}

/// Opens a browser tab.
pub fn open(width: u32, height: u32, dark: bool) -> Tab {
    let program = find_browser(None).expect("Chromium is installed");
    let mut browser = Browser::start(&program, &["--no-sandbox".to_owned()]).unwrap();
    let target = browser.call(None, "Target.createTarget", json!({"url": "about:blank"})).unwrap();
    let attach = json!({"targetId": target["targetId"], "flatten": true});
    let attached = browser.call(None, "Target.attachToTarget", attach).unwrap();
    let session = attached["sessionId"].as_str().unwrap().to_owned();
    let mut tab = Tab { browser, session };
    let mobile = width < 600;
    tab.call(
        "Emulation.setDeviceMetricsOverride",
        json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}),
    );
    let scheme = if dark { "dark" } else { "light" };
    tab.call("Emulation.setEmulatedMedia", json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]}));
    tab.call("Page.enable", json!({}));
    tab.call("Network.enable", json!({}));
    tab
}

impl Tab {
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.browser.call(Some(&self.session), method, params).unwrap()
    }

    pub fn go(&mut self, url: &str) {
        self.call("Page.navigate", json!({"url": url}));
        self.wait("document.readyState === 'complete'");
    }

    pub fn eval(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", params);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Evaluates in the frame that shows the page.
    pub fn eval_in_frame(&mut self, expression: &str) -> Value {
        self.eval_in("frame.html", expression)
    }

    /// Evaluates in the frame of the article.
    pub fn eval_in_article(&mut self, expression: &str) -> Value {
        self.eval_in("article.html", expression)
    }

    fn eval_in(&mut self, file: &str, expression: &str) -> Value {
        let tree = self.call("Page.getFrameTree", json!({}));
        let frames = tree["frameTree"]["childFrames"].as_array().unwrap();
        let loaded = |f: &&Value| f["frame"]["url"].as_str().is_some_and(|url| url.ends_with(file));
        let frame = frames.iter().find(loaded).unwrap()["frame"]["id"].clone();
        let world = self.call("Page.createIsolatedWorld", json!({"frameId": frame}));
        let params = json!({"expression": expression, "returnByValue": true, "contextId": world["executionContextId"]});
        let answer = self.call("Runtime.evaluate", params);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    #[track_caller]
    pub fn wait(&mut self, expression: &str) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while self.eval(&format!("Boolean({expression})")) != true {
            if Instant::now() > deadline {
                // While a page loads it has no body.
                let page = self.eval("document.body ? document.body.innerText.slice(0, 600) : ''");
                panic!("timed out: {expression}\n{page}");
            }
            std::thread::sleep(Duration::from_millis(40));
        }
    }

    #[track_caller]
    pub fn wait_in_frame(&mut self, expression: &str) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while self.eval_in_frame(&format!("Boolean({expression})")) != true {
            assert!(Instant::now() < deadline, "timed out in the frame: {expression}");
            std::thread::sleep(Duration::from_millis(40));
        }
    }

    #[track_caller]
    pub fn wait_in_article(&mut self, expression: &str) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while self.eval_in_article(&format!("Boolean({expression})")) != true {
            assert!(Instant::now() < deadline, "timed out in the article: {expression}");
            std::thread::sleep(Duration::from_millis(40));
        }
    }

    /// Clicks with the mouse on the first element that matches a selector.
    pub fn click(&mut self, selector: &str) {
        let at = self.eval(&format!(
            "(() => {{ const e = document.querySelector({selector:?}); e.scrollIntoView({{block: 'center'}}); \
             const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        ));
        self.click_at(at[0].as_f64().unwrap(), at[1].as_f64().unwrap());
    }

    /// Clicks with the mouse on a block of the page in the frame.
    pub fn click_block(&mut self, block: u64) {
        self.eval("document.querySelector('iframe.frame').scrollIntoView({block: 'center'})");
        let inner = self.eval_in_frame(&format!(
            "(() => {{ const e = document.querySelector('[data-block=\"{block}\"]'); e.scrollIntoView({{block: 'center'}}); \
             const r = e.getClientRects()[0]; return [r.x + Math.min(20, r.width / 2), r.y + r.height / 2]; }})()"
        ));
        let outer = self.eval(
            "(() => { const r = document.querySelector('iframe.frame').getBoundingClientRect(); return [r.x, r.y]; })()",
        );
        let sum = |i: usize| inner[i].as_f64().unwrap() + outer[i].as_f64().unwrap();
        self.click_at(sum(0), sum(1));
    }

    fn click_at(&mut self, x: f64, y: f64) {
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    pub fn type_text(&mut self, text: &str) {
        self.call("Input.insertText", json!({"text": text}));
    }

    pub fn key(&mut self, key: &str) {
        let mut event = json!({"type": "keyDown", "key": key});
        if key == "Enter" {
            event["text"] = "\r".into();
            event["windowsVirtualKeyCode"] = 13.into();
        }
        if key == "ArrowDown" {
            event["windowsVirtualKeyCode"] = 40.into();
        }
        self.call("Input.dispatchKeyEvent", event);
        self.call("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": key}));
    }

    /// Saves a screenshot to the folder `$MAINTEXT_SCREENSHOTS`, if it is set.
    pub fn picture(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("MAINTEXT_SCREENSHOTS") else { return };
        let shot = self.call("Page.captureScreenshot", json!({"format": "png"}));
        let bytes = base64::engine::general_purpose::STANDARD.decode(shot["data"].as_str().unwrap()).unwrap();
        std::fs::write(std::path::Path::new(&folder).join(name), bytes).unwrap();
    }
}
