//! Memory in large pages.
//!
//! A scan reads memory from end to end. In pages of 4 KiB it spends a third of its time on finding out where they are, and more in a
//! virtual machine; in pages of 2 MiB next to none. Linux gives those to whoever asks.
#![expect(unsafe_code, reason = "aligned memory is had from the allocator only; each use says why it is sound")]

use std::{
    alloc::{Layout, alloc, dealloc},
    ops::Deref,
    ptr::NonNull,
};

const PAGE: usize = 2 << 20;

/// Bytes in large pages, written once.
pub(crate) struct LargePages {
    first: NonNull<u8>,
    length: usize,
    layout: Layout,
}

impl LargePages {
    /// Copies the parts, one after the other. `None` if there is no memory for that.
    pub(crate) fn concat(parts: &[&[u8]]) -> Option<Self> {
        let length = parts.iter().map(|part| part.len()).sum::<usize>();
        let layout = Layout::from_size_align(length.max(1).next_multiple_of(PAGE), PAGE).ok()?;
        // SAFETY: the size is not zero.
        let first = NonNull::new(unsafe { alloc(layout) })?;
        ask_for_large_pages(first, layout);
        let mut offset = 0;
        for part in parts {
            // SAFETY: the parts have `length` bytes together and the allocation no fewer; it is new, so no part lies in it.
            unsafe { first.add(offset).copy_from_nonoverlapping(NonNull::from(*part).cast(), part.len()) };
            offset += part.len();
        }
        Some(Self { first, length, layout })
    }
}

/// Without an answer pages stay as they are, which is slower and nothing else.
fn ask_for_large_pages(first: NonNull<u8>, layout: Layout) {
    #[cfg(target_os = "linux")]
    // SAFETY: the range is one whole allocation of ours, and this advice changes none of its bytes.
    unsafe {
        libc::madvise(first.as_ptr().cast(), layout.size(), libc::MADV_HUGEPAGE);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (first, layout);
}

impl Deref for LargePages {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `concat` has written all `length` bytes, and nobody writes any afterwards.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.length) }
    }
}

impl Drop for LargePages {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout, and nothing can refer to it any more.
        unsafe { dealloc(self.first.as_ptr(), self.layout) };
    }
}

// SAFETY: the bytes are ours alone and never change, so any thread may read or free them.
unsafe impl Send for LargePages {}
// SAFETY: as above.
unsafe impl Sync for LargePages {}

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
    }
}
