//! Tests whether a model trained on ten pages of one site beats the general one on that site's other pages: `per_site MODEL SET`, for every
//! site of the set with at least 30 pages.
use maintext_core::Options as ExtractOptions;
use maintext_core::classic::LineModel;
use maintext_lab::Error;
use maintext_lab::data::{self, Page};
use maintext_lab::eval::Candidate;
use maintext_lab::lines::{Options, PageRows, Rows, Trainable, train};
use maintext_lab::score::{Tokens, prf};
use rayon::prelude::*;
use std::collections::BTreeMap;

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [model, set] = &args[..] else { return Err(Error::other("usage: per_site MODEL SET")) };
    let json = std::fs::read_to_string(model).map_err(|e| Error::other(e.to_string()))?;
    let general = LineModel::from_json(&json).map_err(|e| Error::other(e.to_string()))?;
    let method = Trainable::named(&general.method)?;
    let pages = data::read(set)?;
    let rows = Rows {
        pages: pages.par_iter().map(|p| PageRows::new(method, p)).collect(),
        sets: vec![data::set_name(set.as_ref())],
    };
    let mut sites: BTreeMap<&str, usize> = BTreeMap::new();
    pages.iter().for_each(|p| *sites.entry(&p.site).or_default() += 1);
    let candidate = |m: LineModel| Ok::<_, Error>(Candidate::new("", ExtractOptions::default(), method.with_model(m)?));
    let all = candidate(general)?;
    for (site, _) in sites.iter().filter(|(_, n)| **n >= 30) {
        let hidden = std::env::var("HIDDEN").ok().map(|h| h.split('-').filter_map(|n| n.parse().ok()).collect());
        let mut options =
            Options { site: Some(site.to_string()), hidden: hidden.or(Some(vec![7])), ..Options::default() };
        options.training.batch = 32;
        options.training.epochs = 300;
        options.training.patience = 40;
        let trained = train(method, &rows, &options, &())?;
        let own = candidate(trained.model)?;
        let others: Vec<&Page> =
            pages.iter().filter(|p| p.site == *site && !trained.report.seen.contains(&p.id)).collect();
        let mean = |c: &Candidate| {
            let f1 = |p: &&Page| prf(&c.run(p, &mut None).said.text, p.text.as_deref().unwrap_or(""), Tokens::Cjk).f1;
            others.par_iter().map(f1).sum::<f64>() / others.len() as f64
        };
        println!("{site}: {} other pages, general {:.4}, site {:.4}", others.len(), mean(&all), mean(&own));
    }
    Ok(())
}
