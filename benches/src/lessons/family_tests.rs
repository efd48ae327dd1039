//! The data files, held against themselves.

use std::collections::HashSet;

use super::{
    family::{Half, TaskSet, Wordings},
    style::Style,
};

const HALVES: [Half; 2] = [Half::Tuning, Half::HeldBack];

fn sets() -> [TaskSet; 2] {
    HALVES.map(|half| TaskSet::load(half, Wordings::One).unwrap())
}

#[test]
fn there_are_enough_tasks_and_half_of_the_families_are_held_back() {
    let [tuning, held_back] = sets();
    assert!(held_back.families.len() >= tuning.families.len());
    let families: Vec<_> = tuning.families.iter().chain(&held_back.families).collect();
    assert!(families.len() >= 16);
    assert!(families.iter().all(|family| family.tasks.len() >= 8));
    assert!(families.iter().map(|family| family.tasks.len()).sum::<usize>() >= 120);
    let mut prompts: Vec<&str> = families.iter().flat_map(|family| &family.tasks).map(|task| &*task.prompt).collect();
    prompts.sort_unstable();
    let count = prompts.len();
    prompts.dedup();
    assert_eq!(prompts.len(), count, "two tasks are the same");
}

#[test]
fn every_wording_makes_other_tasks_of_the_same_facts() {
    for half in HALVES {
        let (one, every) = (TaskSet::load(half, Wordings::One).unwrap(), TaskSet::load(half, Wordings::Every).unwrap());
        for (one, every) in one.families.iter().zip(&every.families) {
            let count = one.tasks.len();
            assert_eq!(every.tasks.len(), 3 * count);
            let prompts: HashSet<&str> = every.tasks.iter().map(|task| &*task.prompt).collect();
            assert_eq!(prompts.len(), 3 * count, "`{}`", one.name);
            for (number, task) in every.tasks.iter().enumerate() {
                assert_eq!(task.answer, one.tasks[number % count].answer, "`{}`", one.name);
            }
        }
    }
}

#[test]
fn no_text_has_a_fact_left_open() {
    for set in sets() {
        for family in &set.families {
            for task in &family.tasks {
                let texts = Style::ALL.map(|style| family.feedback(style, task));
                let texts = texts.iter().chain([&task.prompt, &task.answer, &family.oracle]);
                for text in texts {
                    assert!(!text.contains(['{', '}']), "`{}`: {text}", family.name);
                    assert!(!text.trim().is_empty(), "`{}`", family.name);
                }
            }
        }
    }
}

#[test]
fn checks_accept_the_right_answers_and_refuse_the_wrong_ones() {
    for set in sets() {
        for task in &set.plain {
            assert!(task.passes(&task.answer), "{}", task.prompt);
        }
        for family in &set.families {
            for task in &family.tasks {
                assert!(task.passes(&task.answer), "`{}` refuses {}", family.name, task.answer);
                for wrong in family.wrong.iter().map(|wrong| task.fill(wrong)) {
                    assert!(!task.passes(&wrong), "`{}` accepts {wrong}", family.name);
                }
            }
        }
    }
}

#[test]
fn checks_refuse_the_answers_of_every_other_family() {
    let sets = sets();
    let families: Vec<_> = sets.iter().flat_map(|set| &set.families).collect();
    for family in &families {
        for other in families.iter().filter(|other| other.name != family.name) {
            for (task, answer) in family.tasks.iter().zip(other.tasks.iter().map(|task| &task.answer)) {
                assert!(!task.passes(answer), "`{}` accepts {answer} of `{}`", family.name, other.name);
            }
        }
    }
}

#[test]
fn a_terse_no_says_nothing_about_the_rule() {
    for set in sets() {
        for family in &set.families {
            assert!(family.tasks.iter().all(|task| family.feedback(Style::No, task) == "No."));
        }
    }
}

/// What states the rule may not do so by the answer of the task at hand, or it would teach one task only.
#[test]
fn what_states_the_rule_does_not_quote_the_answer() {
    for set in sets() {
        for family in &set.families {
            let varies = family.tasks.windows(2).any(|pair| pair[0].answer != pair[1].answer);
            for task in family.tasks.iter().filter(|_| varies) {
                for style in Style::ALL.into_iter().filter(|style| style.states_the_rule()) {
                    assert!(!family.feedback(style, task).contains(&task.answer), "`{}`", family.name);
                }
                assert!(!family.oracle.contains(&task.answer), "`{}`: {}", family.name, task.answer);
            }
        }
    }
}

#[test]
fn seeds_learn_from_different_tasks() {
    let [tuning, _] = sets();
    let family = tuning.families.first().unwrap();
    assert_eq!(family.order(0), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(family.order(1), [3, 4, 5, 6, 7, 0, 1, 2]);
}
