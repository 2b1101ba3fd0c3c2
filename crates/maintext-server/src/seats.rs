//! Counts the connections, or the open requests, of each client.
use crate::client::Client;
use crate::turns::less;
use maintext_util::guard::lock;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// The number of connections, or of requests, of each client.
#[derive(Debug, Default)]
pub struct Seats(Mutex<HashMap<Client, usize>>);

/// A connection or a request of a client, counted until it is dropped.
pub struct ClientPlace {
    clients: Arc<Seats>,
    client: Client,
}

impl ClientPlace {
    /// Returns `None` if the client has reached its limit.
    pub fn take(clients: &Arc<Seats>, client: &Client, limit: usize) -> Option<ClientPlace> {
        let mut counts = lock(&clients.0);
        let count = counts.entry(client.clone()).or_default();
        if *count >= limit {
            return None;
        }
        *count += 1;
        Some(ClientPlace { clients: clients.clone(), client: client.clone() })
    }
}

impl Drop for ClientPlace {
    fn drop(&mut self) {
        less(&mut lock(&self.clients.0), &self.client, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_per_client_are_limited() {
        let clients = Arc::new(Seats::default());
        let (a, b) = (Client::at([192, 0, 2, 1].into()), Client::at([192, 0, 2, 2].into()));
        let first = ClientPlace::take(&clients, &a, 2).unwrap();
        let _second = ClientPlace::take(&clients, &a, 2).unwrap();
        assert!(ClientPlace::take(&clients, &a, 2).is_none() && ClientPlace::take(&clients, &b, 2).is_some());
        drop(first);
        assert!(ClientPlace::take(&clients, &a, 2).is_some());
        assert_eq!(clients.0.lock().unwrap().len(), 1);
    }
}
