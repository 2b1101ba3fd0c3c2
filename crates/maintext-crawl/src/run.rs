//! What is asked for next, and when; what becomes of what came.
use crate::address::Address;
use crate::robots::Rules;
use crate::store::{Place, Role, State, Store, Waiting};
use crate::worker::{Detail, Failure, Listed, Outcome, Read, Worker};
use crate::{Error, Hosts, Observer, Options, Progress};
use std::collections::{BTreeMap, HashSet};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Redirects of one page that are followed.
const MAX_HOPS: u32 = 10;
/// Pages of a list in a row that may bring no entry that the list has not named before: then the list is not followed further.
const BARREN_PAGES: u32 = 2;
/// Pages of one form that are asked for before they must have given something, and the share of them that must.
const FORM_TRIES: u64 = 20;
const FORM_SHARE: f64 = 0.2;
/// A server that wants to be left alone for longer is not waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);
/// How long a busy server that does not say how long is left alone.
const BUSY_WAIT: Duration = Duration::from_secs(5);
/// Longest sleep, so that progress is seen.
const NAP: Duration = Duration::from_millis(500);

/// Crawls until nothing waits any more or enough pages are written. Taken up again with the same files, it goes on where it was.
///
/// # Errors
/// The settings do not fit, or state and output cannot be written. Pages that fail are records of the output and no errors.
pub fn crawl(options: &Options, observer: &dyn Observer) -> Result<Progress, Error> {
    let workers = Worker::team(options)?;
    let store = Store::open(&options.state, &options.output)?;
    let (jobs, waiting_jobs) = channel();
    let (done, results) = channel();
    let waiting_jobs = Arc::new(Mutex::new(waiting_jobs));
    thread::scope(|scope| {
        for worker in workers {
            let (jobs, done) = (waiting_jobs.clone(), done.clone());
            scope.spawn(move || work(worker, &jobs, &done));
        }
        let mut run = Run::new(options, observer, store, jobs);
        run.begin()?;
        run.go_on(&results)
    })
}

/// What a worker is given.
enum Job {
    Rules(String),
    Page(Box<Waiting>),
}

/// What it gives back.
enum Done {
    Rules(String, Result<Rules, Failure>),
    Page(Box<Waiting>, Outcome),
}

fn work(mut worker: Worker, jobs: &Mutex<Receiver<Job>>, done: &Sender<Done>) {
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let result = match job {
            Ok(Job::Rules(origin)) => {
                let rules = worker.rules(&origin);
                Done::Rules(origin, rules)
            }
            Ok(Job::Page(row)) => {
                let outcome = worker.ask(&row);
                Done::Page(row, outcome)
            }
            Err(_) => return,
        };
        if done.send(result).is_err() {
            return;
        }
    }
}

/// What is known of the rules of a server.
enum Known {
    Unknown,
    Asked,
    Rules(Rules),
    Failed(String),
}

/// A server.
struct Host {
    rules: Known,
    tries: u32,
    running: usize,
    /// No request begins before.
    free: Instant,
    /// No page of it can be asked for before; `None` if none waits.
    wakes: Option<i64>,
}

struct Run<'a> {
    options: &'a Options,
    observer: &'a dyn Observer,
    store: Store,
    jobs: Sender<Job>,
    hosts: BTreeMap<String, Host>,
    scope: HashSet<String>,
    under_way: HashSet<i64>,
    running: usize,
    progress: Progress,
    now_at: String,
}

fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as i64)
}

impl<'a> Run<'a> {
    fn new(options: &'a Options, observer: &'a dyn Observer, store: Store, jobs: Sender<Job>) -> Run<'a> {
        Run {
            options,
            observer,
            store,
            jobs,
            hosts: BTreeMap::new(),
            scope: HashSet::new(),
            under_way: HashSet::new(),
            running: 0,
            progress: Progress::default(),
            now_at: String::new(),
        }
    }

    /// Adds the starting points, and puts back what is to be asked again.
    fn begin(&mut self) -> Result<(), Error> {
        self.store.begin()?;
        if self.options.recrawl && self.store.number("complete")? != 0 {
            self.store.ask_again()?;
            self.store.set_number("written", 0)?;
        }
        self.store.set_number("complete", 0)?;
        if self.options.retry_failed {
            self.store.retry_failed()?;
        }
        for start in &self.options.starts {
            let why = || Error::Start(format!("{start}: not an address that can be fetched; write https://..."));
            let address = Address::new(start).ok_or_else(why)?;
            self.store.add_host(&address.host)?;
            self.store.add(&address, &Place::new(Role::Start, 0))?;
        }
        if let Hosts::And(names) = &self.options.hosts {
            for name in names {
                let address = Address::new(&format!("https://{name}"));
                let address = address.ok_or_else(|| Error::Start(format!("{name}: not the name of a host")))?;
                self.store.add_host(&address.host)?;
            }
        }
        self.store.commit()?;
        self.scope = self.store.hosts()?;
        for origin in self.store.waiting_origins()? {
            self.wake(&origin);
        }
        self.progress.written = self.store.number("written")? as u64;
        self.count()
    }

    fn count(&mut self) -> Result<(), Error> {
        self.progress.queued = self.store.count(State::Waiting)?;
        self.progress.failed = self.store.count(State::Failed)?;
        Ok(())
    }

    fn go_on(&mut self, results: &Receiver<Done>) -> Result<Progress, Error> {
        let mut counted = Instant::now();
        loop {
            while self.room() && self.start_one()? {}
            let nap = self.sleep();
            if self.running == 0 && nap.is_none() {
                break;
            }
            // A result ends the wait in any case.
            let wait = nap.filter(|_| self.room()).map_or(NAP, |nap| nap.min(NAP));
            if let Ok(first) = results.recv_timeout(wait) {
                self.store.begin()?;
                self.take(first)?;
                for done in results.try_iter().take(64) {
                    self.take(done)?;
                }
                self.store.set_number("written", self.progress.written as i64)?;
                self.store.commit()?;
            }
            if counted.elapsed() >= NAP {
                counted = Instant::now();
                self.count()?;
                self.observer.progress(&self.progress, &self.now_at);
            }
        }
        self.store.set_number("complete", 1)?;
        self.count()?;
        Ok(self.progress)
    }

    fn enough(&self) -> bool {
        self.progress.written >= self.options.max_pages
    }

    /// Whether another request may be under way. Those that are may all turn out to be detail pages.
    fn room(&self) -> bool {
        self.running < self.options.concurrency.max(1)
            && self.progress.written + (self.under_way.len() as u64) < self.options.max_pages
    }

    /// Time until a server may be asked; `None` if there is nothing to ask for.
    fn sleep(&self) -> Option<Duration> {
        if self.enough() {
            return None;
        }
        let (clock, wall) = (Instant::now(), now());
        let room = |h: &&Host| h.running < self.options.per_host.max(1) && !matches!(h.rules, Known::Asked);
        let wait = |h: &Host| {
            let page = Duration::from_millis(h.wakes?.saturating_sub(wall).max(0) as u64);
            Some(page.max(h.free.saturating_duration_since(clock)))
        };
        let least = self.hosts.values().filter(room).filter_map(wait).min();
        least.map(|d| d.max(Duration::from_millis(1)))
    }

    /// Marks that a server has a page that waits.
    fn wake(&mut self, origin: &str) {
        if let Some(host) = self.hosts.get_mut(origin) {
            host.wakes = Some(0);
            return;
        }
        let host = Host { rules: Known::Unknown, tries: 0, running: 0, free: Instant::now(), wakes: Some(0) };
        self.hosts.insert(origin.to_owned(), host);
    }

    /// Gives a worker something to do, if there is anything that may be done now.
    fn start_one(&mut self) -> Result<bool, Error> {
        let (clock, wall) = (Instant::now(), now());
        let ready = |h: &Host| {
            h.wakes.is_some_and(|t| t <= wall) && h.free <= clock && h.running < self.options.per_host.max(1)
        };
        let origins: Vec<String> = self.hosts.iter().filter(|(_, h)| ready(h)).map(|(o, _)| o.clone()).collect();
        for origin in origins {
            if self.start_at(&origin)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn start_at(&mut self, origin: &str) -> Result<bool, Error> {
        let Some(host) = self.hosts.get_mut(origin) else { return Ok(false) };
        if let Known::Asked = host.rules {
            return Ok(false);
        }
        if let Known::Unknown = host.rules {
            host.rules = Known::Asked;
            host.running += 1;
            self.running += 1;
            return Ok(self.jobs.send(Job::Rules(origin.to_owned())).is_ok());
        }
        while let Some(row) = self.store.next(origin, now(), &self.under_way)? {
            if let Some((state, why)) = self.refused(&row)? {
                self.store.begin()?;
                self.refuse(&row, state, why)?;
                self.store.commit()?;
                continue;
            }
            self.under_way.insert(row.id);
            self.running += 1;
            if let Some(host) = self.hosts.get_mut(origin) {
                host.running += 1;
                host.free = Instant::now() + delay(self.options, host);
            }
            self.now_at.clone_from(&row.url);
            return Ok(self.jobs.send(Job::Page(Box::new(row))).is_ok());
        }
        let wakes = self.store.wakes(origin, &self.under_way)?;
        if let Some(host) = self.hosts.get_mut(origin) {
            host.wakes = wakes;
        }
        Ok(false)
    }

    /// Why a page is not asked for.
    fn refused(&self, row: &Waiting) -> Result<Option<(State, Option<String>)>, Error> {
        match self.hosts.get(&row.origin).map(|h| &h.rules) {
            Some(Known::Rules(rules)) if !rules.allows(&row.url) => return Ok(Some((State::Forbidden, None))),
            Some(Known::Failed(why)) => {
                let why = format!("{}: robots.txt could not be read, so nothing is fetched ({why})", row.url);
                return Ok(Some((State::Failed, Some(why))));
            }
            _ => {}
        }
        let barren = row.role != Role::Start && self.is_barren(&row.form)?;
        Ok(barren.then_some((State::Barren, None)))
    }

    /// Whether addresses of a form have given too little to be asked for any more: calendars and filters make them without end.
    fn is_barren(&self, form: &str) -> Result<bool, Error> {
        let (asked, fruit) = self.store.form(form)?;
        Ok(asked >= FORM_TRIES && (fruit as f64) < asked as f64 * FORM_SHARE)
    }

    fn refuse(&mut self, row: &Waiting, state: State, why: Option<String>) -> Result<(), Error> {
        match why {
            Some(why) => self.fail(row, &why),
            None => {
                self.progress.disallowed += u64::from(state == State::Forbidden);
                if row.role == Role::Start && state == State::Forbidden {
                    self.observer.note(&format!("{}: robots.txt forbids it", row.url));
                }
                self.store.set_state(row.id, state, None)
            }
        }
    }

    /// What becomes of a result.
    fn take(&mut self, done: Done) -> Result<(), Error> {
        self.running -= 1;
        match done {
            Done::Rules(origin, rules) => self.take_rules(&origin, rules),
            Done::Page(row, outcome) => {
                self.under_way.remove(&row.id);
                if let Some(host) = self.hosts.get_mut(&row.origin) {
                    host.running = host.running.saturating_sub(1);
                    // A page that was put back may wait again.
                    host.wakes = Some(0);
                }
                if !self.store.waits(row.id)? {
                    self.progress.duplicates += 1;
                    return Ok(());
                }
                match outcome {
                    Outcome::Read(read) => self.take_read(&row, *read),
                    Outcome::Unchanged => {
                        self.progress.unchanged += 1;
                        self.store.count_form(&row.form, true)?;
                        self.store.set_state(row.id, State::Done, None)
                    }
                    Outcome::Moved(to) => self.take_moved(&row, &to),
                    Outcome::Failed(failure) => self.take_failed(&row, &failure),
                }
            }
        }
    }

    fn take_rules(&mut self, origin: &str, rules: Result<Rules, Failure>) -> Result<(), Error> {
        let mut sitemaps = Vec::new();
        let Some(host) = self.hosts.get_mut(origin) else { return Ok(()) };
        host.running = host.running.saturating_sub(1);
        host.rules = match rules {
            Ok(rules) => {
                sitemaps.clone_from(&rules.sitemaps);
                Known::Rules(rules)
            }
            Err(failure) if failure.temporary && host.tries < self.options.retries => {
                host.free = Instant::now() + wait_for(self.options, &failure, host.tries);
                host.tries += 1;
                Known::Unknown
            }
            Err(failure) => Known::Failed(failure.message),
        };
        if let Known::Rules(rules) = &host.rules
            && rules.delay.is_some_and(|d| d > Duration::from_secs(30))
        {
            let seconds = rules.delay.unwrap_or_default().as_secs();
            self.observer.note(&format!("{origin}: robots.txt asks for {seconds} s between requests"));
        }
        if self.options.discover {
            for url in sitemaps {
                self.add(&url, &Place::new(Role::Index, 0))?;
            }
        }
        Ok(())
    }

    /// Adds an address if it is within the crawl, and says whether it is new.
    fn add(&mut self, url: &str, place: &Place) -> Result<Option<(Address, bool)>, Error> {
        let Some(address) = Address::new(url) else { return Ok(None) };
        let within = self.options.hosts == Hosts::All || self.scope.contains(&address.host);
        if !within || self.is_barren(&address.form())? {
            return Ok(None);
        }
        let new = self.store.add(&address, place)?;
        if new {
            self.wake(&address.origin);
        }
        Ok(Some((address, new)))
    }

    fn take_read(&mut self, row: &Waiting, read: Read) -> Result<(), Error> {
        let mut fruit = false;
        let mut print = row.fingerprint;
        if let Some(detail) = read.detail {
            if self.enough() {
                // It stays in the queue, for a run that wants more.
                return Ok(());
            }
            print = detail.fingerprint;
            fruit = self.take_detail(row, &detail)?;
        }
        if let Some(list) = read.list {
            self.progress.lists += 1;
            fruit |= self.take_list(row, &list)?;
        }
        if self.store.waits(row.id)? {
            self.store.set_copy(row.id, read.etag.as_deref(), read.modified.as_deref(), print)?;
            self.store.set_state(row.id, State::Done, None)?;
        }
        self.store.count_form(&row.form, fruit)
    }

    /// Writes a detail page unless it is known; whether it was not.
    fn take_detail(&mut self, row: &Waiting, detail: &Detail) -> Result<bool, Error> {
        if row.fingerprint.is_some() && row.fingerprint == detail.fingerprint {
            self.progress.unchanged += 1;
            return Ok(true);
        }
        let own = detail.own.as_deref().and_then(Address::new).filter(|a| self.scope.contains(&a.host));
        let claimed = match &own {
            Some(own) => self.store.claim(row.id, own)?,
            None => true,
        };
        let said = match detail.fingerprint {
            Some(print) => self.store.says_the_same(row.id, print)?,
            None => false,
        };
        if !claimed || said {
            self.progress.duplicates += 1;
            self.store.set_state(row.id, State::Alias, None)?;
            return Ok(false);
        }
        self.store.write_line(&detail.line);
        self.progress.written += 1;
        Ok(true)
    }

    /// Follows a list; whether it named anything that was not known.
    fn take_list(&mut self, row: &Waiting, list: &Listed) -> Result<bool, Error> {
        let root = row.list.unwrap_or(row.id);
        let (mut fruit, mut fresh) = (false, false);
        for (url, title) in &list.entries {
            if let Some((address, new)) = self.add(url, &Place::new(Role::Entry, row.depth + 1))? {
                fruit |= new;
                // What another list has named before does not end this one.
                fresh |= self.store.list_entry(root, &address.entry(title))?;
            }
        }
        let role = if list.is_index { Role::Index } else { Role::More };
        if list.is_index || self.options.discover {
            for url in &list.indices {
                self.add(url, &Place::new(Role::Index, row.depth))?;
            }
        }
        let barren = if fresh { 0 } else { row.barren + 1 };
        if barren >= BARREN_PAGES {
            return Ok(fruit);
        }
        let mut room = self.options.max_list_pages.saturating_sub(self.store.chain_length(root)? + 1);
        let place = Place { role, depth: row.depth, list: Some(root), barren, hops: 0 };
        for url in &list.more {
            if room == 0 {
                break;
            }
            let before = self.store.chain_length(root)?;
            self.add(url, &place)?;
            room -= self.store.chain_length(root)?.saturating_sub(before);
        }
        Ok(fruit)
    }

    /// A redirect leads to another page, which is asked for in its turn: it may be known, forbidden, or elsewhere.
    fn take_moved(&mut self, row: &Waiting, to: &str) -> Result<(), Error> {
        let Some(target) = Address::new(to) else {
            return self.fail(row, &format!("{}: redirects to {to}, which cannot be followed", row.url));
        };
        if row.hops >= MAX_HOPS {
            return self.fail(row, &format!("{}: more than {MAX_HOPS} redirects", row.url));
        }
        if Address::new(&row.url).is_some_and(|own| own.key == target.key) {
            if target.url == row.url {
                return self.fail(row, &format!("{}: redirects to itself; it may want a cookie", row.url));
            }
            self.store.respell(row.id, &target, row.hops + 1)?;
            self.wake(&target.origin);
            return Ok(());
        }
        if row.role == Role::Start {
            self.store.add_host(&target.host)?;
            self.scope.insert(target.host.clone());
        }
        let place = Place { role: row.role, depth: row.depth, list: row.list, barren: row.barren, hops: row.hops + 1 };
        self.add(to, &place)?;
        self.store.set_state(row.id, State::Alias, None)
    }

    fn take_failed(&mut self, row: &Waiting, failure: &Failure) -> Result<(), Error> {
        let wait = wait_for(self.options, failure, row.tries);
        if let (Some(asked), Some(host)) = (failure.busy, self.hosts.get_mut(&row.origin)) {
            let rest = if asked.is_zero() { BUSY_WAIT.min(wait) } else { asked };
            host.free = host.free.max(Instant::now() + rest.min(LONGEST_WAIT));
        }
        if !failure.temporary || row.tries >= self.options.retries || wait > LONGEST_WAIT {
            return self.fail(row, &failure.message);
        }
        self.store.put_back(row.id, row.tries + 1, now() + wait.as_millis() as i64)
    }

    /// Writes the record of a page that failed for good.
    fn fail(&mut self, row: &Waiting, message: &str) -> Result<(), Error> {
        self.store.write_line(&serde_json::json!({"url": row.url, "error": message}).to_string());
        self.store.set_state(row.id, State::Failed, Some(message))
    }
}

/// Time between the beginnings of two requests to a server.
fn delay(options: &Options, host: &Host) -> Duration {
    match &host.rules {
        Known::Rules(rules) => options.delay.max(rules.delay.unwrap_or_default()),
        _ => options.delay,
    }
}

/// Time until a page that failed is tried again: doubled each time, or what the server asks for.
fn wait_for(options: &Options, failure: &Failure, tries: u32) -> Duration {
    let own = options.backoff.saturating_mul(1 << tries.min(16));
    own.max(failure.busy.unwrap_or_default())
}
