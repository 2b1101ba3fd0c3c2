//! The extractor and Chromium agree on what a visitor sees, on small pages with generated styles.
use crate::in_chromium::server::Server;
use crate::in_chromium::{alone, options};
use maintext_browser::BrowserPool;
use maintext_core::{Extractor, Input, Options};
use serde_json::json;
use std::io::Write;

const WORD: &str = "Morwen";

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

const DECLARATIONS: [&str; 38] = [
    "display:none",
    "display:block",
    "display:inline-block",
    "display:flex",
    "visibility:hidden",
    "visibility:visible",
    "visibility:collapse",
    "opacity:0",
    "opacity:.01",
    "opacity:.6",
    "opacity:1",
    "opacity:0%",
    "font-size:0",
    "font-size:1px",
    "font-size:.9em",
    "font-size:20px",
    "font-size:1rem",
    "position:absolute;left:-9999px",
    "position:absolute;top:-3000px",
    "position:fixed;right:120vw",
    "position:relative;left:10px",
    "position:static",
    "position:absolute;clip:rect(0,0,0,0)",
    "clip:rect(1px,1px,1px,1px)",
    "clip-path:inset(50%)",
    "clip-path:none",
    "text-indent:-9999px",
    "text-indent:2em",
    "height:0;overflow:hidden",
    "max-height:0;overflow:hidden",
    "overflow:hidden",
    "overflow:visible",
    "position:absolute;width:1px;height:1px;overflow:hidden",
    "transform:scale(0)",
    "transform:none",
    "content-visibility:hidden",
    "margin-top:2em",
    "line-height:1.5",
];

const SELECTORS: [&str; 14] = [
    "p",
    ".tern",
    "#gull",
    "div.kite > p",
    "div p",
    ".kite",
    ".kite .tern",
    "section",
    "p.tern",
    "p:not(.tern)",
    "[data-k=v]",
    "body .tern",
    "div > .tern",
    ".none p",
];

/// Returns a page with one sentence that its styles may hide, among others that nothing hides.
fn page(seed: u64) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
    let mut rules = String::new();
    for _ in 0..random.below(5) {
        let (selector, declaration) = (random.pick(&SELECTORS), random.pick(&DECLARATIONS));
        let rule = match random.below(8) {
            0 => format!("{selector}{{{} !important}}", declaration.split(';').next().unwrap_or_default()),
            1 => format!("@media print{{{selector}{{{declaration}}}}}"),
            2 => format!("@media (min-width:600px){{{selector}{{{declaration}}}}}"),
            _ => format!("{selector}{{{declaration}}}"),
        };
        rules += &rule;
    }
    let mut style = || match random.below(3) {
        0 => format!(" style='{}'", random.pick(&DECLARATIONS)),
        _ => String::new(),
    };
    let (outer, middle, own) = (style(), style(), style());
    let filler = |n: usize| {
        format!(
            "<h6>Day {n}</h6><blockquote>On day {n} the ferry left the northern port with nets, ropes and eleven passengers on board.</blockquote>"
        )
    };
    let fillers: String = (0..6).map(filler).collect();
    format!(
        "<!DOCTYPE html><style>{rules}</style><body>{fillers}<section{outer}><div class=kite data-k=v{middle}><p class=tern id=gull{own}>{WORD}</p>\
         </div></section>{}",
        filler(7)
    )
}

/// Asks Chromium which of the pages show the word: `checkVisibility`, then the area of its letters that no element cuts off.
const PROBE: &str = r"
const sees = (frame) => {
  const d = frame.contentDocument, p = d.getElementById('gull'), range = d.createRange(), view = frame.contentWindow;
  if (!p.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
  range.selectNodeContents(p);
  let { left, right, top, bottom } = range.getBoundingClientRect(), opacity = 1;
  if (parseFloat(view.getComputedStyle(p).fontSize) < 2) return false;
  for (let e = p; e; e = e.parentElement) {
    const style = view.getComputedStyle(e), box = e.getBoundingClientRect();
    opacity *= style.opacity;
    const clips = style.clipPath.startsWith('inset') || style.clip.startsWith('rect') && /absolute|fixed/.test(style.position);
    if (clips || style.contentVisibility === 'hidden') return false;
    if (style.overflow !== 'visible' && style.display !== 'inline' && e !== d.body && e !== d.documentElement) {
      [left, right, top, bottom] = [Math.max(left, box.left), Math.min(right, box.right), Math.max(top, box.top), Math.min(bottom, box.bottom)];
    }
  }
  return opacity >= 0.05 && right - left >= 2 && bottom - top >= 2 && right + view.scrollX > 0 && bottom + view.scrollY > 0;
};
const frames = pages.map((page) => new Promise((loaded) => {
  const frame = document.createElement('iframe');
  Object.assign(frame, { srcdoc: page, width: 1280, height: 800, onload: () => loaded(frame) });
  document.body.append(frame);
}));
Promise.all(frames).then((frames) => { document.body.textContent = 'seen:' + frames.map((f) => +sees(f)).join('') + ';'; });";

fn agrees(pages: std::ops::Range<u64>) {
    let _alone = alone();
    let pages: Vec<String> = pages.map(page).collect();
    let chunks: Vec<Vec<String>> = pages.chunks(50).map(<[String]>::to_vec).collect();
    let site = Server::start(move |path, stream| {
        let chunk = path.trim_start_matches('/').parse().ok().and_then(|n: usize| chunks.get(n));
        let list = json!(chunk.map_or(&[][..], |c| c)).to_string().replace("</", "<\\/");
        let body = format!("<!DOCTYPE html><body><script>const pages = {list};{PROBE}</script>");
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        let _ = stream.write_all((head + &body).as_bytes());
    });
    let browsers = BrowserPool::new(options()).unwrap();
    let mut extractor = Extractor::new(Options::default()).unwrap();
    let (mut wrong, mut seen_pages) = (Vec::new(), 0);
    for (n, chunk) in pages.chunks(50).enumerate() {
        let html = browsers.load(&site.url(&format!("/{n}"))).unwrap().html;
        let seen =
            html.split_once("seen:").and_then(|(_, rest)| rest.split_once(';')).map(|(digits, _)| digits).unwrap();
        assert_eq!(seen.len(), chunk.len());
        for (page, digit) in chunk.iter().zip(seen.bytes()) {
            let found = extractor.extract(Input { whole: true, ..page.as_str().into() }).unwrap().text().contains(WORD);
            seen_pages += usize::from(found);
            if found != (digit == b'1') {
                let (head, rest) = page.split_once("<h6>").unwrap_or_default();
                let part = rest.split_once("<section").unwrap_or_default().1.split("<h6>").next().unwrap_or_default();
                wrong.push(format!(
                    "Chromium {}, maintext {}: {head} … <section{part}",
                    digit as char,
                    u8::from(found)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} ({seen_pages} seen):\n{}", wrong.len(), pages.len(), wrong.join("\n"));
    assert!((pages.len() / 5..pages.len() * 4 / 5).contains(&seen_pages), "{seen_pages}");
}

mod in_chromium {
    use super::agrees;

    #[test]
    #[ignore = "needs Chromium"]
    fn chromium_and_the_extractor_see_the_same() {
        agrees(0..100);
    }
}

#[test]
#[ignore = "runs by night"]
fn chromium_and_the_extractor_see_the_same_on_many_pages() {
    agrees(100..2100);
}
