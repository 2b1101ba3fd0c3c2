//! Trains and measures the model of roles: `roles DATA_DIR MODEL LABELS SCORES`. Called by `cargo xtask train roles`.
use maintext_core::method::Favor;
use maintext_core::model::roles::Role;
use maintext_lab::Error;
use maintext_lab::held_out::HeldOut;
use maintext_lab::readings::Readings;
use maintext_lab::roles::{figures, pages, preference, settings, train};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let args: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let usage = "usage: roles DATA_DIR MODEL LABELS SCORES";
    maintext_lab::exit_code(<[PathBuf; 4]>::try_from(args).map_err(|_| usage.to_owned()), run)
}

fn run([data, model, labels, scores]: &[PathBuf; 4]) -> Result<(), Error> {
    let start = Instant::now();
    let say = |m: &str| eprintln!("{:7.1} s  {m}", start.elapsed().as_secs_f64());
    let pages = pages(data, &Readings::read(labels)?, &HeldOut::read(scores)?, say)?;
    say(&format!("{} pages", pages.len()));
    let (pack, told) = train(&pages, &settings(1), say);
    maintext_lab::write(model, &pack.to_bytes())?;
    println!("| role | blocks | precision | recall | mean probability |\n| --- | ---: | ---: | ---: | ---: |");
    for (role, f) in Role::ALL.iter().zip(figures(&pages, &told)) {
        let share = |a: f32, b: u32| a / b.max(1) as f32;
        let (precision, recall) = (share(f.right as f32, f.told), share(f.right as f32, f.blocks));
        let probability = share(f.probability, f.told);
        println!("| {} | {} | {precision:.3} | {recall:.3} | {probability:.3} |", role.name(), f.blocks);
    }
    println!("\n| preference | precision | recall | optional |\n| --- | ---: | ---: | ---: |");
    for favor in [Favor::Balance, Favor::Precision, Favor::Recall] {
        for (kept, roles) in preference(&pages, &told, favor).iter().zip(["without roles", "with roles"]) {
            println!("| {favor:?}, {roles} | {:.3} | {:.3} | {:.3} |", kept.precision, kept.recall, kept.optional);
        }
    }
    Ok(())
}
