//! Memories that are believed to hurt: when they are, how they come back, and how their evidence ages.

use reflect_core::{
    Memory, MemoryId, Outcome, ProjectSettings, Timestamp,
    worth::{LearningRule, Viewpoint, WorthConstants},
};
use reflect_store::{CreditPage, MemoryEdit, MemoryFilter, Store};

use crate::{
    index_rows::changes,
    support::{Fixture, conformance, list_memories},
};

conformance! {
    what_hurts_is_listed_until_its_evidence_has_aged,
    what_is_brought_back_begins_anew,
    what_is_pinned_is_never_left_out,
    evidence_is_folded_again_when_it_ages_at_another_pace,
}

async fn failed(fixture: &Fixture<'_>, runs: usize) -> MemoryId {
    let memory_id = fixture.seed_memory().await;
    fixture.seed_memory().await;
    for _ in 0..runs {
        fixture.queued_run(&[memory_id], Outcome::Fail).await;
    }
    memory_id
}

/// By worth, on the day of the fixture and so many days later.
fn after(fixture: &Fixture<'_>, days: i64) -> Viewpoint {
    let today = fixture.now().day() + days;
    Viewpoint { rule: LearningRule::Worth, constants: WorthConstants::default(), today }
}

async fn retired(fixture: &Fixture<'_>, viewpoint: Viewpoint) -> Vec<Memory> {
    let filter = MemoryFilter { only_retired: true, viewpoint, limit: 10, ..MemoryFilter::default() };
    list_memories(fixture.store, fixture.id(), filter).await
}

async fn what_hurts_is_listed_until_its_evidence_has_aged(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory_id = failed(&fixture, 8).await;
    assert_eq!(retired(&fixture, after(&fixture, 0)).await, [], "a few failures may be bad luck");
    fixture.queued_run(&[memory_id], Outcome::Fail).await;
    let listed = retired(&fixture, after(&fixture, 0)).await;
    assert_eq!(listed.iter().map(|memory| memory.id).collect::<Vec<_>>(), [memory_id]);
    let evidence = *listed[0].tally.retirement().unwrap();
    assert_eq!((evidence.runs, evidence.worth < -evidence.deviation), (9.0, true));
    assert_eq!(retired(&fixture, Viewpoint::default()).await, [], "constant steps retire nothing");

    let days = evidence.returns_on.unwrap() - fixture.now().day();
    assert_eq!(retired(&fixture, after(&fixture, days - 1)).await.len(), 1);
    assert_eq!(retired(&fixture, after(&fixture, days)).await, []);
    let shown =
        |viewpoint| store.get_memory(fixture.id(), memory_id, CreditPage { viewpoint, ..CreditPage::default() });
    assert!(shown(after(&fixture, days - 1)).await.unwrap().unwrap().0.tally.retirement().is_some());
    assert_eq!(shown(after(&fixture, days)).await.unwrap().unwrap().0.tally.retirement(), None);
}

async fn what_is_brought_back_begins_anew(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory_id = failed(&fixture, 9).await;
    let (before, uses) = (fixture.memory(memory_id).await.tally, 9);
    let bring_back = || MemoryEdit { bring_back: true, ..MemoryEdit::default() };
    let back = store.update_memory(fixture.id(), memory_id, bring_back(), fixture.now()).await.unwrap().unwrap();
    let unknown = fixture.memory_id();
    assert_eq!(store.update_memory(fixture.id(), unknown, bring_back(), fixture.now()).await.unwrap(), None);
    assert_eq!((back.tally.uses(), back.tally.utility()), (uses, before.utility()), "by constant steps it stays");
    assert_eq!(back.tally.under(LearningRule::Worth).utility(), 0.5);
    assert_eq!(retired(&fixture, after(&fixture, 0)).await, []);
    assert_eq!(fixture.credits(memory_id).await.len(), 9, "the ledger stays");

    // A correction of what was before does not count for its worth; what comes afterwards does.
    let (run, _) = fixture.taught_run(&[memory_id], Outcome::Fail).await;
    let after_one = fixture.memory(memory_id).await.tally.under(LearningRule::Worth).utility();
    assert!((after_one - 0.35).abs() < 1e-12, "{after_one}");
    fixture.review(run, fixture.new_correction(Outcome::Pass)).await;
    let corrected = fixture.memory(memory_id).await.tally.under(LearningRule::Worth).utility();
    assert!((corrected - 0.65).abs() < 1e-12, "{corrected}");
    assert_eq!(store.check_ledger().await.unwrap().mismatches, []);
}

async fn what_is_pinned_is_never_left_out(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory_id = failed(&fixture, 9).await;
    let pin = |pinned| MemoryEdit { pinned: Some(pinned), ..MemoryEdit::default() };
    let viewpoint = after(&fixture, 0);
    let edit = async |pinned| {
        let edited = store.update_memory(fixture.id(), memory_id, pin(pinned), fixture.now()).await.unwrap();
        edited.unwrap().seen_from(&viewpoint)
    };
    let pinned = edit(true).await;
    assert_eq!((pinned.pinned, pinned.tally.retirement()), (true, None));
    assert_eq!(retired(&fixture, viewpoint).await, []);
    let told = changes(&fixture, "test-2", 0, 10).await;
    assert!(told.last().is_some_and(|row| row.memory_id == memory_id && row.entry.as_ref().unwrap().is_pinned));
    let unpinned = edit(false).await;
    assert!(!unpinned.pinned && unpinned.tally.retirement().is_some(), "its evidence stays");
    assert_eq!(retired(&fixture, viewpoint).await.len(), 1);
    assert_eq!(store.check_ledger().await.unwrap().mismatches, []);
}

async fn evidence_is_folded_again_when_it_ages_at_another_pace(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory_id = failed(&fixture, 5).await;
    let mut later = fixture.new_reviewed_trace(&[memory_id], Outcome::Pass);
    later.now = Timestamp::start_of_day(later.now.day() + 60);
    fixture.insert(later).await;
    let by_worth = async || fixture.memory(memory_id).await.tally.learned().worth;
    let within_a_year = by_worth().await;
    let set = async |half_life_days| {
        let change = move |settings| ProjectSettings { half_life_days, ..settings };
        store.update_project_settings(fixture.id(), change).await.unwrap().unwrap();
        assert_eq!(store.check_ledger().await.unwrap().mismatches, []);
    };
    set(Some(10.0)).await;
    let (_, runs, _) = by_worth().await.parts();
    assert!(runs < 1.2, "{runs}: of the five that were sixty days old little is left");
    set(Some(0.0)).await;
    assert_eq!(by_worth().await.parts().1, 6.0, "evidence does not age");
    set(None).await;
    assert_eq!(by_worth().await, within_a_year);
}
