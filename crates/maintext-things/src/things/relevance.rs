//! Checks of declared things, and their order: the page's subject comes first, things that it only mentions last or not at all.
use super::value::{Thing, Value};
use super::{Sources, clean};
use maintext_facts::metadata::Stamp;
use maintext_facts::metadata::text::key;
use maintext_page::hash::{HashMap, HashSet};

/// Types that every page of a site declares about the site, its publisher and its authors.
const ASIDE: [&str; 2] = ["Organization", "Person"];
/// Maximum number of things that are compared.
const MAX_COMPARED: usize = 100;

/// Checks the declared things of a page, merges those that are declared twice, and sorts them.
pub(super) fn arrange(sources: &Sources<'_>, things: &mut Vec<Thing>) {
    for thing in things.iter_mut() {
        check(thing);
    }
    gather_questions(things);
    merge(things);
    let about = About::new(sources);
    if about.is_article {
        // Related events, the site's app, the site's analytics.
        let on_the_side = ["Event", "SoftwareApplication", "Dataset"];
        things.retain(|t| {
            !on_the_side.contains(&&t.kind[..]) || about.is_named(t) || t.kind == "Event" && about.is_here(t)
        });
    }
    things.retain(|t| t.kind != "LocalBusiness" && !ASIDE.contains(&&t.kind[..]) || t.get("name").is_some());
    // An event without a date is the site's word for what it sells.
    things.retain(|t| t.kind != "Event" || t.get("start").is_some() || about.is_named(t));
    let locals = things.iter().filter(|t| t.kind == "LocalBusiness").count();
    if about.is_article && locals == 1 {
        things.retain(|t| t.kind != "LocalBusiness" || about.is_named(t));
    }
    let has_main = things.iter().any(|t| !ASIDE.contains(&&t.kind[..]));
    things.retain(|t| {
        !ASIDE.contains(&&t.kind[..]) || about.is_named(t) || !has_main && !about.is_article && about.is_front(t)
    });
    // The sort is stable: things of one rank keep the order of the page.
    things.sort_by_key(|t| {
        let is_about = about.is_named(t);
        (rank(t, is_about), !is_about)
    });
}

fn rank(t: &Thing, is_about: bool) -> u8 {
    match &t.kind[..] {
        kind if ASIDE.contains(&kind) => 3,
        "LocalBusiness" if !is_about => 2,
        "FAQPage" => 1,
        _ => 0,
    }
}

/// What the page is about.
struct About {
    title: String,
    heading: String,
    /// The address without its query.
    url: Option<String>,
    is_root: bool,
    is_article: bool,
}

impl About {
    fn new(sources: &Sources<'_>) -> About {
        let facts = sources.facts;
        let title = sources.metadata.title.as_deref().or(facts.title.as_deref()).unwrap_or("");
        let headings = facts.blocks.elements.iter().filter(|e| e.tag.heading_level() == Some(1) && e.blocks.len() == 1);
        let heading = headings.map(|e| key(facts.blocks.text(e.blocks.start as usize))).next();
        About {
            title: key(title),
            heading: heading.unwrap_or_default(),
            url: facts.url.as_ref().map(|u| clean::address_key(u.as_str())),
            is_root: facts.is_root(),
            is_article: sources.items.iter().any(|(_, i)| {
                i.under.is_empty()
                    && i.kinds.iter().any(|kind| kind.ends_with("Article") || kind == "BlogPosting" || kind == "Report")
            }),
        }
    }

    /// Returns whether the page is named for a thing.
    fn is_named(&self, thing: &Thing) -> bool {
        let Some(name) = thing.text("name").or(thing.text("title")).map(key).filter(|n| !n.is_empty()) else {
            return false;
        };
        name == self.title || name == self.heading
    }

    /// Returns whether a thing states the page's address as its own.
    fn is_here(&self, thing: &Thing) -> bool {
        !self.is_root && thing.text("url").is_some_and(|url| self.url.as_deref() == Some(&clean::address_key(url)[..]))
    }

    /// Returns whether the page presents a person or an organisation: its front page, or the page that the thing states as its own.
    fn is_front(&self, thing: &Thing) -> bool {
        self.is_root || self.is_here(thing)
    }
}

/// Drops values that contradict others or mean nothing: an end before the start, a type instead of a name.
fn check(thing: &mut Thing) {
    if let (Some(start), Some(end)) =
        (thing.text("start").and_then(Stamp::parse), thing.text("end").and_then(Stamp::parse))
        && is_before(&end, &start)
    {
        thing.remove("end");
    }
    for (name, value) in &mut thing.fields {
        if matches!(*name, "email" | "telephone")
            && let Value::Text(text) = value
            && let Some(bare) = text.strip_prefix("mailto:").or_else(|| text.strip_prefix("tel:"))
        {
            *text = bare.to_owned();
        }
    }
    // Plugins write the type where the name belongs.
    let types = ["Organization", "Person", "Thing", "Place"];
    let is_type = |v: &Value| matches!(v, Value::Text(t) if types.contains(&&t[..]));
    for (_, value) in &mut thing.fields {
        if let Value::List(values) = value {
            values.retain(|v| !is_type(v));
        }
    }
    let empty: Vec<&'static str> = thing
        .fields
        .iter()
        .filter(|(name, v)| matches!(v, Value::List(l) if l.is_empty()) || *name != "name" && is_type(v))
        .map(|f| f.0)
        .collect();
    for name in empty {
        thing.remove(name);
    }
}

fn is_before(a: &Stamp, b: &Stamp) -> bool {
    match (a.time, b.time) {
        (Some(x), Some(y)) if a.offset == b.offset => (a.date, x) < (b.date, y),
        (None, None) => a.date < b.date,
        // Zones may move a date by one day.
        _ => a.date.tomorrow().is_ok_and(|next| next < b.date),
    }
}

/// Gathers single questions with answers, and the questions of several lists, in the first list.
fn gather_questions(things: &mut Vec<Thing>) {
    let alone = things.iter().filter(|t| stands_alone(t)).count() > 1;
    let (mut list, mut questions) = (None::<Thing>, Vec::new());
    let mut names = HashSet::default();
    let mut add = |questions: &mut Vec<Value>, value: Value| {
        if value.field("name").and_then(Value::text).is_some_and(|name| names.insert(key(name))) {
            questions.push(value);
        }
    };
    for thing in std::mem::take(things) {
        if thing.kind == "FAQPage" {
            let mut thing = thing;
            let own = thing.fields.iter().position(|f| f.0 == "questions").map(|i| thing.fields.remove(i).1);
            if let Some(Value::List(values)) = own {
                values.into_iter().for_each(|v| add(&mut questions, v));
                list.get_or_insert(thing);
            }
        } else if alone && stands_alone(&thing) {
            let Thing { fields, sources, .. } = thing;
            let origin = sources.into_values().next();
            add(&mut questions, Value::object(fields));
            let sources = origin.into_iter().map(|o| ("questions", o)).collect();
            list.get_or_insert(Thing { sources, ..Thing::new("FAQPage") });
        } else {
            things.push(thing);
        }
    }
    if !questions.is_empty()
        && let Some(mut list) = list
    {
        list.fields.push(("questions", Value::List(questions)));
        things.push(list);
    }
}

fn stands_alone(t: &Thing) -> bool {
    t.kind == "Question"
        && t.get("accepted_answer").is_some()
        && ["author", "date", "answer_count", "answers"].iter().all(|f| t.get(f).is_none())
}

/// Merges things that the page declares twice, in JSON-LD and again in microdata: of the same type and name, with nothing that differs.
fn merge(things: &mut Vec<Thing>) {
    let mut first: HashMap<(String, String), Vec<usize>> = HashMap::default();
    let mut gone = vec![false; things.len()];
    for i in 0..things.len().min(MAX_COMPARED) {
        let Some(name) = things[i].text("name").or(things[i].text("title")).map(key) else { continue };
        let like = first.entry((things[i].kind.clone(), name)).or_default();
        match like.iter().copied().find(|&j| agree(&things[j], &things[i])) {
            Some(j) => {
                let other = std::mem::take(&mut things[i]);
                gone[i] = true;
                things[j].fill(other);
            }
            None => like.push(i),
        }
    }
    let mut gone = gone.into_iter();
    things.retain(|_| !gone.next().unwrap_or(false));
}

/// Returns whether two things of the same name can be one: they agree in the fields that distinguish occurrences.
fn agree(a: &Thing, b: &Thing) -> bool {
    ["start", "end", "sku", "gtin", "id", "isbn", "date", "url", "episode", "embed", "media"].iter().all(
        |field| match (a.text(field), b.text(field)) {
            (Some(x), Some(y)) if *field == "url" || *field == "embed" || *field == "media" => {
                clean::address_key(x) == clean::address_key(y)
            }
            (Some(x), Some(y)) if matches!(*field, "start" | "end" | "date") => {
                match (Stamp::parse(x), Stamp::parse(y)) {
                    (Some(x), Some(y)) => {
                        x.date == y.date && (x.time.is_none() || y.time.is_none() || x.time == y.time)
                    }
                    _ => x == y,
                }
            }
            (Some(x), Some(y)) => x == y,
            _ => true,
        },
    )
}
