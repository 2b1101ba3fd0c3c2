//! Answers from one page.
use super::arguments::{Arguments, Call};
use crate::answers::cut::shortened;
use crate::answers::{Answer, Body};
use crate::api::{classified, listed};
use crate::app::{App, Source};
use crate::ask::{AnswerFormat, Choices};
use crate::find as search;
use crate::inspect::blocks_of;
use crate::problem::Problem;
use maintext_chunks::Finder;
use maintext_core::address::base_url;
use maintext_core::dom::{Dom, NodeId, Tag, parse};
use maintext_core::list::without_tracking;
use maintext_core::{Page, Warning};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;

/// Below this confidence, the agent hears of it.
const DOUBTFUL: f32 = 0.5;

/// `extract`: the content, below title, author, date and warnings.
pub fn extract(app: &App, choices: &Choices, _: &Arguments, source: &Source) -> Result<Answer, Problem> {
    let mut page = app.extract(&choices.with(|o| o.page_type = true), source)?;
    let content = [page.markdown.take(), page.text.take(), page.html.take()].into_iter().flatten().next();
    Ok(Answer { head: head(&page, source.url.as_deref()), body: Body::Text(content.unwrap_or_default()) })
}

/// Returns the facts about a page, with hints to better calls.
fn head(page: &Page, asked: Option<&str>) -> Vec<(&'static str, String)> {
    let m = &page.metadata;
    let mut head = Vec::new();
    let url = m.url.as_deref().or(asked).map(str::to_owned);
    for (name, value) in [("title", &m.title), ("author", &m.author), ("date", &m.date), ("url", &url)] {
        head.extend(value.clone().map(|value| (name, value)));
    }
    head.extend(page.barrier.map(|barrier| ("barrier", barrier.to_string())));
    head.extend(page.warnings.iter().map(|w| ("warning", w.message.clone())));
    head.extend(page.elsewhere.iter().take(2).map(|url| ("content_at", url.clone())));
    head.extend(page.parts.next.iter().map(|next| ("next_part", next.url.clone())));
    if matches!(page.page_type.as_deref(), Some("listing" | "collection")) && page.entries.len() > 2 {
        head.push(("hint", format!("a list page with {} entries; the tool list returns them", page.entries.len())));
    } else if let Some(confidence) = page.confidence.filter(|c| *c < DOUBTFUL) {
        let hint = "the choice of the content is doubtful; try favor=recall, or inspect";
        head.push(("hint", format!("{hint} (confidence {confidence:.2})")));
    }
    head
}

/// `list`: the entries of one group.
pub fn list(app: &App, choices: &Choices, wanted: &Arguments, source: &Source) -> Result<Answer, Problem> {
    let asked = source.url.clone();
    let found = listed(app, choices, source)?;
    let groups: Vec<&Vec<Value>> =
        found["groups"].as_array().into_iter().flatten().filter_map(|g| g["entries"].as_array()).collect();
    let group = wanted.group.unwrap_or(1);
    let entries = match group {
        1 => found["entries"].as_array(),
        n => groups.get(n - 1).copied(),
    };
    let Some(entries) = entries.filter(|_| group == 1 || group <= groups.len()) else {
        return Err(Problem::bad_request(format!("group: the page has only {} groups", groups.len())));
    };
    let mut head = Vec::new();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    head.extend(text(&found["title"]).map(|title| ("title", title)));
    head.extend(text(&found["url"]).or(asked).map(|url| ("url", url)));
    head.extend(text(&found["page_type"]).map(|kind| ("page_type", kind)));
    head.push(("entries", entries.len().to_string()));
    if groups.len() > 1 {
        let other = |(i, entries): (usize, &&Vec<Value>)| {
            let first = entries.first().and_then(|e| e["title"].as_str()).unwrap_or("");
            format!("{} ({} entries: {}, ...)", i + 1, entries.len(), shortened(first, 40))
        };
        let others = groups.iter().enumerate().filter(|(i, _)| i + 1 != group).take(4).map(other);
        head.push(("other_groups", others.collect::<Vec<_>>().join(", ")));
    }
    for name in ["next", "previous"] {
        head.extend(
            text(&found["pagination"][name]["url"])
                .map(|url| (if name == "next" { "next_page" } else { "previous_page" }, url)),
        );
    }
    let messages = found["warnings"].as_array().into_iter().flatten().filter_map(|w| text(&w["message"]));
    head.extend(messages.map(|message| ("warning", message)));
    if entries.is_empty() {
        head.push(("hint", "no entries found; links returns the links of the page".into()));
    }
    let items = entries.iter().map(|entry| {
        let of = |key: &str| entry[key].as_str().map(|t| t.split_whitespace().collect::<Vec<_>>().join(" "));
        let url = of("url").map(|url| without_tracking(&url));
        let date = of("date").map(|d| d.chars().take(10).collect::<String>());
        let (title, summary) = (of("title").unwrap_or_default(), of("summary").filter(|_| wanted.summaries));
        let mut line = format!("- {}", shortened(&title, 300));
        for more in [&date, &of("price"), &url].into_iter().flatten() {
            line += &format!(" | {more}");
        }
        if let Some(summary) = &summary {
            line += &format!("\n  {}", shortened(summary, 400));
        }
        let mut value = json!({"title": title, "url": url});
        for (name, more) in [("date", date), ("author", of("author")), ("price", of("price")), ("summary", summary)] {
            if let Some(more) = more {
                value[name] = more.into();
            }
        }
        (line, value)
    });
    let items = items.collect();
    Ok(Answer { head, body: Body::Items { name: "entries", legend: None, items, share: false } })
}

/// `find`: the passages that answer a question.
pub async fn find(app: &Arc<App>, call: Call) -> Result<Answer, Problem> {
    let (pages, wanted) = call.jobs()?;
    let question = wanted.question.ok_or_else(|| Problem::bad_request("question: expected what to look for"))?;
    let finder = Finder::new(&question).map_err(|e| Problem::bad_request(format!("question: {e}")))?;
    let limit = wanted.limit.unwrap_or(search::LIMIT);
    let search = search::Search { finder, pages, limit, tokens: None, size: search::SIZE };
    let (found, failures) = search::search(app, search).await?;
    let mut head = vec![("searched", format!("{} passages of {} pages", found.searched, found.pages))];
    if let [first, rest @ ..] = found.passages.as_slice()
        && rest.iter().all(|p| p.url == first.url)
    {
        head.extend(first.title.clone().map(|title| ("title", title)));
        head.extend(first.url.clone().map(|url| ("url", url)));
    }
    head.extend(failures.iter().map(|(url, problem)| ("warning", format!("{url}: {}", problem.detail))));
    if found.passages.is_empty() {
        head.push((
            "hint",
            "no passage holds a word of the question; ask with other words, or extract the page".into(),
        ));
    }
    let items = found.passages.iter().map(|p| {
        let place = if p.headings.is_empty() { p.title.clone().unwrap_or_default() } else { p.headings.join(" > ") };
        let link = p.link.as_deref().unwrap_or("");
        let line = format!("{}. {} | {link}\n{}\n", p.rank, place.replace('\n', " "), p.text.trim());
        let value = json!({"text": p.text, "headings": place, "link": link, "score": p.score});
        (line, value)
    });
    let items = items.collect();
    Ok(Answer { head, body: Body::Items { name: "passages", legend: None, items, share: false } })
}

/// `classify`: the type of the page.
pub fn classify(app: &App, choices: &Choices, _: &Arguments, source: &Source) -> Result<Answer, Problem> {
    let asked = source.url.clone();
    let found = classified(app, choices, source)?;
    let rounded = |value: &Value| value.as_f64().map_or(Value::Null, |x| json!((x * 1e3).round() / 1e3));
    let probabilities: serde_json::Map<String, Value> =
        found["probabilities"].as_object().into_iter().flatten().map(|(name, p)| (name.clone(), rounded(p))).collect();
    let messages = found["warnings"].as_array().into_iter().flatten().filter_map(|w| w["message"].as_str());
    let warnings: Vec<String> = messages.take(3).map(|message| shortened(message, 200)).collect();
    let (kind, language) = (found["page_type"].as_str().unwrap_or("unknown"), found["language"].as_str());
    let label = language.map_or(kind.to_owned(), |language| format!("{kind}, language {language}"));
    let fields = vec![
        ("page_type", found["page_type"].clone()),
        ("language", found["language"].clone()),
        ("confidence", rounded(&found["confidence"])),
        ("barrier", found["barrier"].clone()),
        ("probabilities", probabilities.into()),
        ("url", json!(found["url"].as_str().or(asked.as_deref()))),
        ("warnings", json!(warnings)),
    ];
    Ok(Answer { head: Vec::new(), body: Body::Object(label, fields) })
}

/// `inspect`: a line for each block.
pub fn inspect(app: &App, choices: &Choices, wanted: &Arguments, source: &Source) -> Result<Answer, Problem> {
    let url = source.url.clone();
    let found = blocks_of(app, choices, source)?;
    let blocks = found["blocks"].as_array().map(Vec::as_slice).unwrap_or_default();
    let kept = |block: &Value| block["keep"] == true;
    let words = |blocks: &mut dyn Iterator<Item = &Value>| blocks.filter_map(|b| b["words"].as_u64()).sum::<u64>();
    let mut head: Vec<(&str, String)> = url.map(|url| ("url", url)).into_iter().collect();
    let count = blocks.iter().filter(|b| kept(b)).count();
    let kept_words = words(&mut blocks.iter().filter(|b| kept(b)));
    head.push((
        "kept",
        format!("{count} of {} blocks, {kept_words} of {} words", blocks.len(), words(&mut blocks.iter())),
    ));
    head.extend(found["confidence"].as_f64().map(|c| ("confidence", format!("{c:.2}"))));
    let shown = blocks.iter().enumerate().filter(|(_, block)| match wanted.show.as_deref() {
        Some("kept") => kept(block),
        Some("dropped") => !kept(block),
        _ => true,
    });
    let items = shown.map(|(i, block)| {
        let text = block["text"].as_str().unwrap_or("").split_whitespace().collect::<Vec<_>>().join(" ");
        let mark = if kept(block) { '+' } else { '-' };
        let probability = block["probability"].as_f64().or(block["score"].as_f64()).unwrap_or(0.0);
        let role = block["role"].as_str().unwrap_or("-");
        let links = block["link_density"].as_f64().unwrap_or(0.0) * 100.0;
        let line =
            format!("{i} {mark} {probability:.2} {} {links:.0}% {role} {}", block["words"], shortened(&text, 60));
        let mut value = json!({"number": i});
        for name in
            ["keep", "probability", "score", "words", "link_density", "role", "role_probability", "path", "text"]
        {
            value[name] = block[name].clone();
        }
        (line, value)
    });
    let items = items.collect();
    let legend = Some("number, + kept or - dropped, probability, words, share of link text, role, beginning");
    Ok(Answer { head, body: Body::Items { name: "blocks", legend, items, share: false } })
}

/// `links`: the links of the content, or of the whole page.
pub fn links(app: &App, choices: &Choices, wanted: &Arguments, source: &Source) -> Result<Answer, Problem> {
    let whole = wanted.scope.as_deref() == Some("page");
    let choices = choices.with(|o| {
        o.formats = AnswerFormat::Html.formats();
        (o.render.links, o.render.images) = (true, true);
    });
    let base = source.url.as_deref().and_then(|url| url::Url::parse(url).ok());
    let of_page = |dom: &Dom<'_>| links_of(dom, base_url(dom, base.as_ref()).as_ref().or(base.as_ref()));
    let (page, found) = app.extract_seen(&choices, source, |analysis| whole.then(|| of_page(&analysis.dom)))?;
    // The HTML of the content is another document.
    let of_content = || links_of(&parse(page.html.as_deref().unwrap_or(""), &app.config.budget), base.as_ref());
    let found = found.unwrap_or_else(of_content);
    let total = found.len();
    let part = wanted.contains.as_deref().map(str::to_lowercase);
    let fits = |text: &str, url: &str| {
        part.as_ref().is_none_or(|p| text.to_lowercase().contains(p) || url.to_lowercase().contains(p))
    };
    let items: Vec<(String, Value)> = found
        .into_iter()
        .filter(|(text, url)| fits(text, url))
        .map(|(text, url)| (format!("- {} | {url}", shortened(&text, 200)), json!({"text": text, "url": url})))
        .collect();
    let mut head = Vec::new();
    head.extend(page.metadata.title.clone().map(|title| ("title", title)));
    head.extend(source.url.clone().map(|url| ("url", url)));
    head.push(("links", format!("{} of {total} in the {}", items.len(), if whole { "page" } else { "main content" })));
    head.extend(page.warnings.iter().map(|Warning { message, .. }| ("warning", message.clone())));
    if total == 0 && !whole {
        head.push(("hint", "none; scope=page returns the links of menus too".into()));
    }
    Ok(Answer { head, body: Body::Items { name: "links", legend: None, items, share: false } })
}

/// Returns the text and the address of each link, each address once, in the order of the page.
fn links_of(dom: &Dom<'_>, base: Option<&url::Url>) -> Vec<(String, String)> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for node in dom.descendants(NodeId::ROOT).filter(|n| dom.tag(*n) == Tag::A) {
        let Some(href) = dom.attr(node, "href").filter(|href| !href.trim_start().starts_with('#')) else { continue };
        let Ok(url) = url::Url::options().base_url(base).parse(href.trim()) else { continue };
        if !matches!(url.scheme(), "http" | "https") {
            continue;
        }
        let url = without_tracking(url.as_str());
        if seen.insert(url.clone()) {
            let text = dom.text_content(node).split_whitespace().collect::<Vec<_>>().join(" ");
            let alt =
                || dom.descendants(node).find_map(|n| dom.attr(n, "alt").or(dom.attr(n, "title")).map(str::to_owned));
            let text = if text.is_empty() { alt().unwrap_or_default() } else { text };
            found.push((text, url));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_absolute_labelled_and_unique() {
        let html = "<a href=b>One <b>two</b></a><a href='/c?utm_source=x#d'><img alt=Picture></a><a href=b>again</a>\
            <a href='mailto:x@e.org'>mail</a><a href='#top'>top</a><a href='javascript:1'>run</a>";
        let dom = parse(html, &Default::default());
        let base = url::Url::parse("https://e.org/a/").unwrap();
        let link = |text: &str, url: &str| (text.to_owned(), url.to_owned());
        let expected = [link("One two", "https://e.org/a/b"), link("Picture", "https://e.org/c#d")];
        assert_eq!(links_of(&dom, Some(&base)), expected);
        assert!(links_of(&dom, None).is_empty());
    }
}
