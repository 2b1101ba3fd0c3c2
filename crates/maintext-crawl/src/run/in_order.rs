//! Crawls of whole sites. Requests overlap, but results are recorded in one order: by the number of links from the starting points, then
//! as found. Therefore the output does not depend on the times of the server, and a crawl that was killed and resumed gives the same bytes.
//!
//! Levels: the sitemaps of a server that robots.txt names have level 0, starting points level 1, their links and the entries of sitemaps
//! level 2, and so on.
use super::{Done, FORM_TRIES, KnownRules, NAP, REDIRECTS, Refusal, RunningCrawl, now};
use crate::address::{Address, session_place, without_session_at};
use crate::site::{Site, SitePlace, file_type, site_of, within};
use crate::store::{AddressSource, CUT_INDICES, Discovery, PageRole, PageState, Told, Waiting};
use crate::worker::{Detail, ListedLinks, Outcome, PageContents};
use crate::{Error, Hosts, Progress};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// Results and requests ahead of the first page without a result, per concurrent request.
const AHEAD: usize = 8;
/// Pages of one form are given up as a trap only this many links beyond the first of them: an endless calendar leads away from its first
/// page.
const TRAP_DEPTH: u32 = 5;
/// Number of texts, each found below two sessions, after which a path segment counts as a session. One text may be an error message.
const SESSION_TEXTS: u64 = 3;
/// Shortest wait between two looks at the queue.
const GLANCE: Duration = Duration::from_millis(5);
/// Number of sitemaps and feeds that a crawl may read besides one for each page of its limit.
const SPARE_INDICES: u64 = 100;

/// Usual addresses of sitemaps, for servers whose robots.txt names none.
const GUESSES: [&str; 3] = ["/sitemap.xml", "/sitemap_index.xml", "/sitemap.txt"];
/// The file of llmstxt.org, which robots.txt does not name.
const LLMS: &str = "/llms.txt";

/// The result of a page that waits for its turn.
pub(super) enum Ready {
    /// It was requested.
    Outcome(Outcome),
    /// It must not be requested.
    Refused(Refusal),
    /// It looked like a trap.
    Trap,
    /// The map only lists it. It waited for the rules of its server.
    Listed,
}

impl RunningCrawl<'_> {
    fn site(&self) -> Site {
        self.options.site.clone().unwrap_or_default()
    }

    /// Returns the scope of a crawl: the host of an address, for whole sites with its path.
    pub(super) fn place_of(&self, address: &Address) -> String {
        match self.options.site {
            Some(ref site) if site.whole_host => format!("{}/", address.host),
            Some(_) => site_of(address),
            None => address.host.clone(),
        }
    }

    pub(super) fn add_start(&mut self, address: &Address) -> Result<(), Error> {
        self.store.add_host(&self.place_of(address))?;
        let level = u32::from(self.options.site.is_some());
        let place = Discovery { source: AddressSource::Start, ..Discovery::new(PageRole::Start, level) };
        self.store.add(address, &place).map(drop)
    }

    pub(super) fn go_on_in_order(&mut self, results: &Receiver<Done>) -> Result<Progress, Error> {
        let mut counted = Instant::now();
        loop {
            self.settle()?;
            if self.enough() {
                break;
            }
            let Some(head) = self.store.head()? else { break };
            while self.running < self.options.concurrency.max(1) && self.start_ahead(&head)? {}
            if self.ready.contains_key(&head.id) {
                continue;
            }
            let nap = self.sleep().unwrap_or(NAP).clamp(GLANCE, NAP);
            if let Ok(first) = results.recv_timeout(nap) {
                self.keep(first)?;
                for done in results.try_iter() {
                    self.keep(done)?;
                }
            }
            if counted.elapsed() >= NAP {
                counted = Instant::now();
                self.count()?;
                self.observer.progress(&self.progress, &self.now_at);
            }
        }
        if self.store.head()?.is_none() {
            self.store.set_number("complete", 1)?;
        }
        self.count()?;
        Ok(self.progress)
    }

    /// Stores the result of a request until its turn.
    fn keep(&mut self, done: Done) -> Result<(), Error> {
        self.running -= 1;
        match done {
            Done::Rules(origin, rules) => self.take_rules(&origin, rules),
            Done::Page(row, outcome) => {
                if let Some(host) = self.hosts.get_mut(&row.origin) {
                    host.running = host.running.saturating_sub(1);
                }
                self.ready.insert(row.id, (*row, Ready::Outcome(outcome)));
                Ok(())
            }
        }
    }

    /// Starts one request. Far ahead of the first page of the queue, only that page is requested. Returns whether anything was started.
    fn start_ahead(&mut self, head: &Waiting) -> Result<bool, Error> {
        let ahead = self.under_way.len();
        let room = ahead < self.options.concurrency.max(1) * AHEAD
            && self.progress.written + (ahead as u64) < self.options.max_pages;
        let clock = Instant::now();
        let mut origins: Vec<String> = self
            .hosts
            .iter()
            .filter(|(_, h)| h.free <= clock && h.running < self.options.per_host.max(1))
            .map(|(o, _)| o.clone())
            .collect();
        origins.retain(|origin| room || *origin == head.origin);
        for origin in origins {
            if self.start_ahead_at(&origin, head, room)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn start_ahead_at(&mut self, origin: &str, head: &Waiting, room: bool) -> Result<bool, Error> {
        let Some(host) = self.hosts.get(origin) else { return Ok(false) };
        match host.rules {
            KnownRules::Asked => return Ok(false),
            KnownRules::Unknown => return Ok(host.wakes.is_some() && self.ask_rules(origin)),
            _ => {}
        }
        let Some(row) = self.store.next_by_level(origin, now(), &self.under_way)? else {
            self.sleep_until_next(origin)?;
            return Ok(false);
        };
        if !room && row.id != head.id {
            return Ok(false);
        }
        let ready = match self.refusal_by_rules(&row) {
            Some(refusal) => Some(Ready::Refused(refusal)),
            None if row.role == PageRole::Entry && self.is_only_listed(row.depth.saturating_sub(1)) => {
                Some(Ready::Listed)
            }
            None if self.is_trap(&row)? => Some(Ready::Trap),
            None => self.forbidden_use(&row).map(Refusal::Unwanted).map(Ready::Refused),
        };
        let Some(ready) = ready else { return Ok(self.send(row)) };
        self.under_way.insert(row.id);
        self.ready.insert(row.id, (row, ready));
        Ok(true)
    }

    /// Records all results whose turn it is, in one transaction.
    fn settle(&mut self) -> Result<(), Error> {
        let is_due = |run: &Self| -> Result<Option<Waiting>, Error> {
            let head = if run.enough() { None } else { run.store.head()? };
            Ok(head.filter(|h| {
                run.ready.contains_key(&h.id) || run.hosts.get(&h.origin).is_some_and(|host| host.sitemaps.is_some())
            }))
        };
        if is_due(self)?.is_none() {
            return Ok(());
        }
        self.store.begin()?;
        while let Some(head) = is_due(self)? {
            if let Some(sitemaps) = self.hosts.get_mut(&head.origin).and_then(|host| host.sitemaps.take()) {
                self.add_sitemaps(&head, &sitemaps)?;
                continue;
            }
            if let Some((row, ready)) = self.ready.remove(&head.id) {
                self.under_way.remove(&row.id);
                self.record(&row, ready)?;
                self.wake(&row.origin);
            }
        }
        // Pages that turned out to be other addresses of recorded pages.
        let known: Vec<i64> = self.ready.keys().copied().collect();
        for id in known {
            if !self.store.waits(id)? {
                self.ready.remove(&id);
                self.under_way.remove(&id);
            }
        }
        self.set_progress()?;
        self.store.commit()
    }

    /// Queues the sitemaps of a server when the turn of its first page comes.
    fn add_sitemaps(&mut self, head: &Waiting, sitemaps: &[String]) -> Result<(), Error> {
        if self.site().no_sitemaps {
            return Ok(());
        }
        let level = head.depth.saturating_sub(1);
        for url in sitemaps {
            self.find(url, &Discovery::new(PageRole::Index, level))?;
        }
        if sitemaps.is_empty() && head.role == PageRole::Start {
            for path in GUESSES {
                self.find(&format!("{}{path}", head.origin), &Discovery::new(PageRole::Guess, level))?;
            }
        }
        if head.role == PageRole::Start {
            // The file of a part of the site describes that part alone.
            let folder = Address::new(&head.url).map(|a| site_of(&a)).unwrap_or_default();
            let path = folder.find('/').map_or("", |at| folder[at..].trim_end_matches('/'));
            let own = (!path.is_empty() && !self.site().whole_host).then(|| format!("{path}{LLMS}"));
            for path in own.iter().map(String::as_str).chain([LLMS]) {
                self.find(&format!("{}{path}", head.origin), &Discovery::new(PageRole::Guess, level))?;
            }
        }
        Ok(())
    }

    /// Records a result.
    fn record(&mut self, row: &Waiting, ready: Ready) -> Result<(), Error> {
        self.progress.requests += u64::from(matches!(ready, Ready::Outcome(_)));
        if self.is_trap(row)? {
            return self.store.set_state(row.id, PageState::Barren, None);
        }
        match ready {
            // It is one no longer, so it will be requested.
            Ready::Trap => Ok(()),
            Ready::Listed => {
                self.progress.written += 1;
                self.store.set_state(row.id, PageState::Listed, None)
            }
            Ready::Refused(refusal) => self.refuse(row, refusal),
            Ready::Outcome(Outcome::Read(read)) => self.record_page(row, *read),
            Ready::Outcome(Outcome::Unchanged) => {
                self.progress.unchanged += 1;
                self.store.set_state(row.id, PageState::Done, None)
            }
            Ready::Outcome(Outcome::Moved(to)) => self.record_moved(row, &to),
            Ready::Outcome(Outcome::Failed(failure)) => self.take_failed(row, &failure),
        }
    }

    fn record_page(&mut self, row: &Waiting, read: PageContents) -> Result<(), Error> {
        let index = read.list.as_ref().is_some_and(|list| list.is_index);
        if let Some(list) = &read.list {
            self.follow(row, list)?;
        }
        if index {
            self.progress.lists += 1;
            self.store.set_reason(row.id, "a feed or sitemap")?;
        }
        let (mut print, mut state, mut is_new) = (None, PageState::Done, false);
        if let Some(detail) = &read.detail {
            print = detail.fingerprint;
            is_new = self.store.set_words(row.id, detail.words)?;
            if let Some(title) = &detail.title {
                self.store.set_title(row.id, title)?;
            }
            if matches!(row.role, PageRole::Guess | PageRole::Index) {
                self.store.set_entry(row.id, AddressSource::Llms)?;
            }
            state = self.record_detail(row, detail)?;
        }
        if let Some(purpose) = read.unwanted {
            is_new = true;
            self.leave_out(row, purpose)?;
        }
        self.store.set_copy(row.id, read.etag.as_deref(), read.modified.as_deref(), print)?;
        if self.store.waits(row.id)? {
            self.store.set_state(row.id, state, None)?;
        }
        self.store.count_form(&row.form, is_new)
    }

    /// Writes a page unless it is known. Returns its state.
    fn record_detail(&mut self, row: &Waiting, detail: &Detail) -> Result<PageState, Error> {
        if row.fingerprint.is_some() && row.fingerprint == detail.fingerprint {
            self.progress.unchanged += 1;
            return Ok(PageState::Done);
        }
        let site = self.site();
        if !site.includes(&row.url) || site.exclude.iter().any(|p| p.matches(&row.url)) {
            // A starting point, of which only the links count.
            self.store.set_reason(row.id, "not in --include")?;
            return Ok(PageState::Skipped);
        }
        let own = detail.own.as_deref().and_then(Address::new).filter(|own| self.is_credible(row, own));
        if self.is_duplicate(row, own.as_ref(), detail)? {
            return Ok(PageState::Alias);
        }
        if !site.map {
            self.store.write_line(&detail.line);
            self.progress.written += 1;
        }
        Ok(PageState::Done)
    }

    /// Learns from a page with the text of another one where paths have a session: a segment that differs at every visit.
    pub(super) fn learn_session(&mut self, row: &Waiting, other: &str, fingerprint: i64) -> Result<(), Error> {
        if self.options.site.is_none() {
            return Ok(());
        }
        let Some(own) = Address::new(&row.url) else { return Ok(()) };
        let Some(place) = session_place(&own.key, other) else { return Ok(()) };
        if self.store.count_session(place, fingerprint)? == SESSION_TEXTS {
            self.store.add_session(place)?;
            self.sessions.push(place.to_owned());
        }
        Ok(())
    }

    /// Whether to trust a canonical address: not if it leads out of the site, or from a page to the front page, a common mistake of
    /// templates.
    fn is_credible(&self, row: &Waiting, own: &Address) -> bool {
        let is_front = own.key == format!("{}/", own.host) || self.scope.contains(&own.key);
        let is_own = Address::new(&row.url).is_some_and(|a| a.key == own.key);
        is_own || !is_front && within(&self.scope, own, self.site().subdomains) == SitePlace::Inside
    }

    /// Queues the links of a page, a feed or a sitemap.
    fn follow(&mut self, row: &Waiting, list: &ListedLinks) -> Result<(), Error> {
        let of_index = matches!(row.role, PageRole::Index | PageRole::Guess);
        let site = self.site();
        let is_left_out = if list.is_index { site.no_sitemaps } else { site.no_links };
        if is_left_out {
            return Ok(());
        }
        let level = row.depth + if of_index { 2 } else { 1 };
        let place = Discovery { source: list.source, ..Discovery::new(PageRole::Entry, level) };
        let mut lastmods = list.lastmods.iter();
        for (url, title) in &list.entries {
            let lastmod = lastmods.next().cloned().flatten();
            if let Some(address) = self.find(url, &place)?
                && list.is_index
            {
                let title = Some(title.trim().to_owned()).filter(|t| !t.is_empty());
                self.store.tell(&address.key, &Told { lastmod, title })?;
            }
        }
        let level = if of_index { row.depth } else { row.depth.saturating_sub(1) };
        let more = if list.is_index { list.more.as_slice() } else { &[] };
        let indices = if site.no_sitemaps { &[] } else { list.indices.as_slice() };
        for url in indices.iter().chain(more) {
            self.find(url, &Discovery::new(PageRole::Index, level))?;
        }
        Ok(())
    }

    /// Queues an address if it belongs to the site, or counts the reason for skipping it. Returns it if it belongs to the site.
    fn find(&mut self, url: &str, place: &Discovery) -> Result<Option<Address>, Error> {
        let site = self.site();
        let url =
            if site.no_queries && place.role == PageRole::Entry { url.split('?').next().unwrap_or(url) } else { url };
        let Some(mut address) = Address::new(url) else { return Ok(None) };
        if let Some(key) = self.sessions.iter().find_map(|place| without_session_at(&address.key, place)) {
            address.key = key;
        }
        let inside = match self.options.hosts {
            Hosts::All => SitePlace::Inside,
            _ => within(&self.scope, &address, site.subdomains),
        };
        let depth = place.depth.saturating_sub(1);
        let refused = match (place.role, inside) {
            (_, SitePlace::Foreign) => Some("on another host".to_owned()),
            (PageRole::Entry, SitePlace::OutsidePath) => Some("outside the path of the starting point".to_owned()),
            (PageRole::Entry, SitePlace::Inside) => match (file_type(&address.url), site.refuses(&address.url)) {
                (Some(ending), _) => Some(format!("file type .{ending}")),
                (None, Some(reason)) => Some(reason.to_owned()),
                _ => site.depth.is_some_and(|max| depth > max).then(|| "deeper than --depth".to_owned()),
            },
            (PageRole::Index | PageRole::Guess, _) if self.indices()? >= self.max_indices() => {
                Some(CUT_INDICES.to_owned())
            }
            _ => None,
        };
        if let Some(reason) = refused {
            self.store.skip(&address, &reason)?;
            return Ok(None);
        }
        if place.role == PageRole::Entry && site.map {
            let is_forbidden = self.is_forbidden(&address);
            if is_forbidden == Some(true) {
                self.store.add_as(PageState::Forbidden, &address, place)?;
                return Ok(None);
            }
            if is_forbidden == Some(false) && self.is_only_listed(depth) {
                if self.progress.written < self.options.max_pages {
                    self.progress.written += u64::from(self.store.add_as(PageState::Listed, &address, place)?);
                }
                return Ok(Some(address));
            }
        }
        if self.store.add(&address, place)? {
            self.store.level_of_form(&address.form(), place.depth)?;
            self.wake(&address.origin);
            if matches!(place.role, PageRole::Index | PageRole::Guess) {
                self.store.set_number("indices", self.indices()? as i64 + 1)?;
            }
        }
        Ok(Some(address))
    }

    /// Whether robots.txt forbids an address; `None` if the rules of its server are not known yet.
    fn is_forbidden(&self, address: &Address) -> Option<bool> {
        if !self.options.robots {
            return Some(false);
        }
        match &self.hosts.get(&address.origin)?.rules {
            KnownRules::Rules(rules) => Some(!rules.allows(&address.url)),
            _ => None,
        }
    }

    /// Whether a map lists pages this many links away without requesting them.
    fn is_only_listed(&self, depth: u32) -> bool {
        self.options.site.as_ref().is_some_and(|site| site.map && site.depth.is_some_and(|max| depth >= max))
    }

    /// Returns the number of sitemaps and feeds queued so far.
    fn indices(&self) -> Result<u64, Error> {
        Ok(self.store.number("indices")? as u64)
    }

    /// Returns the maximum number of sitemaps and feeds: a site can name endlessly many, and they give no pages by themselves.
    fn max_indices(&self) -> u64 {
        self.options.max_pages.saturating_add(SPARE_INDICES)
    }

    /// Whether a page is one of endlessly many, such as the months of a calendar: many addresses of its form were requested, most had
    /// the words of earlier pages, and links lead ever further. Pages that a sitemap or feed names, or that an earlier run
    /// has read, are never traps.
    fn is_trap(&self, row: &Waiting) -> Result<bool, Error> {
        if row.role != PageRole::Entry || row.source != AddressSource::Link || row.fingerprint.is_some() {
            return Ok(false);
        }
        let (asked, fruit) = self.store.form(&row.form)?;
        let is_barren = asked.saturating_sub(fruit) >= FORM_TRIES && fruit * 2 < asked;
        Ok(is_barren && row.depth >= self.store.level_of_form(&row.form, row.depth)? + TRAP_DEPTH)
    }

    fn record_moved(&mut self, row: &Waiting, to: &str) -> Result<(), Error> {
        let Some(target) = self.moved_to(row, to)? else { return Ok(()) };
        if row.role == PageRole::Start {
            let site = self.place_of(&target);
            self.store.add_host(&site)?;
            self.scope.insert(site);
        }
        let place = Discovery { hops: row.hops + 1, source: row.source, ..Discovery::new(row.role, row.depth) };
        let Some(target) = self.find(to, &place)? else {
            self.store.set_reason(row.id, "redirects out of the site")?;
            return self.store.set_state(row.id, PageState::Skipped, None);
        };
        if self.store.redirect(row.id, &target.key)? {
            Ok(())
        } else {
            self.fail(row, &format!("{}: redirects in a circle", row.url), REDIRECTS, None)
        }
    }
}
