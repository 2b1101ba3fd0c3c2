//! How many wrong tokens each client may send.
use crate::client::Client;
use crate::problem::Problem;
use axum::http::StatusCode;
use maintext_util::guard::lock;
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Number of wrong tokens that a client may send in a period. A guess of one in 2^128 stays hopeless.
const MOST: u32 = 10;
const PERIOD: Duration = Duration::from_secs(50);
/// Maximum number of clients that are remembered.
const CLIENTS: usize = 100_000;

/// The beginning of each client's period, and the wrong tokens in it.
#[derive(Debug, Default)]
pub struct WrongTokens(Mutex<HashMap<Client, (Instant, u32)>>);

impl WrongTokens {
    /// Counts a wrong token.
    ///
    /// # Errors
    /// The client has sent too many (429).
    pub fn count(&self, client: &Client, now: Instant) -> Result<(), Problem> {
        let mut clients = lock(&self.0);
        if clients.len() >= CLIENTS {
            clients.retain(|_, (begun, _)| now.saturating_duration_since(*begun) < PERIOD);
        }
        if clients.len() >= CLIENTS {
            clients.clear();
        }
        let (begun, sent) = clients.entry(client.clone()).or_insert((now, 0));
        let age = now.saturating_duration_since(*begun);
        if age >= PERIOD {
            (*begun, *sent) = (now, 0);
        }
        if *sent >= MOST {
            let problem =
                Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", "too many wrong tokens; slow down");
            return Err(Problem { retry_after: Some((PERIOD - age).as_secs() + 1), ..problem });
        }
        *sent += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_has_a_number_of_wrong_tokens_in_a_period() {
        let (wrong, now) = (WrongTokens::default(), Instant::now());
        let (a, b) = (Client::at([192, 0, 2, 1].into()), Client::at([192, 0, 2, 2].into()));
        for _ in 0..MOST {
            wrong.count(&a, now).unwrap();
        }
        let problem = wrong.count(&a, now + PERIOD / 2).unwrap_err();
        assert_eq!((problem.status.as_u16(), problem.retry_after), (429, Some(26)));
        wrong.count(&b, now).unwrap();
        wrong.count(&a, now + PERIOD).unwrap();
    }
}
