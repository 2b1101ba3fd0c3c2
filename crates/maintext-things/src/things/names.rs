//! Finds types and fields of things by the names that people use: `price`, `priceCurrency`, `products`.
use super::fields::{Field, FieldForm, KINDS, ThingKind};

/// Objects whose fields belong to the thing: the price of an offer is the product's price.
const PARTS: [&str; 7] = ["offers", "rating", "place", "address", "salary", "nutrition", "accepted_answer"];
/// Names of fields that parts do not lend to the thing, since they would mean another object.
const OWN: [&str; 8] = ["name", "title", "url", "text", "value", "date", "author", "description"];
/// Maximum number of objects between a thing and a field.
const MAX_DEPTH: usize = 2;

/// Returns the letters and digits of a text in lower case: a name without `_`, `-` and spaces.
pub fn plain(text: &str) -> String {
    if text.is_ascii() {
        let mut out = String::with_capacity(text.len());
        out.extend(text.bytes().filter(u8::is_ascii_alphanumeric).map(|b| b.to_ascii_lowercase() as char));
        return out;
    }
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the type with this name, singular or plural.
pub fn kind(name: &str) -> Option<&'static ThingKind> {
    let name = plain(name);
    KINDS.iter().find(|kind| {
        let own = plain(kind.name);
        own == name || name.strip_suffix('s') == Some(&own)
    })
}

/// Returns the path to a field by its name, or by the property of schema.org that states it.
pub fn path(fields: &'static [Field], name: &str) -> Option<Vec<&'static Field>> {
    let name = plain(name);
    let singular = name.strip_suffix('s').unwrap_or(&name).to_owned();
    let other = if name == "title" { "name".to_owned() } else { format!("{name}s") };
    [&name, &other, &singular].into_iter().find_map(|n| search(fields, n, 0))
}

fn search(fields: &'static [Field], name: &str, depth: usize) -> Option<Vec<&'static Field>> {
    let own = fields.iter().find(|f| plain(f.name) == name);
    let stated = || {
        fields.iter().find(|f| {
            f.properties.iter().any(|p| {
                let last = p.rsplit('.').next().unwrap_or(p);
                plain(last) == name && (last.len() == p.len() || !OWN.contains(&name))
            })
        })
    };
    if let Some(field) = own.or_else(stated) {
        return Some(vec![field]);
    }
    if depth == MAX_DEPTH || OWN.contains(&name) {
        return None;
    }
    fields.iter().filter(|f| PARTS.contains(&f.name)).find_map(|f| match f.read {
        FieldForm::One(inner) | FieldForm::All(inner) => {
            let mut path = vec![f];
            path.extend(search(inner, name, depth + 1)?);
            Some(path)
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_the_names_of_schema_org_too() {
        let cases = [
            ("product", "price", "offers.price"),
            ("Products", "priceCurrency", "offers.currency"),
            ("Product", "in stock", ""),
            ("Product", "ratingValue", "rating.value"),
            ("Product", "reviewCount", "review_count"),
            ("Product", "image", "images"),
            ("Product", "title", "name"),
            ("Product", "author", ""),
            ("Recipe", "recipeIngredient", "ingredients"),
            ("Recipe", "calories", "nutrition.calories"),
            ("Event", "addressLocality", "place.address.locality"),
            ("job_posting", "title", "title"),
            ("JobPosting", "baseSalary", "salary"),
        ];
        for (k, name, expected) in cases {
            let found = path(kind(k).unwrap().fields, name).unwrap_or_default();
            let names: Vec<&str> = found.iter().map(|f| f.name).collect();
            assert_eq!(names.join("."), expected, "{k} {name}");
        }
        assert!(kind("article").is_none());
    }
}
