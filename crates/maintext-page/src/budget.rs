//! Bounds on the cost of a page.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Bounds on the cost of a page. If one is reached, the result holds everything found so far, and `Page::warnings` has a warning with the
/// code `limit_reached`.
///
/// The defaults bound the memory of one page to about a gigabyte and its time to some tens of seconds. Only pages made to reach
/// them do, except for the depth, which browsers bound in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Budget {
    /// Bytes of decoded text that are parsed; the rest is left out.
    pub bytes: usize,
    /// Nodes of the tree (elements, texts, comments), each about 150 bytes of memory in total; parsing ends when they are used up.
    pub nodes: u32,
    /// Nesting depth; deeper elements become siblings, as in browsers.
    pub depth: u32,
    /// Attributes per tag.
    pub attributes: u32,
    /// Units of work after parsing: one for each step between nodes, each attribute read, and each 64 bytes of text read.
    /// When they are spent, every walk over the tree ends. Unlike time, the work for a page is the same on any machine: an
    /// ordinary page takes about 20 to 100 units per node, each in the order of 10 nanoseconds. `Page::work`
    /// holds the units that a page took.
    pub work: u64,
}

impl Budget {
    /// Sets the most bytes that are parsed.
    pub fn with_bytes(mut self, bytes: usize) -> Budget {
        self.bytes = bytes;
        self
    }
    /// Sets the most nodes that are parsed.
    pub fn with_nodes(mut self, nodes: u32) -> Budget {
        self.nodes = nodes;
        self
    }
    /// Sets the deepest nesting of elements.
    pub fn with_depth(mut self, depth: u32) -> Budget {
        self.depth = depth;
        self
    }
    /// Sets the most attributes of a tag.
    pub fn with_attributes(mut self, attributes: u32) -> Budget {
        self.attributes = attributes;
        self
    }
    /// Sets the most units of work after parsing.
    pub fn with_work(mut self, work: u64) -> Budget {
        self.work = work;
        self
    }
}

impl Default for Budget {
    /// Returns 64 MiB, 4 million nodes, 512 levels (Chromium's bound), 256 attributes, 2^30 units of work.
    fn default() -> Self {
        Budget { bytes: 64 << 20, nodes: 4_000_000, depth: 512, attributes: 256, work: 1 << 30 }
    }
}

/// Counts units of work. Shared by reference; a count may be lost if several threads read one tree, which the library never does.
#[derive(Debug)]
pub struct Meter {
    spent: AtomicU64,
    limit: u64,
    stop: Option<Arc<AtomicBool>>,
}

impl Meter {
    /// Number of units, as a power of two, after which the meter looks at `stop` again: less than a millisecond.
    const STOP_BITS: u32 = 14;

    /// Returns a meter with a limit of work.
    pub fn new(limit: u64) -> Meter {
        Meter { spent: AtomicU64::new(0), limit, stop: None }
    }

    /// Returns a meter whose rest is spent once another thread sets `stop`.
    pub fn until(self, stop: Option<Arc<AtomicBool>>) -> Meter {
        Meter { stop, ..self }
    }

    /// Counts this many units and returns whether they were within the limit.
    #[inline]
    pub fn charge(&self, units: u64) -> bool {
        // A load and a store instead of an atomic addition, which would take twenty times as long.
        let before = self.spent.load(Ordering::Relaxed);
        let spent = before + units;
        self.spent.store(spent, Ordering::Relaxed);
        if (before ^ spent) >> Self::STOP_BITS != 0 && self.is_stopped() {
            self.spent.store(spent.max(self.limit) + 1, Ordering::Relaxed);
            return false;
        }
        spent <= self.limit
    }

    #[cold]
    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Returns the units counted so far.
    pub fn spent(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }

    /// Whether more units were charged than the limit allows.
    pub fn is_spent(&self) -> bool {
        self.spent() > self.limit
    }
}

/// What one part of the reading may take of the work for a page, in proportion to the page's size. When it is spent, that part ends and a
/// warning names it, so that style sheets, for example, cannot take the work of all other parts.
#[derive(Debug)]
pub struct Share<'a> {
    meter: &'a Meter,
    left: u64,
    is_spent: bool,
}

impl<'a> Share<'a> {
    /// Returns a share of this many units.
    pub fn new(meter: &'a Meter, units: u64) -> Share<'a> {
        Share { meter, left: units, is_spent: false }
    }

    /// Counts this many units, for the page too, and returns whether both limits allowed them.
    #[inline]
    pub fn charge(&mut self, units: u64) -> bool {
        self.take(units) && self.meter.charge(units)
    }

    /// Does work that itself charges the page, and counts these charges.
    #[inline]
    pub fn count<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let before = self.meter.spent();
        let result = work();
        self.take(self.meter.spent() - before);
        result
    }

    fn take(&mut self, units: u64) -> bool {
        match self.left.checked_sub(units) {
            Some(left) => self.left = left,
            None => self.is_spent = true,
        }
        !self.is_spent
    }

    /// Whether more units were requested than the share had.
    pub fn is_spent(&self) -> bool {
        self.is_spent
    }
}

/// Limits the repetitions of a page: a long base in all its addresses, a long link at all blocks below it, a caption at all images of a
/// figure. Without it, they would take the square of the page's size.
#[derive(Debug)]
pub struct CopyMeter {
    long: Meter,
    left_out: AtomicU64,
}

impl CopyMeter {
    /// Maximum length of an address in bytes. RFC 9110 asks servers for 8,000.
    pub const MAX_ADDRESS_BYTES: usize = 8192;
    /// Bytes of a copy that are not counted.
    pub const FREE_BYTES: usize = 256;

    /// Returns the limit for a page of this many bytes: long copies may take eight times its size, and a mebibyte.
    pub fn new(page: usize) -> CopyMeter {
        CopyMeter { long: Meter::new(8 * page as u64 + (1 << 20)), left_out: AtomicU64::new(0) }
    }

    /// Whether a text of this many bytes may be written this many times. Counts the texts that may not.
    pub fn allows(&self, bytes: usize, times: usize) -> bool {
        let counted = bytes.saturating_sub(Self::FREE_BYTES) as u64 * times as u64;
        if counted == 0 || self.long.charge(counted) {
            return true;
        }
        self.leave_out();
        false
    }

    /// Whether a part of this many bytes may be written again. Counts one that may not.
    pub fn allows_part(&self, bytes: usize) -> bool {
        let allowed = self.long.charge(bytes as u64);
        if !allowed {
            self.leave_out();
        }
        allowed
    }

    /// Whether nothing long may be repeated any more. Counts one more text that is left out if so.
    pub fn refuses(&self) -> bool {
        if self.long.is_spent() {
            self.leave_out();
        }
        self.long.is_spent()
    }

    /// Whether an address of this many bytes may be made. Counts one that may not.
    pub fn allows_address(&self, bytes: usize) -> bool {
        if bytes > Self::MAX_ADDRESS_BYTES {
            self.leave_out();
            return false;
        }
        self.allows(bytes, 1)
    }

    fn leave_out(&self) {
        self.left_out.store(self.left_out() + 1, Ordering::Relaxed);
    }

    /// Returns the number of texts and addresses that were left out.
    pub fn left_out(&self) -> u64 {
        self.left_out.load(Ordering::Relaxed)
    }
}
