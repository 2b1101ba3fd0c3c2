//! Shows the input and the decisions of a method on a page: `cargo run --example inspect -- METHOD PAGE [OUT]` writes `OUT.csv`, `.svg`,
//! `.png`, `.html`.
use maintext_core::blocks::Blocks;
use maintext_core::method::{Favor, View};
use maintext_core::methods::Parameters;
use maintext_lab::plot::{Heading, Theme, png, svg};
use maintext_learn::inspect::{Table, annotate};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [name, path, rest @ ..] = &args[..] else { return Err("usage: inspect METHOD PAGE [OUT]".into()) };
    let (name, model) = name.split_once('=').unwrap_or((name, ""));
    let method = match model {
        "" => maintext_core::classic::method(name).ok_or("no such method")?,
        file => Parameters { model: Some(std::fs::read_to_string(file)?), ..Parameters::default() }.method(name)?,
    };
    let bytes = std::fs::read(path)?;
    let source = maintext_core::decode::decode(&bytes, None).text;
    let dom = maintext_core::dom::parse(&source, &Default::default());
    let blocks = Blocks::new(&dom);
    let view = View { source: &source, dom: &dom, blocks: &blocks, url: None };
    let table = Table::new(&view, &*method, Favor::Balance);
    print!("{}", table.terminal(140));
    if let [out, ..] = rest {
        let heading = Heading { title: path, below: name };
        std::fs::write(format!("{out}.csv"), table.csv())?;
        std::fs::write(format!("{out}.svg"), svg(&table, &heading, Theme::Reader))?;
        std::fs::write(format!("{out}.png"), png(&table, &heading, Theme::Light)?)?;
        std::fs::write(format!("{out}.html"), annotate(&view, name, &method.judge(&view, Favor::Balance)))?;
    }
    Ok(())
}
