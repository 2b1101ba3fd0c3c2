//! Which servers may be contacted on behalf of others.
//!
//! A service that fetches addresses named by strangers gives them access from its own place in the network:
//! `http://169.254.169.254/` is a cloud's metadata service, `http://localhost:6379/` may be a database. A [`Policy`] is checked after
//! name resolution, for every connection and so for every redirect. The connection goes to exactly the checked address, so a name
//! that resolves differently a moment later gains nothing.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;
use std::sync::Arc;

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;
use url::{Host, Url};

use crate::hosts::{self, HostPattern};

/// The servers that may be contacted. The default allows public addresses on ports 80, 443, 8080 and 8443, and nothing else.
///
/// ```
/// use maintext_fetch::Policy;
///
/// let policy = Policy::default();
/// assert!(policy.check_address("93.184.215.14".parse()?).is_ok());
/// assert!(policy.check_address("169.254.169.254".parse()?).is_err());
/// assert!(policy.check_address("::ffff:10.0.0.1".parse()?).is_err());
///
/// let policy = Policy { networks: vec!["10.1.0.0/16".parse()?], ..Policy::default() };
/// assert!(policy.check_address("10.1.2.3".parse()?).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Networks that are allowed although they are not public.
    pub networks: Vec<Network>,
    /// Allowed ports; empty means all.
    pub ports: Vec<u16>,
    /// Allowed hosts; empty means all.
    pub allowed_hosts: Vec<HostPattern>,
    /// Hosts that are refused, even if they are allowed too.
    pub denied_hosts: Vec<HostPattern>,
}

impl Default for Policy {
    fn default() -> Self {
        let ports = vec![80, 443, 8080, 8443];
        Self { networks: Vec::new(), ports, allowed_hosts: Vec::new(), denied_hosts: Vec::new() }
    }
}

impl Policy {
    /// Checks everything in a URL that needs no name server: scheme, port, credentials, literal addresses.
    ///
    /// # Errors
    ///
    /// Returns the reason, as the end of a sentence.
    pub fn check_url(&self, url: &Url) -> Result<(), String> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("the scheme '{}' is not allowed, only http and https", url.scheme()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("addresses with a user name or a password are not allowed".into());
        }
        let port = url.port_or_known_default().unwrap_or(0);
        let mut reasons: Vec<String> = Vec::new();
        if !self.ports.is_empty() && !self.ports.contains(&port) {
            reasons.push(format!("port {port} is not allowed (--allow-port)"));
        }
        let host = self.check_host(url.host_str().unwrap_or("")).and_then(|()| match url.host() {
            None => Err("it has no host".into()),
            Some(Host::Ipv4(ip)) => self.check_address(ip.into()),
            Some(Host::Ipv6(ip)) => self.check_address(ip.into()),
            Some(Host::Domain(_)) => Ok(()),
        });
        // All of them at once, so that a user does not meet them one by one.
        reasons.extend(host.err());
        if reasons.is_empty() { Ok(()) } else { Err(reasons.join("; ")) }
    }

    /// Checks a host, as an address contains it, against the lists of allowed and denied hosts.
    ///
    /// # Errors
    ///
    /// Returns the reason, as the end of a sentence.
    pub fn check_host(&self, host: &str) -> Result<(), String> {
        let is_allowed = self.allowed_hosts.is_empty() || names_host(&self.allowed_hosts, host);
        if is_allowed && !names_host(&self.denied_hosts, host) {
            return Ok(());
        }
        Err(format!("the host {host} is not allowed here"))
    }

    /// Checks names that are left to a proxy: a name that exists only inside the proxy's network must be in the list of allowed hosts.
    pub(super) fn check_behind_proxy(&self, url: &Url) -> Result<(), String> {
        match url.host() {
            Some(Host::Domain(name)) if hosts::is_inside(name) && self.allowed_hosts.is_empty() => {
                Err(format!("{name} is a name inside a network"))
            }
            _ => Ok(()),
        }
    }

    /// Checks an address to which a name was resolved.
    ///
    /// # Errors
    ///
    /// Returns why the address is refused, as the end of a sentence.
    pub fn check_address(&self, ip: IpAddr) -> Result<(), String> {
        let ip = ip.to_canonical();
        if self.networks.iter().any(|n| n.contains(ip)) {
            return Ok(());
        }
        let public = match ip {
            IpAddr::V4(ip) => is_public_v4(ip),
            IpAddr::V6(ip) => is_public_v6(ip),
        };
        if public { Ok(()) } else { Err(format!("{ip} is not a public address (--allow-network)")) }
    }
}

fn names_host(list: &[HostPattern], host: &str) -> bool {
    list.iter().any(|pattern| pattern.matches(host))
}

/// Whether an address is globally reachable by the IANA IPv4 special-purpose address registry (RFC 6890 and its updates) and not
/// used by a cloud for its own services although it looks public.
fn is_public_v4(ip: Ipv4Addr) -> bool {
    const REFUSED: [(Ipv4Addr, u8); 17] = [
        (Ipv4Addr::new(0, 0, 0, 0), 8),        // this network
        (Ipv4Addr::new(10, 0, 0, 0), 8),       // private
        (Ipv4Addr::new(100, 64, 0, 0), 10),    // carrier-grade NAT; a cloud's metadata service at 100.100.100.200
        (Ipv4Addr::new(127, 0, 0, 0), 8),      // loopback
        (Ipv4Addr::new(168, 63, 129, 16), 32), // a cloud's host, reachable from its guests only
        (Ipv4Addr::new(169, 254, 0, 0), 16),   // link-local; metadata services
        (Ipv4Addr::new(172, 16, 0, 0), 12),    // private
        (Ipv4Addr::new(192, 0, 0, 0), 24),     // protocol assignments; a cloud's metadata service at 192.0.0.192
        (Ipv4Addr::new(192, 0, 2, 0), 24),     // documentation
        (Ipv4Addr::new(192, 31, 196, 0), 24),  // AS112
        (Ipv4Addr::new(192, 52, 193, 0), 24),  // AMT
        (Ipv4Addr::new(192, 88, 99, 0), 24),   // 6to4 relays
        (Ipv4Addr::new(192, 168, 0, 0), 16),   // private
        (Ipv4Addr::new(198, 18, 0, 0), 15),    // benchmarks
        (Ipv4Addr::new(198, 51, 100, 0), 24),  // documentation
        (Ipv4Addr::new(203, 0, 113, 0), 24),   // documentation
        (Ipv4Addr::new(224, 0, 0, 0), 3),      // multicast, reserved, broadcast
    ];
    !REFUSED.iter().any(|&(network, bits)| v4_in(ip, network, bits))
}

/// Whether an address is global unicast (2000::/3) and neither a tunnel into another network nor unassigned.
fn is_public_v6(ip: Ipv6Addr) -> bool {
    const REFUSED: [(Ipv6Addr, u8); 5] = [
        (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocol assignments; Teredo carries IPv4 addresses
        (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
        (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4 carries IPv4 addresses
        (Ipv6Addr::new(0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0), 48), // AS112
        (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
    ];
    v6_in(ip, Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3) && !REFUSED.iter().any(|&(n, bits)| v6_in(ip, n, bits))
}

fn v4_in(ip: Ipv4Addr, network: Ipv4Addr, bits: u8) -> bool {
    (ip.to_bits() ^ network.to_bits()).checked_shr(32 - bits as u32).unwrap_or(0) == 0
}

fn v6_in(ip: Ipv6Addr, network: Ipv6Addr, bits: u8) -> bool {
    (ip.to_bits() ^ network.to_bits()).checked_shr(128 - bits as u32).unwrap_or(0) == 0
}

/// A network, written as `10.0.0.0/8`, `fd00::/8`, or a single address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

impl Network {
    /// Whether the network contains the address. An IPv4 address written as IPv6 counts as IPv4.
    pub fn contains(&self, ip: IpAddr) -> bool {
        match (self.address, ip.to_canonical()) {
            (IpAddr::V4(network), IpAddr::V4(ip)) => v4_in(ip, network, self.bits),
            (IpAddr::V6(network), IpAddr::V6(ip)) => v6_in(ip, network, self.bits),
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}' is not a network; expected 10.0.0.0/8, fd00::/8 or an address");
        let (address, bits) = text.split_once('/').map_or((text, None), |(a, b)| (a, Some(b)));
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let longest = if address.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            None => longest,
            Some(bits) => bits.parse().ok().filter(|b| *b <= longest).ok_or_else(wrong)?,
        };
        Ok(Self { address, bits })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

/// Carries the resolver's refusal through ureq, so that it can be distinguished from other failures.
#[derive(Debug)]
pub(super) struct Refused(pub(super) String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

/// Resolves names, and returns the addresses only if the policy allows all of them.
#[derive(Debug)]
pub(super) struct Vetted {
    pub(super) policy: Arc<Policy>,
    pub(super) inner: Arc<dyn Resolver>,
    /// Host and port of the proxy, which the operator chose and which may be inside.
    pub(super) proxy: Option<(String, u16)>,
}

impl Vetted {
    pub(super) fn new(policy: Policy) -> Self {
        Self { policy: Arc::new(policy), inner: Arc::new(DefaultResolver::default()), proxy: None }
    }
}

/// A resolver that several agents share.
#[derive(Debug)]
pub(super) struct SharedResolver(pub(super) Arc<dyn Resolver>);

impl Resolver for SharedResolver {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
        self.0.resolve(uri, config, timeout)
    }
}

impl Resolver for Vetted {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.inner.resolve(uri, config, timeout)?;
        if self.proxy.as_ref().is_some_and(|(host, port)| uri.host() == Some(host) && uri.port_u16() == Some(*port)) {
            return Ok(found);
        }
        for address in found.iter() {
            if let Err(reason) = self.policy.check_address(address.ip()) {
                return Err(ureq::Error::Other(Box::new(Refused(reason))));
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FetchError, FetchOptions, Fetcher};
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpListener};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    /// URLs that must always be refused, most of them seen in attacks.
    const REFUSED: &[&str] = &[
        // Loopback, in every spelling that URL parsers understand.
        "http://127.0.0.1/",
        "http://127.1/",
        "http://127.0.1/",
        "http://127.255.255.254/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://017700000001/",
        "http://0x7f.0x0.0x0.0x1/",
        "http://127.0.0.1./",
        "http://%31%32%37.0.0.1/",
        "http://①②⑦.⓪.⓪.①/",
        "http://127。0。0。1/",
        "http://[::1]/",
        "http://[0:0:0:0:0:0:0:1]/",
        "http://localhost/",
        "http://LOCALHOST/",
        "http://localhost./",
        // This host.
        "http://0/",
        "http://0.0.0.0/",
        "http://0.1.2.3/",
        "http://[::]/",
        // Private networks.
        "http://10.0.0.1/",
        "http://10.255.255.255/",
        "http://167772161/",
        "http://012.0.0.1/",
        "http://172.16.0.1/",
        "http://172.31.255.255/",
        "http://192.168.0.1/",
        "http://192.168.255.255/",
        "http://0xc0a80001/",
        "http://100.64.0.1/",
        "http://100.127.255.255/",
        "http://[fc00::1]/",
        "http://[fd12:3456::1]/",
        // Link-local and metadata services.
        "http://169.254.169.254/latest/meta-data/",
        "http://2852039166/",
        "http://0xa9fea9fe/",
        "http://0251.0376.0251.0376/",
        "http://169.254.169.254.:80/",
        "http://100.100.100.200/",
        "http://192.0.0.192/",
        "http://168.63.129.16/",
        "http://[fe80::1]/",
        "http://[fd00:ec2::254]/",
        // IPv4 inside IPv6: mapped, compatible, NAT64, 6to4, Teredo, translated.
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://[::ffff:169.254.169.254]/",
        "http://[::ffff:a00:1]/",
        "http://[::127.0.0.1]/",
        "http://[::a9fe:a9fe]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://[64:ff9b:1::1]/",
        "http://[2002:7f00:1::]/",
        "http://[2002:a9fe:a9fe::1]/",
        "http://[2001:0:7f00:1::]/",
        "http://[::ffff:0:127.0.0.1]/",
        // Multicast, reserved, documentation, benchmarks, discard, site-local.
        "http://224.0.0.1/",
        "http://239.255.255.250/",
        "http://240.0.0.1/",
        "http://255.255.255.255/",
        "http://192.0.2.1/",
        "http://198.51.100.1/",
        "http://203.0.113.1/",
        "http://198.18.0.1/",
        "http://192.88.99.1/",
        "http://[ff02::1]/",
        "http://[2001:db8::1]/",
        "http://[100::1]/",
        "http://[fec0::1]/",
        "http://[3fff::1]/",
        // The host is the part after the last @; credentials are refused.
        "http://example.org@127.0.0.1/",
        "http://example.org:80@10.0.0.1/",
        "http://user:password@example.org/",
        "http://user@example.org/",
        "http://1.1.1.1 &@127.0.0.1#@example.org/",
        "http:\\\\127.0.0.1\\",
        "http:127.0.0.1/",
        // Ports of other services.
        "http://example.org:22/",
        "http://example.org:25/",
        "http://example.org:6379/",
        "http://example.org:11211/",
        "https://example.org:9200/",
        "http://example.org:0/",
        "http://93.184.215.14:2375/",
        // Other schemes.
        "file:///etc/passwd",
        "ftp://example.org/",
        "gopher://127.0.0.1:6379/_INFO",
        "dict://127.0.0.1:11211/stats",
        "data:text/html,x",
        "javascript:alert(1)",
        "jar:http://127.0.0.1!/",
        "ldap://127.0.0.1/",
        "about:blank",
        "http://",
    ];

    /// Fails if a forbidden address is looked up or connected to.
    #[test]
    fn forbidden_addresses_are_refused() {
        assert!(REFUSED.len() >= 60, "{}", REFUSED.len());
        let options = FetchOptions { policy: Some(Policy::default()), ..FetchOptions::default() };
        // A name server that only knows this host, so that the test needs no network.
        let inner = Arc::new(Rebinding { answers: vec!["127.0.0.1:80".parse().unwrap()], asked: AtomicUsize::new(0) });
        let vetted = Vetted { inner, ..Vetted::new(Policy::default()) };
        let fetcher = Fetcher::with_resolver(options, vetted, Default::default()).unwrap();
        for url in REFUSED {
            let error = fetcher.fetch(url).unwrap_err();
            // The URL parser may also reject the spelling.
            let refused =
                matches!(error, FetchError::Refused { .. } | FetchError::Scheme { .. } | FetchError::BadUrl { .. });
            assert!(refused, "{url}: {error}");
        }
    }

    #[test]
    fn public_addresses_are_allowed() {
        let policy = Policy::default();
        for ip in [
            "1.1.1.1",
            "93.184.215.14",
            "172.15.0.1",
            "172.32.0.1",
            "100.63.0.1",
            "192.167.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450:4001::1",
            "::ffff:1.1.1.1",
        ] {
            assert_eq!(policy.check_address(ip.parse().unwrap()), Ok(()), "{ip}");
        }
        assert_eq!(policy.check_url(&Url::parse("https://example.org/a?b").unwrap()), Ok(()));
    }

    #[test]
    fn networks_are_read_and_printed() {
        let n: Network = "10.2.0.0/15".parse().unwrap();
        assert!(n.contains("10.3.9.9".parse().unwrap()) && !n.contains("10.4.0.0".parse().unwrap()));
        assert!(n.contains("::ffff:10.3.0.1".parse().unwrap()) && !n.contains("::1".parse().unwrap()));
        assert_eq!("fd00::/8".parse::<Network>().unwrap().to_string(), "fd00::/8");
        assert_eq!("127.0.0.1".parse::<Network>().unwrap().to_string(), "127.0.0.1/32");
        assert!("0.0.0.0/0".parse::<Network>().unwrap().contains("8.8.8.8".parse().unwrap()));
        for wrong in ["", "10.0.0.0/33", "10.0.0/8", "x", "::/129", "10.0.0.0/-1"] {
            assert!(wrong.parse::<Network>().is_err(), "{wrong}");
        }
    }

    /// A name server that returns another address each time.
    #[derive(Debug)]
    struct Rebinding {
        answers: Vec<SocketAddr>,
        asked: AtomicUsize,
    }

    impl Resolver for Rebinding {
        fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
            let k = self.asked.fetch_add(1, Ordering::SeqCst);
            let mut found = self.empty();
            found.push(self.answers[k.min(self.answers.len() - 1)]);
            Ok(found)
        }
    }

    /// Starts a server that redirects every request to `to` and counts the connections.
    fn redirecting(to: &'static str) -> (SocketAddr, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let count = Arc::new(AtomicUsize::new(0));
        let seen = count.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                seen.fetch_add(1, Ordering::SeqCst);
                let mut stream = stream;
                let _ = stream.read(&mut [0; 4096]);
                let answer =
                    format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        (address, count)
    }

    fn open_to_one(port: u16) -> Policy {
        let networks = vec!["127.0.0.1/32".parse().unwrap()];
        Policy { networks, ports: vec![80, port], ..Policy::default() }
    }

    #[test]
    fn every_redirect_is_checked() {
        for to in ["http://127.0.0.2/", "http://169.254.169.254/", "http://[::1]/", "//10.0.0.1/", "http://2130706434/"]
        {
            let (address, _) = redirecting(to);
            let policy = Some(open_to_one(address.port()));
            let fetcher = Fetcher::new(FetchOptions { policy, ..FetchOptions::default() }).unwrap();
            let error = fetcher.fetch(&format!("http://{address}/")).unwrap_err();
            assert!(matches!(error, FetchError::Refused { .. }), "{to}: {error}");
            let message = error.to_string();
            assert!(message.starts_with(&format!("http://{address}/: refused: ")), "{to}: {message}");
            assert!(message.contains("; it redirects to http://"), "{to}: {message}");
        }
    }

    #[test]
    fn dns_rebinding_is_refused() {
        let (address, count) = redirecting("/again");
        let forbidden = SocketAddr::new("127.0.0.2".parse().unwrap(), address.port());
        let fetcher = |answers| {
            let inner = Arc::new(Rebinding { answers, asked: AtomicUsize::new(0) });
            let policy = Arc::new(open_to_one(address.port()));
            let options = FetchOptions { policy: Some((*policy).clone()), ..FetchOptions::default() };
            Fetcher::with_resolver(options, Vetted { policy, inner, proxy: None }, Default::default()).unwrap()
        };
        let url = format!("http://name.example:{}/", address.port());
        // First a public address, then a private one for the redirect.
        let error = fetcher(vec![address, forbidden]).fetch(&url).unwrap_err();
        assert!(matches!(&error, FetchError::Refused { reason, .. } if reason.contains("127.0.0.2")), "{error}");
        assert_eq!(count.load(Ordering::SeqCst), 1, "the only connection goes to the checked address");
        // A private address from the start.
        let error = fetcher(vec![forbidden]).fetch(&url).unwrap_err();
        assert!(matches!(error, FetchError::Refused { .. }), "{error}");
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    /// Starts an HTTP proxy that refuses everything and keeps the first line of each request.
    fn refusing_proxy() -> (SocketAddr, Arc<std::sync::Mutex<Vec<String>>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let lines = Arc::new(std::sync::Mutex::new(Vec::new()));
        let seen = lines.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut stream = stream;
                let (mut head, mut byte) = (Vec::new(), [0]);
                while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|n| n > 0) {
                    head.push(byte[0]);
                }
                let text = String::from_utf8_lossy(&head).into_owned();
                seen.lock().unwrap().push(text.lines().next().unwrap_or("").to_owned());
                let _ = stream.write_all(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n");
            }
        });
        (address, lines)
    }

    #[test]
    fn a_proxy_gets_only_what_the_policy_allows() {
        let (address, lines) = refusing_proxy();
        let proxy = crate::Proxy::Url(format!("http://{address}/"));
        let denied_hosts = vec!["*.denied.example".parse().unwrap()];
        let policy = Some(Policy { denied_hosts, ..Policy::default() });
        let fetcher = Fetcher::new(FetchOptions { policy, proxy, ..FetchOptions::default() }).unwrap();
        for url in REFUSED.iter().chain(&["http://a.denied.example/", "http://metadata.google.internal/", "http://db/"])
        {
            let error = fetcher.fetch(url).unwrap_err();
            assert!(!matches!(error, FetchError::Connect { .. }), "{url}: {error}");
        }
        assert!(lines.lock().unwrap().is_empty(), "{lines:?}");
        let error = fetcher.fetch("http://public.example/a").unwrap_err();
        assert!(matches!(error, FetchError::Connect { .. }), "{error}");
        assert_eq!(*lines.lock().unwrap(), ["CONNECT public.example:80 HTTP/1.1"]);
    }

    #[test]
    fn hosts_are_allowed_and_denied() {
        let list = |names: &[&str]| names.iter().map(|n| n.parse().unwrap()).collect::<Vec<HostPattern>>();
        let allowed_hosts = list(&["example.org", "*.example.org"]);
        let policy = Policy { allowed_hosts, denied_hosts: list(&["admin.example.org"]), ..Policy::default() };
        let check = |url: &str| policy.check_url(&Url::parse(url).unwrap());
        let both = check("http://127.0.0.1:22/").unwrap_err();
        assert!(both.contains("port 22 is not allowed (--allow-port); "), "{both}");
        assert!(check("https://example.org/").is_ok() && check("https://www.EXAMPLE.org./").is_ok());
        for url in
            ["https://admin.example.org/", "https://admin.example.org./", "https://example.com/", "http://1.1.1.1/"]
        {
            assert!(check(url).unwrap_err().contains("is not allowed here"), "{url}");
        }
    }
}
