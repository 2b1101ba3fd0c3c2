//! The order of the fields of things, as in the tables.
use super::fields::{Field, KINDS};
use super::value::{Object, Thing, Value};

/// Brings the fields of a thing, and of the objects in it, into the order of the table of its type.
pub(super) fn sort(thing: &mut Thing) {
    if let Some(kind) = KINDS.iter().find(|k| k.name == thing.kind) {
        sort_fields(&mut thing.fields, kind.fields);
    }
}

/// Sorts fields. Ends since the tables are finite.
fn sort_fields(fields: &mut [(&'static str, Value)], table: &'static [Field]) {
    if !fields.is_sorted_by_key(|f| place(table, f.0)) {
        fields.sort_by_key(|f| place(table, f.0));
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

fn place(table: &'static [Field], name: &str) -> usize {
    table.iter().position(|f| f.name == name).unwrap_or(table.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns one value for each field of a table, the last field first.
    fn reversed(table: &'static [Field]) -> Vec<(&'static str, Value)> {
        let value = |f: &Field| match f.inner() {
            [] => Value::Flag(true),
            inner => Value::List(vec![Value::object(reversed(inner))]),
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
        for kind in KINDS.iter() {
            let mut thing = Thing { fields: reversed(kind.fields), ..Thing::new(kind.name) };
            sort(&mut thing);
            check(&thing.fields, kind.fields);
        }
    }
}
