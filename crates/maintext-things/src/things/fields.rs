//! The fields of each type: their names, the properties of schema.org that state them, and the form of their values.
use std::sync::LazyLock;

/// The form of a field.
#[derive(Clone, Copy, Debug)]
pub enum FieldForm {
    /// A text.
    Text,
    /// Several texts.
    Texts,
    /// Ingredients, in a flat list.
    Ingredients,
    /// Ingredients in named groups.
    IngredientGroups,
    /// Steps, in a flat list with the names of sections.
    Steps,
    /// Steps in named sections.
    Sections,
    /// The name of an object, or a text.
    Name,
    /// Several names.
    Names,
    /// An address.
    Link,
    /// Several addresses.
    Links,
    /// A date, with time and zone if they are stated.
    Date,
    /// A duration.
    Duration,
    /// A decimal number, as a text: a price, a rating, a coordinate.
    Number,
    /// A currency, as its code in ISO 4217.
    Currency,
    /// Whether work is done at home.
    Remote,
    /// A count.
    Count,
    /// A word of an enumeration: `InStock`.
    Word,
    /// An object.
    One(&'static [Field]),
    /// Several objects.
    All(&'static [Field]),
}

/// A field of a type.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name in a [`Thing`](super::Thing).
    pub name: &'static str,
    /// The properties that state it, the best first; a dot leads into an object.
    pub properties: Vec<&'static str>,
    /// How the value is read.
    pub read: FieldForm,
}

impl Field {
    /// Returns the fields of the objects that it holds.
    pub fn inner(&self) -> &'static [Field] {
        match self.read {
            FieldForm::One(fields) | FieldForm::All(fields) => fields,
            _ => &[],
        }
    }
}

impl FieldForm {
    /// Returns the kind of value with this name in the table, or text for an unknown name, which a test excludes.
    fn named(name: &str, groups: &[(&str, &'static [Field])]) -> FieldForm {
        let inner = |group: &str| groups.iter().find(|(name, _)| *name == group).map_or(&[][..], |(_, fields)| fields);
        if let Some((form, group)) = name.split_once(':') {
            return if form == "one" { FieldForm::One(inner(group)) } else { FieldForm::All(inner(group)) };
        }
        match name {
            "texts" => FieldForm::Texts,
            "ingredients" => FieldForm::Ingredients,
            "ingredient-groups" => FieldForm::IngredientGroups,
            "steps" => FieldForm::Steps,
            "sections" => FieldForm::Sections,
            "name" => FieldForm::Name,
            "names" => FieldForm::Names,
            "link" => FieldForm::Link,
            "links" => FieldForm::Links,
            "date" => FieldForm::Date,
            "duration" => FieldForm::Duration,
            "number" => FieldForm::Number,
            "currency" => FieldForm::Currency,
            "remote" => FieldForm::Remote,
            "count" => FieldForm::Count,
            "word" => FieldForm::Word,
            _ => FieldForm::Text,
        }
    }
}

/// The fields of a type of things.
#[derive(Debug)]
pub struct ThingKind {
    /// Its name.
    pub name: &'static str,
    /// The types of schema.org that are read as this type.
    pub kinds: Vec<&'static str>,
    /// The fields in the order of the output.
    pub fields: &'static [Field],
}

/// The types of things, from the table `fields.txt`.
pub static KINDS: LazyLock<Vec<ThingKind>> = LazyLock::new(|| {
    let mut groups: Vec<(&str, &'static [Field])> = Vec::new();
    let mut kinds = Vec::new();
    let (mut group, mut fields) = ("", Vec::new());
    for line in include_str!("fields.txt").lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (None, _) if fields.is_empty() => {}
            // Fields live as long as the program.
            (None, _) => groups.push((group, std::mem::take(&mut fields).leak())),
            (Some(name), None) => group = name,
            (Some(name), Some(form)) if line.starts_with(' ') => {
                fields.push(Field { name, properties: words.collect(), read: FieldForm::named(form, &groups) });
            }
            (Some(name), Some(of)) => {
                let fields = groups.iter().find(|(name, _)| *name == of).map_or(&[][..], |(_, fields)| fields);
                kinds.push(ThingKind { name, kinds: words.collect(), fields });
            }
        }
    }
    kinds
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_the_table_is_understood() {
        assert_eq!(KINDS.len(), 17);
        let words: Vec<&str> =
            include_str!("fields.txt").lines().filter_map(|l| l.strip_prefix("  ")?.split(' ').nth(1)).collect();
        for word in words {
            assert!(
                word == "text" || word.contains(':') || !matches!(FieldForm::named(word, &[]), FieldForm::Text),
                "{word}"
            );
        }
        for field in KINDS.iter().flat_map(|kind| kind.fields) {
            let has_objects = matches!(field.read, FieldForm::One(_) | FieldForm::All(_));
            assert_eq!(has_objects, !field.inner().is_empty(), "{}", field.name);
        }
    }
}
