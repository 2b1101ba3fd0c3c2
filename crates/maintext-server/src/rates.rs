//! Rates: how many requests, and how many wrong tokens, each client may send.
use crate::client::Client;
use crate::config::Rate;
use crate::problem::Problem;
use axum::http::StatusCode;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Maximum number of clients that are remembered. Above it, clients with full buckets are forgotten.
const CLIENTS: usize = 100_000;

/// A token bucket for each client.
#[derive(Debug, Default)]
pub struct Buckets(Mutex<HashMap<Client, (f64, Instant)>>);

impl Buckets {
    /// Takes one token from a client's bucket. Otherwise returns the time until the next one.
    pub fn take(&self, client: &Client, rate: Rate, now: Instant) -> Result<(), Duration> {
        let full = f64::from(rate.burst.max(1));
        let refilled = |(tokens, last): (f64, Instant)| {
            (tokens + now.saturating_duration_since(last).as_secs_f64() * rate.per_second).min(full)
        };
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= CLIENTS {
            buckets.retain(|_, b| refilled(*b) < full);
            if buckets.len() >= CLIENTS {
                buckets.clear();
            }
        }
        let bucket = buckets.entry(client.clone()).or_insert((full, now));
        let tokens = refilled(*bucket);
        if tokens < 1.0 {
            *bucket = (tokens, now);
            return Err(Duration::from_secs_f64(((1.0 - tokens) / rate.per_second.max(1e-6)).min(86_400.0)));
        }
        *bucket = (tokens - 1.0, now);
        Ok(())
    }
}

/// Returns the problem for a client that must wait.
pub fn too_many(detail: &str, wait: Duration) -> Problem {
    let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail);
    Problem { retry_after: Some(wait.as_secs_f64().ceil().max(1.0) as u64), ..problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_empty_and_refill_for_each_client() {
        let buckets = Buckets::default();
        let rate = Rate { per_second: 2.0, burst: 3 };
        let now = Instant::now();
        let (a, b) = (Client::at([192, 0, 2, 1].into()), Client::Named("b".into()));
        for _ in 0..3 {
            buckets.take(&a, rate, now).unwrap();
        }
        assert_eq!(buckets.take(&a, rate, now), Err(Duration::from_millis(500)));
        buckets.take(&b, rate, now).unwrap();
        buckets.take(&a, rate, now + Duration::from_millis(600)).unwrap();
        assert!(buckets.take(&a, rate, now + Duration::from_millis(600)).is_err());
        assert_eq!(too_many("slow down", Duration::from_millis(500)).retry_after, Some(1));
    }
}
