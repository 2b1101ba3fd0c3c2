//! Parts of large files, such as web archives, by range requests (RFC 9110, section 14).
use super::{FOREVER, FetchError, Fetcher, HeaderMap, HeaderValue, header, last_header, parse, redirect, shown};
use std::io::{self, Read};
use std::time::Instant;
use ureq::http::Response;
use url::Url;

/// Bytes read at once from the network.
const CHUNK: usize = 64 * 1024;

/// The facts about a file in the answer to a range request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The size of the whole file in bytes, if the server gave it.
    pub total: Option<u64>,
}

impl Fetcher {
    /// Adds the bytes from `start` on to `into`: `length` of them, or fewer at the end of the file. Follows redirects.
    ///
    /// After an error, `into` holds the bytes that arrived before it, so that the next request can ask for the rest. The content is used
    /// unchanged, whatever its type; no coding is undone. The time limit of the options applies to this one request.
    ///
    /// ```no_run
    /// use maintext_fetch::{FetchOptions, Fetcher};
    /// let mut head = Vec::new();
    /// let part = Fetcher::new(FetchOptions::default())?.range("https://www.example.org/a.warc.gz", 0, 1 << 20, &mut head)?;
    /// println!("{} of {:?} bytes", head.len(), part.total);
    /// # Ok::<(), maintext_fetch::FetchError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The same as for [`Fetcher::fetch`]; [`FetchError::Range`] if the server does not support ranges or answered with another range; and
    /// [`FetchError::Damaged`] if it sent fewer bytes than it announced.
    pub fn range(&self, url: &str, start: u64, length: usize, into: &mut Vec<u8>) -> Result<Part, FetchError> {
        if length == 0 {
            return Ok(Part::default());
        }
        let deadline = Instant::now().checked_add(self.options.timeout.min(FOREVER));
        let mut extra = HeaderMap::new();
        let wanted = format!("bytes={start}-{}", start.saturating_add(length as u64 - 1));
        let wanted = HeaderValue::from_str(&wanted)
            .map_err(|_| FetchError::BadHeader { name: "Range".into(), reason: "not a range" })?;
        extra.insert(header::RANGE, wanted);
        // A coded file would have other offsets.
        extra.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let first = parse(url)?;
        let mut url = first.clone();
        let mut own = true;
        for _ in 0..=self.options.max_redirects {
            own &= url.origin() == first.origin();
            let response = self.send(&url, own, &extra, deadline)?;
            match redirect(&url, &response)? {
                Some(next) => url = next,
                None => return self.receive_range(&url, response, start, length, into),
            }
        }
        Err(FetchError::TooManyRedirects { url: shown(&first), last: shown(&url), limit: self.options.max_redirects })
    }

    fn receive_range(
        &self,
        url: &Url,
        response: Response<ureq::Body>,
        start: u64,
        length: usize,
        into: &mut Vec<u8>,
    ) -> Result<Part, FetchError> {
        let refused = |reason: String| FetchError::Range { url: shown(url), reason };
        let range = last_header(response.headers(), header::CONTENT_RANGE);
        let range = range.as_deref().and_then(ContentRange::parse);
        let announced = response.body().content_length();
        let (total, announced) = match (response.status().as_u16(), range) {
            (206, Some(ContentRange { first: Some((from, to)), total })) if from == start => {
                (total, Some(to.saturating_sub(from).saturating_add(1)))
            }
            (206, _) => return Err(refused(format!("the server did not send the bytes from {start} on"))),
            // A small file may come as a whole.
            (200, _) if start == 0 && announced.is_none_or(|size| size <= length as u64) => (announced, announced),
            (200, _) => return Err(refused("the server does not support range requests".into())),
            // The start is the end of the file.
            (416, Some(ContentRange { first: None, total: Some(total) })) if start >= total => {
                return Ok(Part { total: Some(total) });
            }
            _ => return Err(self.status_error(url, &response)),
        };
        let whole = response.status().as_u16() == 200;
        let found = self.read_range(url, response, announced, length, into)?;
        if !whole {
            return Ok(Part { total });
        }
        if found > length as u64 {
            return Err(refused("the server does not support range requests".into()));
        }
        Ok(Part { total: Some(found) })
    }

    /// Adds at most `length` of the announced bytes of the body to `into`. Returns their number, and one more if the body continues.
    fn read_range(
        &self,
        url: &Url,
        response: Response<ureq::Body>,
        announced: Option<u64>,
        length: usize,
        into: &mut Vec<u8>,
    ) -> Result<u64, FetchError> {
        // One byte more, because the connection is free for the next request only when the end of the body was seen.
        let mut reader = response.into_body().into_reader().take((length as u64).saturating_add(1));
        let mut chunk = vec![0; CHUNK];
        let (before, mut found) = (into.len(), 0);
        loop {
            match reader.read(&mut chunk) {
                Ok(0) => break,
                Ok(read) => {
                    found += read as u64;
                    into.extend_from_slice(&chunk[..read]);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.body_error(url, error.into())),
            }
        }
        into.truncate(before + length);
        match announced {
            Some(bytes) if found < bytes.min(length as u64) => {
                Err(FetchError::Damaged { url: shown(url), reason: format!("it ended after {found} of {bytes} bytes") })
            }
            _ => Ok(found),
        }
    }
}

/// A `Content-Range` header: `bytes 0-499/1234`, `bytes 0-499/*` or `bytes */1234`.
#[derive(Debug, PartialEq, Eq)]
struct ContentRange {
    first: Option<(u64, u64)>,
    total: Option<u64>,
}

impl ContentRange {
    fn parse(text: &str) -> Option<ContentRange> {
        let (range, total) = text.trim().strip_prefix("bytes ")?.split_once('/')?;
        let total = match total.trim() {
            "*" => None,
            number => Some(number.parse().ok()?),
        };
        let first = match range.trim() {
            "*" => None,
            range => {
                let (from, to) = range.split_once('-')?;
                Some((from.parse().ok()?, to.parse().ok()?))
            }
        };
        Some(ContentRange { first, total })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_ranges_are_parsed() {
        let range = |first, total| Some(ContentRange { first, total });
        assert_eq!(ContentRange::parse("bytes 0-499/1234"), range(Some((0, 499)), Some(1234)));
        assert_eq!(ContentRange::parse("bytes 5-9/*"), range(Some((5, 9)), None));
        assert_eq!(ContentRange::parse("bytes */7"), range(None, Some(7)));
        for wrong in ["", "bytes", "bytes 1/2", "items 0-1/2", "bytes 0-x/2", "bytes 0-1"] {
            assert_eq!(ContentRange::parse(wrong), None, "{wrong}");
        }
    }
}
