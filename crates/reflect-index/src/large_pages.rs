//! Memory in large pages.
//!
//! A scan reads memory from end to end. In pages of 4 KiB it spends a third of its time on finding out where they are, and more in a
//! virtual machine; in pages of 2 MiB next to none. Linux gives those to whoever asks, but none where a single byte was written before, as
//! allocators do: so this is memory of our own.

use std::ops::Deref;

use memmap2::MmapMut;

const PAGE: usize = 2 << 20;

/// Bytes in large pages, written once.
pub(crate) struct LargePages {
    mapped: MmapMut,
    /// Where the first whole page begins.
    start: usize,
    length: usize,
}

impl LargePages {
    /// Copies the parts, one after the other. `None` if there is no memory for that.
    pub(crate) fn concat(parts: &[&[u8]]) -> Option<Self> {
        let length = parts.iter().map(|part| part.len()).sum::<usize>();
        // With room for whole pages, wherever it begins. What is not written takes no memory.
        let mut mapped = MmapMut::map_anon(length.next_multiple_of(PAGE) + PAGE).ok()?;
        // Without an answer pages stay as they are, which is slower and nothing else.
        #[cfg(target_os = "linux")]
        let _ = mapped.advise(memmap2::Advice::HugePage);
        let start = mapped.as_ptr().align_offset(PAGE);
        let mut rest = mapped.get_mut(start..)?;
        for part in parts {
            let (to, others) = rest.split_at_mut_checked(part.len())?;
            to.copy_from_slice(part);
            rest = others;
        }
        Some(Self { mapped, start, length })
    }
}

impl Deref for LargePages {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.mapped.get(self.start..self.start + self.length).unwrap_or_default()
    }
}

impl std::fmt::Debug for LargePages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes in large pages", self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lie_one_after_the_other() {
        let parts: [&[u8]; 3] = [&[1, 2], &[], &[3]];
        assert_eq!(&*LargePages::concat(&parts).unwrap(), [1, 2, 3]);
        assert!(LargePages::concat(&[]).unwrap().is_empty());
        let large = vec![7; 3 * PAGE + 5];
        let pages = LargePages::concat(&[&large, &[8]]).unwrap();
        assert_eq!((pages.len(), pages.last()), (3 * PAGE + 6, Some(&8)));
        assert!(pages.as_ptr().addr().is_multiple_of(PAGE), "a page begins with the first byte");
    }
}
