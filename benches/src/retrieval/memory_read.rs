//! How fast memory can be read at all.

use std::time::Instant;

use super::times::{Times, median};
use crate::say;

/// Reads a buffer of this many bytes from end to end, once for each number of threads, in gigabytes a second.
pub(crate) fn gigabytes_a_second(bytes: usize, threads: &[usize]) -> anyhow::Result<Vec<f64>> {
    let buffer = vec![1_u64; bytes / 8];
    let read = |threads: usize| {
        let times = (0..5).map(|_| {
            let start = Instant::now();
            std::thread::scope(|scope| {
                let parts: Vec<_> =
                    buffer.chunks(buffer.len().div_ceil(threads)).map(|part| scope.spawn(|| sum(part))).collect();
                parts.into_iter().for_each(|part| {
                    std::hint::black_box(part.join().ok());
                });
            });
            start.elapsed().as_secs_f64()
        });
        Ok(bytes as f64 / 1e9 / median(times.collect())?)
    };
    threads.iter().map(|threads| read(*threads)).collect()
}

fn sum(part: &[u64]) -> u64 {
    let mut sums = [0_u64; 32];
    let (blocks, rest) = part.as_chunks::<32>();
    for block in blocks {
        sums.iter_mut().zip(block).for_each(|(sum, value)| *sum = sum.wrapping_add(*value));
    }
    sums.iter().chain(rest).fold(0, |sum, value| sum.wrapping_add(*value))
}

pub(crate) fn report(bytes: usize, ours: &[(usize, Times)], plain: &[Vec<f64>]) -> anyhow::Result<()> {
    for (place, (threads, times)) in ours.iter().enumerate() {
        let scanned = bytes as f64 / 1e6 / times.p50()?;
        let read = median(plain.iter().filter_map(|round| round.get(place).copied()).collect())?;
        say(format_args!(
            "on {threads}: {scanned:.1} GB/s of sketches within the whole query, a plain read of as many bytes {read:.1} GB/s"
        ));
    }
    Ok(())
}
