//! The forms in which frameworks pack JSON into scripts.
use super::json::Json;
use std::borrow::Cow;

/// Maximum number of attempts to read a value in one script; each failed one may have read to its end.
const MAX_ATTEMPTS: usize = 16;
/// Maximum number of values of one packed array.
const MAX_VALUES: usize = 100_000;
/// Maximum number of levels of references in a packed array.
const MAX_LEVELS: usize = 60;

impl<'a> Json<'a> {
    /// Returns the value without the wrapping of references to places in an array, as Nuxt, SvelteKit and React Router write it.
    pub(super) fn unpacked(self) -> Json<'a> {
        let Json::Array(values) = &self else { return self };
        let refers = |v: &Json| matches!(v, Json::Number(n) if (*n as usize) < values.len());
        let packed = match values.first() {
            Some(Json::Object(members)) => !members.is_empty() && members.iter().all(|m| refers(&m.1)),
            Some(Json::Array(items)) => {
                items.len() == 2 && matches!(&items[0], Json::Text(_)) && items.get(1).is_some_and(refers)
            }
            _ => false,
        };
        if !packed || values.len() < 2 {
            return self;
        }
        let mut left = MAX_VALUES;
        revive(values, 0, 0, &mut left)
    }
}

/// Returns a value of a packed array with its references followed.
fn revive<'a>(values: &[Json<'a>], at: usize, level: usize, left: &mut usize) -> Json<'a> {
    if level > MAX_LEVELS || *left == 0 {
        return Json::Other;
    }
    *left -= 1;
    let mut follow = |v: &Json<'a>| match v {
        Json::Number(n) => revive(values, *n as usize, level + 1, left),
        other => other.clone(),
    };
    match values.get(at) {
        // A tag of a type: `["Reactive", 1]`.
        Some(Json::Array(items)) if matches!(items.first(), Some(Json::Text(_))) => {
            items.get(1).map_or(Json::Other, follow)
        }
        Some(Json::Array(items)) => Json::Array(items.iter().map(follow).collect()),
        Some(Json::Object(members)) => {
            let member = |(key, value): &(Cow<'a, str>, Json<'a>)| {
                let index = key.strip_prefix('_').and_then(|n| n.parse::<usize>().ok());
                let name = match index.and_then(|i| values.get(i)) {
                    Some(Json::Text(name)) => name,
                    _ => key,
                };
                (name.clone(), follow(value))
            };
            Json::Object(members.iter().map(member).collect())
        }
        Some(other) => other.clone(),
        None => Json::Other,
    }
}

/// Returns the properties of an Astro island, whose values are pairs of a type and a value.
pub(super) fn of_island<'a>(value: &Json<'a>) -> Json<'a> {
    match value {
        Json::Array(items) => match &items[..] {
            [Json::Number(1), Json::Array(items)] => Json::Array(items.iter().map(of_island).collect()),
            [Json::Number(0), value] => match value {
                Json::Object(_) => of_island(value),
                other => other.clone(),
            },
            _ => Json::Array(items.iter().map(of_island).collect()),
        },
        Json::Object(members) => Json::Object(members.iter().map(|m| (m.0.clone(), of_island(&m.1))).collect()),
        other => other.clone(),
    }
}

/// Returns the objects and arrays of JSON in a script, also if code assigns them or passes them to a function.
pub(super) fn values(script: &str) -> Vec<Json<'_>> {
    let (mut out, mut at, mut failed) = (Vec::new(), 0, 0);
    while failed < MAX_ATTEMPTS
        && let Some(open) =
            script.get(at..).and_then(|rest| memchr::memchr2(b'{', b'[', rest.as_bytes())).map(|i| at + i)
    {
        let before = script[..open].trim_end().bytes().next_back();
        if !matches!(before, None | Some(b'=' | b'(' | b',')) {
            at = open + 1;
            continue;
        }
        let mut stream = serde_json::Deserializer::from_str(&script[open..]).into_iter::<Json<'_>>();
        match stream.next() {
            Some(Ok(value)) => {
                let end = open + stream.byte_offset();
                out.push(value.unpacked());
                at = end.max(open + 1);
            }
            _ => {
                failed += 1;
                at = open + 1;
            }
        }
    }
    out
}

/// Rows of React's stream, by their ids.
pub(super) struct Rows<'a>(pub(super) Vec<(&'a str, Json<'a>)>);

/// Reads React's stream of rows: `id:JSON`, or `id:Tlength,text`.
pub(super) fn rows(stream: &str) -> Rows<'_> {
    let mut rows = Vec::new();
    let mut rest = stream;
    while !rest.is_empty() {
        let line_end = rest.find('\n').unwrap_or(rest.len());
        let line = &rest[..line_end];
        let (id, payload) = line.split_once(':').unwrap_or(("", ""));
        let length = payload.strip_prefix('T').and_then(|p| p.split_once(','));
        if let Some((hex, _)) = length
            && let Ok(bytes) = usize::from_str_radix(hex, 16)
        {
            let start = id.len() + 1 + 1 + hex.len() + 1;
            let end = rest.floor_char_boundary((start + bytes).min(rest.len()));
            rows.push((id, Json::Text(rest[start.min(end)..end].into())));
            rest = rest[end..].trim_start_matches('\n');
            continue;
        }
        if payload.starts_with(['[', '{', '"'])
            && let Some(value) = Json::parse(payload)
        {
            rows.push((id, value));
        }
        rest = rest[line_end..].trim_start_matches('\n');
    }
    Rows(rows)
}
