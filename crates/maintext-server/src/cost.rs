//! How much memory the work on a page needs.
use maintext_core::Budget;

/// Memory of one kind of work, per byte and per node of the page. Measured with attacks on pages of
/// 9.5 MB: long paragraphs, one paragraph per word, nested elements, tables, links, other encodings.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    per_byte: usize,
    per_node: usize,
    /// Whether it takes several times as long as an extraction.
    slow: bool,
}

/// Extraction with all formats and the response as JSON.
pub const PAGE: Cost = Cost { per_byte: 9, per_node: 530, slow: false };
/// Everything that the playground shows.
pub const INSPECT: Cost = Cost { per_byte: 28, per_node: 1000, slow: true };
/// The entries of a list page, with all groups of links.
pub const LIST: Cost = Cost { per_byte: 12, per_node: 900, slow: false };
/// The tree and its blocks.
pub const BLOCKS: Cost = Cost { per_byte: 3, per_node: 530, slow: false };

/// The estimated cost of the work on one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostEstimate {
    /// Bytes of memory.
    pub bytes: usize,
    /// Whether the work may take more than a few tenths of a second.
    pub long: bool,
    /// The bounds that keep the work within the estimate.
    pub budget: Budget,
}

/// Minimum cost of any page.
const MIN_PAGE_BYTES: usize = 256 << 10;
/// Work that needs more memory than this may take long.
pub const LONG: usize = 24 << 20;

impl Cost {
    /// Estimates the cost of a page. If it exceeds `most`, the bounds are such that only a part of the page is read.
    pub fn of(self, page: &[u8], most: usize, budget: Budget) -> CostEstimate {
        let bytes = page.len().min(most / 2 / self.per_byte).min(budget.bytes);
        let left = most.saturating_sub(bytes * self.per_byte + MIN_PAGE_BYTES) / self.per_node;
        // Each tag makes one element, and mostly one text. A page with other numbers is cut, or needs a little more than estimated.
        let tags = page.iter().filter(|b| **b == b'<').count();
        let nodes = (2 * tags).min(left).min(budget.nodes as usize);
        let need = MIN_PAGE_BYTES + bytes * self.per_byte + nodes * self.per_node;
        let whole = bytes == page.len().min(budget.bytes) && nodes == (2 * tags).min(budget.nodes as usize);
        let budget = if whole {
            // Repaired markup has more elements than tags.
            budget.with_nodes(budget.nodes.min((3 * tags + 10_000) as u32))
        } else {
            budget.with_bytes(if bytes < page.len() { bytes } else { budget.bytes }).with_nodes(nodes.max(1000) as u32)
        };
        CostEstimate { bytes: need, long: need > if self.slow { LONG / 2 } else { LONG }, budget }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_beyond_the_memory_are_cut() {
        let small = PAGE.of(b"<p>One<p>two", 100 << 20, Budget::default());
        assert!(small.bytes < 2 * MIN_PAGE_BYTES && !small.long && small.budget.nodes > 10_000);
        let dense = "<p>a".repeat(2_000_000);
        let large = PAGE.of(dense.as_bytes(), 150 << 20, Budget::default());
        assert!(large.bytes <= 150 << 20 && large.bytes > 140 << 20 && large.long);
        assert!(large.budget.nodes < 200_000, "{large:?}");
        let long = INSPECT.of(&vec![b'a'; 10 << 20], 150 << 20, Budget::default());
        assert!(long.bytes <= 150 << 20 && long.budget.bytes < 4 << 20, "{long:?}");
        // The settings of the service still apply.
        assert_eq!(PAGE.of(dense.as_bytes(), 150 << 20, Budget::default().with_nodes(7)).budget.nodes, 7);
    }
}
