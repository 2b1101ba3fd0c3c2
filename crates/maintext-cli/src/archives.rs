//! The flags for lists of web archives.
use crate::fetch::FetchArgs;
use maintext_corpus::archive::ArchiveOptions;
use maintext_fetch::FetchOptions;
use std::num::NonZeroUsize;
use std::time::Duration;

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Lists of web archives")]
pub struct ArchiveArgs {
    /// What the paths in lists start with: an address, such as https://data.commoncrawl.org/, or a folder
    #[arg(long, value_name = "URL|DIR")]
    base: Option<String>,

    /// Requests to servers of archives at the same time; each holds up to 8 MiB in memory
    #[arg(long, value_name = "N", default_value = "8")]
    connections: NonZeroUsize,

    /// How often a request for a part of an archive is repeated after a failure that may pass
    #[arg(long, value_name = "N", default_value_t = ArchiveOptions::default().retries)]
    retries: u32,

    /// Wait before the first repetition in seconds; it doubles with each further one, up to a minute
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = crate::fetch::seconds)]
    retry_wait: Duration,
}

impl ArchiveArgs {
    pub fn options(&self, fetch: &FetchArgs) -> ArchiveOptions {
        ArchiveOptions {
            base: self.base.clone(),
            connections: self.connections.get(),
            retries: self.retries,
            wait: self.retry_wait,
            fetch: FetchOptions { idle_connections: self.connections.get(), ..fetch.options() },
        }
    }
}
