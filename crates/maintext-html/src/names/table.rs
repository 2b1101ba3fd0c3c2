//! Tables of names that are computed at compile time.

/// Maximum number of names of more than 16 bytes in a table.
const MAX_LONG: usize = 48;

/// A table of names; the number of a name is its position in the list.
#[derive(Debug)]
pub(crate) struct Table<const NAMES: usize, const SLOTS: usize> {
    names: &'static [&'static str; NAMES],
    /// The packed names, by number; zero for names of more than 16 bytes.
    keys: [(u64, u64); NAMES],
    /// Open addressing with linear probing: number + 1, or 0 for an empty slot; a power of two. Names of at most 16 bytes.
    slots: [u16; SLOTS],
    /// The numbers of the names of more than 16 bytes, which are few.
    long: [u16; MAX_LONG],
    long_count: usize,
}

impl<const NAMES: usize, const SLOTS: usize> Table<NAMES, SLOTS> {
    /// Creates a table. If a name occurs twice, the first one is found.
    pub(crate) const fn new(names: &'static [&'static str; NAMES]) -> Self {
        assert!(SLOTS.is_power_of_two() && SLOTS > 2 * NAMES);
        let (mut keys, mut slots) = ([(0, 0); NAMES], [0; SLOTS]);
        let (mut long, mut long_count) = ([0; MAX_LONG], 0);
        let mut i = 0;
        while i < NAMES {
            if let Some((low, high)) = pack(names[i].as_bytes()) {
                keys[i] = (low, high);
                let mut slot = Self::slot(low, high);
                while slots[slot] != 0 {
                    slot = (slot + 1) % SLOTS;
                }
                slots[slot] = i as u16 + 1;
            } else {
                long[long_count] = i as u16;
                long_count += 1;
            }
            i += 1;
        }
        Self { names, keys, slots, long, long_count }
    }

    const fn slot(low: u64, high: u64) -> usize {
        (mix(low, high) >> (64 - SLOTS.trailing_zeros())) as usize
    }

    /// Returns the number of a packed name.
    #[inline]
    pub(crate) fn find(&self, low: u64, high: u64) -> Option<u32> {
        let mut slot = Self::slot(low, high);
        loop {
            let number = self.slots[slot];
            if number == 0 {
                return None;
            }
            if self.keys[number as usize - 1] == (low, high) {
                return Some(u32::from(number) - 1);
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    /// Returns the number of a name.
    pub(crate) fn find_name(&self, name: &str) -> Option<u32> {
        match pack(name.as_bytes()) {
            Some((low, high)) => self.find(low, high),
            None => self.find_long(name),
        }
    }

    /// Returns the number of a name of more than 16 bytes.
    pub(crate) fn find_long(&self, name: &str) -> Option<u32> {
        let mut long = self.long[..self.long_count].iter();
        long.find(|&&number| self.names[number as usize] == name).map(|&number| u32::from(number))
    }
}

/// Returns, for each name, the number of the same name with capitals, or its own.
pub(crate) const fn cased<const NAMES: usize>(names: &[&str; NAMES]) -> [u16; NAMES] {
    let mut cased = [0; NAMES];
    let mut i = 0;
    while i < NAMES {
        cased[i] = i as u16;
        i += 1;
    }
    i = 0;
    while i < NAMES {
        let mut j = 0;
        let end = if has_capital(names[i]) { NAMES } else { 0 };
        while j < end {
            if names[j].eq_ignore_ascii_case(names[i]) {
                cased[j] = i as u16;
            }
            j += 1;
        }
        i += 1;
    }
    cased
}

const fn has_capital(name: &str) -> bool {
    let mut i = 0;
    while i < name.len() && !name.as_bytes()[i].is_ascii_uppercase() {
        i += 1;
    }
    i < name.len()
}

/// Mixes two numbers to a hash.
#[inline]
pub(crate) const fn mix(low: u64, high: u64) -> u64 {
    const K1: u64 = 0x9E37_79B9_7F4A_7C15;
    const K2: u64 = 0xC2B2_AE3D_27D4_EB4F;
    (low.wrapping_mul(K1) ^ high.wrapping_mul(K2)).wrapping_mul(K1)
}

/// Packs a name of at most 16 bytes into two numbers, zero-padded.
pub(crate) const fn pack(name: &[u8]) -> Option<(u64, u64)> {
    if name.len() > 16 {
        return None;
    }
    let mut padded = [0u8; 16];
    let mut i = 0;
    while i < name.len() {
        padded[i] = name[i];
        i += 1;
    }
    let both = u128::from_le_bytes(padded);
    Some((both as u64, (both >> 64) as u64))
}
