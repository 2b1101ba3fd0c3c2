//! The pages that were inspected last, so that questions about them need not send them again.
use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of all pages that are remembered.
const BYTES: usize = 64 << 20;
/// Pages that are remembered.
const PAGES: usize = 256;

/// A decoded page.
#[derive(Debug)]
pub struct Kept {
    /// Its text.
    pub html: String,
    /// Its address.
    pub url: Option<String>,
}

/// The pages, the oldest first.
#[derive(Debug, Default)]
pub struct Pages {
    pages: Mutex<VecDeque<(String, Arc<Kept>)>>,
    names: RandomState,
}

impl Pages {
    /// Remembers a page and gives it a name that nobody can guess; forgets old ones.
    pub fn keep(&self, page: Kept) -> String {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        let size = |pages: &VecDeque<(String, Arc<Kept>)>| pages.iter().map(|(_, p)| p.html.len()).sum::<usize>();
        while !pages.is_empty() && (pages.len() >= PAGES || size(&pages) + page.html.len() > BYTES) {
            pages.pop_front();
        }
        // Keyed by what the system's random numbers give, over a text that differs each time.
        let half = |salt: u8| self.names.hash_one((salt, &page.html, pages.len(), std::time::Instant::now()));
        let name = format!("{:016x}{:016x}", half(1), half(2));
        pages.push_back((name.clone(), Arc::new(page)));
        name
    }

    /// The page of that name, if it is remembered still.
    pub fn get(&self, name: &str) -> Option<Arc<Kept>> {
        let pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.iter().find(|(n, _)| n == name).map(|(_, page)| page.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_pages_are_forgotten() {
        let pages = Pages::default();
        let names: Vec<String> = (0..PAGES + 3).map(|i| pages.keep(Kept { html: i.to_string(), url: None })).collect();
        assert!(pages.get(&names[2]).is_none() && pages.get(&names[3]).is_some_and(|p| p.html == "3"));
        let large = || Kept { html: "x".repeat(BYTES / 3 + 1), url: None };
        let names: Vec<String> = (0..3).map(|_| pages.keep(large())).collect();
        assert!(pages.get(&names[0]).is_none() && pages.get(&names[2]).is_some());
    }
}
