//! The limits shared by all requests: concurrent work, total size of bodies, and requests of each client.
use crate::config::Rate;
use crate::problem::Problem;
use axum::http::StatusCode;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes per permit of the body memory. On 32-bit machines, a semaphore has at most 2^29 permits, too few for one per byte.
const UNIT: usize = 1024;

/// Maximum number of clients in the rate limiter. Above it, clients with full buckets are removed.
const CLIENTS: usize = 100_000;

/// Limits on concurrent work and on the memory for bodies.
#[derive(Debug)]
pub struct Limits {
    in_flight: Arc<Semaphore>,
    workers: Arc<Semaphore>,
    bodies: Arc<Semaphore>,
}

impl Limits {
    /// Creates limits on the pages in progress, the extraction threads and the bytes of bodies.
    pub fn new(in_flight: usize, workers: usize, body_memory: usize) -> Limits {
        Limits {
            in_flight: Arc::new(Semaphore::new(in_flight.max(1))),
            workers: Arc::new(Semaphore::new(workers.max(1))),
            bodies: Arc::new(Semaphore::new((body_memory / UNIT).clamp(1, Semaphore::MAX_PERMITS))),
        }
    }

    /// Acquires a slot for a page.
    ///
    /// # Errors
    /// The service is at capacity (503).
    pub fn admit(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let full = |_| Problem::busy("the service is at capacity; try again");
        self.in_flight.clone().try_acquire_owned().map_err(full)
    }

    /// Waits for a slot for a page.
    pub async fn admit_later(&self) -> Option<OwnedSemaphorePermit> {
        self.in_flight.clone().acquire_owned().await.ok()
    }

    /// Waits for an extraction thread.
    pub async fn worker(&self) -> Option<OwnedSemaphorePermit> {
        self.workers.clone().acquire_owned().await.ok()
    }

    /// Returns an extraction thread if one is free and no request waits for it.
    pub fn spare(&self) -> Option<OwnedSemaphorePermit> {
        self.workers.clone().try_acquire_owned().ok()
    }

    /// Reserves memory for `count` bytes of a body.
    ///
    /// # Errors
    /// The memory for bodies is exhausted (503).
    pub fn bytes(&self, count: usize) -> Result<OwnedSemaphorePermit, Problem> {
        let units = u32::try_from(count.div_ceil(UNIT)).unwrap_or(u32::MAX);
        let full = |_| Problem::busy("the memory for request bodies is exhausted; try again");
        self.bodies.clone().try_acquire_many_owned(units).map_err(full)
    }

    /// Returns the number of free slots.
    pub fn free(&self) -> usize {
        self.in_flight.available_permits()
    }
}

/// A token bucket for each client.
#[derive(Debug)]
pub struct RateLimiter {
    rate: Rate,
    buckets: Mutex<HashMap<IpAddr, (f64, Instant)>>,
}

impl RateLimiter {
    /// Creates a limiter with full buckets.
    pub fn new(rate: Rate) -> RateLimiter {
        RateLimiter { rate, buckets: Mutex::default() }
    }

    /// Takes a token from a client's bucket.
    ///
    /// # Errors
    /// The bucket is empty: 429 with the number of seconds until the next token.
    pub fn take(&self, client: IpAddr, now: Instant) -> Result<(), Problem> {
        let Rate { per_second, burst } = self.rate;
        let full = f64::from(burst.max(1));
        let refilled = |(tokens, last): (f64, Instant)| {
            (tokens + now.saturating_duration_since(last).as_secs_f64() * per_second).min(full)
        };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= CLIENTS {
            buckets.retain(|_, b| refilled(*b) < full);
            if buckets.len() >= CLIENTS {
                buckets.clear();
            }
        }
        let bucket = buckets.entry(network(client)).or_insert((full, now));
        let tokens = refilled(*bucket);
        if tokens < 1.0 {
            *bucket = (tokens, now);
            let wait = ((1.0 - tokens) / per_second.max(1e-6)).ceil().clamp(1.0, 3600.0) as u64;
            let detail = "too many requests from this client; slow down";
            let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail);
            return Err(Problem { retry_after: Some(wait), ..problem });
        }
        *bucket = (tokens - 1.0, now);
        Ok(())
    }
}

/// Returns the network that counts as one client: an IPv4 address, or the /64 prefix of an IPv6 address, which belongs to one
/// customer.
pub fn network(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V6(ip) => Ipv6Addr::from_bits(ip.to_bits() >> 64 << 64).into(),
        ip => ip,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn buckets_empty_and_refill_for_each_client() {
        let limiter = RateLimiter::new(Rate { per_second: 2.0, burst: 3 });
        let now = Instant::now();
        let (a, b) = ("192.0.2.1".parse().unwrap(), "192.0.2.2".parse().unwrap());
        for _ in 0..3 {
            limiter.take(a, now).unwrap();
        }
        let problem = limiter.take(a, now).unwrap_err();
        assert_eq!((problem.status.as_u16(), problem.retry_after), (429, Some(1)));
        limiter.take(b, now).unwrap();
        limiter.take(a, now + Duration::from_millis(600)).unwrap();
        assert!(limiter.take(a, now + Duration::from_millis(600)).is_err());
    }

    #[test]
    fn an_ipv6_prefix_is_one_client() {
        let limiter = RateLimiter::new(Rate { per_second: 0.1, burst: 1 });
        let now = Instant::now();
        limiter.take("2001:db8::1".parse().unwrap(), now).unwrap();
        assert!(limiter.take("2001:db8::ffff".parse().unwrap(), now).is_err());
        limiter.take("2001:db8:0:1::1".parse().unwrap(), now).unwrap();
    }

    #[test]
    fn work_and_bytes_are_bounded() {
        let limits = Limits::new(1, 1, 10 * UNIT);
        let one = limits.admit().unwrap();
        assert_eq!(limits.admit().unwrap_err().status.as_u16(), 503);
        drop(one);
        assert!(limits.admit().is_ok());
        let most = limits.bytes(9 * UNIT).unwrap();
        assert!(limits.bytes(2 * UNIT).is_err() && limits.bytes(UNIT).is_ok());
        drop(most);
        assert!(limits.bytes(10 * UNIT).is_ok());
    }
}
