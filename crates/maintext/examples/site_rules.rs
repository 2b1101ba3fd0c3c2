//! Overrides the extraction for one site: `cargo run --example site_rules`.
//!
//! Selectors win over the method. One that matches nothing is a warning, and the result is as without it.
use maintext::{Extractor, Input, Options, Rules};

const HTML: &str = "<html><head><title>Harbour news</title></head><body>
  <div class=byline data-writer='Ines Calloway'>by our reporter</div>
  <div id=story><p>The ferry leaves at nine, and comes back in the evening.</p><p class=promo>Subscribe now!</p></div>
  <div id=more><p>Ten more stories that you should not miss, each of them longer than the one above.</p></div></body></html>";

fn main() -> Result<(), maintext::Error> {
    let rules =
        Rules::new().with_content("#story")?.with_drop(".promo")?.with_field("author", ".byline@data-writer")?;
    let options = Options::new().with_site_rules("harbour.example", rules)?;
    let mut extractor = Extractor::new(options)?;

    for url in ["https://www.harbour.example/ferry", "https://other.example/ferry"] {
        let page = extractor.extract(Input::from(HTML).with_url(url))?;
        println!("{url}\n  author: {:?}\n  text: {:?}\n", page.metadata.author, page.text());
    }
    Ok(())
}
