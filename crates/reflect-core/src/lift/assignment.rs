//! Who has to do without memories.

use crate::draws;

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

/// The arm that a query was drawn for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Draw {
    /// Names the task and the day. Queries with the same number are one draw, and only its first run counts in the report.
    pub number: i64,
    /// Whether it gets no memories.
    pub held_out: bool,
    /// The share that was held out at that time.
    pub share: f64,
}

impl Assignment<'_> {
    /// Draws; nothing if no share is held out. The same task on the same day is always drawn alike, so that retries stay together.
    pub fn draw(&self) -> Option<Draw> {
        if self.share <= 0.0 {
            return None;
        }
        let hash = self.hash();
        let held_out = draws::fraction(hash) < self.share;
        Some(Draw { number: hash.cast_signed(), held_out, share: self.share })
    }

    /// Names the task and the day, as a [`Draw`] does.
    pub fn number(&self) -> i64 {
        self.hash().cast_signed()
    }

    /// Another random number of the task and the day, from [0, 1). It says nothing about who is held out.
    pub fn second_fraction(&self) -> f64 {
        draws::fraction(draws::spread(draws::next(self.hash())))
    }

    fn hash(&self) -> u64 {
        draws::of_bytes(self.salt.to_le_bytes().into_iter().chain(self.day.to_le_bytes()).chain(self.task.bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_held_out(assignment: &Assignment<'_>) -> bool {
        assignment.draw().is_some_and(|draw| draw.held_out)
    }

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

    #[test]
    fn the_second_number_is_uniform_and_says_nothing_about_the_first() {
        let (mut counts, mut among_held_out) = ([0_u32; 4], [0_u32; 4]);
        for number in 0..40_000 {
            let assignment = Assignment { salt: 5, task: &format!("task {number}"), day: 3, share: 0.5 };
            let quarter = (assignment.second_fraction() * 4.0) as usize;
            counts[quarter] += 1;
            among_held_out[quarter] += u32::from(is_held_out(&assignment));
            assert_eq!(assignment.draw().map(|draw| draw.number), Some(assignment.number()));
        }
        for (count, held_out) in counts.into_iter().zip(among_held_out) {
            assert!(count.abs_diff(10_000) < 400 && held_out.abs_diff(5_000) < 280, "{count} {held_out}");
        }
    }
}
