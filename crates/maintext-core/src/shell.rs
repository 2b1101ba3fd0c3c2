//! Recognises application shells: pages whose content only scripts write.
use crate::passes::noscript::requests_of_shell;
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Dom, NodeId, Tag};
use maintext_page::lexicon::lexicon;
use maintext_page::signs::PageSigns;
use maintext_page::warnings::{Warning, WarningCode};

/// Number of bytes of scripts from which a page with hardly any text counts as a shell.
const MIN_SCRIPT_BYTES: usize = 10_000;
/// Number of bytes that an external script counts as.
const EXTERNAL_SCRIPT_BYTES: usize = 10_000;
/// Maximum number of words inside an empty mount point: "Loading, please wait".
const MAX_MOUNT_WORDS: u32 = 6;

/// Returns the warnings of a page that is listed or classified without extraction: limits reached while parsing, no text, content that only
/// scripts write.
pub fn page_warnings(dom: &Dom, blocks: &Blocks) -> Vec<Warning> {
    let limits = dom.truncated().into_iter().map(Warning::limit_reached);
    limits.chain(blocks.is_empty().then(|| no_content(blocks))).chain(needs_rendering(dom, blocks)).collect()
}

pub(crate) fn no_content(blocks: &Blocks) -> Warning {
    let message = if blocks.is_empty() { "the page has no text" } else { "no main content was found" };
    Warning::new(WarningCode::NoContent, message)
}

/// Returns the warning for the shell of an application: a page with hardly any text apart from a request to enable scripts, and with such a
/// request, an empty mount point and a script, or long scripts.
pub(crate) fn needs_rendering(dom: &Dom, blocks: &Blocks) -> Option<Warning> {
    let notices = requests_of_shell(blocks)?;
    let scripts = PageScripts::of(dom, blocks.signs(dom));
    let is_shell = !notices.is_empty()
        || scripts.bytes > MIN_SCRIPT_BYTES
        || scripts.runs && has_empty_mount(dom, blocks, &notices);
    let message = "the page is a shell that scripts fill: its content appears only after rendering";
    is_shell.then(|| Warning::new(WarningCode::NeedsRendering, message))
}

/// The scripts of a page.
#[derive(Default)]
struct PageScripts {
    /// Their bytes, with a fixed number for each external one.
    bytes: usize,
    /// Whether one of them is a program, or its state.
    runs: bool,
}

impl PageScripts {
    fn of(dom: &Dom, signs: &PageSigns) -> PageScripts {
        let mut all = PageScripts::default();
        for n in signs.scripts(dom) {
            let kind = dom.attr(n, "type").unwrap_or("").trim().to_ascii_lowercase();
            let runs =
                kind.is_empty() || kind == "module" || kind.contains("javascript") || kind.contains("ecmascript");
            // The state of an application, which a program reads.
            let runs = runs || kind == "application/json" && dom.attr(n, "src").is_none();
            let bytes = match dom.attr(n, "src") {
                Some(_) if runs => EXTERNAL_SCRIPT_BYTES,
                // Linked data, which no program reads.
                Some(_) => 0,
                None => dom.first_child(n).map_or(0, |t| dom.text(t).trim().len()),
            };
            all.bytes += bytes;
            all.runs |= runs && bytes > 0;
        }
        all
    }
}

/// Whether the page has an element that scripts fill, and that holds at most a picture and a short loading message.
fn has_empty_mount(dom: &Dom, blocks: &Blocks, notices: &[usize]) -> bool {
    // Sums over the elements and the blocks before each: mount points may be nested.
    let held = running_sums(blocks.elements.iter().map(|e| is_content(e.tag) as u32));
    let pictures = running_sums(blocks.elements.iter().map(|e| (e.tag == Tag::IMG) as u32));
    let mut own: Vec<u32> = blocks.blocks.iter().map(|b| b.words).collect();
    notices.iter().for_each(|&b| own[b] = 0);
    let words = running_sums(own.into_iter());
    (0..blocks.elements.len()).any(|i| {
        let e = &blocks.elements[i];
        let end = i + 1 + e.descendants as usize;
        is_mount(dom, e.node, e.tag)
            && words[e.blocks.end as usize] - words[e.blocks.start as usize] <= MAX_MOUNT_WORDS
            && pictures[end] - pictures[i] <= 1
            && held[end] == held[i]
    })
}

fn is_content(tag: Tag) -> bool {
    matches!(tag, Tag::A | Tag::INPUT | Tag::FORM | Tag::IFRAME | Tag::VIDEO | Tag::OBJECT | Tag::EMBED)
}

fn running_sums(counts: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut sums = vec![0];
    counts.for_each(|n| sums.push(sums[sums.len() - 1] + n));
    sums
}

/// Whether an element is made for scripts to fill.
fn is_mount(dom: &Dom, n: NodeId, tag: Tag) -> bool {
    /// Words of the ids that frameworks and their guides give to the element.
    const NAMES: &[&str] = lexicon!("mount-points.txt");
    /// Words of custom elements that are a small part of a page.
    const PARTS: [&str; 16] = [
        "ad", "ads", "banner", "button", "chat", "consent", "cookie", "dialog", "footer", "header", "icon", "menu",
        "modal", "nav", "search", "share",
    ];
    match tag {
        Tag::MAIN => true,
        Tag::DIV | Tag::SECTION | Tag::BODY => {
            dom.attr(n, "id").is_some_and(|id| has_word_among(id, NAMES))
                || ["ng-app", "data-reactroot", "data-v-app", "ng-view", "ui-view"]
                    .iter()
                    .any(|a| dom.attr(n, a).is_some())
        }
        Tag::OTHER => {
            let name = dom.tag_name(n);
            // All names of custom elements have a hyphen.
            name.contains('-') && !has_word_among(name, &PARTS)
        }
        _ => false,
    }
}

fn has_word_among(name: &str, known: &[&str]) -> bool {
    name.to_ascii_lowercase().split(|c: char| !c.is_alphanumeric()).any(|w| known.contains(&w))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_shell(body: &str) -> bool {
        let html = format!("<html><head><title>App</title></head><body>{body}</body></html>");
        let dom = maintext_page::dom::parse(&html, &Default::default());
        needs_rendering(&dom, &Blocks::new(&dom)).is_some()
    }

    #[test]
    fn an_empty_mount_point_with_a_script_is_a_shell() {
        for mount in [
            "<div id=\"root\"></div>",
            "<div id=app></div>",
            "<div id=__next></div>",
            "<div id=__nuxt><div class=spinner>Loading…</div></div>",
            "<div id='q-app'></div>",
            "<div id=___gatsby><img src=spinner.gif alt=''></div>",
            "<app-root></app-root>",
            "<my-app></my-app>",
            "<header>Our shop</header><main></main><footer>© The shop</footer>",
            "<div id=root><noscript>You need to enable JavaScript to run this app.</noscript></div>",
        ] {
            assert!(is_shell(&format!("{mount}<script src=\"/app.js\"></script>")), "{mount}");
            assert!(is_shell(&format!("<script type=module src=/app.js></script>{mount}")), "{mount}");
            assert!(is_shell(&format!("{mount}<script type=application/json>{{\"a\":1}}</script>")), "{mount}");
            assert!(
                !is_shell(&mount.replace("<noscript>You need to enable JavaScript to run this app.</noscript>", "")),
                "{mount}"
            );
        }
    }

    #[test]
    fn a_request_for_scripts_alone_is_a_shell() {
        for text in [
            "You need to enable JavaScript to run this app.",
            "Please enable JavaScript and cookies to continue",
            "Bitte aktivieren Sie JavaScript, um diese Seite zu sehen.",
            "Veuillez activer JavaScript pour continuer.",
            "Necesitas habilitar JavaScript para ver esta página.",
            "Для работы сайта включите JavaScript.",
            "您需要启用 JavaScript 才能运行此应用。",
            "このアプリを実行するにはJavaScriptを有効にしてください。",
            "이 앱을 실행하려면 자바스크립트를 활성화해야 합니다.",
            "Per favore abilita JavaScript.",
            "Włącz obsługę JavaScript w przeglądarce.",
            "Ative o JavaScript para usar este site.",
            "Schakel JavaScript in om deze pagina te bekijken.",
            "Bu uygulamayı çalıştırmak için JavaScript'i etkinleştirin.",
            "يرجى تفعيل جافا سكريبت لعرض هذه الصفحة.",
        ] {
            assert!(is_shell(&format!("<noscript>{text}</noscript>")), "{text}");
            assert!(is_shell(&format!("<h1>{text}</h1>")), "{text}");
        }
    }

    #[test]
    fn pages_with_content_are_no_shells() {
        let script = "<script src=/app.js></script>";
        let words = "The ferry leaves at nine, and comes back in the evening, except on Sundays. ".repeat(5);
        let notice = "<noscript>Please enable JavaScript.</noscript>";
        assert!(!is_shell(&format!("<article><p>{words}</p></article><div id=app></div>{notice}{script}")));
        // A short page is not a shell if its words are where an application would be, or if nothing is empty.
        assert!(!is_shell(&format!(
            "<div id=app><p>We are open from nine to five, and closed on Sundays.</p></div>{script}"
        )));
        assert!(!is_shell(&format!(
            "<p>We are open from nine to five.</p><div id=ad></div><cookie-banner></cookie-banner>{script}"
        )));
        assert!(!is_shell(&format!("<main><a href=/de>Deutsch</a> <a href=/en>English</a></main>{script}")));
        assert!(!is_shell("<div id=app></div><script type=application/ld+json src=/data.json></script>"));
        assert!(!is_shell("<p>JavaScript is older than this page.</p>"));
    }
}
