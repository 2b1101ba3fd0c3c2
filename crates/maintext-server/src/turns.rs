//! Places for work, given to the clients in turn.
//!
//! Each client has a queue of its own, and a free place goes to the next client, not to the next request. So a client with 500 waiting
//! pages delays the one page of another client by one page for each place.
use crate::client::Client;
use crate::problem::Problem;
use maintext_util::guard::lock;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;

/// What the places allow.
#[derive(Clone, Copy, Debug)]
pub struct TurnRules {
    /// Number of places.
    pub places: usize,
    /// Number of places for long work, so that short work finds one soon.
    pub long: usize,
    /// Number of places for one host.
    pub per_host: usize,
    /// Bytes of memory for the work at all places.
    pub memory: usize,
    /// Whether a client may take no more places than stay free for the others. Without this, one client may use all places, which is
    /// right where each is free again soon.
    pub leave_half: bool,
    /// Number of requests that may wait; one client may use no more of them than stay free for the others.
    pub waiting: usize,
}

/// What one piece of work needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// Bytes of memory.
    pub bytes: usize,
    /// Whether the work may take long.
    pub long: bool,
    /// The host that it occupies.
    pub host: Option<String>,
}

/// The places.
#[derive(Debug)]
pub struct ServiceTurns {
    rules: TurnRules,
    state: Mutex<TurnsState>,
}

#[derive(Debug, Default)]
struct TurnsState {
    used: usize,
    long: usize,
    bytes: usize,
    clients: HashMap<Client, usize>,
    hosts: HashMap<String, usize>,
    /// Clients with waiting requests, the next one first.
    queues: VecDeque<(Client, VecDeque<WaitingTurn>)>,
    waiting: usize,
    /// Number of places given so far.
    grants: u64,
}

#[derive(Debug)]
struct WaitingTurn {
    need: Need,
    /// The number of given places when it began to wait.
    since: u64,
    sender: oneshot::Sender<()>,
}

/// After this many others, work that waits only for a large amount of memory is next.
const PATIENCE: u64 = 500;

impl ServiceTurns {
    /// Creates free places.
    pub fn new(rules: TurnRules) -> Arc<ServiceTurns> {
        Arc::new(ServiceTurns { rules, state: Mutex::default() })
    }

    /// Waits for a place. The request leaves the queue if the future is dropped. A `patient` one waits even if many others do: its
    /// caller limits how many there are.
    ///
    /// # Errors
    /// Too many requests, or too many of this client, wait (503).
    pub async fn take(self: &Arc<Self>, client: &Client, need: Need, patient: bool) -> Result<Turn, Problem> {
        debug_assert!(need.bytes <= self.rules.memory);
        let (sender, receiver) = oneshot::channel();
        {
            let mut state = lock(&self.state);
            let waits = state.queues.iter().find(|(c, _)| c == client).map_or(0, |(_, q)| q.len());
            let free = self.rules.waiting.saturating_sub(state.waiting);
            if !patient && waits >= free {
                return Err(Problem::busy("too many requests wait; try again"));
            }
            let entry = WaitingTurn { need: need.clone(), since: state.grants, sender };
            match state.queues.iter_mut().find(|(c, _)| c == client) {
                Some((_, queue)) => queue.push_back(entry),
                None => state.queues.push_back((client.clone(), VecDeque::from([entry]))),
            }
            state.waiting += 1;
            state.next(&self.rules);
        }
        let mut ticket = Ticket { turns: self, client, need: Some(need), receiver };
        match (&mut ticket.receiver).await {
            Ok(()) => {
                let need = ticket.need.take().unwrap_or_default();
                Ok(Turn { turns: self.clone(), client: client.clone(), need, placed: true })
            }
            Err(_) => Err(Problem::internal()),
        }
    }

    /// Returns a place if one is free and no request waits for it.
    pub fn spare(self: &Arc<Self>, client: &Client, need: Need) -> Option<Turn> {
        let mut state = lock(&self.state);
        let free = state.waiting == 0 && state.used < self.rules.places && state.fits(client, &need, &self.rules);
        free.then(|| {
            state.hold(client, &need);
            Turn { turns: self.clone(), client: client.clone(), need, placed: true }
        })
    }

    /// Returns whether the request of a new client may wait or begin.
    pub fn accepts(&self) -> bool {
        lock(&self.state).waiting < self.rules.waiting
    }

    /// Returns the numbers of used places, of all places, and of waiting requests.
    pub fn figures(&self) -> (usize, usize, usize) {
        let state = lock(&self.state);
        (state.used, self.rules.places, state.waiting)
    }

    /// Returns the memory in use.
    pub fn bytes(&self) -> usize {
        lock(&self.state).bytes
    }

    fn give_back(&self, client: &Client, need: &Need, place: bool, memory: bool) {
        let mut state = lock(&self.state);
        if place {
            state.used -= 1;
            state.long -= usize::from(need.long);
            less(&mut state.clients, client, 1);
            if let Some(host) = &need.host {
                less(&mut state.hosts, host, 1);
            }
        }
        if memory {
            state.bytes -= need.bytes;
        }
        state.next(&self.rules);
    }
}

impl TurnsState {
    /// Gives the free places to those whose turn it is.
    fn next(&mut self, rules: &TurnRules) {
        let mut tried = 0;
        while tried < self.queues.len() && self.used < rules.places {
            let Some((client, mut queue)) = self.queues.pop_front() else { return };
            let before = queue.len();
            queue.retain(|w| !w.sender.is_closed());
            self.waiting -= before - queue.len();
            let chosen = queue.iter().position(|w| self.fits(&client, &w.need, rules));
            if chosen != Some(0)
                && queue
                    .front()
                    .filter(|first| self.grants - first.since > PATIENCE && self.waits_for_memory(&first.need, rules))
                    .is_some()
            {
                // Everyone waits until enough memory is free for it.
                self.queues.push_front((client, queue));
                return;
            }
            tried += 1;
            if let Some(waiting) = chosen.and_then(|i| queue.remove(i)) {
                self.waiting -= 1;
                if waiting.sender.send(()).is_ok() {
                    self.hold(&client, &waiting.need);
                }
                tried = 0;
            }
            if !queue.is_empty() {
                self.queues.push_back((client, queue));
            }
        }
    }

    fn fits(&self, client: &Client, need: &Need, rules: &TurnRules) -> bool {
        let own = self.clients.get(client).copied().unwrap_or(0);
        let host = need.host.as_ref().and_then(|host| self.hosts.get(host)).copied().unwrap_or(0);
        let free = rules.places - self.used;
        (!need.long || self.long < rules.long)
            && host < rules.per_host
            && self.bytes + need.bytes <= rules.memory
            && (!rules.leave_half || own < free)
    }

    fn waits_for_memory(&self, need: &Need, rules: &TurnRules) -> bool {
        (!need.long || self.long < rules.long) && self.bytes + need.bytes > rules.memory
    }

    fn hold(&mut self, client: &Client, need: &Need) {
        self.grants += 1;
        self.used += 1;
        self.long += usize::from(need.long);
        self.bytes += need.bytes;
        *self.clients.entry(client.clone()).or_default() += 1;
        if let Some(host) = &need.host {
            *self.hosts.entry(host.clone()).or_default() += 1;
        }
    }
}

/// Lowers the count of a key, which leaves the map at zero.
pub fn less<K: std::hash::Hash + Eq>(counts: &mut HashMap<K, usize>, key: &K, by: usize) {
    if let Some(count) = counts.get_mut(key) {
        *count -= by;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

/// A waiting request. If it is dropped after its place was given, the place goes to the next one.
struct Ticket<'a> {
    turns: &'a Arc<ServiceTurns>,
    client: &'a Client,
    need: Option<Need>,
    receiver: oneshot::Receiver<()>,
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        let Some(need) = &self.need else { return };
        self.receiver.close();
        match self.receiver.try_recv() {
            Ok(()) => self.turns.give_back(self.client, need, true, true),
            // Removes the entry from the queue.
            Err(_) => {
                let mut state = lock(&self.turns.state);
                let mut removed = 0;
                for (_, queue) in state.queues.iter_mut().filter(|(c, _)| c == self.client) {
                    let before = queue.len();
                    queue.retain(|w| !w.sender.is_closed());
                    removed += before - queue.len();
                }
                state.waiting -= removed;
                state.queues.retain(|(_, queue)| !queue.is_empty());
            }
        }
    }
}

/// A place with its memory, given back on drop.
#[derive(Debug)]
pub struct Turn {
    turns: Arc<ServiceTurns>,
    client: Client,
    need: Need,
    placed: bool,
}

impl Turn {
    /// Whether the work may take long.
    pub fn is_long(&self) -> bool {
        self.need.long
    }

    /// Gives the place back, but keeps the memory until drop.
    pub fn leave(&mut self) {
        if self.placed {
            self.placed = false;
            self.turns.give_back(&self.client, &self.need, true, false);
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.turns.give_back(&self.client, &self.need, self.placed, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const RULES: TurnRules =
        TurnRules { places: 2, long: 1, per_host: 2, memory: 100, leave_half: false, waiting: 100 };

    fn client(n: u8) -> Client {
        Client::at([192, 0, 2, n].into())
    }

    fn bytes(bytes: usize) -> Need {
        Need { bytes, ..Need::default() }
    }

    /// Returns the place if it is free at once.
    async fn now(turns: &Arc<ServiceTurns>, client: &Client, need: Need) -> Option<Turn> {
        tokio::time::timeout(Duration::from_millis(20), turns.take(client, need, false)).await.ok()?.ok()
    }

    #[tokio::test]
    async fn a_crowd_of_one_client_delays_another_by_one_turn() {
        let turns = ServiceTurns::new(RULES);
        let order = Arc::new(Mutex::new(Vec::new()));
        let held = [
            turns.take(&client(1), bytes(1), false).await.unwrap(),
            turns.take(&client(1), bytes(1), false).await.unwrap(),
        ];
        let mut tasks = Vec::new();
        for n in [1, 1, 1, 1, 1, 2] {
            let (turns, order) = (turns.clone(), order.clone());
            tasks.push(tokio::spawn(async move {
                let turn = turns.take(&client(n), bytes(1), false).await.unwrap();
                order.lock().unwrap().push(n);
                tokio::time::sleep(Duration::from_millis(2)).await;
                drop(turn);
            }));
            tokio::task::yield_now().await;
        }
        drop(held);
        for task in tasks {
            task.await.unwrap();
        }
        let order = order.lock().unwrap();
        assert!(order.iter().position(|n| *n == 2).unwrap() <= 2, "{order:?}");
        assert_eq!(turns.figures(), (0, 2, 0));
        assert!(lock(&turns.state).clients.is_empty());
    }

    #[tokio::test]
    async fn long_work_hosts_and_memory_are_limited() {
        let turns = ServiceTurns::new(RULES);
        let long = || Need { long: true, ..bytes(1) };
        let first = now(&turns, &client(1), long()).await.unwrap();
        assert!(now(&turns, &client(2), long()).await.is_none());
        assert!(now(&turns, &client(2), bytes(1)).await.is_some());
        drop(first);
        let mut large = now(&turns, &client(1), bytes(90)).await.unwrap();
        assert!(now(&turns, &client(2), bytes(20)).await.is_none());
        large.leave();
        assert!(now(&turns, &client(2), bytes(20)).await.is_none(), "the memory is still in use");
        drop(large);
        assert!(now(&turns, &client(2), bytes(20)).await.is_some());
        let turns = ServiceTurns::new(TurnRules { places: 8, ..RULES });
        let host = || Need { host: Some("slow.example".into()), ..Need::default() };
        let held = [now(&turns, &client(1), host()).await, now(&turns, &client(2), host()).await];
        assert!(held.iter().all(Option::is_some) && now(&turns, &client(3), host()).await.is_none());
        assert!(now(&turns, &client(3), Need::default()).await.is_some());
    }

    #[tokio::test]
    async fn a_client_leaves_places_for_others() {
        let turns = ServiceTurns::new(TurnRules { places: 8, leave_half: true, waiting: 4, ..RULES });
        let mut held = Vec::new();
        for n in [1, 1, 1, 1, 2, 2, 3] {
            held.push(now(&turns, &client(n), Need::default()).await.unwrap());
        }
        assert!(now(&turns, &client(1), Need::default()).await.is_none());
        assert!(now(&turns, &client(4), Need::default()).await.is_some());
        // Two of one client may wait, since two stay free for others.
        let waits = |n| {
            let turns = turns.clone();
            tokio::spawn(async move { turns.take(&client(n), Need::default(), false).await.map(drop) })
        };
        let tasks = [waits(1), waits(1)];
        tokio::time::sleep(Duration::from_millis(10)).await;
        assert_eq!(turns.take(&client(1), Need::default(), false).await.unwrap_err().status.as_u16(), 503);
        assert!(turns.accepts());
        drop(held);
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        assert_eq!(turns.figures(), (0, 8, 0));
    }

    #[tokio::test]
    async fn work_that_needs_much_memory_is_not_starved() {
        let turns = ServiceTurns::new(TurnRules { places: 50, ..RULES });
        let small = turns.take(&client(1), bytes(10), false).await.unwrap();
        let large = tokio::spawn({
            let turns = turns.clone();
            async move { turns.take(&client(2), bytes(95), false).await.map(drop) }
        });
        tokio::task::yield_now().await;
        let mut passed = 0;
        while now(&turns, &client(1), bytes(10)).await.is_some() {
            passed += 1;
            assert!(passed < 2000, "the large one waits forever");
        }
        drop(small);
        large.await.unwrap().unwrap();
        assert_eq!(turns.figures(), (0, 50, 0));
    }
}
