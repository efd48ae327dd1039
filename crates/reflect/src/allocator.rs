//! The allocator, and how soon it gives memory back.
#![expect(unsafe_code, reason = "the allocator takes its options through a call into C")]

/// A request costs many small allocations on several threads. This allocator made the ingest benchmark about a tenth faster
/// than the C library's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How many milliseconds free pages are kept; the crate has no name for it.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// From now on free pages go back to the system at once. By itself the allocator keeps them for a second, each thread its own, which made
/// a busy server a quarter larger. `MIMALLOC_PURGE_DELAY` has the last word. To be called before there is a second thread.
pub(crate) fn give_back_at_once() {
    // SAFETY: the option exists, zero is one of its values, and nobody else sets or reads options at this moment.
    unsafe { libmimalloc_sys::mi_option_set_default(PURGE_DELAY, 0) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_is_the_one_that_is_meant() {
        // SAFETY: reads a number; this process has one test and sets no option elsewhere.
        let delay = || unsafe { libmimalloc_sys::mi_option_get(PURGE_DELAY) };
        assert_eq!(delay(), 1_000, "milliseconds, unless told otherwise");
        give_back_at_once();
        assert_eq!(delay(), 0);
    }
}
