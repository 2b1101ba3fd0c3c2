//! Writes the language, the script and the score of each line of the standard input.
//! `predict whatlang` asks whatlang, `predict languages` lists the languages.
use std::io::Read;

fn main() -> Result<(), String> {
    let name = std::env::args().nth(1).unwrap_or_default();
    if name == "languages" {
        maintext_language::languages().for_each(|l| println!("{}", l.0));
        return Ok(());
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|e| e.to_string())?;
    let found: Vec<_> = match name.as_str() {
        "whatlang" => text.lines().map(whatlang).collect(),
        _ => {
            text.lines().map(|line| maintext_language::detect(line).map(|d| (d.language, d.script, d.score))).collect()
        }
    };
    for line in found {
        let (language, script, score) = line.unwrap_or(("-", "-", 0.0));
        println!("{language}\t{script}\t{score:.4}");
    }
    Ok(())
}

fn whatlang(text: &str) -> Option<(&'static str, &'static str, f32)> {
    let info = whatlang::detect(text)?;
    Some((info.lang().code(), "-", info.confidence() as f32))
}
