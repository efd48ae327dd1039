//! The tables.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    arm::Arm,
    record::{Records, Run},
    statistics::{Difference, Share},
};
use crate::say;

/// What names a task in one seed, whatever the arm.
type TaskKey<'a> = (usize, &'a str);

/// Prints everything that can be counted.
pub(super) fn print(records: &Records, arms: &[Arm]) {
    print_arms(records, arms);
    print_grouped("feedback style", records, arms, |run| run.style.map(|style| style.name().to_owned()));
    let states = |run: &Run| Some(if run.style?.states_the_rule() { "states the rule" } else { "does not" }.to_owned());
    print_grouped("feedback", records, arms, states);
    print_grouped("family", records, arms, |run| run.family.clone());
    print_beyond_help(records);
    print_lessons(records, arms);
}

fn in_families(records: &Records, arm: Arm) -> impl Iterator<Item = &Run> {
    records.runs.iter().filter(move |run| run.arm == arm && run.family.is_some())
}

fn passes(records: &Records, arm: Arm) -> BTreeMap<TaskKey<'_>, bool> {
    let runs = records.runs.iter().filter(|run| run.arm == arm);
    runs.map(|run| ((run.seed, &*run.task), run.passed)).collect()
}

fn print_arms(records: &Records, arms: &[Arm]) {
    say(format_args!(
        "\n{:<8}{:>26}{:>18}{:>18}{:>34}{:>14}{:>16}",
        "arm", "passed, % (95 %)", "− none", "− words", "misled: passes of none lost", "plain, %", "own lesson, %"
    ));
    for arm in arms.iter().copied() {
        let passed = Share::of(in_families(records, arm).map(|run| run.passed));
        let plain = records.runs.iter().filter(|run| run.arm == arm && run.family.is_none());
        let plain = Share::of(plain.map(|run| run.passed));
        let shown = Share::of(in_families(records, arm).map(|run| run.own_lesson_at.is_some()));
        let misled = if arm == Arm::None { "–".to_owned() } else { interval(misled(records, arm)) };
        say(format_args!(
            "{:<8}{:>26}{:>18}{:>18}{misled:>34}{:>14.1}{:>16.1}",
            arm.name(),
            interval(passed),
            difference(records, arm, Arm::None),
            difference(records, arm, Arm::Words),
            plain.percent(),
            shown.percent(),
        ));
    }
}

/// Tasks that pass without memory, plain ones included, and how many of them fail with it.
pub(super) fn misled(records: &Records, arm: Arm) -> Share {
    let without = passes(records, Arm::None);
    let with = passes(records, arm);
    let passed_without = with.iter().filter(|(task, _)| without.get(*task) == Some(&true));
    Share::of(passed_without.map(|(_, passed)| !passed))
}

fn interval(share: Share) -> String {
    if share.of == 0 {
        return "–".to_owned();
    }
    let (low, high) = share.interval();
    format!("{}/{}: {:.1} ({low:.1}–{high:.1})", share.hits, share.of, share.percent())
}

fn difference(records: &Records, arm: Arm, other: Arm) -> String {
    let others = passes(records, other);
    let pair = |run: &Run| Some((run.passed, *others.get(&(run.seed, &*run.task))?));
    let pairs: Vec<(bool, bool)> = in_families(records, arm).filter_map(pair).collect();
    if arm == other || pairs.is_empty() {
        return "–".to_owned();
    }
    let difference = Difference::paired(&pairs);
    format!("{:+.1} ± {:.1}", difference.points, difference.reach)
}

fn print_grouped(title: &str, records: &Records, arms: &[Arm], group: impl Fn(&Run) -> Option<String>) {
    let mut cells: BTreeMap<String, BTreeMap<Arm, Vec<bool>>> = BTreeMap::new();
    for run in &records.runs {
        if let Some(name) = group(run) {
            cells.entry(name).or_default().entry(run.arm).or_default().push(run.passed);
        }
    }
    let names: String = arms.iter().map(|arm| format!("{:>10}", arm.name())).collect();
    say(format_args!("\n{:<30}{:>6}{names}", format!("{title} (passed, %)"), "runs"));
    for (name, by_arm) in cells {
        let runs = by_arm.values().map(Vec::len).max().unwrap_or_default();
        let share = |arm: &Arm| by_arm.get(arm).map(|passed| Share::of(passed.iter().copied()));
        let row: String = arms
            .iter()
            .map(|arm| share(arm).map_or_else(|| format!("{:>10}", "–"), |share| format!("{:>10.0}", share.percent())))
            .collect();
        say(format_args!("{name:<30}{runs:>6}{row}"));
    }
}

/// Families in which the model cannot profit even from the lesson written by hand.
pub(super) fn beyond_help(records: &Records) -> Vec<&str> {
    let rate = |arm, family: &str| {
        let runs = in_families(records, arm).filter(|run| run.family.as_deref() == Some(family));
        Share::of(runs.map(|run| run.passed)).percent()
    };
    let families: BTreeSet<&str> = in_families(records, Arm::Oracle).filter_map(|run| run.family.as_deref()).collect();
    families.into_iter().filter(|family| rate(Arm::Oracle, family) <= rate(Arm::None, family)).collect()
}

fn print_beyond_help(records: &Records) {
    match beyond_help(records).as_slice() {
        [] => {}
        families => say(format_args!("\nnot even the oracle's lesson helps in: {}", families.join(", "))),
    }
}

fn print_lessons(records: &Records, arms: &[Arm]) {
    say(format_args!("\n{:<8}{:>9}{:>13}  {}", "arm", "lessons", "from passes", "written by"));
    for arm in arms.iter().copied().filter(|arm| *arm != Arm::None) {
        let learned: Vec<_> = records.learned.iter().filter(|learned| learned.arm == arm).collect();
        let mut writers: BTreeMap<&str, usize> = BTreeMap::new();
        for lesson in &learned {
            *writers.entry(&lesson.written_by).or_default() += 1;
        }
        let writers: Vec<String> = writers.iter().map(|(writer, count)| format!("{writer} {count}")).collect();
        let passes = learned.iter().filter(|learned| learned.passed).count();
        say(format_args!("{:<8}{:>9}{passes:>13}  {}", arm.name(), learned.len(), writers.join(", ")));
    }
}

#[cfg(test)]
mod tests {
    use super::{super::style::Style, *};

    fn run(arm: Arm, task: &str, passed: bool) -> Run {
        Run {
            seed: 0,
            arm,
            family: Some("greeting".into()),
            style: Some(Style::Rule),
            task: task.into(),
            prompt: String::new(),
            answer: String::new(),
            passed,
            lessons_shown: 0,
            own_lesson_at: None,
        }
    }

    #[test]
    fn misled_are_passes_without_memory_that_fail_with_it() {
        let mut records = Records::default();
        for (task, without, with) in [("a", true, false), ("b", true, true), ("c", false, false), ("d", false, true)] {
            records.runs.extend([run(Arm::None, task, without), run(Arm::Words, task, with)]);
        }
        assert_eq!(misled(&records, Arm::Words), Share { hits: 1, of: 2 });
    }

    #[test]
    fn a_family_is_beyond_help_when_the_oracle_passes_no_more_than_nothing() {
        let mut records = Records::default();
        records.runs.extend([run(Arm::None, "a", false), run(Arm::Oracle, "a", false)]);
        assert_eq!(beyond_help(&records), ["greeting"]);
        records.runs.extend([run(Arm::None, "b", false), run(Arm::Oracle, "b", true)]);
        assert!(beyond_help(&records).is_empty());
    }
}
