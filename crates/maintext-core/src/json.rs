//! JSON with the members of objects in their order. The tests read typed blocks with it too.
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;

/// A value; texts without escapes are borrowed. The parser refuses more than 128 levels, so that recursion over it is safe.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json<'a> {
    Other,
    Number(u64),
    Text(Cow<'a, str>),
    Array(Vec<Json<'a>>),
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

impl Json<'_> {
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Json::Object(members) => members.iter().find(|m| m.0 == key).map(|m| &m.1),
            _ => None,
        }
    }

    pub(crate) fn str(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Json::text)
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn number(&self, key: &str) -> Option<u64> {
        match self.get(key)? {
            Json::Number(n) => Some(*n),
            _ => None,
        }
    }

    pub(crate) fn array(&self) -> Option<&[Self]> {
        match self {
            Json::Array(items) => Some(items),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Json<'de> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Json<'de>, D::Error> {
        struct Ordered;
        impl<'de> Visitor<'de> for Ordered {
            type Value = Json<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("JSON")
            }
            fn visit_borrowed_str<E>(self, s: &'de str) -> Result<Json<'de>, E> {
                Ok(Json::Text(Cow::Borrowed(s)))
            }
            fn visit_str<E>(self, s: &str) -> Result<Json<'de>, E> {
                Ok(Json::Text(Cow::Owned(s.to_owned())))
            }
            fn visit_u64<E>(self, n: u64) -> Result<Json<'de>, E> {
                Ok(Json::Number(n))
            }
            fn visit_i64<E>(self, _: i64) -> Result<Json<'de>, E> {
                Ok(Json::Other)
            }
            fn visit_f64<E>(self, _: f64) -> Result<Json<'de>, E> {
                Ok(Json::Other)
            }
            fn visit_bool<E>(self, truth: bool) -> Result<Json<'de>, E> {
                Ok(if truth { Json::Number(1) } else { Json::Other })
            }
            fn visit_unit<E>(self) -> Result<Json<'de>, E> {
                Ok(Json::Other)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json<'de>, A::Error> {
                let mut out = Vec::new();
                while let Some(item) = seq.next_element()? {
                    out.push(item);
                }
                Ok(Json::Array(out))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json<'de>, A::Error> {
                let mut out = Vec::new();
                while let Some((Key(key), value)) = map.next_entry()? {
                    out.push((key, value));
                }
                Ok(Json::Object(out))
            }
        }
        d.deserialize_any(Ordered)
    }
}

/// A key, borrowed if it has no escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);
