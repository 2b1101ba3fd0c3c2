//! A SOCKS5 proxy on loopback that lets a browser connect only to servers that the policy allows.
//!
//! A browser resolves names, follows redirects and fetches scripts without asking its caller. With this proxy (RFC 1928), the policy
//! checks every connection after name resolution, and the connection goes to exactly the checked address.
use maintext_fetch::Policy;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Connections are closed after this long without data.
const IDLE: Duration = Duration::from_secs(60);

/// A running proxy. Stops accepting connections when dropped.
#[derive(Debug)]
pub struct Socks {
    address: SocketAddr,
    stopped: Arc<AtomicBool>,
}

impl Socks {
    /// Starts a proxy that enforces `policy`.
    ///
    /// # Errors
    /// No port is free.
    pub fn start(policy: Policy) -> io::Result<Socks> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let socks = Socks { address: listener.local_addr()?, stopped: Arc::default() };
        let (stopped, policy) = (socks.stopped.clone(), Arc::new(policy));
        thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let policy = policy.clone();
                if let Ok(stream) = stream {
                    thread::spawn(move || drop(serve(stream, &policy)));
                }
            }
        });
        Ok(socks)
    }

    /// Returns the address on which the proxy listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Socks {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(mut client: TcpStream, policy: &Policy) -> io::Result<()> {
    client.set_read_timeout(Some(IDLE))?;
    let [_, methods] = read(&mut client)?;
    read_text(&mut client, methods)?;
    client.write_all(&[5, 0])?;
    let [_, command, _, kind] = read(&mut client)?;
    // 1: connect; 2: not allowed; 4: host unreachable.
    let (host, port) = target(&mut client, kind)?;
    if command != 1 || (!policy.ports.is_empty() && !policy.ports.contains(&port)) {
        return refuse(&mut client, 2);
    }
    let name = match &host {
        SocksHost::Address(IpAddr::V6(ip)) => format!("[{ip}]"),
        SocksHost::Address(ip) => ip.to_string(),
        SocksHost::Name(name) => name.to_ascii_lowercase(),
    };
    if policy.check_host(&name).is_err() {
        return refuse(&mut client, 2);
    }
    let found: Vec<SocketAddr> = match host {
        SocksHost::Address(ip) => vec![SocketAddr::new(ip, port)],
        SocksHost::Name(name) => (name.as_str(), port).to_socket_addrs().map(Iterator::collect).unwrap_or_default(),
    };
    if found.iter().any(|a| policy.check_address(a.ip()).is_err()) {
        return refuse(&mut client, 2);
    }
    let Some(server) = found.iter().find_map(|a| TcpStream::connect_timeout(a, CONNECT_TIMEOUT).ok()) else {
        return refuse(&mut client, 4);
    };
    client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])?;
    server.set_read_timeout(Some(IDLE))?;
    let (back_from, back_to) = (server.try_clone()?, client.try_clone()?);
    let back = thread::spawn(move || pipe(back_from, back_to));
    pipe(client, server);
    let _ = back.join();
    Ok(())
}

fn refuse(client: &mut TcpStream, code: u8) -> io::Result<()> {
    client.write_all(&[5, code, 0, 1, 0, 0, 0, 0, 0, 0])
}

enum SocksHost {
    Address(IpAddr),
    Name(String),
}

fn target(client: &mut TcpStream, kind: u8) -> io::Result<(SocksHost, u16)> {
    let host = match kind {
        1 => SocksHost::Address(read::<4>(client)?.into()),
        4 => SocksHost::Address(read::<16>(client)?.into()),
        3 => {
            let [length] = read(client)?;
            let name = read_text(client, length)?;
            SocksHost::Name(String::from_utf8(name).map_err(|_| io::ErrorKind::InvalidData)?)
        }
        _ => return Err(io::ErrorKind::InvalidData.into()),
    };
    Ok((host, u16::from_be_bytes(read(client)?)))
}

/// Reads a fixed number of bytes.
fn read<const N: usize>(client: &mut TcpStream) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    client.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Reads as many bytes as the one before them says.
fn read_text(client: &mut TcpStream, length: u8) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::from(length)];
    client.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn pipe(mut from: TcpStream, mut to: TcpStream) {
    let _ = io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Write);
}

#[cfg(test)]
mod tests {
    use super::*;
    /// Returns the reply code for a request.
    fn ask(policy: Policy, kind: u8, host: &[u8], port: u16) -> u8 {
        let socks = Socks::start(policy).unwrap();
        let mut client = TcpStream::connect(socks.address()).unwrap();
        client.write_all(&[5, 1, 0, 5, 1, 0, kind]).unwrap();
        client.write_all(host).unwrap();
        client.write_all(&port.to_be_bytes()).unwrap();
        let mut answer = [0; 12];
        client.read_exact(&mut answer).unwrap();
        answer[3]
    }

    #[test]
    fn connections_outside_the_policy_are_refused() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = server.local_addr().unwrap().port();
        let open = Policy { networks: vec!["127.0.0.1/32".parse().unwrap()], ports: vec![port], ..Policy::default() };
        assert_eq!(ask(open.clone(), 1, &[127, 0, 0, 1], port), 0);
        assert_eq!(ask(open.clone(), 1, &[127, 0, 0, 2], port), 2);
        assert_eq!(ask(open.clone(), 1, &[127, 0, 0, 1], port ^ 1), 2);
        let denied = Policy { denied_hosts: vec!["localhost".parse().unwrap()], ..open.clone() };
        assert_eq!(ask(denied, 3, b"\x09LOCALHOST", port), 2);
        let any_port = Policy { ports: vec![], ..Policy::default() };
        assert_eq!(ask(any_port.clone(), 1, &[169, 254, 169, 254], 80), 2);
        assert_eq!(ask(any_port.clone(), 3, b"\x09localhost", port), 2);
        let mapped = std::net::Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0x7f00, 1).octets();
        assert_eq!(ask(any_port, 4, &mapped, port), 2);
    }
}
