//! The flags that follow an input to other addresses: to its content, and to the further parts of its article.
use crate::guard;
use crate::input::AddressFacts;
use maintext_core::parts::Follower;
use maintext_core::{Extractor, Page, Warning, WarningCode};
use maintext_fetch::{FetchOptions, Fetcher, Policy};
use maintext_formats::Format;
use std::collections::HashSet;
use url::Url;

/// Maximum number of addresses that are followed one after another to the content of a page.
const MAX_HOPS: usize = 5;
/// Words from which the first of several frames is taken without a look at the others.
const CONTENT: u32 = 20;

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Following")]
pub struct FollowArgs {
    /// Follow a page without content to the address that holds it: a frame, the target of a refresh, the canonical address
    ///
    /// At most 5 addresses are followed; addresses on other sites must be on public servers.
    #[arg(long)]
    pub follow: bool,

    /// Join an article over several pages: follow at most N further parts; includes --follow
    ///
    /// The page must link to a part by number or as the next page, and the part's address may differ from the page's only in a number.
    /// Links to other articles are not followed. A page with the whole article is taken if the parts link to one and it is longer.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub follow_pages: Option<u32>,
}

impl FollowArgs {
    /// Whether inputs are followed at all.
    pub fn any(&self) -> bool {
        self.follow || self.follow_pages.is_some()
    }
}

/// A page and its source.
pub struct FollowedPage {
    pub page: Page,
    /// The address that answered.
    pub url: String,
    pub bytes: Vec<u8>,
    pub charset: Option<String>,
}

/// Reads addresses that pages name.
pub trait Load {
    /// Loads an address of the site of the input.
    fn load(&mut self, url: &str) -> Result<FollowedPage, String>;
    /// Extracts a page with the settings of the run.
    fn extract(&mut self, bytes: &[u8], url: &str, charset: Option<&str>) -> Result<Page, String>;
}

/// Follows pages to other addresses.
pub struct Follow {
    /// Fetches from other sites: from public servers, and without headers that may hold secrets of the input's site.
    outside: Fetcher,
    /// Extracts parts.
    parts: Extractor,
    /// Maximum number of further parts.
    limit: usize,
}

impl Follow {
    /// Checks the settings.
    pub fn new(args: &FollowArgs, fetch: FetchOptions, extractor: &Extractor) -> Result<Follow, String> {
        let headers = fetch.headers.iter().filter(|h| maintext_fetch::is_harmless(&h.0)).cloned().collect();
        let outside = FetchOptions { headers, policy: Some(Policy::default()), ..fetch };
        Ok(Follow {
            outside: Fetcher::new(outside).map_err(|e| e.to_string())?,
            parts: Extractor::new(extractor.part_options()).map_err(|e| e.to_string())?,
            limit: args.follow_pages.unwrap_or(0) as usize,
        })
    }

    /// Returns the page that holds the content of `loaded`, with all its parts.
    pub fn run(&mut self, loaded: FollowedPage, extractor: &Extractor, from: &mut dyn Load) -> Page {
        let loaded = self.to_content(loaded, from);
        match self.limit {
            0 => loaded.page,
            limit => self.join_parts(loaded, limit, extractor, from),
        }
    }

    /// Follows a page to the address that holds its content.
    fn to_content(&self, mut loaded: FollowedPage, from: &mut dyn Load) -> FollowedPage {
        let mut visited = HashSet::from([without_fragment(&loaded.url)]);
        for hop in 0.. {
            let addresses: Vec<String> =
                loaded.page.elsewhere.iter().filter(|a| visited.insert(without_fragment(a))).cloned().collect();
            if addresses.is_empty() {
                break;
            }
            if hop == MAX_HOPS {
                loaded.page.warnings.push(Warning::new(
                    WarningCode::LimitReached,
                    format!("more than {MAX_HOPS} addresses lead to the content: {} was not followed", addresses[0]),
                ));
                break;
            }
            let mut found: Option<FollowedPage> = None;
            for address in addresses {
                match self.load(&loaded.url, &address, from) {
                    Ok(next) => {
                        if found.as_ref().is_none_or(|best| worth(&next.page) > worth(&best.page)) {
                            found = Some(next);
                        }
                    }
                    Err(message) => {
                        let message = format!("the content could not be followed: {message}");
                        loaded.page.warnings.push(Warning::new(WarningCode::ContentElsewhere, message));
                    }
                }
                if found.as_ref().is_some_and(|f| words(&f.page) >= CONTENT) {
                    break;
                }
            }
            // An empty page is no better than the few words that led to it.
            match found.filter(|next| worth(&next.page) > 0 || words(&loaded.page) == 0) {
                Some(next) => {
                    visited.insert(without_fragment(&next.url));
                    loaded = next;
                }
                None => break,
            }
        }
        loaded
    }

    fn join_parts(&mut self, loaded: FollowedPage, limit: usize, extractor: &Extractor, from: &mut dyn Load) -> Page {
        let FollowedPage { page, url, bytes, charset } = loaded;
        if page.parts.next.is_none() {
            return page;
        }
        let Ok(first) = extract(&mut self.parts, &bytes, &url, charset.as_deref()) else { return page };
        let mut follower = Follower::new(first, &url, limit);
        while let Some(address) = follower.next_address() {
            let part = self
                .load(&url, &address, from)
                .and_then(|l| Ok((extract(&mut self.parts, &l.bytes, &l.url, l.charset.as_deref())?, l.url)));
            follower.add(part);
        }
        extractor.join(page, follower)
    }

    /// Loads an address that the page at `page` names.
    fn load(&self, page: &str, address: &str, from: &mut dyn Load) -> Result<FollowedPage, String> {
        if is_same_site(page, address) {
            return from.load(address);
        }
        let fetched = self.outside.fetch(address).map_err(|e| e.to_string())?;
        if maintext_fetch::representation::is_markdown(fetched.content_type.as_deref()) {
            return Err(format!("{address}: is Markdown, not a page"));
        }
        let facts = AddressFacts::new(&fetched, &self.outside.options().user_agent);
        let mut page = from.extract(&fetched.body, &fetched.url, fetched.charset.as_deref())?;
        facts.complete(&mut page, Format::Html);
        Ok(FollowedPage { page, url: fetched.url, bytes: fetched.body, charset: fetched.charset })
    }
}

/// Extracts a page; a panic is an error.
pub fn extract(extractor: &mut Extractor, bytes: &[u8], url: &str, charset: Option<&str>) -> Result<Page, String> {
    guard::catch(|| extractor.extract_at(bytes, Some(url), charset))?.map_err(|error| error.to_string())
}

fn words(page: &Page) -> u32 {
    page.text().split_whitespace().count().try_into().unwrap_or(u32::MAX)
}

/// Returns the value of a page as content; a page that leads to its content is worth more than an empty one.
fn worth(page: &Page) -> u32 {
    2 * words(page) + u32::from(!page.elsewhere.is_empty())
}

fn without_fragment(url: &str) -> String {
    url.split('#').next().unwrap_or("").to_owned()
}

fn is_same_site(a: &str, b: &str) -> bool {
    matches!((Url::parse(a), Url::parse(b)), (Ok(a), Ok(b)) if a.origin() == b.origin())
}
