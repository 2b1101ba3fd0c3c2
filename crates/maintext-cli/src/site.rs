//! The flags for whole sites, shared by `maintext crawl --all` and `maintext map`.
use crate::report;
use maintext_core::Formats;
use maintext_crawl::store::Totals;
use maintext_crawl::{Pattern, Site};
use maintext_fetch::{Network, Policy};
use std::collections::BTreeMap;
use std::net::{IpAddr, ToSocketAddrs};
use url::Url;

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Whole sites")]
pub struct SiteArgs {
    /// Only addresses that match PATTERN; can be repeated
    ///
    /// A glob: * stands for any characters, also slashes. A glob that begins with / describes the whole path, one with :// the whole
    /// address, any other the end of the address. A glob that ends with / covers everything below. After re: a regular expression that
    /// matches anywhere in the address. Starting points, feeds and sitemaps are read anyway.
    #[arg(long, value_name = "PATTERN", value_parser = Pattern::new)]
    pub include: Vec<Pattern>,

    /// Not the addresses that match PATTERN, even if included; can be repeated
    #[arg(long, value_name = "PATTERN", value_parser = Pattern::new)]
    pub exclude: Vec<Pattern>,

    /// Subdomains of the starting point belong to the site
    #[arg(long)]
    pub subdomains: bool,

    /// Do not obey robots.txt and its Crawl-delay
    #[arg(long)]
    pub ignore_robots: bool,
}

impl SiteArgs {
    pub fn site(&self, depth: Option<u32>, map: bool) -> Site {
        let (include, exclude) = (self.include.clone(), self.exclude.clone());
        Site { include, exclude, depth, subdomains: self.subdomains, map, ..Site::default() }
    }
}

/// Allows public addresses and the hosts of the starting points. A user may name a private server; a page must not lead to one.
pub fn policy(starts: &[String]) -> Policy {
    let mut policy = Policy::default();
    for url in starts.iter().filter_map(|s| Url::parse(s).ok()) {
        let port = url.port_or_known_default().unwrap_or(80);
        policy.ports.push(port);
        let host = url.host_str().unwrap_or("").trim_matches(['[', ']']).to_owned();
        let found = (host.as_str(), port).to_socket_addrs().map(|a| a.collect::<Vec<_>>()).unwrap_or_default();
        let private = found.iter().map(|a| a.ip()).filter(|ip| policy.check_address(*ip).is_err());
        let networks: Vec<Network> = private.filter_map(one_address).collect();
        policy.networks.extend(networks);
    }
    policy
}

fn one_address(ip: IpAddr) -> Option<Network> {
    ip.to_string().parse().ok()
}

/// The formats that a map needs: none.
pub fn no_formats() -> Formats {
    Formats { text: false, ..Formats::default() }
}

/// Prints why pages failed and addresses were skipped, the most frequent reasons first.
pub fn print_reasons(totals: &Totals) {
    print_failures(totals);
    print_by_count("skipped", &totals.skipped);
}

/// Prints why pages failed.
pub fn print_failures(totals: &Totals) {
    print_by_count("failed", &totals.failed);
}

fn print_by_count(what: &str, reasons: &BTreeMap<String, (u64, String)>) {
    for (reason, count, first) in by_count(reasons) {
        let first = if count > 1 { format!("first: {first}") } else { first.to_owned() };
        report::note(&format!("{what}: {count} {reason} ({first})"));
    }
}

fn by_count(reasons: &BTreeMap<String, (u64, String)>) -> Vec<(&str, u64, &str)> {
    let mut list: Vec<_> = reasons.iter().map(|(reason, (n, first))| (reason.as_str(), *n, first.as_str())).collect();
    list.sort_by_key(|(_, n, _)| std::cmp::Reverse(*n));
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_named_servers_are_reachable_on_private_networks() {
        let policy = policy(&["http://127.0.0.1:8123/news".into(), "https://8.8.8.8/".into()]);
        assert!(policy.check_url(&Url::parse("http://127.0.0.1:8123/a").unwrap()).is_ok());
        assert!(policy.check_url(&Url::parse("http://127.0.0.2:8123/a").unwrap()).is_err());
        assert!(policy.check_url(&Url::parse("http://10.0.0.1/").unwrap()).is_err());
        assert!(policy.check_url(&Url::parse("http://127.0.0.1:22/").unwrap()).is_err());
    }
}
