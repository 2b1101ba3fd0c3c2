//! Things as the page declares them.
use super::fields::{Field, FieldForm, KINDS, ThingKind};
use super::items::{ItemObject, ItemValue};
use super::value::{Origin, Thing, Value};
use super::{Sources, clean, duration, money, recipe};
use maintext_facts::metadata::Stamp;
use maintext_facts::metadata::text::key;
use maintext_page::hash::HashSet;

/// The values of fields.
type Fields = Vec<(&'static str, Value)>;

/// Maximum number of values of one field.
pub(super) const MAX_LIST: usize = 1_000;
/// Maximum number of things of one page.
const MAX_THINGS: usize = 1_000;
/// Number of bytes that a value takes in addition to its text.
const VALUE_BYTES: usize = 32;
/// Probability of a declared value that no other source supports or contradicts.
const DECLARED_PROBABILITY: f32 = 0.9;
/// Properties that hold the page's main objects.
const HOLDERS: [&str; 6] = ["mainEntity", "mainEntityOfPage", "about", "itemListElement", "item", "@graph"];

/// Returns the declared things that are not part of another: not the brand of a product or the author of an article.
pub(super) fn things(sources: &Sources<'_>) -> Vec<Thing> {
    // The questions of a list are its field.
    let lists = sources.items.iter().filter(|(_, item)| item.kinds.iter().any(|k| k == "FAQPage"));
    let listed: HashSet<usize> = lists.flat_map(|(i, _)| sources.items.objects(i, "mainEntity")).collect();
    let tops = sources.items.iter().filter(|(i, item)| is_top(item) && !listed.contains(i));
    let mut tops = tops.filter_map(|(i, item)| Some((i, kind_of(item)?)));
    // Many things may refer to one long object.
    let copies = sources.facts.dom.copies();
    let all = tops
        .by_ref()
        .filter_map(|(i, kind)| if copies.refuses() { None } else { thing(sources, i, kind) })
        .take(MAX_THINGS);
    let mut things: Vec<Thing> = all.filter(|t| copies.allows_part(bytes_of(&t.fields))).collect();
    sources.leave_out(tops.count());
    // The object that the page is named for comes first.
    let title = key(sources.metadata.title.as_deref().unwrap_or(""));
    things.sort_by_key(|t| t.text("name").or(t.text("title")).is_none_or(|name| key(name) != title));
    things
}

fn is_top(item: &ItemObject) -> bool {
    item.under.is_empty() || HOLDERS.contains(&&item.under[..])
}

/// Returns the type of things that an item is read as.
pub(super) fn kind_of(item: &ItemObject) -> Option<&'static ThingKind> {
    item.kinds.iter().find_map(|own| KINDS.iter().find(|k| k.kinds.contains(&&own[..])))
}

/// Reads an item as a thing; `None` if it states only its type.
pub(super) fn thing(sources: &Sources<'_>, item: usize, kind: &'static ThingKind) -> Option<Thing> {
    let fields = object(sources, item, kind.fields);
    if fields.is_empty() {
        return None;
    }
    let origin = Origin { from: sources.items.get(item).syntax.name(), probability: DECLARED_PROBABILITY };
    let origins = fields.iter().map(|f| (f.0, origin.clone())).collect();
    Some(Thing { fields, sources: origins, ..Thing::new(kind.name) })
}

/// Reads the fields of an item. The tables of fields are finite, so that items which refer to each other end.
fn object(sources: &Sources<'_>, item: usize, fields: &'static [Field]) -> Fields {
    let mut out = Vec::with_capacity(fields.len());
    sources.leave_out(sources.items.beyond(item, MAX_LIST));
    for f in fields {
        match f.read {
            FieldForm::Ingredients => out.extend(lines(sources, item, f, recipe::ingredients)),
            FieldForm::Steps => out.extend(lines(sources, item, f, recipe::steps)),
            _ => out.extend(field(sources, item, f).map(|v| (f.name, v))),
        }
    }
    out
}

/// Reads one field of an item.
pub(super) fn field(sources: &Sources<'_>, item: usize, field: &Field) -> Option<Value> {
    field.properties.iter().find_map(|path| {
        let values = values(sources, item, path);
        read(sources, &values, field.read)
    })
}

/// Reads the lines of a recipe: a flat list and its parts, which are two fields.
fn lines(sources: &Sources<'_>, item: usize, field: &Field, read: fn(&Sources<'_>, &[&ItemValue]) -> Fields) -> Fields {
    let found = field.properties.iter().map(|path| read(sources, &values(sources, item, path)));
    found.into_iter().find(|fields| !fields.is_empty()).unwrap_or_default()
}

/// Returns the values at a path of properties.
fn values<'a>(sources: &'a Sources<'_>, item: usize, path: &'a str) -> Vec<&'a ItemValue> {
    let items = &sources.items;
    match path.split_once('.') {
        Some((first, rest)) => {
            items.objects(item, first).take(MAX_LIST).flat_map(|i| items.values(i, rest)).take(MAX_LIST).collect()
        }
        None => items.values(item, path).take(MAX_LIST).collect(),
    }
}

fn read(sources: &Sources<'_>, values: &[&ItemValue], form: FieldForm) -> Option<Value> {
    let items = &sources.items;
    let texts = || values.iter().filter_map(|v| items.text_of(v));
    match form {
        FieldForm::Text | FieldForm::Name => texts().find_map(clean::text).map(Value::Text),
        FieldForm::Texts | FieldForm::Names => list(texts().filter_map(clean::text)),
        // `object` reads them, the parts together with the flat list.
        FieldForm::Ingredients | FieldForm::IngredientGroups | FieldForm::Steps | FieldForm::Sections => None,
        FieldForm::Link => texts().find_map(|t| sources.facts.address(t)).map(Value::Text),
        FieldForm::Links => list(values.iter().filter_map(|v| link(sources, v))),
        FieldForm::Date => texts().find_map(Stamp::parse).map(|stamp| Value::Text(stamp.to_string())),
        FieldForm::Duration => texts().find_map(duration::iso).map(Value::Text),
        FieldForm::Number => texts().find_map(money::number).map(Value::Text),
        FieldForm::Currency => texts().find_map(money::currency).map(|code| Value::Text(code.to_owned())),
        FieldForm::Count => texts().find_map(clean::count).map(Value::Count),
        FieldForm::Word => texts().find_map(clean::word).map(Value::Text),
        FieldForm::Remote => texts().find_map(clean::text).map(|t| Value::Flag(t.eq_ignore_ascii_case("telecommute"))),
        FieldForm::One(fields) => values.iter().find_map(|v| one(sources, v, fields)),
        FieldForm::All(fields) => Value::list(values.iter().filter_map(|v| one(sources, v, fields))),
    }
}

/// Reads an object; a text in its place is the value of the first field.
fn one(sources: &Sources<'_>, value: &ItemValue, fields: &'static [Field]) -> Option<Value> {
    match value {
        ItemValue::Item(i) => {
            let copies = sources.facts.dom.copies();
            let object = (!copies.refuses()).then(|| object(sources, *i, fields));
            object.filter(|fields| copies.allows_part(bytes_of(fields)))
        }
        ItemValue::Text(..) => {
            let first = fields.first()?;
            Some(vec![(first.name, read(sources, &[value], first.read)?)])
        }
    }
    .filter(|fields| !fields.is_empty())
    .map(Value::object)
}

/// Returns the bytes that fields take.
fn bytes_of(fields: &[(&'static str, Value)]) -> usize {
    fields.iter().map(|f| bytes(&f.1)).sum()
}

/// Returns the bytes that a value takes. Things have few levels.
fn bytes(value: &Value) -> usize {
    match value {
        Value::Text(text) => VALUE_BYTES + text.len(),
        Value::List(values) => values.iter().map(bytes).sum(),
        Value::Object(object) => bytes_of(&object.0),
        Value::Count(_) | Value::Flag(_) => VALUE_BYTES,
    }
}

/// Returns the address of an image or a page: its own, or the object's.
fn link(sources: &Sources<'_>, value: &ItemValue) -> Option<String> {
    let items = &sources.items;
    let text = match value {
        ItemValue::Text(text, _) => Some(&text[..]),
        ItemValue::Item(i) => items.text(*i, &["contentUrl", "url", "@id"]),
    };
    sources.facts.address(text?)
}

/// Returns a list of different texts; `None` if it is empty.
fn list(texts: impl Iterator<Item = String>) -> Option<Value> {
    let mut out: Vec<String> = Vec::new();
    for text in texts.take(MAX_LIST) {
        if !out.contains(&text) {
            out.push(text);
        }
    }
    Value::texts(out)
}
