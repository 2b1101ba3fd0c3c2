//! Writes the language, the script and the score of each line of the standard input, and the seconds taken to the standard error.
use std::io::Read;
use std::time::Instant;

fn main() -> Result<(), String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|e| e.to_string())?;
    let start = Instant::now();
    let found: Vec<_> = text.lines().map(maintext_language::detect).collect();
    eprintln!("{:.6}", start.elapsed().as_secs_f64());
    for line in found {
        match line {
            Some(d) => println!("{}\t{}\t{:.4}", d.language, d.script, d.score),
            None => println!("-\t-\t0"),
        }
    }
    Ok(())
}
