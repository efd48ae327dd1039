//! Which task comes when, and how its reviewer talks.

use super::super::{
    family::{Family, Half, Task, TaskSet, Wordings},
    style::Style,
};

/// The families of both halves, every task in every wording: the report counts a task once a day.
pub(super) fn families() -> anyhow::Result<Vec<Family>> {
    let mut families = TaskSet::load(Half::Tuning, Wordings::Every)?.families;
    families.extend(TaskSet::load(Half::HeldBack, Wordings::Every)?.families);
    Ok(families)
}

/// A run that is about to be done.
#[derive(Clone, Copy)]
pub(super) struct Planned<'a> {
    /// From 0.
    pub(super) number: usize,
    pub(super) family: &'a Family,
    pub(super) task: &'a Task,
    pub(super) style: Style,
}

/// The run of this number: families take turns, and each has another task and another reviewer at its next turn. None after the last task.
pub(super) fn planned(families: &[Family], number: usize) -> Option<Planned<'_>> {
    let turn = number.checked_div(families.len())?;
    let place = number % families.len();
    let family = families.get(place)?;
    Some(Planned { number, family, task: family.tasks.get(turn)?, style: Style::dealt(place, turn) })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_task_comes_twice() {
        let families = families().unwrap();
        let tasks: Vec<&str> =
            (0..).map_while(|number| planned(&families, number)).map(|run| &*run.task.prompt).collect();
        assert_eq!(tasks.len(), 600);
        assert_eq!(tasks.iter().collect::<HashSet<_>>().len(), 600);
    }

    #[test]
    fn seven_turns_of_a_family_have_every_style() {
        let families = families().unwrap();
        let runs = (0..7).map(|turn| planned(&families, 3 + turn * families.len()).unwrap());
        let (names, styles): (HashSet<&str>, HashSet<&str>) =
            runs.map(|run| (&*run.family.name, run.style.name())).unzip();
        assert_eq!((names.len(), styles.len()), (1, 7));
    }
}
