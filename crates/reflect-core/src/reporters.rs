//! How much one reporter is believed where several review a project's runs.
//!
//! Whoever may write runs says which memories they saw and how they went, and so could lift or bury any memory alone. A reporter who has brought at
//! least half of the project's runs teaches fully: a lone one does. What any other says of a memory counts until it is half as much as all others
//! have said, so that it is a third of the whole at most, and for its first few runs in any case. Three who say as much as each other all teach fully.
//!
//! The weight of a run is decided once, when its credit is written, and kept in that row: so folds need nothing else, and what comes later changes
//! none of them.

use crate::worth::runs_of;

/// How many of a memory's newest credits are looked at.
pub const REMEMBERED_CREDITS: usize = 200;

/// For how many runs any reporter counts on a memory, whoever else has seen it: nine failures in a row retire a fresh one.
const ALWAYS_HEARD: f64 = 8.0;

/// How many reviewed runs of a project counted for any of its memories, by who brought them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunsBrought {
    /// Those of one reporter.
    pub mine: u64,
    /// Those of all others whose keys still open the project.
    pub others: u64,
}

impl RunsBrought {
    /// Whether at least half of them are the reporter's, with one more that is on its way.
    pub const fn is_half(&self) -> bool {
        self.mine + 1 >= self.others
    }
}

/// How many runs of a reporter are among a memory's newest, and how many of others, each by its step size; a smaller step than usual is a whole run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Heard {
    /// Those of the reporter. Also one that counts for nothing is among the first few: a flood of them does not begin anew.
    mine: f64,
    /// For how many of them they counted.
    counted: f64,
    others: f64,
}

/// Who brought a run: the reporter who is asked about, or another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BroughtBy {
    /// The reporter who is asked about.
    Me,
    /// Somebody else.
    Others,
}

impl Heard {
    /// Adds so many runs of one step size and weight.
    pub fn add(&mut self, by: BroughtBy, runs: u32, alpha: f64, weight: f64) {
        let size = f64::from(runs) * size(alpha);
        match by {
            BroughtBy::Me => {
                self.mine += size;
                self.counted += weight * size;
            }
            BroughtBy::Others => self.others += size,
        }
    }

    /// The share, from 0 to 1, for which one more run of the reporter counts: all of it as long as there is room, to a thousandth.
    pub fn weight(&self, alpha: f64) -> f64 {
        // One more than half, so that none of three has to wait for the others; nothing where no other is left among the newest.
        let beside_others = (1.0 + self.others / 2.0).min(self.others);
        let room = (ALWAYS_HEARD - self.mine).max(beside_others - self.counted);
        let share = (room / size(alpha)).clamp(0.0, 1.0);
        (share * 1_000.0).round() / 1_000.0
    }
}

/// What a run's weight becomes with a correction that asks for another step size: a larger one finds no more room than the first had.
pub fn weight_of_correction(weight: f64, before: f64, after: f64) -> f64 {
    weight * (size(before) / size(after)).min(1.0)
}

fn size(alpha: f64) -> f64 {
    runs_of(alpha).max(1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What counts of runs that one reporter brings with these step sizes, beside so many of others.
    fn counted(others: u32, alphas: &[f64]) -> f64 {
        let mut heard = Heard::default();
        heard.add(BroughtBy::Others, others, 0.3, 1.0);
        let count = |alpha: &f64| {
            let weight = heard.weight(*alpha);
            heard.add(BroughtBy::Me, 1, *alpha, weight);
            weight * runs_of(*alpha)
        };
        alphas.iter().map(count).sum()
    }

    #[test]
    fn one_of_several_is_heard_eight_times_and_then_half_as_much_as_all_others() {
        assert_eq!([0, 3, 14, 40].map(|others| counted(others, &[0.3; 120])), [8.0, 8.0, 8.0, 21.0]);
    }

    #[test]
    fn three_who_say_as_much_as_each_other_teach_fully() {
        let mut counted = [0_u32; 3];
        for run in 0..REMEMBERED_CREDITS {
            let mut heard = Heard::default();
            for (reporter, runs) in counted.iter().enumerate() {
                let by = if reporter == run % 3 { BroughtBy::Me } else { BroughtBy::Others };
                heard.add(by, *runs, 0.3, 1.0);
            }
            assert_eq!(heard.weight(0.3), 1.0);
            counted[run % 3] += 1;
        }
    }

    #[test]
    fn large_steps_are_cut_and_small_ones_make_no_room() {
        let [large, small] = [1.0, 0.1].map(|alpha| counted(0, &[alpha; 120]));
        assert!((large - 8.0).abs() < 0.01, "{large}");
        assert!((small - 8.0 / 3.0).abs() < 0.01, "{small}");
        let flooded: Vec<f64> = std::iter::repeat_n(0.0, 120).chain([0.3; 120]).collect();
        assert_eq!(counted(0, &flooded), 0.0);
        let mut flood = Heard::default();
        flood.add(BroughtBy::Me, 200, 0.3, 0.0);
        assert_eq!(flood.weight(0.3), 0.0);
    }

    #[test]
    fn a_correction_finds_no_more_room() {
        assert_eq!([0.1, 0.3, 1.0].map(|after| weight_of_correction(1.0, 0.3, after)), [1.0, 1.0, 0.3]);
        assert_eq!(weight_of_correction(0.4, 1.0, 0.3), 0.4);
    }

    proptest! {
        #[test]
        fn a_lone_reporter_and_one_of_two_equals_teach_fully(mine in 0..u64::from(u32::MAX)) {
            for others in [0, mine, mine + 1] {
                let brought = RunsBrought { mine, others };
                prop_assert!(brought.is_half());
            }
            let brought = RunsBrought { mine, others: mine + 2 };
            prop_assert!(!brought.is_half());
        }

        #[test]
        fn a_reporter_is_never_more_than_a_third_once_it_was_heard(others in 0..150_u32, alphas in prop::collection::vec(0.0..=1.0_f64, 0..200)) {
            let counted = counted(others, &alphas);
            prop_assert!(counted <= (f64::from(others) / 2.0 + 1.0).max(8.0) + 0.01, "{}", counted);
        }

        #[test]
        fn more_room_is_never_less_weight(
            (mine, others) in (0..400_u32, 0..400_u32),
            (alpha, weight) in (0.0..=1.0_f64, 0.0..=1.0_f64),
        ) {
            let heard = |mine, others| {
                let mut heard = Heard::default();
                heard.add(BroughtBy::Me, mine, 0.3, weight);
                heard.add(BroughtBy::Others, others, 0.3, 1.0);
                heard.weight(alpha)
            };
            let now = heard(mine, others);
            prop_assert!((0.0..=1.0).contains(&now));
            prop_assert!(heard(mine, others + 1) >= now && heard(mine + 1, others) <= now);
            prop_assert!(alpha > 0.3 || heard(mine.min(7), others) == 1.0);
        }
    }
}
