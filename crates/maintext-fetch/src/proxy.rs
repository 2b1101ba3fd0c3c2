//! Chooses the proxy for a URL, from the options or the usual environment variables.

use std::net::IpAddr;

use super::FetchError;
use super::hosts::belongs_to;
use super::policy::Network;

/// Where the proxy comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Proxy {
    /// `http_proxy` for http URLs, `https_proxy` for https URLs, otherwise `all_proxy` (upper case works as well). Hosts listed in
    /// `no_proxy` use no proxy: names (with their subdomains), addresses, networks (`10.0.0.0/8`), or `*`.
    #[default]
    Environment,
    /// No proxy, whatever the environment says.
    Direct,
    /// This proxy for every URL: `http://`, `https://`, `socks4://`, `socks5://` or `socks5h://`, with or without
    /// `user:password@`.
    Url(String),
}

/// The proxies of a fetcher.
#[derive(Clone, Debug, Default)]
pub(super) struct Proxies {
    pub(super) http: Option<ureq::Proxy>,
    pub(super) https: Option<ureq::Proxy>,
    pub(super) exceptions: Exceptions,
}

impl Proxies {
    /// Reads the proxies from the options or, through `variable`, from the environment.
    pub(super) fn choose(proxy: &Proxy, variable: impl Fn(&str) -> Option<String>) -> Result<Self, FetchError> {
        match proxy {
            Proxy::Direct => Ok(Self::default()),
            Proxy::Url(url) => {
                let proxy = parse("the options", url)?;
                Ok(Self { http: Some(proxy.clone()), https: Some(proxy), exceptions: Exceptions::default() })
            }
            Proxy::Environment => {
                // As in curl, a variable that is set but empty means no proxy.
                let lookup = |name: &str| {
                    let upper = name.to_ascii_uppercase();
                    [name, &upper].into_iter().find_map(|name| {
                        let value = variable(name).filter(|value| !value.trim().is_empty())?;
                        Some((name.to_string(), value))
                    })
                };
                let proxy = |name: &str| {
                    let found = lookup(name).or_else(|| lookup("all_proxy"));
                    found.map(|(name, value)| parse(&name, value.trim())).transpose()
                };
                Ok(Self {
                    http: proxy("http_proxy")?,
                    https: proxy("https_proxy")?,
                    exceptions: Exceptions::parse(&lookup("no_proxy").unwrap_or_default().1),
                })
            }
        }
    }
}

fn parse(place: &str, url: &str) -> Result<ureq::Proxy, FetchError> {
    ureq::Proxy::new(url).map_err(|error| FetchError::BadProxy { place: place.to_string(), reason: error.to_string() })
}

/// The hosts of `no_proxy`.
#[derive(Clone, Debug, Default)]
pub(super) struct Exceptions {
    all: bool,
    names: Vec<String>,
    networks: Vec<Network>,
}

impl Exceptions {
    fn parse(list: &str) -> Self {
        let mut exceptions = Self::default();
        for entry in list.split([',', ' ']).filter(|entry| !entry.is_empty()) {
            if entry == "*" {
                exceptions.all = true;
            } else if let Ok(network) = entry.replace(['[', ']'], "").parse() {
                exceptions.networks.push(network);
            } else {
                let name = entry.trim_start_matches('*').trim_start_matches('.');
                exceptions.names.push(name.to_ascii_lowercase());
            }
        }
        exceptions
    }

    /// Whether `host`, a lower-case name or an address (IPv6 with or without brackets), bypasses the proxy.
    pub(super) fn contains(&self, host: &str) -> bool {
        let host = host.trim_matches(['[', ']']);
        if self.all {
            return true;
        }
        if let Ok(address) = host.parse::<IpAddr>() {
            return self.networks.iter().any(|network| network.contains(address));
        }
        self.names.iter().any(|name| belongs_to(host, name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(variables: &[(&str, &str)]) -> Result<Proxies, FetchError> {
        Proxies::choose(&Proxy::Environment, |name| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| value.to_string())
        })
    }

    #[test]
    fn each_scheme_uses_its_variable() {
        let proxies = choose(&[("http_proxy", "http://a:1"), ("HTTPS_PROXY", "b:2")]).unwrap();
        assert_eq!(proxies.http.unwrap().host(), "a");
        assert_eq!(proxies.https.unwrap().port(), 2);
        let proxies = choose(&[("ALL_PROXY", "socks5h://c:3"), ("https_proxy", "")]).unwrap();
        assert_eq!(proxies.http.unwrap().host(), "c");
        assert_eq!(proxies.https.unwrap().host(), "c");
        assert!(choose(&[]).unwrap().http.is_none());
    }

    #[test]
    fn an_invalid_proxy_is_an_error_instead_of_a_direct_connection() {
        let error = choose(&[("HTTPS_PROXY", "ftp://x y")]).unwrap_err();
        assert!(error.to_string().contains("HTTPS_PROXY"), "{error}");
    }

    #[test]
    fn no_proxy_lists_names_addresses_and_networks() {
        let list = "localhost,.example.org, *.test.net 10.0.0.0/8,::1,192.0.2.7,fd00::/8,1.2.3.4/99";
        let exceptions = choose(&[("NO_PROXY", list)]).unwrap().exceptions;
        for host in
            ["localhost", "example.org", "www.example.org", "a.test.net", "10.200.3.4", "[::1]", "192.0.2.7", "fd12::1"]
        {
            assert!(exceptions.contains(host), "{host}");
        }
        for host in ["badexample.org", "org", "11.0.0.1", "192.0.2.8", "::2", "1.2.3.4"] {
            assert!(!exceptions.contains(host), "{host}");
        }
        assert!(Exceptions::parse("*").contains("anything"));
        assert!(Exceptions::parse("0.0.0.0/0").contains("8.8.8.8"));
        assert!(Exceptions::parse("::/0").contains("::1"));
    }
}
