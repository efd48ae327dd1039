//! Fitting the parts of a run into a budget.

use reflect_core::water_level;

use super::{
    parts::{Part, Rank},
    shorten::shorten,
};
use crate::plain::quarter_tokens;

/// No text is cut below this many quarter tokens as long as its part is there at all.
const FLOOR: usize = 160;

/// A part that must be there gets at most this share of the budget.
const KEPT_SHARE: usize = 6;

/// Of the steps that fit, this many are taken from the end for each one from the start: runs go wrong late.
const FROM_END: usize = 3;

/// The parts in their order, shortened so that texts and titles together take at most `room` quarter tokens, those of
/// [`Rank::Whole`] apart. `frame` is what a part costs beside its text. Steps that do not fit at all give way to one part that says how many there were.
pub(super) fn fit(mut parts: Vec<Part>, room: usize, frame: impl Fn(&str) -> usize) -> Vec<Part> {
    let mut left = room;
    for part in parts.iter_mut().filter(|part| part.rank == Rank::Kept) {
        part.text = shorten(&part.text, room / KEPT_SHARE);
        left = left.saturating_sub(quarter_tokens(&part.text) + frame(&part.title));
    }
    let sizes: Vec<Size> = parts.iter().map(|part| Size::of(part, &frame)).collect();
    let included = include(&parts, &sizes, &mut left, &frame);
    let limits = Limits::find(&parts, &sizes, &included, left);
    let mut fitted = Vec::with_capacity(parts.len());
    let mut left_out = 0;
    for ((part, size), included) in parts.into_iter().zip(sizes).zip(included) {
        if !included {
            left_out += usize::from(part.rank.is_step());
            continue;
        }
        if part.rank.is_always_there() {
            push_gap(&mut fitted, &mut left_out);
            fitted.push(part);
            continue;
        }
        push_gap(&mut fitted, &mut left_out);
        let limit = if part.rank.is_seen() { limits.seen } else { limits.said };
        let text = if size.text > limit { shorten(&part.text, limit) } else { part.text };
        fitted.push(Part { text, ..part });
    }
    push_gap(&mut fitted, &mut left_out);
    fitted
}

#[derive(Clone, Copy)]
struct Size {
    text: usize,
    frame: usize,
}

impl Size {
    fn of(part: &Part, frame: impl Fn(&str) -> usize) -> Self {
        Self { text: quarter_tokens(&part.text), frame: frame(&part.title) }
    }

    /// What the part takes at the very least.
    fn least(self) -> usize {
        self.frame + self.text.min(FLOOR)
    }
}

/// Which parts are there at all. Takes what they need at least, the frame included, off `left`, and gives back all but the
/// frames: texts are measured out afterwards.
fn include(parts: &[Part], sizes: &[Size], left: &mut usize, frame: impl Fn(&str) -> usize) -> Vec<bool> {
    let mut included: Vec<bool> = parts.iter().map(|part| part.rank.is_always_there()).collect();
    let indexes_of = |wanted: fn(&Part) -> bool| -> Vec<usize> {
        parts.iter().enumerate().filter(|(_, part)| wanted(part)).map(|(index, _)| index).collect()
    };
    let gap = frame(&gap_title(parts.len()));
    let mut least_left = left.saturating_sub(gap);
    let mut frames = 0;
    let mut take = |index: usize| -> bool {
        let (Some(size), Some(slot)) = (sizes.get(index), included.get_mut(index)) else { return false };
        if size.least() > least_left {
            return false;
        }
        least_left -= size.least();
        frames += size.frame;
        *slot = true;
        true
    };
    for index in indexes_of(|part| part.rank == Rank::Said) {
        take(index);
    }
    let steps = indexes_of(|part| part.rank.is_step());
    for index in from_both_ends(&steps) {
        if !take(index) {
            break;
        }
    }
    for index in indexes_of(|part| part.rank == Rank::Seen) {
        take(index);
    }
    *left = left.saturating_sub(gap + frames);
    included
}

/// The indexes in the order in which they are taken: the last few, the first, the next to last few, the second, and so on.
fn from_both_ends(indexes: &[usize]) -> Vec<usize> {
    let mut rest = indexes;
    let mut order = Vec::with_capacity(indexes.len());
    while !rest.is_empty() {
        let turn = order.len() % (FROM_END + 1);
        let next = if turn == FROM_END { rest.split_first() } else { rest.split_last() };
        let Some((index, others)) = next else { break };
        order.push(*index);
        rest = others;
    }
    order
}

fn gap_title(count: usize) -> String {
    format!("{count} parts of steps left out here")
}

fn push_gap(fitted: &mut Vec<Part>, left_out: &mut usize) {
    if *left_out > 0 {
        fitted.push(Part { title: gap_title(*left_out), text: String::new(), rank: Rank::StepSeen });
        *left_out = 0;
    }
}

/// How long a text of either kind may be.
struct Limits {
    seen: usize,
    said: usize,
}

impl Limits {
    /// Observations give way first, the largest of them first, down to the floor; then what was said.
    fn find(parts: &[Part], sizes: &[Size], included: &[bool], left: usize) -> Self {
        let of_kind = |seen: bool| -> Vec<usize> {
            let all = parts.iter().zip(sizes).zip(included);
            all.filter(|((part, _), included)| {
                **included && !part.rank.is_always_there() && part.rank.is_seen() == seen
            })
            .map(|((_, size), _)| size.text)
            .collect()
        };
        let (seen, said) = (of_kind(true), of_kind(false));
        let said_whole = left.checked_sub(said.iter().sum());
        let level = said_whole.and_then(|left_for_seen| water_level(&seen, left_for_seen));
        if let Some(level) = level.filter(|level| *level >= FLOOR) {
            return Self { seen: level, said: usize::MAX };
        }
        let seen_total: usize = seen.iter().map(|size| (*size).min(FLOOR)).sum();
        Self { seen: FLOOR, said: water_level(&said, left.saturating_sub(seen_total)).unwrap_or(FLOOR) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_taken_from_the_end_and_some_from_the_start() {
        assert_eq!(from_both_ends(&[1, 2, 3, 4, 5, 6]), [6, 5, 4, 1, 3, 2]);
    }
}
