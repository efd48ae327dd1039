//! Memories that say the same: listed once, and found by one of them.

use std::collections::{BTreeMap, HashMap};

use reflect_core::{Direction, Lesson, MemoryId, MemoryOrder, MemoryStatus, Outcome, Tells};
use reflect_store::{MemoryFilter, MemoryPlan, Store};
use rusqlite::Connection;

use crate::{
    index_rows::{edit_guidance, set_status},
    support::{Fixture, PATIENCE, conformance},
};

conformance! {
    of_those_that_say_the_same_the_one_that_most_runs_saw_is_listed,
    one_of_each_is_listed_in_any_order_page_by_page,
    an_edit_and_a_deletion_change_who_says_the_same,
}

/// A memory of a run that was reviewed with this lesson.
async fn learned(fixture: &Fixture<'_>, lesson: Lesson) -> MemoryId {
    let trace_id = fixture.run(&[]).await;
    let mut insert = fixture.new_lesson("");
    insert.written.lesson = lesson;
    let memory_id = insert.memory_id;
    fixture.review_with(trace_id, fixture.new_review(Outcome::Pass), Some(insert)).await;
    memory_id
}

async fn says(fixture: &Fixture<'_>, guidance: &str) -> MemoryId {
    learned(fixture, Lesson { guidance: guidance.into(), ..Lesson::default() }).await
}

async fn page(fixture: &Fixture<'_>, filter: MemoryFilter) -> MemoryPlan {
    let filter = MemoryFilter { limit: if filter.limit == 0 { 100 } else { filter.limit }, ..filter };
    fixture.store.plan_memories(fixture.id(), filter, PATIENCE).await.unwrap()
}

fn ids(page: &MemoryPlan) -> Vec<MemoryId> {
    page.memory_ids.clone()
}

fn distinct() -> MemoryFilter {
    MemoryFilter { only_distinct: true, ..MemoryFilter::default() }
}

async fn of_those_that_say_the_same_the_one_that_most_runs_saw_is_listed(store: &Store) {
    let fixture = Fixture::new(store).await;
    let [first, second, third] =
        [says(&fixture, "Ask first.").await, says(&fixture, "ask  `first`.").await, says(&fixture, "Ask FIRST.").await];
    let other = says(&fixture, "Ask last.").await;
    let bare = || Lesson { summary: "It failed.".into(), ..Lesson::default() };
    let (bare, bare_too) = (learned(&fixture, bare()).await, learned(&fixture, bare()).await);
    let answer = |words: &str| Lesson { guidance: words.into(), tells: Some(Tells::Answer), ..Lesson::default() };
    let answers = [learned(&fixture, answer("It is 7.")).await, learned(&fixture, answer("Seven.")).await];

    let listed = page(&fixture, distinct()).await;
    assert_eq!(ids(&listed), [answers[0], bare_too, bare, other, first], "the oldest of those that nobody saw");
    assert_eq!(listed.runs_alike, HashMap::from([(first, 3), (answers[0], 2)]));
    fixture.queued_run(&[second], Outcome::Pass).await;
    assert_eq!(ids(&page(&fixture, distinct()).await)[4], second, "one run saw it");
    assert_eq!(page(&fixture, MemoryFilter::default()).await.runs_alike, HashMap::new(), "each for itself");

    for same_as in [first, second, third] {
        let alike = page(&fixture, MemoryFilter { same_as: Some(same_as), ..MemoryFilter::default() }).await;
        assert_eq!(ids(&alike), [third, second, first]);
        let one = page(&fixture, MemoryFilter { same_as: Some(same_as), ..distinct() }).await;
        assert_eq!(ids(&one), [second]);
    }
    for (same_as, expected) in [(bare, vec![bare]), (fixture.memory_id(), Vec::new())] {
        let alike = MemoryFilter { same_as: Some(same_as), ..MemoryFilter::default() };
        assert_eq!(ids(&page(&fixture, alike).await), expected);
    }

    // Those that the list does not have stand for nobody in it.
    set_status(&fixture, second, MemoryStatus::Disabled).await;
    let active = page(&fixture, MemoryFilter { status: Some(MemoryStatus::Active), ..distinct() }).await;
    assert_eq!((ids(&active)[4], active.runs_alike.get(&first)), (first, Some(&2)));
    let disabled = page(&fixture, MemoryFilter { status: Some(MemoryStatus::Disabled), ..distinct() }).await;
    assert_eq!((ids(&disabled), disabled.runs_alike), (vec![second], HashMap::new()));
}

async fn one_of_each_is_listed_in_any_order_page_by_page(store: &Store) {
    let fixture = Fixture::new(store).await;
    let mut said: BTreeMap<usize, Vec<MemoryId>> = BTreeMap::new();
    for number in [0, 1, 2, 1, 0, 3, 0, 4, 4] {
        let memory_id = says(&fixture, &format!("Rule {number}")).await;
        said.entry(number).or_default().push(memory_id);
    }
    for (runs, memory_id) in [(2, said[&0][1]), (1, said[&3][0])] {
        for _ in 0..runs {
            fixture.queued_run(&[memory_id], Outcome::Pass).await;
        }
    }
    for order in MemoryOrder::ALL {
        for direction in [Direction::Desc, Direction::Asc] {
            let all = MemoryFilter { order: *order, direction, ..distinct() };
            let whole = page(&fixture, all.clone()).await;
            assert_eq!((whole.memory_ids.len(), whole.next), (5, None), "{order}");
            let mut paged = Vec::new();
            let mut filter = MemoryFilter { limit: 2, ..all };
            loop {
                let next = page(&fixture, filter.clone()).await;
                paged.extend(ids(&next));
                let Some(after) = next.next else { break };
                filter.after = Some(after);
            }
            assert_eq!(paged, ids(&whole), "{order}");
        }
    }
}

async fn an_edit_and_a_deletion_change_who_says_the_same(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (first, second) = (says(&fixture, "Ask first.").await, says(&fixture, "Ask first.").await);
    edit_guidance(&fixture, first, "Ask last.").await;
    assert_eq!(ids(&page(&fixture, distinct()).await), [second, first]);
    edit_guidance(&fixture, first, "ASK first.").await;
    let one = page(&fixture, distinct()).await;
    assert_eq!((ids(&one), one.runs_alike), (vec![first], HashMap::from([(first, 2)])));
    store.delete_memory(fixture.id(), first, fixture.now()).await.unwrap();
    assert_eq!(ids(&page(&fixture, distinct()).await), [second]);
    let same_as = MemoryFilter { same_as: Some(first), ..MemoryFilter::default() };
    assert_eq!(ids(&page(&fixture, same_as).await), [], "what was deleted says nothing");
    assert_eq!(store.check_texts().await.unwrap().damages, Vec::<String>::new());
}

#[tokio::test]
async fn a_memory_that_is_not_found_by_what_it_says_is_told_of_and_mended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reflect.db");
    let store = Store::open(&path).unwrap();
    let fixture = Fixture::new(&store).await;
    let (first, second) = (says(&fixture, "Ask first.").await, says(&fixture, "Ask first.").await);
    let change = "UPDATE memories SET same_words = 7 WHERE memory_id = (SELECT max(memory_id) FROM memories)";
    Connection::open(&path).unwrap().execute(change, []).unwrap();
    assert_eq!(ids(&page(&fixture, distinct()).await), [second, first]);
    let damages = store.check_texts().await.unwrap().damages;
    assert_eq!((damages.len(), damages[0].contains(&second.to_string())), (1, true), "{damages:?}");
    assert_eq!(store.repair().await.unwrap().reworded, 1);
    assert_eq!(store.check_texts().await.unwrap().damages, Vec::<String>::new());
    assert_eq!(ids(&page(&fixture, distinct()).await), [first]);
}
