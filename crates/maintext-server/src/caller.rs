//! Who sends a request.
use crate::client::Client;

/// Who sent a request, stored as an extension of it: the owner of the jobs that it begins.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// The client.
    pub client: Client,
}

impl Caller {
    /// Returns a name that is the same for all requests of a client: the name of its token, or its network.
    pub fn name(&self) -> String {
        self.client.to_string()
    }
}
