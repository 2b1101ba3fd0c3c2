//! Answers from one page.
use super::arguments::{Arguments, CheckedCall, EarlierSide};
use crate::answers::cut::shortened;
use crate::answers::words::{HeadValue, Own};
use crate::answers::{AnswerBody, CallAnswer, Head};
use crate::api::listed;
use crate::app::{App, Source, host_of};
use crate::ask::Choices;
use crate::find as search;
use crate::problem::Problem;
use maintext_chunks::{ChangeKind, Finder, Reading};
use maintext_core::list::without_tracking;
use maintext_core::{Page, WarningCode};
use serde_json::{Value, json};
use std::sync::Arc;

/// Below this confidence, the agent hears of it.
const DOUBTFUL: f32 = 0.5;

/// Least number of words of a passage in a small answer.
const LEAST_WORDS: usize = 20;

/// The kinds of pages, as the classifier names them.
const PAGE_TYPES: [&str; 7] = ["article", "collection", "documentation", "forum", "listing", "product", "service"];

/// Adds a value of a site, if there is one.
fn say(head: &mut Head, name: &'static str, value: Option<String>) {
    head.extend(value.map(|value| (name, HeadValue::Site(value))));
}

/// `extract`: the content, below title, author, date and warnings.
pub fn extract(app: &App, choices: &Choices, _: &Arguments, source: &Source) -> Result<CallAnswer, Problem> {
    let mut page = app.extract(&choices.with(|o| o.page_type = true), source)?;
    let content = [page.markdown.take(), page.text.take(), page.html.take()].into_iter().flatten().next();
    let content = content.unwrap_or_default();
    let mut head = facts(&page, source.url.as_deref());
    let is_empty = page.warnings.iter().any(|w| w.code == WarningCode::NoContent);
    if is_empty || content.trim().is_empty() {
        // Warnings about parts of an empty page do not help.
        head.push(("hint", why_empty(app, &page).into()));
    } else {
        hints(&mut head, &page);
    }
    Ok(CallAnswer { head, body: AnswerBody::Text(content) })
}

/// Returns the facts about a page.
fn facts(page: &Page, asked: Option<&str>) -> Head {
    let m = &page.metadata;
    let mut head = Vec::new();
    // A page that declares the address of another site is cited by the one that was read.
    let own = m.url.as_deref().filter(|own| asked.is_none_or(|asked| host_of(asked) == host_of(own)));
    let url = own.or(asked).map(str::to_owned);
    for (name, value) in [("title", &m.title), ("author", &m.author), ("date", &m.date), ("url", &url)] {
        say(&mut head, name, value.clone());
    }
    head.extend(page.barrier.map(|barrier| ("barrier", barrier.as_str().into())));
    for url in page.elsewhere.iter().take(2) {
        say(&mut head, "content_at", Some(url.clone()));
    }
    say(&mut head, "next_part", page.parts.next.as_ref().map(|next| next.url.clone()));
    head
}

/// Adds warnings, and hints to better calls. The text of a warning may repeat words of the page.
fn hints(head: &mut Head, page: &Page) {
    let mut codes: Option<Own> = None;
    for warning in &page.warnings {
        let code = Own::text(warning.code.as_str());
        codes = Some(codes.map_or(code.clone(), |codes| codes.then(", ").and(code)));
        say(head, "warning", Some(warning.message.clone()));
    }
    head.extend(codes.map(|codes| ("warnings", codes.into())));
    if matches!(page.page_type.as_deref(), Some("listing" | "collection")) && page.entries.len() > 2 {
        let hint = Own::text("a list page with ").and(Own::count(page.entries.len()));
        head.push(("hint", hint.then(" entries; the tool list returns them").into()));
    } else if let Some(confidence) = page.confidence.filter(|c| *c < DOUBTFUL) {
        let hint =
            Own::text("the choice of the content is doubtful; try favor=recall or content_selector (confidence ");
        head.push(("hint", hint.and(Own::decimal(confidence.into())).then(")").into()));
    }
}

/// Returns why a page has no content.
fn why_empty(app: &App, page: &Page) -> Own {
    Own::text(match (page.barrier, page.needs_rendering()) {
        (Some(_), _) => "nothing to read: the page shows the barrier instead of its content; use another source",
        (None, true) if app.can_render() => "nothing to read: scripts make the text; call again with render=always",
        (None, true) => "nothing to read: scripts make the text, and this server has no browser; use another source",
        (None, false) => "nothing to read: the page has no main content; use another source",
    })
}

/// `list`: the entries of one group.
pub fn list(app: &App, choices: &Choices, wanted: &Arguments, source: &Source) -> Result<CallAnswer, Problem> {
    let asked = source.url.clone();
    let found = listed(app, choices, source)?;
    let groups: Vec<&Vec<Value>> =
        found["groups"].as_array().into_iter().flatten().filter_map(|g| g["entries"].as_array()).collect();
    let group = wanted.group.unwrap_or(1);
    let entries = match group {
        1 => found["entries"].as_array(),
        n => groups.get(n - 1).copied(),
    };
    let Some(entries) = entries else {
        let count = Own::counted(groups.len(), " group", " groups");
        return Err(Problem::bad_request(format!("group: the page has only {}", count.as_str())));
    };
    let mut head = Vec::new();
    say(&mut head, "title", text_of(&found["title"]));
    say(&mut head, "url", text_of(&found["url"]).or(asked));
    let kind = found["page_type"].as_str().unwrap_or("");
    head.extend(Own::one_of(kind, &PAGE_TYPES).map(|kind| ("page_type", kind.into())));
    head.push(("entries", Own::count(entries.len()).into()));
    if groups.len() > 1 {
        let others = groups.iter().enumerate().filter(|(i, _)| i + 1 != group).take(4).map(|(i, entries)| {
            let first = entries.first().and_then(|e| e["title"].as_str()).unwrap_or("");
            format!("{} ({} entries: {}, ...)", i + 1, entries.len(), shortened(first, 40))
        });
        say(&mut head, "other_groups", Some(others.collect::<Vec<_>>().join(", ")));
    }
    say(&mut head, "next_page", text_of(&found["pagination"]["next"]["url"]));
    say(&mut head, "previous_page", text_of(&found["pagination"]["previous"]["url"]));
    for warning in found["warnings"].as_array().into_iter().flatten() {
        say(&mut head, "warning", text_of(&warning["message"]));
    }
    if entries.is_empty() {
        head.push(("hint", "no entries found; extract with links=true keeps the addresses in the text".into()));
    } else if kind == "article" {
        let hint = "this is an article, not a list: these are the links around its text; extract returns the text";
        head.push(("hint", hint.into()));
    }
    let items = entries.iter().map(|entry| {
        let url = squeezed(entry, "url").map(|url| without_tracking(&url));
        let date = squeezed(entry, "date").map(|d| d.chars().take(10).collect::<String>());
        let title = squeezed(entry, "title").unwrap_or_default();
        let (author, price) = (squeezed(entry, "author"), squeezed(entry, "price"));
        let summary = if wanted.summaries { squeezed(entry, "summary") } else { None };
        let mut line = format!("- {}", shortened(&title, 300));
        for more in [&date, &price, &url].into_iter().flatten() {
            line += &format!(" | {more}");
        }
        if let Some(summary) = &summary {
            line += &format!("\n  {}", shortened(summary, 400));
        }
        let mut value = json!({"title": title, "url": url});
        for (name, more) in [("date", date), ("author", author), ("price", price), ("summary", summary)] {
            if let Some(more) = more {
                value[name] = more.into();
            }
        }
        (line, value)
    });
    Ok(CallAnswer::of_items(head, "entries", items))
}

fn text_of(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn squeezed(entry: &Value, key: &str) -> Option<String> {
    entry[key].as_str().map(|t| t.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// `find`: the passages that answer a question.
pub async fn find(app: &Arc<App>, call: CheckedCall) -> Result<CallAnswer, Problem> {
    // Passages that fit the answer hold the sentence that matches, which the beginning of a longer one may lack. A word has some six
    // characters, and the head and a link take the rest.
    let size = (call.max_chars.saturating_sub(300) / 8).clamp(LEAST_WORDS, search::SIZE);
    let (pages, wanted) = call.jobs()?;
    let question = wanted.question.ok_or_else(|| Problem::bad_request("question: expected what to look for"))?;
    let finder = Finder::new(&question).map_err(|e| Problem::bad_request(format!("question: {e}")))?;
    let limit = wanted.limit.unwrap_or(search::LIMIT);
    let search = search::PassageSearch { finder, pages, limit, tokens: None, size };
    let (found, failures) = search::search(app, search).await?;
    let searched = Own::counted(found.searched, " passage", " passages").then(" of ");
    let searched = searched.and(Own::counted(found.pages, " page", " pages"));
    let mut head = vec![("searched", searched.into())];
    if let Some(first) = found.passages.first()
        && found.pages + failures.len() == 1
    {
        say(&mut head, "title", first.title.clone());
        say(&mut head, "url", first.url.clone());
    }
    for (url, problem) in &failures {
        let detail = &problem.detail;
        let names_url = detail.starts_with(url.as_str());
        say(&mut head, "warning", Some(if names_url { detail.clone() } else { format!("{url}: {detail}") }));
    }
    if found.passages.is_empty() {
        let hint = "no passage holds a word of the question; ask with other words, or extract the page";
        head.push(("hint", hint.into()));
    }
    let items = found.passages.iter().map(|p| {
        let place = if p.headings.is_empty() { p.title.clone().unwrap_or_default() } else { p.headings.join(" > ") };
        let link = p.link.as_deref().unwrap_or("");
        // The link is last: of a passage that does not fit, the text matters more.
        let lines = [place.replace('\n', " "), p.text.trim().to_owned(), link.to_owned()];
        let lines: Vec<String> = lines.into_iter().filter(|line| !line.is_empty()).collect();
        let line = format!("{}. {}\n", p.rank, lines.join("\n"));
        let value = json!({"text": p.text, "headings": place, "link": link, "score": p.score});
        (line, value)
    });
    Ok(CallAnswer::of_items(head, "passages", items))
}

/// `changes`: new, gone, edited and moved text since an earlier version of a page.
pub async fn changes(app: &Arc<App>, call: CheckedCall) -> Result<CallAnswer, Problem> {
    let (before, after) = call.sides()?;
    let before = match before {
        EarlierSide::Text(text) => Reading::of_text(&text, ""),
        EarlierSide::Page(job) => search::reading(app, *job).await?.0,
    };
    let (after, origin) = search::reading(app, after).await?;
    let weight = 8 * (before.size() + after.size());
    let found = app.on_worker(weight, move |_| maintext_chunks::changes(&before, &after)).await?;
    let mut head = Vec::new();
    say(&mut head, "url", origin.final_url);
    let counts = [(found.new, " new, "), (found.gone, " gone, "), (found.edited, " edited, "), (found.moved, " moved")];
    let counts = counts.into_iter().fold(Own::default(), |all, (count, kind)| all.and(Own::count(count)).then(kind));
    head.push(("changes", counts.into()));
    let items = found.changes.iter().map(|change| {
        let [before, after] = [&change.before, &change.text].map(|text| text.as_deref().unwrap_or(""));
        let line = match change.kind {
            ChangeKind::New => format!("+ {after}"),
            ChangeKind::Gone => format!("- {before}"),
            ChangeKind::Edited => format!("- {before}\n+ {after}"),
            ChangeKind::Moved => format!("> {after}"),
        };
        (line, json!(change))
    });
    let items = items.collect();
    let legend = Some("+ new, - gone, both: edited, > moved");
    Ok(CallAnswer { head, body: AnswerBody::Items { name: "changes", legend, items, share: false } })
}
