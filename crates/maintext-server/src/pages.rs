//! A cache of recently inspected pages, so that later requests about them need not send them again.
use maintext_util::guard::lock;
use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex};

/// Maximum number of pages in the cache.
const PAGES: usize = 256;

/// A decoded page.
#[derive(Debug)]
pub struct KeptPage {
    /// Its HTML.
    pub html: String,
    /// Its address.
    pub url: Option<String>,
    /// The holder of the token that inspected it.
    pub holder: String,
}

/// The cache, with the oldest page first.
#[derive(Debug)]
pub struct KnownPages {
    bytes: usize,
    pages: Mutex<VecDeque<(String, Arc<KeptPage>)>>,
    names: RandomState,
}

impl KnownPages {
    /// Creates a cache of at most this many bytes.
    pub fn new(bytes: usize) -> KnownPages {
        KnownPages { bytes, pages: Mutex::default(), names: RandomState::new() }
    }

    /// Caches a page, removes old ones if necessary, and returns a name that cannot be guessed.
    pub fn keep(&self, mut page: KeptPage) -> String {
        page.html.shrink_to_fit();
        let mut pages = lock(&self.pages);
        while !pages.is_empty()
            && (pages.len() >= PAGES
                || pages.iter().map(|(_, p)| p.html.len()).sum::<usize>() + page.html.len() > self.bytes)
        {
            pages.pop_front();
        }
        // The hash is keyed with the system's random numbers, and its input differs each time.
        let half = |salt: u8| self.names.hash_one((salt, &page.html, pages.len(), std::time::Instant::now()));
        let name = format!("{:016x}{:016x}", half(1), half(2));
        pages.push_back((name.clone(), Arc::new(page)));
        name
    }

    /// Returns the holder's page with this name if it is still cached.
    pub fn get(&self, holder: &str, name: &str) -> Option<Arc<KeptPage>> {
        let pages = lock(&self.pages);
        pages.iter().find(|(n, page)| n == name && page.holder == holder).map(|(_, page)| page.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_pages_are_removed() {
        let pages = KnownPages::new(3000);
        let kept = |html: String| KeptPage { html, url: None, holder: "a".into() };
        let names: Vec<String> = (0..PAGES + 3).map(|i| pages.keep(kept(i.to_string()))).collect();
        assert!(pages.get("a", &names[2]).is_none() && pages.get("a", &names[3]).is_some_and(|p| p.html == "3"));
        let names: Vec<String> = (0..3).map(|_| pages.keep(kept("x".repeat(1001)))).collect();
        assert!(pages.get("b", &names[2]).is_none());
        assert!(pages.get("a", &names[0]).is_none() && pages.get("a", &names[2]).is_some());
    }
}
