//! The limits that are shared by all requests: work at once, bytes of bodies, requests of one client.
use crate::config::Rate;
use crate::problem::Problem;
use axum::http::StatusCode;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes of one permit of the body budget: semaphores count to 2^29 only on small machines.
const UNIT: usize = 1024;

/// Clients that are remembered; beyond, those are forgotten whose bucket is full again.
const CLIENTS: usize = 100_000;

/// The limits.
#[derive(Debug)]
pub struct Limits {
    in_flight: Arc<Semaphore>,
    workers: Arc<Semaphore>,
    bodies: Arc<Semaphore>,
}

impl Limits {
    /// Limits of so many pages at once, threads that extract, and bytes of bodies.
    pub fn new(in_flight: usize, workers: usize, body_memory: usize) -> Limits {
        Limits {
            in_flight: Arc::new(Semaphore::new(in_flight.max(1))),
            workers: Arc::new(Semaphore::new(workers.max(1))),
            bodies: Arc::new(Semaphore::new((body_memory / UNIT).clamp(1, Semaphore::MAX_PERMITS))),
        }
    }

    /// The right to work on a page, or 503.
    ///
    /// # Errors
    /// As many pages are worked on as may be.
    pub fn admit(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let full = |_| Problem::busy("as many pages are worked on as the service allows; try again");
        self.in_flight.clone().try_acquire_owned().map_err(full)
    }

    /// The right to work on a page, as soon as there is one.
    pub async fn admit_later(&self) -> Option<OwnedSemaphorePermit> {
        self.in_flight.clone().acquire_owned().await.ok()
    }

    /// A thread that extracts.
    pub async fn worker(&self) -> Option<OwnedSemaphorePermit> {
        self.workers.clone().acquire_owned().await.ok()
    }

    /// Room for so many bytes more of a body.
    ///
    /// # Errors
    /// The bodies of all clients together are as large as they may be.
    pub fn bytes(&self, count: usize) -> Result<OwnedSemaphorePermit, Problem> {
        let units = u32::try_from(count.div_ceil(UNIT)).unwrap_or(u32::MAX);
        let full = |_| Problem::busy("requests take as much memory as the service allows; try again");
        self.bodies.clone().try_acquire_many_owned(units).map_err(full)
    }

    /// Pages that could be worked on beside those that are.
    pub fn free(&self) -> usize {
        self.in_flight.available_permits()
    }
}

/// A bucket of tokens for each client.
#[derive(Debug)]
pub struct RateLimiter {
    rate: Rate,
    buckets: Mutex<HashMap<IpAddr, (f64, Instant)>>,
}

impl RateLimiter {
    /// A limiter in which all buckets are full.
    pub fn new(rate: Rate) -> RateLimiter {
        RateLimiter { rate, buckets: Mutex::default() }
    }

    /// Takes a token of a client at a time.
    ///
    /// # Errors
    /// The bucket is empty: 429 with the seconds until there is a token.
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
            let detail = "more requests than one client may make; slow down";
            let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail);
            return Err(Problem { retry_after: Some(wait), ..problem });
        }
        *bucket = (tokens - 1.0, now);
        Ok(())
    }
}

/// One client: an IPv4 address, or the /64 of an IPv6 address, which one customer has to himself.
fn network(ip: IpAddr) -> IpAddr {
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
    fn one_customer_of_ipv6_is_one_client() {
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
