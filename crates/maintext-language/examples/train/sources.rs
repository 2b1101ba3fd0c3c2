//! Which text belongs to which output of the model.
use crate::languages::GROUPS;
use crate::random::Random;
use crate::text::{self, Texts};
use crate::words;
use crate::{chain, script_of};
use std::collections::HashMap;
use std::path::Path;
use unicode_script::Script;

/// Words drawn from each model of lingua.
const DRAWN: usize = 150_000;

/// A run of words, each as characters.
pub type Line = Vec<Box<[char]>>;

/// The text of one language in one script, by kind of source.
#[derive(Default)]
pub struct Class {
    /// Sentences.
    pub lines: Vec<Line>,
    /// Words as frequent as in text.
    pub drawn: Vec<Box<[char]>>,
    /// Different words.
    pub list: Vec<Box<[char]>>,
}

/// Tags of the packages that differ from ours.
const TAGS: &str = include_str!("tags.txt");

/// Languages by the names of lingua's models.
const LINGUA: &str = include_str!("lingua.txt");

/// Returns the tag of a name in a table with one pair in each line.
fn ours(table: &'static str, theirs: &str) -> Option<&'static str> {
    table.lines().filter_map(|line| line.split_once(' ')).find(|pair| pair.0 == theirs).map(|pair| pair.1)
}

/// Returns our tag of a package's.
fn tag(theirs: &str) -> &str {
    ours(TAGS, theirs).unwrap_or_else(|| theirs.split('-').next().unwrap_or(theirs))
}

/// Reads all packages in a folder. The classes are in the order of the model's outputs.
pub fn read(folder: &Path, random: &mut Random) -> Result<Vec<Class>, String> {
    let mut index = HashMap::new();
    for group in GROUPS {
        for language in group.languages {
            index.insert((group.script, *language), index.len());
        }
    }
    let mut classes: Vec<Class> = (0..index.len()).map(|_| Class::default()).collect();
    let mut add = |theirs: &str, line: &str, list: bool| {
        let script = script_of(line);
        let Some(class) = index.get(&(script, tag(theirs))) else { return };
        let mut found = Line::new();
        words::words(line, |word, of| {
            if of == script {
                found.push(word.into());
            }
        });
        let class = &mut classes[*class];
        if list { class.list.extend(found) } else { class.lines.push(found) }
    };
    let mut sentences = |texts: Texts| {
        for (theirs, lines) in texts {
            lines.iter().for_each(|l| add(&theirs, l, false));
        }
    };
    sentences(text::udhr(&folder.join("udhr"))?);
    sentences(text::homeassistant(&folder.join("homeassistant"))?);
    sentences(text::django(&folder.join("django"))?);
    for (theirs, lines) in text::lists(&folder.join("words"))? {
        lines.iter().for_each(|l| add(&theirs, l, true));
    }
    for model in text::folders(&folder.join("lingua"))? {
        let name = model.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        let Some(tag) = ours(LINGUA, &name) else { continue };
        for word in chain::words(&model, DRAWN, random)? {
            let script = word.iter().map(|c| words::script(*c)).find(|s| *s != Script::Common);
            if let Some(class) = script.and_then(|s| index.get(&(s, tag))) {
                classes[*class].drawn.push(word.into());
            }
        }
    }
    for class in &mut classes {
        class.lines.retain(|l| !l.is_empty());
    }
    Ok(classes)
}
