//! Who sends a request.
use crate::limits::network;
use std::net::IpAddr;

/// Who sent a request, stored as an extension of it: the owner of the jobs that it begins.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// Its address.
    pub client: Option<IpAddr>,
    /// Its token, if the service has tokens.
    pub token: Option<String>,
}

impl Caller {
    /// Returns a name that is the same for all requests of a client: a hash of its token, or its network.
    pub fn name(&self) -> String {
        match (&self.token, self.client) {
            (Some(token), _) => {
                let hash = token.bytes().fold(maintext_core::hash::FNV64, maintext_core::hash::fnv64);
                format!("token {hash:016x}")
            }
            (None, Some(ip)) => network(ip).to_string(),
            (None, None) => "unknown".into(),
        }
    }
}
