//! The simulated task: a form of fields, each with one right value that nobody tells.
//!
//! An attempt is a list of values. What can be learned about a form are facts, "field 2 must be c", and what is wrong with
//! an attempt is said by such a fact, in a world where feedback says what is right. Where it says only that something is wrong, there is nothing
//! to learn.

use super::dice::Dice;

pub(super) const FIELDS: usize = 4;
const VALUES: [char; 4] = ['a', 'b', 'c', 'd'];

/// The values of all fields.
pub(super) type Values = [char; FIELDS];

/// That a field must have a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fact {
    pub(super) field: usize,
    pub(super) value: char,
}

impl std::fmt::Display for Fact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "field {} must be {}", self.field, self.value)
    }
}

pub(super) fn draw_values(dice: &mut Dice) -> Values {
    std::array::from_fn(|_| draw_value(dice))
}

pub(super) fn draw_value(dice: &mut Dice) -> char {
    VALUES.get(dice.below(VALUES.len())).copied().unwrap_or('a')
}

/// Any value but the one given.
pub(super) fn draw_other(dice: &mut Dice, value: char) -> char {
    let others: Vec<char> = VALUES.into_iter().filter(|other| *other != value).collect();
    others.get(dice.below(others.len())).copied().unwrap_or(value)
}

/// The facts in a text, in the order in which they stand there.
pub(super) fn facts_in(text: &str) -> Vec<Fact> {
    let read = |rest: &str| {
        let (field, rest) = rest.split_once(" must be ")?;
        let field = field.parse().ok().filter(|field| *field < FIELDS)?;
        Some(Fact { field, value: rest.chars().next().filter(|value| VALUES.contains(value))? })
    };
    text.split("field ").skip(1).filter_map(read).collect()
}

pub(super) fn write(values: &Values) -> String {
    values.iter().collect()
}

/// The values in an answer, if it is one.
pub(super) fn read(answer: &str) -> Option<Values> {
    let values: Vec<char> = answer.trim().chars().collect();
    values.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_read_where_they_stand() {
        let text = "it failed: field 2 must be c, not a. Later field 0 must be d; field 9 must be a; field x";
        assert_eq!(facts_in(text), [Fact { field: 2, value: 'c' }, Fact { field: 0, value: 'd' }]);
    }
}
