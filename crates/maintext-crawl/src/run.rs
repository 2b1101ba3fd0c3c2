//! The crawl scheduler: picks the next request and records its result.
use crate::address::Address;
use crate::robots::RobotsRules;
use crate::store::{Discovery, PageRole, PageState, RECRAWLED_FROM, Store, Waiting};
use crate::worker::{Detail, ListedLinks, Outcome, PageContents, PageFailure, Worker};
use crate::{Error, Hosts, Observer, Options, Progress};
use in_order::Ready;
use maintext_core::preferences::{Preferences, Use};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

mod in_order;

/// Largest number of redirects to follow from one page.
const MAX_HOPS: u32 = 10;
/// After this many consecutive list pages without a new entry, the pagination is not followed further.
const BARREN_PAGES: u32 = 2;
/// Number of pages of one form that are requested before the share of useful ones is checked, and the least share.
const FORM_TRIES: u64 = 20;
const FORM_SHARE: f64 = 0.2;
/// The crawl gives up on a server that asks for a longer wait.
const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);
/// Wait for a busy server that does not specify one.
const BUSY_WAIT: Duration = Duration::from_secs(5);
/// Largest number of requests for each page of the limit, and the requests that any crawl may make besides: links may lead to copies of known pages,
/// redirects and errors without end. Ordinary sites take fewer than two for each page.
const REQUESTS_PER_PAGE: u64 = 10;
const SPARE_REQUESTS: u64 = 100;
/// The reason of pages whose redirects cannot be followed.
const REDIRECTS: &str = "redirects";
/// Longest sleep, so that progress is reported.
const NAP: Duration = Duration::from_millis(500);

/// Crawls until the queue is empty or enough pages are written. With the files of an interrupted run, it resumes where that run stopped.
///
/// # Errors
/// The settings are invalid, or the state or the output cannot be written. Pages that fail are reported in the output instead.
pub fn crawl(options: &Options, observer: &dyn Observer) -> Result<Progress, Error> {
    let store = Store::open(&options.state, &options.output)?;
    crawl_into(options, observer, store).map(|(progress, _)| progress)
}

/// Crawls with a state that is open already, and returns it.
pub(crate) fn crawl_into(options: &Options, observer: &dyn Observer, store: Store) -> Result<(Progress, Store), Error> {
    let workers = Worker::team(options)?;
    let (jobs, waiting_jobs) = channel();
    let (done, results) = channel();
    let waiting_jobs = Arc::new(Mutex::new(waiting_jobs));
    thread::scope(|scope| {
        for worker in workers {
            let (jobs, done) = (waiting_jobs.clone(), done.clone());
            scope.spawn(move || work(worker, &jobs, &done));
        }
        let mut run = RunningCrawl {
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
            ready: HashMap::new(),
            sessions: Vec::new(),
            end: options.max_time.and_then(|time| Instant::now().checked_add(time)),
        };
        run.begin()?;
        let progress = if options.site.is_some() { run.go_on_in_order(&results) } else { run.go_on(&results) }?;
        Ok((progress, run.store))
    })
}

/// A task for a worker.
enum WorkerTask {
    Rules(String),
    /// A page, and the preferences of robots.txt about its use.
    Page(Box<Waiting>, Preferences),
}

/// The result of a task.
enum Done {
    Rules(String, Result<RobotsRules, PageFailure>),
    Page(Box<Waiting>, Outcome),
}

fn work(mut worker: Worker, jobs: &Mutex<Receiver<WorkerTask>>, done: &Sender<Done>) {
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let result = match job {
            Ok(WorkerTask::Rules(origin)) => {
                let rules = worker.rules(&origin);
                Done::Rules(origin, rules)
            }
            Ok(WorkerTask::Page(row, stated)) => {
                let outcome = worker.ask(&row, stated);
                Done::Page(row, outcome)
            }
            Err(_) => return,
        };
        if done.send(result).is_err() {
            return;
        }
    }
}

/// The state of our knowledge about a server's rules.
enum KnownRules {
    Unknown,
    Asked,
    Rules(RobotsRules),
    Failed(String),
}

impl KnownRules {
    fn size(&self) -> usize {
        match self {
            KnownRules::Rules(rules) => rules.size(),
            _ => 0,
        }
    }
}

/// Bytes of rules of servers that a crawl keeps. The rules of servers without requests in progress are forgotten above it, and requested
/// again when their next page is due.
const RULES_MEMORY: usize = 8 << 20;

/// Why a page is not requested.
enum Refusal {
    /// robots.txt forbids it.
    Forbidden,
    /// robots.txt could not be read.
    Unreadable(String),
    /// robots.txt forbids a use for which it is wanted.
    Unwanted(Use),
    /// Pages of its form were rarely useful.
    Barren,
}

/// A server.
struct HostState {
    rules: KnownRules,
    tries: u32,
    running: usize,
    /// Earliest time of the next request.
    free: Instant,
    /// Earliest time at which one of its pages may be requested; `None` if no page is queued.
    wakes: Option<i64>,
    /// The sitemaps that its robots.txt names, until they are in the queue.
    sitemaps: Option<Vec<String>>,
}

struct RunningCrawl<'a> {
    options: &'a Options,
    observer: &'a dyn Observer,
    store: Store,
    jobs: Sender<WorkerTask>,
    hosts: BTreeMap<String, HostState>,
    scope: HashSet<String>,
    under_way: HashSet<i64>,
    running: usize,
    progress: Progress,
    now_at: String,
    /// Results that wait for the results of earlier pages, in a crawl of whole sites.
    ready: HashMap<i64, (Waiting, Ready)>,
    /// Where the paths of the site have a session.
    sessions: Vec<String>,
    end: Option<Instant>,
}

fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as i64)
}

impl RunningCrawl<'_> {
    /// Adds the starting points and requeues pages that are to be requested again.
    fn begin(&mut self) -> Result<(), Error> {
        self.store.begin()?;
        if self.options.recrawl && self.store.number("complete")? != 0 {
            self.store.ask_again(self.options.site.is_some())?;
            self.store.set_number(RECRAWLED_FROM, self.store.length() as i64)?;
            self.store.set_number("written", 0)?;
            self.store.set_number("requests", 0)?;
        }
        self.store.set_number("complete", 0)?;
        if self.options.retry_failed {
            self.store.retry_failed()?;
        }
        for start in &self.options.starts {
            let address = Address::new(start).ok_or_else(|| Error::Start(format!("{start}: //...")))?;
            self.add_start(&address)?;
        }
        if let Hosts::And(names) = &self.options.hosts {
            for name in names {
                let address = Address::new(&format!("https://{name}"));
                let address = address.ok_or_else(|| Error::Start(format!("{name}: not a host name")))?;
                self.store.add_host(&self.place_of(&address))?;
            }
        }
        self.store.commit()?;
        self.scope = self.store.hosts()?;
        for origin in self.store.waiting_origins()? {
            self.wake(&origin);
        }
        self.progress.written = self.store.number("written")? as u64;
        self.progress.requests = self.store.number("requests")? as u64;
        self.sessions = self.store.sessions()?;
        self.count()
    }

    fn count(&mut self) -> Result<(), Error> {
        self.progress.queued = self.store.count(PageState::Waiting)?;
        self.progress.failed = self.store.count(PageState::Failed)?;
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
            // A result ends the wait early.
            let wait = match nap {
                Some(nap) if self.room() => nap.min(NAP),
                _ => NAP,
            };
            if let Ok(first) = results.recv_timeout(wait) {
                self.store.begin()?;
                self.take(first)?;
                for done in results.try_iter().take(64) {
                    self.take(done)?;
                }
                self.set_progress()?;
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

    /// Stores how far the limits of the crawl are used.
    fn set_progress(&self) -> Result<(), Error> {
        self.store.set_number("written", self.progress.written as i64)?;
        self.store.set_number("requests", self.progress.requests as i64)
    }

    fn enough(&self) -> bool {
        self.progress.written >= self.options.max_pages
            || self.progress.requests >= max_requests(self.options.max_pages)
            || self.end.is_some_and(|end| Instant::now() >= end)
            || self.options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Whether another request may start: each pending one may turn out to be a detail page.
    fn room(&self) -> bool {
        !self.enough()
            && self.running < self.options.concurrency.max(1)
            && self.progress.written + (self.under_way.len() as u64) < self.options.max_pages
    }

    /// Returns the time until a server may be contacted, or `None` if nothing is queued.
    fn sleep(&self) -> Option<Duration> {
        if self.enough() {
            return None;
        }
        let (clock, wall) = (Instant::now(), now());
        let least = self
            .hosts
            .values()
            .filter(|h| h.running < self.options.per_host.max(1) && !matches!(h.rules, KnownRules::Asked))
            .filter_map(|h| {
                let page = Duration::from_millis(h.wakes?.saturating_sub(wall).max(0) as u64);
                Some(page.max(h.free.saturating_duration_since(clock)))
            })
            .min();
        least.map(|d| d.max(Duration::from_millis(1)))
    }

    /// Records that a server has a page in the queue.
    fn wake(&mut self, origin: &str) {
        let host = self.hosts.entry(origin.to_owned()).or_insert_with(|| HostState {
            rules: KnownRules::Unknown,
            tries: 0,
            running: 0,
            free: Instant::now(),
            wakes: None,
            sitemaps: None,
        });
        host.wakes = Some(0);
    }

    /// Gives one task to a worker, if any request may start now. Returns whether it did.
    fn start_one(&mut self) -> Result<bool, Error> {
        let (clock, wall) = (Instant::now(), now());
        let ready = |h: &HostState| {
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
        match self.hosts.get(origin).map(|host| &host.rules) {
            None | Some(KnownRules::Asked) => return Ok(false),
            Some(KnownRules::Unknown) => return Ok(self.ask_rules(origin)),
            Some(_) => {}
        }
        while let Some(row) = self.store.next(origin, now(), &self.under_way)? {
            let Some(refusal) = self.refusal(&row)? else { return Ok(self.send(row)) };
            self.store.begin()?;
            self.refuse(&row, refusal)?;
            self.store.commit()?;
        }
        self.sleep_until_next(origin)?;
        Ok(false)
    }

    /// Requests the rules of a server.
    fn ask_rules(&mut self, origin: &str) -> bool {
        if let Some(host) = self.hosts.get_mut(origin) {
            host.rules = KnownRules::Asked;
            host.running += 1;
        }
        self.running += 1;
        self.jobs.send(WorkerTask::Rules(origin.to_owned())).is_ok()
    }

    /// Notes when the next page of a server may be requested.
    fn sleep_until_next(&mut self, origin: &str) -> Result<(), Error> {
        let wakes = self.store.wakes(origin, &self.under_way)?;
        if let Some(host) = self.hosts.get_mut(origin) {
            host.wakes = wakes;
        }
        Ok(())
    }

    /// Gives a page to a worker.
    fn send(&mut self, row: Waiting) -> bool {
        self.under_way.insert(row.id);
        self.running += 1;
        if let Some(host) = self.hosts.get_mut(&row.origin) {
            host.running += 1;
            host.free = Instant::now() + delay(self.options, host);
        }
        self.now_at.clone_from(&row.url);
        let stated = self.stated(&row);
        self.jobs.send(WorkerTask::Page(Box::new(row), stated)).is_ok()
    }

    /// Returns the preferences of robots.txt about the use of a page.
    fn stated(&self, row: &Waiting) -> Preferences {
        match self.hosts.get(&row.origin).map(|h| &h.rules) {
            Some(KnownRules::Rules(rules)) => rules.preferences(&row.url),
            _ => Preferences::default(),
        }
    }

    /// Returns the use that robots.txt forbids, if a page is not requested because of it. Starting points are requested for their links.
    fn forbidden_use(&self, row: &Waiting) -> Option<Use> {
        let wanted = &self.options.obey_preferences;
        if wanted.is_empty() || !matches!(row.role, PageRole::Entry | PageRole::More) {
            return None;
        }
        let stated = self.stated(row);
        wanted.iter().copied().find(|purpose| stated.forbids(*purpose))
    }

    /// Leaves a page out because of a use that its site forbids.
    fn leave_out(&mut self, row: &Waiting, purpose: Use) -> Result<(), Error> {
        self.progress.unwanted += 1;
        self.store.set_reason(row.id, &format!("forbidden by a preference: {purpose}"))?;
        self.store.set_state(row.id, PageState::Skipped, None)
    }

    /// Returns why a page of a crawl of lists must not be requested, if it must not.
    fn refusal(&self, row: &Waiting) -> Result<Option<Refusal>, Error> {
        if let Some(refusal) = self.forbidden_use(row).map(Refusal::Unwanted).or_else(|| self.refusal_by_rules(row)) {
            return Ok(Some(refusal));
        }
        let barren = row.role != PageRole::Start && self.is_barren(&row.form)?;
        Ok(barren.then_some(Refusal::Barren))
    }

    /// Returns why the robots.txt of its server excludes a page, if it does.
    fn refusal_by_rules(&self, row: &Waiting) -> Option<Refusal> {
        match &self.hosts.get(&row.origin)?.rules {
            KnownRules::Rules(rules) if self.options.robots && !rules.allows(&row.url) => Some(Refusal::Forbidden),
            KnownRules::Failed(why) => Some(Refusal::Unreadable(why.clone())),
            _ => None,
        }
    }

    /// Whether addresses of a form have rarely been useful and are no longer requested: calendars and filters produce them without end.
    fn is_barren(&self, form: &str) -> Result<bool, Error> {
        let (asked, fruit) = self.store.form(form)?;
        Ok(asked >= FORM_TRIES && (fruit as f64) < asked as f64 * FORM_SHARE)
    }

    /// Records that a page is not requested.
    fn refuse(&mut self, row: &Waiting, refusal: Refusal) -> Result<(), Error> {
        match refusal {
            Refusal::Forbidden => {
                self.progress.disallowed += 1;
                if row.role == PageRole::Start {
                    self.observer.note(&format!("{}: forbidden by robots.txt", row.url));
                    self.observer.progress(&self.progress, &row.url);
                }
                if let Some(line) = self.options.embed.as_ref().and_then(|e| e.0.forbidden(&row.url)) {
                    self.store.write_line(&line);
                }
                self.store.set_state(row.id, PageState::Forbidden, None)
            }
            Refusal::Unreadable(why) => {
                let message = format!("{}: robots.txt could not be read, so nothing is fetched ({why})", row.url);
                if row.role == PageRole::Start {
                    self.observer.note(&message);
                }
                self.fail(row, &message, "robots.txt not readable", None)
            }
            Refusal::Unwanted(purpose) => self.leave_out(row, purpose),
            Refusal::Barren => self.store.set_state(row.id, PageState::Barren, None),
        }
    }

    /// Records a result.
    fn take(&mut self, done: Done) -> Result<(), Error> {
        self.running -= 1;
        match done {
            Done::Rules(origin, rules) => self.take_rules(&origin, rules),
            Done::Page(row, outcome) => {
                self.under_way.remove(&row.id);
                self.progress.requests += 1;
                if let Some(host) = self.hosts.get_mut(&row.origin) {
                    host.running = host.running.saturating_sub(1);
                    // The page may be back in the queue.
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
                        self.store.set_state(row.id, PageState::Done, None)
                    }
                    Outcome::Moved(to) => self.take_moved(&row, &to),
                    Outcome::Failed(failure) => self.take_failed(&row, &failure),
                }
            }
        }
    }

    fn take_rules(&mut self, origin: &str, rules: Result<RobotsRules, PageFailure>) -> Result<(), Error> {
        if self.hosts.values().map(|host| host.rules.size()).sum::<usize>() > RULES_MEMORY {
            let idle =
                self.hosts.values_mut().filter(|host| host.running == 0 && matches!(host.rules, KnownRules::Rules(_)));
            idle.for_each(|host| host.rules = KnownRules::Unknown);
        }
        let mut sitemaps = Vec::new();
        let Some(host) = self.hosts.get_mut(origin) else { return Ok(()) };
        host.running = host.running.saturating_sub(1);
        host.rules = match rules {
            Ok(rules) => {
                sitemaps.clone_from(&rules.sitemaps);
                KnownRules::Rules(rules)
            }
            Err(failure)
                if failure.temporary
                    && (failure.unsent || host.tries < self.options.retries)
                    && wait_for(self.options, &failure, host.tries) <= LONGEST_WAIT =>
            {
                host.free = Instant::now() + wait_for(self.options, &failure, host.tries);
                host.tries += u32::from(!failure.unsent);
                KnownRules::Unknown
            }
            Err(_) if !self.options.robots => KnownRules::Rules(RobotsRules::open()),
            Err(failure) => KnownRules::Failed(failure.message),
        };
        if self.options.site.is_some() && matches!(host.rules, KnownRules::Rules(_)) {
            host.sitemaps = Some(std::mem::take(&mut sitemaps));
        }
        if let KnownRules::Rules(rules) = &host.rules
            && self.options.robots
            && rules.delay.is_some_and(|d| d > Duration::from_secs(30))
        {
            let seconds = rules.delay.unwrap_or_default().as_secs();
            self.observer.note(&format!("{origin}: robots.txt asks for {seconds} s between requests"));
        }
        if self.options.discover {
            for url in sitemaps {
                self.add(&url, &Discovery::new(PageRole::Index, 0))?;
            }
        }
        Ok(())
    }

    /// Adds an address if it is in the scope of the crawl. Returns it and whether it is new.
    fn add(&mut self, url: &str, place: &Discovery) -> Result<Option<(Address, bool)>, Error> {
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

    fn take_read(&mut self, row: &Waiting, read: PageContents) -> Result<(), Error> {
        let mut fruit = false;
        let mut print = row.fingerprint;
        if let Some(detail) = read.detail {
            if self.enough() {
                // The page stays in the queue for a run with a higher limit.
                return Ok(());
            }
            print = detail.fingerprint;
            fruit = self.take_detail(row, &detail)?;
        }
        if let Some(list) = read.list {
            self.progress.lists += 1;
            fruit |= self.take_list(row, &list)?;
        }
        if let Some(purpose) = read.unwanted {
            self.leave_out(row, purpose)?;
            // It may be as useful as any other page.
            fruit = true;
        }
        if self.store.waits(row.id)? {
            self.store.set_copy(row.id, read.etag.as_deref(), read.modified.as_deref(), print)?;
            self.store.set_state(row.id, PageState::Done, None)?;
        }
        self.store.count_form(&row.form, fruit)
    }

    /// Returns whether another page has the address that a detail page claims, or the same text, and counts it.
    fn is_duplicate(&mut self, row: &Waiting, own: Option<&Address>, detail: &Detail) -> Result<bool, Error> {
        let claimed = match own {
            Some(own) => self.store.claim(row.id, own)?,
            None => true,
        };
        let mut said = false;
        if let Some(print) = detail.fingerprint
            && let Some(other) = self.store.says_the_same(row.id, print)?
        {
            said = true;
            self.learn_session(row, &other, print)?;
        }
        let is_duplicate = !claimed || said;
        self.progress.duplicates += u64::from(is_duplicate);
        Ok(is_duplicate)
    }

    /// Writes a detail page unless it is already known. Returns whether it was new.
    fn take_detail(&mut self, row: &Waiting, detail: &Detail) -> Result<bool, Error> {
        if row.fingerprint.is_some() && row.fingerprint == detail.fingerprint {
            self.progress.unchanged += 1;
            return Ok(true);
        }
        let own = detail.own.as_deref().and_then(Address::new).filter(|a| self.scope.contains(&a.host));
        if self.is_duplicate(row, own.as_ref(), detail)? {
            self.store.set_state(row.id, PageState::Alias, None)?;
            return Ok(false);
        }
        self.store.write_line(&detail.line);
        self.progress.written += 1;
        Ok(true)
    }

    /// Follows a list. Returns whether it contained anything new.
    fn take_list(&mut self, row: &Waiting, list: &ListedLinks) -> Result<bool, Error> {
        let root = row.list.unwrap_or(row.id);
        let (mut fruit, mut fresh) = (false, false);
        for (url, title) in &list.entries {
            if let Some((address, new)) = self.add(url, &Discovery::new(PageRole::Entry, row.depth + 1))? {
                fruit |= new;
                // Entries already named by other lists still count as new for this one.
                fresh |= self.store.list_entry(root, &address.entry(title))?;
            }
        }
        let role = if list.is_index { PageRole::Index } else { PageRole::More };
        if list.is_index || self.options.discover {
            for url in &list.indices {
                self.add(url, &Discovery::new(PageRole::Index, row.depth))?;
            }
        }
        let barren = if fresh { 0 } else { row.barren + 1 };
        if barren >= BARREN_PAGES {
            return Ok(fruit);
        }
        let mut room = self.options.max_list_pages.saturating_sub(self.store.chain_length(root)? + 1);
        let place = Discovery { list: Some(root), barren, ..Discovery::new(role, row.depth) };
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

    /// Returns the target of a redirect if it is a page of its own. Else the page gets the other spelling of its address, or has failed.
    fn moved_to(&mut self, row: &Waiting, to: &str) -> Result<Option<Address>, Error> {
        let message = match Address::new(to) {
            None => format!("{}: redirects to {to}, which cannot be followed", row.url),
            Some(_) if row.hops >= MAX_HOPS => format!("{}: more than {MAX_HOPS} redirects", row.url),
            Some(target) if Address::new(&row.url).is_none_or(|own| own.key != target.key) => return Ok(Some(target)),
            Some(target) if target.url == row.url => {
                format!("{}: redirects to itself; it may require a cookie", row.url)
            }
            Some(target) => {
                self.store.respell(row.id, &target, row.hops + 1)?;
                self.wake(&target.origin);
                return Ok(None);
            }
        };
        self.fail(row, &message, REDIRECTS, None)?;
        Ok(None)
    }

    /// Queues the target of a redirect as a page of its own, because it may be known, forbidden, or out of scope.
    fn take_moved(&mut self, row: &Waiting, to: &str) -> Result<(), Error> {
        let Some(target) = self.moved_to(row, to)? else { return Ok(()) };
        if row.role == PageRole::Start {
            self.store.add_host(&target.host)?;
            self.scope.insert(target.host.clone());
        }
        let (list, barren, hops) = (row.list, row.barren, row.hops + 1);
        let place = Discovery { list, barren, hops, ..Discovery::new(row.role, row.depth) };
        self.add(to, &place)?;
        self.store.set_state(row.id, PageState::Alias, None)
    }

    fn take_failed(&mut self, row: &Waiting, failure: &PageFailure) -> Result<(), Error> {
        let wait = wait_for(self.options, failure, row.tries);
        if let (Some(asked), Some(host)) = (failure.busy, self.hosts.get_mut(&row.origin)) {
            let rest = if asked.is_zero() { BUSY_WAIT.min(wait) } else { asked };
            host.free = host.free.max(Instant::now() + rest.min(LONGEST_WAIT));
        }
        let may_retry = failure.unsent || row.tries < self.options.retries;
        if failure.temporary && may_retry && wait <= LONGEST_WAIT {
            let tries = row.tries + u32::from(!failure.unsent);
            return self.store.put_back(row.id, tries, now() + wait.as_millis() as i64);
        }
        // In a crawl of whole sites, a file is not a failure.
        if failure.is_file && self.options.site.is_some() {
            self.store.set_reason(row.id, &failure.reason)?;
            return self.store.set_state(row.id, PageState::Skipped, None);
        }
        self.fail(row, &failure.message, &failure.reason, failure.status)
    }

    /// Writes the record of a page that failed permanently. In a crawl of whole sites, feeds and sitemaps have none, and a guessed sitemap may
    /// be missing.
    fn fail(&mut self, row: &Waiting, message: &str, reason: &str, status: Option<u16>) -> Result<(), Error> {
        if row.role == PageRole::Guess {
            return self.store.set_state(row.id, PageState::Skipped, None);
        }
        let site = self.options.site.as_ref();
        if site.is_some() && row.role == PageRole::Index {
            self.observer.note(message);
        } else if site.is_none_or(|site| !site.map) {
            let mut line = serde_json::json!({"id": row.url, "url": row.url, "error": message});
            if let Some(status) = status {
                line["status"] = status.into();
            }
            self.store.write_line(&line.to_string());
        }
        self.store.set_reason(row.id, reason)?;
        self.store.set_state(row.id, PageState::Failed, Some(message))
    }
}

/// Returns the largest number of requests for pages, lists and sitemaps that all runs of a crawl make, retries included.
#[must_use]
pub fn max_requests(max_pages: u64) -> u64 {
    max_pages.saturating_mul(REQUESTS_PER_PAGE).saturating_add(SPARE_REQUESTS)
}

/// Returns the least time between the starts of two requests to a server.
fn delay(options: &Options, host: &HostState) -> Duration {
    match &host.rules {
        KnownRules::Rules(rules) if options.robots => options.delay.max(rules.delay.unwrap_or_default()),
        _ => options.delay,
    }
}

/// Returns the time until a failed page is retried: doubled each time, or as long as the server asks for.
fn wait_for(options: &Options, failure: &PageFailure, tries: u32) -> Duration {
    if let (true, Some(rest)) = (failure.unsent, failure.busy) {
        return rest;
    }
    let own = options.backoff.saturating_mul(1 << tries.min(16));
    own.max(failure.busy.unwrap_or_default())
}
