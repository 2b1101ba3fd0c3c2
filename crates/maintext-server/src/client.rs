//! The clients among which the service divides its places and memory.
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

/// A client, which gets one fair share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Client {
    /// The service itself: work that no request waits for, and the tools of `maintext mcp`.
    #[default]
    Own,
    /// The network of an address; see [`Client::at`].
    Address(IpAddr),
    /// The holder of a named token.
    Named(Arc<str>),
}

impl Client {
    /// Returns the client at an address: an IPv4 address, or the /64 network of an IPv6 address, which belongs to one customer.
    pub fn at(ip: IpAddr) -> Client {
        Client::Address(match ip.to_canonical() {
            IpAddr::V6(ip) => Ipv6Addr::from_bits(ip.to_bits() >> 64 << 64).into(),
            ip => ip,
        })
    }

    /// Returns the name of the client's token, which alone sees what it made. Clients without a token share the empty name.
    pub fn holder(&self) -> &str {
        match self {
            Client::Named(name) => name,
            Client::Own | Client::Address(_) => "",
        }
    }
}

impl std::fmt::Display for Client {
    /// Writes a name from which [`Client::from_name`] makes the same client.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Client::Own => f.write_str("own"),
            Client::Address(ip) => ip.fmt(f),
            Client::Named(name) => write!(f, "token {name}"),
        }
    }
}

impl Client {
    /// Returns the client of a name.
    pub fn from_name(name: &str) -> Client {
        match name.strip_prefix("token ") {
            Some(name) => Client::Named(name.into()),
            None => name.parse().map_or(Client::Own, Client::at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_prefix_is_one_client() {
        let at = |ip: &str| Client::at(ip.parse().unwrap());
        assert_eq!(at("2001:db8::1"), at("2001:db8::ffff"));
        assert_ne!(at("2001:db8::1"), at("2001:db8:0:1::1"));
        for client in [at("192.0.2.1"), at("2001:db8::1"), Client::Named("lab".into()), Client::Own] {
            assert_eq!(Client::from_name(&client.to_string()), client);
        }
        assert_eq!(at("::ffff:192.0.2.1"), at("192.0.2.1"));
    }
}
