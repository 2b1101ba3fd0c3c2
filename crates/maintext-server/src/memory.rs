//! The memory for request bodies, fetched pages and unread answers, divided fairly among the clients.
//!
//! A client may grow while it holds at most as much as remains free for all others: one client can use half of the memory, two clients a
//! third each, and so on. So however many clients flood the service, something remains for the next one.
use crate::client::Client;
use crate::problem::Problem;
use crate::turns::less;
use axum::body::Bytes;
use maintext_util::guard::lock;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

/// A fixed amount of memory.
#[derive(Debug)]
pub struct Memory {
    total: usize,
    used: Mutex<UsedMemory>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct UsedMemory {
    all: usize,
    clients: HashMap<Client, usize>,
}

impl Memory {
    /// Creates a budget of `total` bytes.
    pub fn new(total: usize) -> Arc<Memory> {
        Arc::new(Memory { total, used: Mutex::default(), freed: Notify::new() })
    }

    /// Returns an empty share of a client.
    pub fn share(self: &Arc<Self>, client: &Client) -> MemoryShare {
        MemoryShare { memory: self.clone(), client: client.clone(), bytes: 0 }
    }

    /// Returns the number of bytes in use, and of all bytes.
    pub fn use_and_total(&self) -> (usize, usize) {
        (lock(&self.used).all, self.total)
    }

    /// Returns whether a client that holds nothing would get this many bytes.
    pub fn has(&self, bytes: usize) -> bool {
        lock(&self.used).all + 2 * bytes <= self.total
    }

    fn take(&self, client: &Client, bytes: usize) -> bool {
        let mut used = lock(&self.used);
        let own = used.clients.get(client).copied().unwrap_or(0).saturating_add(bytes);
        let all = used.all.saturating_add(bytes);
        if all > self.total || own > self.total - all {
            return false;
        }
        used.all = all;
        used.clients.insert(client.clone(), own);
        true
    }

    fn give_back(&self, client: &Client, bytes: usize) {
        let mut used = lock(&self.used);
        used.all -= bytes;
        less(&mut used.clients, client, bytes);
        drop(used);
        self.freed.notify_waiters();
    }
}

/// A client's part of the memory, given back on drop.
#[derive(Debug)]
pub struct MemoryShare {
    memory: Arc<Memory>,
    client: Client,
    bytes: usize,
}

/// The longest wait for memory: long enough for another request to end, too short for a client to notice.
const WAIT: Duration = Duration::from_secs(2);

impl MemoryShare {
    /// Adds bytes.
    ///
    /// # Errors
    /// The memory, or the client's part of it, is used up (503).
    pub fn grow(&mut self, bytes: usize) -> Result<(), Problem> {
        if bytes == 0 || self.memory.take(&self.client, bytes) {
            self.bytes += bytes;
            Ok(())
        } else {
            Err(Problem::busy("the memory for requests and their answers is used up; try again"))
        }
    }

    /// Like [`MemoryShare::grow`], but waits a little until other requests end.
    ///
    /// # Errors
    /// The memory is still used up after two seconds (503).
    pub async fn grow_soon(&mut self, bytes: usize) -> Result<(), Problem> {
        let end = Instant::now() + WAIT;
        loop {
            let memory = self.memory.clone();
            let mut freed = std::pin::pin!(memory.freed.notified());
            // From here on, no notification is missed.
            freed.as_mut().enable();
            let grown = self.grow(bytes);
            if grown.is_ok() || timeout_at(end, freed).await.is_err() {
                return grown;
            }
        }
    }

    /// Gives back everything above `bytes`.
    pub fn shrink(&mut self, bytes: usize) {
        let more = self.bytes.saturating_sub(bytes);
        self.bytes -= more;
        self.memory.give_back(&self.client, more);
    }

    /// Returns bytes that give their share back when the last reference to them is gone, that is, when the client has read them.
    pub fn hold(self, bytes: impl AsRef<[u8]> + Send + 'static) -> Bytes {
        struct KeptBytes<T>(T, #[expect(dead_code, reason = "dropped with the bytes")] MemoryShare);
        impl<T: AsRef<[u8]>> AsRef<[u8]> for KeptBytes<T> {
            fn as_ref(&self) -> &[u8] {
                self.0.as_ref()
            }
        }
        Bytes::from_owner(KeptBytes(bytes, self))
    }

    /// Like [`MemoryShare::grow_soon`], on a thread that may sleep.
    ///
    /// # Errors
    /// The memory is still used up after two seconds (503).
    pub fn grow_blocking(&mut self, bytes: usize) -> Result<(), Problem> {
        let end = Instant::now() + WAIT;
        loop {
            let grown = self.grow(bytes);
            if grown.is_ok() || Instant::now() > end {
                return grown;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Returns the number of bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the client.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns an empty share of the same client.
    pub fn another(&self) -> MemoryShare {
        self.memory.share(&self.client)
    }
}

impl Drop for MemoryShare {
    fn drop(&mut self) {
        self.memory.give_back(&self.client, self.bytes);
    }
}

/// Bytes that arrive in pieces, with a share for all they occupy.
#[derive(Debug)]
pub struct Growing {
    bytes: Vec<u8>,
    share: MemoryShare,
}

impl Growing {
    /// Begins with no bytes.
    pub fn new(share: MemoryShare) -> Growing {
        Growing { bytes: Vec::new(), share }
    }

    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Adds a piece, and waits a little for memory.
    ///
    /// # Errors
    /// The memory is used up (503).
    pub async fn add(&mut self, piece: &[u8]) -> Result<(), Problem> {
        let (needed, capacity) = (self.bytes.len() + piece.len(), self.bytes.capacity());
        if needed > capacity {
            // A quarter more each time: few copies, little waste.
            let wanted = needed.max(capacity + capacity / 4);
            self.share.grow_soon(wanted - capacity).await?;
            self.bytes.reserve_exact(wanted - self.bytes.len());
        }
        self.bytes.extend_from_slice(piece);
        Ok(())
    }

    /// Returns the bytes and their share.
    pub fn end(self) -> (Vec<u8>, MemoryShare) {
        (self.bytes, self.share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(n: u8) -> Client {
        Client::at([192, 0, 2, n].into())
    }

    #[test]
    fn clients_share_the_memory() {
        let memory = Memory::new(1200);
        let mut shares: Vec<MemoryShare> = (0..4).map(|n| memory.share(&client(n))).collect();
        // One client gets half, the next one a half of the rest.
        shares[0].grow(600).unwrap();
        assert_eq!(shares[0].grow(1).unwrap_err().status.as_u16(), 503);
        assert!(memory.share(&client(0)).grow(1).is_err(), "a second share of the same client");
        shares[1].grow(300).unwrap();
        assert!(shares[1].grow(1).is_err() && memory.has(150) && !memory.has(151));
        shares[2].grow(150).unwrap();
        shares[3].grow(75).unwrap();
        shares[0].shrink(200);
        shares[3].grow(100).unwrap();
        drop(shares);
        assert_eq!(memory.use_and_total(), (0, 1200));
    }

    #[test]
    fn bytes_keep_their_share_until_they_are_dropped() {
        let memory = Memory::new(1000);
        let mut share = memory.share(&client(1));
        share.grow(100).unwrap();
        let bytes = share.hold(vec![0; 100]);
        let part = bytes.slice(10..20);
        drop(bytes);
        assert_eq!(memory.use_and_total().0, 100);
        drop(part);
        assert_eq!(memory.use_and_total().0, 0);
    }

    #[tokio::test]
    async fn growing_counts_the_capacity_and_waits_for_memory() {
        let memory = Memory::new(4000);
        let mut growing = Growing::new(memory.share(&client(1)));
        growing.add(&[1; 1000]).await.unwrap();
        growing.add(&[2; 10]).await.unwrap();
        assert_eq!((growing.len(), memory.use_and_total().0 >= 1010), (1010, true));
        let mut other = memory.share(&client(1));
        other.grow(600).unwrap();
        let waits = tokio::spawn(async move { growing.add(&[3; 900]).await.map(|()| growing) });
        tokio::time::sleep(Duration::from_millis(20)).await;
        drop(other);
        let (bytes, share) = waits.await.unwrap().unwrap().end();
        assert_eq!((bytes.len(), memory.use_and_total().0), (1910, bytes.capacity()));
        drop(share);
    }
}
