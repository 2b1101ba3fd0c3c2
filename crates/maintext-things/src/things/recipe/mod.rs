//! Recipes: ingredients in groups and instructions in sections, as the page declares and as it prints them.
//!
//! Declarations take precedence ([`declared`]), after repairs of faults of templates ([`lines`]). The page's own lists ([`regions`])
//! replace them where the declaration is missing, is one glued text or is cut short.
mod declared;
mod lines;
mod regions;
mod visible;
mod words;

use super::items::ItemValue;
use super::value::{Origin, Thing, Value};
use super::{Sources, clean};
use crate::things::names::plain;
use maintext_page::hash::HashSet;
use regions::{DeclaredLines, Region};

/// Lines under a name: a group of ingredients or a section of the instructions.
#[derive(Clone, Debug, Default)]
pub(super) struct RecipePart {
    pub name: Option<String>,
    pub lines: Vec<String>,
}

/// A field of lines, with the field of its parts.
struct LinesField {
    name: &'static str,
    parts: &'static str,
    /// The name of the lines in a part.
    lines: &'static str,
    /// Whether the flat list holds the names of the parts.
    is_named: bool,
}

const INGREDIENTS: LinesField =
    LinesField { name: "ingredients", parts: "ingredient_groups", lines: "ingredients", is_named: false };
const INSTRUCTIONS: LinesField = LinesField { name: "instructions", parts: "sections", lines: "steps", is_named: true };

/// Minimum length of a line whose repetition is an error, in bytes.
const MIN_REPEATED: usize = 30;
/// Score from which a region is a part of a recipe without any declaration.
const MIN_SCORE: f32 = 3.0;
/// Maximum number of declared lines that may be glued or cut, and lengths of lines in bytes beyond which longer declarations may be.
const MAX_GLUED_LINES: usize = 2;
const MAX_STEP: usize = 450;
const MAX_INGREDIENT: usize = 200;
/// Maximum number of blocks between ingredients and steps of a recipe that is not declared.
const MAX_BLOCKS_BETWEEN: u32 = 40;
/// Probabilities of lines that the page prints: with a declaration, and without one.
const PROBABILITY_BESIDE_DECLARATION: f32 = 0.85;
const PROBABILITY_ALONE: f32 = 0.8;

/// Returns the flat list of declared ingredients, and their groups if the page names any.
pub(super) fn ingredients(sources: &Sources<'_>, values: &[&ItemValue]) -> Vec<(&'static str, Value)> {
    fields(&declared::ingredients(sources, values), &INGREDIENTS)
}

/// Returns the flat list of declared steps with the names of sections as lines, and the sections if the page names any.
pub(super) fn steps(sources: &Sources<'_>, values: &[&ItemValue]) -> Vec<(&'static str, Value)> {
    fields(&declared::steps(sources, values), &INSTRUCTIONS)
}

fn fields(parts: &[RecipePart], field: &LinesField) -> Vec<(&'static str, Value)> {
    let flat = flat(parts, field).map(|v| (field.name, v));
    flat.into_iter().chain(named(parts, field).map(|v| (field.parts, v))).collect()
}

fn flat(parts: &[RecipePart], field: &LinesField) -> Option<Value> {
    let mut texts = Vec::new();
    for part in parts {
        if field.is_named {
            texts.extend(part.name.clone());
        }
        texts.extend(part.lines.iter().cloned());
    }
    Value::texts(texts)
}

fn named(parts: &[RecipePart], field: &LinesField) -> Option<Value> {
    if parts.iter().all(|p| p.name.is_none()) {
        return None;
    }
    Value::list(parts.iter().map(|p| {
        let name = p.name.clone().map(|n| ("name", Value::Text(n)));
        let lines = Value::texts(p.lines.iter().cloned()).map(|lines| (field.lines, lines));
        Value::object(name.into_iter().chain(lines).collect())
    }))
}

/// Drops one copy of lines that the page has twice; of copies with different spaces, the one with more spaces stays.
fn drop_copy(parts: &mut Vec<RecipePart>) {
    let all: Vec<&String> = parts.iter().flat_map(|p| &p.lines).collect();
    let half = all.len() / 2;
    if all.len() < 4
        || all.len() % 2 == 1
        || !all[..half].iter().zip(&all[half..]).all(|(a, b)| a == b || plain(a) == plain(b))
    {
        return;
    }
    let better: Option<Vec<String>> = (count_spaces(&all[half..]) > count_spaces(&all[..half]))
        .then(|| all[half..].iter().map(|l| (*l).clone()).collect());
    let mut left = half;
    for part in parts.iter_mut() {
        part.lines.truncate(left);
        left -= part.lines.len();
    }
    parts.retain(|p| !p.lines.is_empty());
    let own = parts.iter_mut().flat_map(|p| &mut p.lines);
    own.zip(better.into_iter().flatten()).for_each(|(line, better)| *line = better);
}

fn count_spaces(of: &[&String]) -> usize {
    of.iter().map(|l| l.matches(' ').count()).sum::<usize>()
}

/// Drops what repeats the steps before it, and numbers that all steps have.
fn drop_repetitions(parts: &mut Vec<RecipePart>) {
    drop_copy(parts);
    let count = parts.iter().flat_map(|p| &p.lines).count();
    let numbered = parts
        .iter()
        .flat_map(|p| &p.lines)
        .enumerate()
        .filter(|(i, l)| lines::bare_number(l).is_some_and(|n| n.0 as usize == i + 1))
        .count();
    for part in parts.iter_mut() {
        part.lines.dedup_by(|a, b| a == b && a.len() >= MIN_REPEATED);
        if numbered == count && count > 1 {
            for line in &mut part.lines {
                *line = lines::bare_number(line).map_or_else(|| line.clone(), |n| n.1.to_owned());
            }
        }
    }
}

/// Completes the page's recipe from the visible text, or adds the recipe that the text contains.
pub(super) fn complete(sources: &Sources<'_>, things: &mut Vec<Thing>) {
    merge(things);
    let at = things.iter().position(|t| t.kind == "Recipe");
    let declared = |field: &LinesField| at.map(|i| list(&things[i], field.name)).unwrap_or_default();
    let (own_ingredients, own_steps) = (declared(&INGREDIENTS), declared(&INSTRUCTIONS));
    let known = [DeclaredLines::new(&own_ingredients), DeclaredLines::new(&own_steps)];
    // Several short steps stay as declared.
    let longest = own_steps.iter().map(String::len).max().unwrap_or(0);
    let wants_steps = own_steps.len() <= MAX_GLUED_LINES || longest > MAX_STEP;
    let found = regions::read(sources, &known, at.is_some(), wants_steps);
    match at {
        Some(i) => {
            let thing = &mut things[i];
            if let Some(region) = found.ingredients.filter(|r| is_better(r, &own_ingredients, &INGREDIENTS)) {
                set(thing, &INGREDIENTS, &region.parts, PROBABILITY_BESIDE_DECLARATION);
            }
            if let Some(region) = found.instructions.filter(|r| is_better(r, &own_steps, &INSTRUCTIONS)) {
                set(thing, &INSTRUCTIONS, &region.parts, PROBABILITY_BESIDE_DECLARATION);
            }
        }
        None => {
            let ingredients = found.ingredients.filter(|r| r.score >= MIN_SCORE);
            let steps = found.instructions.filter(|r| r.score >= MIN_SCORE);
            if let (Some(ingredients), Some(steps)) = (ingredients, steps)
                && is_recipe(&ingredients, &steps)
            {
                things.insert(0, printed(sources, &ingredients, &steps));
            }
        }
    }
}

/// Returns whether two regions of a page that declares no recipe form a recipe: both are named, are side by side, and hold measured
/// ingredients.
fn is_recipe(ingredients: &Region, steps: &Region) -> bool {
    let measured = lines_of(ingredients)
        .filter(|l| visible::starts_with_quantity(l) || lines::has_quantity(l) && l.len() < 100)
        .count();
    let gap =
        steps.blocks.start.abs_diff(ingredients.blocks.end).min(ingredients.blocks.start.abs_diff(steps.blocks.end));
    let are_apart = steps.blocks.start >= ingredients.blocks.end || ingredients.blocks.start >= steps.blocks.end;
    ingredients.is_named
        && steps.is_named
        && are_apart
        && gap <= MAX_BLOCKS_BETWEEN
        && lines_of(ingredients).count() > 1
        && 3 * measured >= lines_of(ingredients).count()
}

fn lines_of(region: &Region) -> impl Iterator<Item = &String> {
    region.parts.iter().flat_map(|p| &p.lines)
}

/// Returns the recipe that the page prints without declaring it.
fn printed(sources: &Sources<'_>, ingredients: &Region, steps: &Region) -> Thing {
    let mut thing = Thing::new("Recipe");
    if let Some(name) = sources.metadata.title.as_deref().and_then(clean::text) {
        thing.set("name", Value::Text(name), Origin { from: "text", probability: PROBABILITY_ALONE });
    }
    set(&mut thing, &INGREDIENTS, &ingredients.parts, PROBABILITY_ALONE);
    set(&mut thing, &INSTRUCTIONS, &steps.parts, PROBABILITY_ALONE);
    thing
}

/// Joins recipes of the same name that several syntaxes declare.
fn merge(things: &mut Vec<Thing>) {
    let Some(at) = things.iter().position(|t| t.kind == "Recipe") else { return };
    let name = things[at].text("name").map(plain);
    let twin = things.iter().enumerate().skip(at + 1).find(|(_, t)| {
        t.kind == "Recipe" && (t.text("name").map(plain) == name || t.text("name").is_none() || name.is_none())
    });
    let Some((twin, _)) = twin else { return };
    let other = things.remove(twin);
    things[at].fill(other);
}

/// Returns the texts of a list.
fn list(thing: &Thing, field: &str) -> Vec<String> {
    let Some(Value::List(values)) = thing.get(field) else { return Vec::new() };
    values.iter().filter_map(Value::text).map(str::to_owned).collect()
}

fn set(thing: &mut Thing, field: &LinesField, parts: &[RecipePart], probability: f32) {
    let origin = Origin { from: "text", probability };
    thing.remove(field.name);
    thing.remove(field.parts);
    if let Some(value) = flat(parts, field) {
        thing.set(field.name, value, origin.clone());
    }
    if let Some(value) = named(parts, field) {
        thing.set(field.parts, value, origin);
    }
}

/// Returns whether the page prints the declared ingredients in a better form: with spaces before units, or with words for which the template
/// of the declaration has both numbers (`clove(s)`).
fn has_better_forms(printed: &[&String], declared: &[String]) -> bool {
    let open = declared.iter().filter(|d| d.contains("(s)")).count();
    if open > 1 && printed.len() >= declared.len() && printed.iter().all(|p| !p.contains("(s)")) {
        let names: HashSet<String> = printed.iter().map(|p| lines::last_word(p)).collect();
        let found = declared.iter().filter(|d| names.contains(&lines::last_word(d))).count();
        return 10 * found >= 9 * declared.len() && 4 * printed.len() <= 5 * declared.len();
    }
    let same = printed.iter().zip(declared).filter(|(p, d)| **p == *d).count();
    let divided = printed.iter().zip(declared).filter(|(p, d)| lines::divides_units(p, d)).count();
    printed.len() == declared.len() && divided > 1 && 10 * (same + divided) >= 9 * declared.len()
}

/// Returns whether the printed lines replace the declared ones: the page declares none, or they are one glued text, are cut short, or lost
/// their quantities.
fn is_better(region: &Region, declared: &[String], field: &LinesField) -> bool {
    let printed: Vec<&String> = region.parts.iter().flat_map(|p| &p.lines).collect();
    if declared.is_empty() {
        return region.score >= MIN_SCORE && (field.is_named || printed.len() > 1);
    }
    let all = plain(&declared.concat());
    let keys: Vec<String> = printed.iter().map(|l| plain(l)).collect();
    let size: usize = keys.iter().map(String::len).sum();
    let shared: usize = keys.iter().filter(|k| all.contains(&k[..])).map(String::len).sum();
    let covered = shared as f32 / size.max(1) as f32;
    let is_same = covered > 0.8 && size as f32 > 0.7 * all.len() as f32;
    let longest = declared.iter().map(String::len).max().unwrap_or(0);
    let is_glued =
        declared.len() <= MAX_GLUED_LINES || longest > if field.is_named { MAX_STEP } else { MAX_INGREDIENT };
    if is_same && is_glued && 2 * printed.len() >= 3 * declared.len() && printed.len() > declared.len() {
        return true;
    }
    if field.is_named {
        let is_cut = printed.len() >= declared.len() && size > all.len() * 3 / 2 && declared.len() <= MAX_GLUED_LINES;
        // If the page prints each declared step unchanged as its own line, they are complete: the rest of the page has no further steps.
        let are_whole = declared.len() > 1 && declared.iter().all(|d| keys.contains(&plain(d)));
        return is_cut && !are_whole && region.score >= MIN_SCORE;
    }
    if has_better_forms(&printed, declared) {
        return true;
    }
    let share = |lines: &mut dyn Iterator<Item = &String>, n: usize| {
        lines.filter(|l| lines::has_quantity(l)).count() as f32 / n.max(1) as f32
    };
    // The declaration has only some of the printed lines.
    let of_page: HashSet<&String> = keys.iter().collect();
    let known = declared.iter().filter(|l| of_page.contains(&plain(l))).count();
    if 10 * known >= 9 * declared.len() && 4 * printed.len() >= 5 * declared.len() {
        let own: HashSet<String> = declared.iter().map(|l| plain(l)).collect();
        let names: HashSet<String> = declared.iter().map(|l| lines::last_word(l)).collect();
        let (mut more, mut measured, mut scaled) = (0, 0, 0);
        for line in printed.iter().zip(&keys).filter(|(_, k)| !own.contains(*k)).map(|(l, _)| l) {
            more += 1;
            scaled += usize::from(names.contains(&lines::last_word(line)));
            let is_ingredient =
                visible::starts_with_quantity(line) && line.contains(char::is_alphabetic) && line.len() < 120;
            measured += usize::from(is_ingredient);
        }
        // The same ingredients in other quantities are for more or fewer people.
        return 10 * measured >= 7 * more && 2 * scaled <= more;
    }
    let (own, other) =
        (share(&mut declared.iter(), declared.len()), share(&mut printed.iter().copied(), printed.len()));
    own < 0.3 && other > 0.6 && printed.len() >= declared.len() || declared.len() == 1 && printed.len() > 2
}
