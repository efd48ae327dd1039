//! Utilities are the fold of the ledger, to the bit, whatever happened on the way.

mod history;
mod model;
mod player;

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU64, Ordering},
};

use proptest::{prelude::*, test_runner::TestRunner};
use reflect_core::{MemoryId, Outcome, Tally, worth::WorthConstants};
use reflect_store::Store;
use tokio::runtime::Handle;

use self::{
    history::{History, corrected_from_the_start, histories, memory_id, without_those_taken_back},
    player::{Player, Snapshot},
};
use crate::support::{Fixture, conformance};

conformance! {
    any_history_ends_at_the_fold_of_its_ledger,
    a_corrected_history_ends_where_the_right_one_ends,
    a_history_with_reviews_taken_back_ends_where_the_one_without_them_ends,
    the_order_in_which_lessons_are_written_changes_no_utility,
    interleaved_projects_never_meet,
    an_empty_ledger_has_no_mismatch,
    the_check_counts_live_credits_of_all_projects,
}

async fn any_history_ends_at_the_fold_of_its_ledger(store: &Store) {
    for_all(48, histories(), async |project, history| {
        let mut player = Player::start(store, &project, 1).await;
        player.play(&history).await;
        let report = store.check_ledger().await.unwrap();
        assert_eq!(report.mismatches, []);
        let utilities = player.utilities().await;
        for tally in utilities.values() {
            assert!((0.0..=1.0).contains(&tally.utility()), "{tally:?}");
            assert_eq!(tally.uses(), tally.passes() + tally.fails());
        }
        let expected: BTreeMap<MemoryId, Tally> =
            model::expected(&history).into_iter().map(|(number, tally)| (memory_id(number), tally)).collect();
        assert_eq!(bits(&utilities), bits(&expected));
    });
}

async fn a_corrected_history_ends_where_the_right_one_ends(store: &Store) {
    for_all(32, histories(), async |project, history| {
        let right = corrected_from_the_start(&history);
        assert_same_utilities(store, &project, (&history, 1), (&right, 1)).await;
    });
}

async fn a_history_with_reviews_taken_back_ends_where_the_one_without_them_ends(store: &Store) {
    for_all(32, histories(), async |project, history| {
        let without = without_those_taken_back(&history);
        assert_same_utilities(store, &project, (&history, 1), (&without, 1)).await;
    });
}

async fn the_order_in_which_lessons_are_written_changes_no_utility(store: &Store) {
    for_all(32, (histories(), any::<u64>()), async |project, (history, luck)| {
        assert_same_utilities(store, &project, (&history, 0), (&history, luck)).await;
    });
}

async fn interleaved_projects_never_meet(store: &Store) {
    let twins = histories().prop_map(|history| (history.clone(), history));
    let pairs = prop_oneof![twins, (histories(), histories())];
    for_all(24, (pairs, any::<u64>()), async |project, ((left, right), turns)| {
        let alone = [
            alone(store, &format!("{project} left alone"), &left).await,
            alone(store, &format!("{project} right alone"), &right).await,
        ];
        let mut left_player = Player::start(store, &format!("{project} left"), 0).await;
        let mut right_player = Player::start(store, &format!("{project} right"), 0).await;
        let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
        for turn in (0..64).cycle() {
            let (player, steps, others) = if turns >> turn & 1 == 0 {
                (&mut left_player, &mut left, &mut right)
            } else {
                (&mut right_player, &mut right, &mut left)
            };
            match steps.next() {
                Some((number, step)) => player.take(*number, step).await,
                None if others.peek().is_none() => break,
                None => {}
            }
        }
        left_player.play(&History::new()).await;
        right_player.play(&History::new()).await;
        assert_eq!([left_player.snapshot().await, right_player.snapshot().await], alone);
    });
}

async fn an_empty_ledger_has_no_mismatch(store: &Store) {
    let report = store.check_ledger().await.unwrap();
    assert_eq!((report.memories, report.credits, report.mismatches.len()), (0, 0, 0));
}

async fn the_check_counts_live_credits_of_all_projects(store: &Store) {
    for name in ["one", "two"] {
        let fixture = Fixture::in_project(store, name).await;
        let memory = fixture.seed_memory().await;
        fixture.queued_run(&[memory], Outcome::Pass).await;
        let taken_back = fixture.queued_run(&[memory], Outcome::Fail).await;
        store.take_back_review(fixture.id(), taken_back, fixture.now()).await.unwrap();
    }
    let report = store.check_ledger().await.unwrap();
    assert_eq!((report.memories, report.credits, report.mismatches.len()), (2, 2, 0));
}

/// Runs `test` on `cases` values, each with the name of a project of its own.
pub(crate) fn for_all<T: std::fmt::Debug>(cases: u32, values: impl Strategy<Value = T>, test: impl AsyncFn(String, T)) {
    let config =
        ProptestConfig { cases, failure_persistence: None, max_shrink_time: 10_000, ..ProptestConfig::default() };
    let projects = AtomicU64::new(0);
    let run = || {
        TestRunner::new(config).run(&values, |value| {
            let project = format!("case {}", projects.fetch_add(1, Ordering::Relaxed));
            Handle::current().block_on(test(project, value));
            Ok(())
        })
    };
    if let Err(error) = tokio::task::block_in_place(run) {
        panic!("{error}");
    }
}

async fn assert_same_utilities(store: &Store, project: &str, left: (&History, u64), right: (&History, u64)) {
    let mut ends = Vec::new();
    for (side, (history, luck)) in [("left", left), ("right", right)] {
        let mut player = Player::start(store, &format!("{project} {side}"), luck).await;
        player.play(history).await;
        ends.push(bits(&player.utilities().await));
    }
    assert_eq!(ends[0], ends[1]);
}

async fn alone(store: &Store, project: &str, history: &History) -> Snapshot {
    let mut player = Player::start(store, project, 0).await;
    player.play(history).await;
    player.snapshot().await
}

/// Tallies that are equal only if they are so to the bit, by both rules.
fn bits(utilities: &BTreeMap<MemoryId, Tally>) -> BTreeMap<MemoryId, ([u64; 2], [u32; 3])> {
    let of = |tally: &Tally| {
        let (average, worth) = (tally.learned().average, tally.learned().worth.utility(&WorthConstants::default()));
        ([average.to_bits(), worth.to_bits()], [tally.uses(), tally.passes(), tally.fails()])
    };
    utilities.iter().map(|(id, tally)| (*id, of(tally))).collect()
}
