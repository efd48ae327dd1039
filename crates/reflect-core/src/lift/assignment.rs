//! Who has to do without memories.

/// What decides whether a query is held out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Assignment<'a> {
    /// The project's own random number, so that projects do not hold out the same tasks.
    pub salt: u64,
    /// The task.
    pub task: &'a str,
    /// The day. A task that comes back every day for a year is drawn anew each day.
    pub day: i64,
    /// The share to hold out, from 0 to 1.
    pub share: f64,
}

/// Whether a query gets no memories. The same task on the same day always has the same answer, so that retries stay together; they are one
/// draw, and only the first of them counts in the report.
pub fn is_held_out(assignment: &Assignment<'_>) -> bool {
    // FNV-1a over the words, then the finisher of SplitMix64, which spreads every bit over all.
    let bytes =
        assignment.salt.to_le_bytes().into_iter().chain(assignment.day.to_le_bytes()).chain(assignment.task.bytes());
    let hash = bytes
        .fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3));
    let mixed = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (((mixed ^ (mixed >> 31)) >> 11) as f64) < assignment.share * (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_met_and_the_same_task_is_drawn_once_a_day() {
        let drawn = |salt, day, share| {
            (0..20_000)
                .filter(|number| is_held_out(&Assignment { salt, task: &format!("task {number}"), day, share }))
                .count()
        };
        for (salt, day) in [(0, 0), (1, 0), (0, 20_000), (u64::MAX, -1)] {
            let found = drawn(salt, day, 0.05);
            assert!(found.abs_diff(1_000) < 140, "{found}");
        }
        assert_eq!((drawn(7, 7, 0.0), drawn(7, 7, 1.0)), (0, 20_000));
        let days = (0..20_000)
            .filter(|day| is_held_out(&Assignment { salt: 3, task: "refund", day: *day, share: 0.05 }))
            .count();
        assert!(days.abs_diff(1_000) < 140, "{days}");
    }
}
