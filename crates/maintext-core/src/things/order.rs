//! Fields of things: set, completed by a second declaration, and brought into the order of the tables.
use super::fields::{Field, KINDS};
use super::value::{Object, Origin, Thing, Value};

/// Sets a field, or replaces it with its origin.
pub(super) fn put(thing: &mut Thing, name: &'static str, value: Value, origin: Option<Origin>) {
    match thing.fields.iter_mut().find(|f| f.0 == name) {
        Some(field) => field.1 = value,
        None => thing.fields.push((name, value)),
    }
    if let Some(origin) = origin {
        thing.sources.insert(name, origin);
    }
}

/// Adds the fields that a thing lacks, with their origins.
pub(super) fn fill(thing: &mut Thing, other: Thing) {
    let Thing { fields, mut sources, .. } = other;
    for (name, value) in fields {
        if thing.get(name).is_none() {
            put(thing, name, value, sources.remove(name));
        }
    }
}

/// Brings the fields of a thing, and of the objects in it, into the order of the table of its type.
pub(super) fn sort(thing: &mut Thing) {
    if let Some(kind) = KINDS.iter().find(|k| k.name == thing.kind) {
        sort_fields(&mut thing.fields, kind.fields);
    }
}

/// Sorts fields. Ends since the tables are finite.
fn sort_fields(fields: &mut [(&'static str, Value)], table: &'static [Field]) {
    let place = |name: &str| table.iter().position(|f| f.name == name).unwrap_or(table.len());
    if !fields.is_sorted_by_key(|f| place(f.0)) {
        fields.sort_by_key(|f| place(f.0));
    }
    for (name, value) in fields {
        let inner = table.iter().find(|f| f.name == *name).map_or(&[][..], Field::inner);
        if inner.is_empty() {
            continue;
        }
        let values = match value {
            Value::List(values) => &mut values[..],
            value => std::slice::from_mut(value),
        };
        for value in values {
            if let Value::Object(Object(fields)) = value {
                sort_fields(fields, inner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns one value for each field of a table, the last field first.
    fn reversed(table: &'static [Field]) -> Vec<(&'static str, Value)> {
        let value = |f: &Field| match f.inner() {
            [] => Value::Flag(true),
            inner => Value::List(vec![Value::Object(Object(reversed(inner)))]),
        };
        table.iter().rev().map(|f| (f.name, value(f))).collect()
    }

    fn check(fields: &[(&'static str, Value)], table: &'static [Field]) {
        let (found, expected) = (fields.iter().map(|f| f.0), table.iter().map(|f| f.name));
        assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        for (field, (_, value)) in table.iter().zip(fields) {
            if let Value::List(values) = value {
                let Value::Object(Object(inner)) = &values[0] else { panic!("{value:?}") };
                check(inner, field.inner());
            }
        }
    }

    #[test]
    fn fields_of_all_types_come_in_the_order_of_their_tables() {
        for kind in KINDS {
            let mut thing = Thing { kind: kind.name.to_owned(), fields: reversed(kind.fields), ..Thing::default() };
            sort(&mut thing);
            check(&thing.fields, kind.fields);
        }
    }

    #[test]
    fn a_second_declaration_fills_only_gaps() {
        let of = |from| Origin { from, probability: 0.9 };
        let text = |t: &str| Value::Text(t.to_owned());
        let mut first = Thing { kind: "Book".into(), ..Thing::default() };
        put(&mut first, "publisher", text("Moss"), Some(of("json-ld")));
        let mut second = Thing { kind: "Book".into(), ..Thing::default() };
        put(&mut second, "publisher", text("Fern"), Some(of("rdfa")));
        put(&mut second, "name", text("Tides"), Some(of("rdfa")));
        fill(&mut first, second);
        sort(&mut first);
        assert_eq!(first.fields, [("name", text("Tides")), ("publisher", text("Moss"))]);
        assert_eq!((first.sources["name"].from, first.sources["publisher"].from), ("rdfa", "json-ld"));
    }
}
