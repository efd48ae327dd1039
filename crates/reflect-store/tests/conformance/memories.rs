//! Memories: read, listed, edited, deleted, and told to an index.

use reflect_core::{
    Direction, Lesson, Memory, MemoryCursor, MemoryId, MemoryOrder, MemoryStatus, Outcome, RetrievalId, ReviewId,
    Tells, TraceId, WrittenBy,
};
use reflect_store::{CreditPage, MemoryEdit, MemoryFilter, ShownTo, Store};

use crate::{
    index_rows::{changes, edit_guidance, set_status, stamped},
    support::{Fixture, PATIENCE, conformance, list_memories, newest},
};

conformance! {
    several_memories_are_read_at_once,
    a_memory_comes_with_its_newest_credits,
    memories_are_listed_newest_first_by_pages_and_status,
    memories_are_listed_in_any_order_page_by_page,
    memories_are_found_by_words_of_task_and_lesson,
    the_whole_ledger_is_read_page_by_page,
    revisions_are_listed_newest_first,
    a_page_of_large_memories_ends_early,
    editing_a_lesson_makes_a_revision,
    an_edit_that_changes_nothing_makes_no_revision,
    a_disabled_memory_is_still_credited,
    editing_what_is_not_there_changes_nothing,
    a_deleted_memory_is_gone_and_its_ledger_stays,
    deleting_twice_or_elsewhere_changes_nothing,
    a_memory_that_a_run_was_shown_comes_in_the_words_it_saw,
    what_all_runs_were_shown_is_found_as_far_as_they_and_it_are_there,
    lessons_that_do_not_say_how_much_they_tell_are_listed_until_it_is_noted,
}

async fn a_memory_comes_with_its_newest_credits(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let mut runs = Vec::new();
    for _ in 0..3 {
        runs.insert(0, fixture.queued_run(&[memory], Outcome::Pass).await);
    }
    let credits = async |max| {
        let found = store.get_memory(fixture.id(), memory, newest(max)).await.unwrap().unwrap();
        found.1.iter().map(|credit| credit.trace_id).collect::<Vec<_>>()
    };
    assert_eq!(credits(10).await, runs);
    assert_eq!(credits(2).await, runs[..2]);
    assert_eq!(credits(0).await, []);
    assert_eq!(store.get_memory(fixture.id(), fixture.memory_id(), newest(10)).await.unwrap(), None);
    let elsewhere = store.get_memory("elsewhere".parse().unwrap(), memory, newest(10));
    assert_eq!(elsewhere.await.unwrap(), None);
}

async fn memories_are_listed_newest_first_by_pages_and_status(store: &Store) {
    let fixture = Fixture::new(store).await;
    let other = Fixture::in_project(store, "other").await;
    let list = async |fixture: &Fixture<'_>, status, before: Option<MemoryId>, limit| {
        let after = before.map(|id| MemoryCursor { value: None, id });
        let filter = MemoryFilter { status, after, limit, ..MemoryFilter::default() };
        let memories = list_memories(store, fixture.id(), filter).await;
        memories.into_iter().map(|memory| memory.id).collect::<Vec<_>>()
    };
    let mut memories = Vec::new();
    for _ in 0..3 {
        memories.insert(0, fixture.seed_memory().await);
    }
    assert_eq!(list(&fixture, None, None, 10).await, memories);
    assert_eq!(list(&fixture, None, None, 2).await, memories[..2]);
    assert_eq!(list(&fixture, None, Some(memories[1]), 2).await, memories[2..]);
    assert_eq!(list(&fixture, None, None, 0).await, []);
    set_status(&fixture, memories[1], MemoryStatus::Disabled).await;
    assert_eq!(list(&fixture, Some(MemoryStatus::Disabled), None, 10).await, [memories[1]]);
    assert_eq!(list(&fixture, Some(MemoryStatus::Active), None, 10).await, [memories[0], memories[2]]);
    assert_eq!(list(&other, None, None, 10).await, []);
}

async fn memories_are_listed_in_any_order_page_by_page(store: &Store) {
    let fixture = Fixture::new(store).await;
    let mut seeded = Vec::new();
    for _ in 0..4 {
        seeded.push(fixture.seed_memory().await);
    }
    let [never, good, bad, often] = seeded[..] else { panic!("four were seeded") };
    fixture.queued_run(&[good, often], Outcome::Pass).await;
    fixture.queued_run(&[bad, often], Outcome::Fail).await;
    edit_guidance(&fixture, never, "ask first").await.unwrap();
    let list = async |order, direction| {
        let mut filter = MemoryFilter { order, direction, limit: 1, ..MemoryFilter::default() };
        let mut listed = Vec::new();
        loop {
            let page = store.plan_memories(fixture.id(), filter.clone(), PATIENCE).await.unwrap();
            listed.extend(page.memory_ids);
            let Some(next) = page.next else { break listed };
            filter.after = Some(next);
        }
    };
    for (order, expected) in [
        (MemoryOrder::Created, [often, bad, good, never]),
        (MemoryOrder::Updated, [never, often, bad, good]),
        (MemoryOrder::Utility, [good, never, often, bad]),
        (MemoryOrder::Uses, [often, bad, good, never]),
    ] {
        assert_eq!(list(order, Direction::Desc).await, expected, "{order}");
        assert_eq!(list(order, Direction::Asc).await, expected.into_iter().rev().collect::<Vec<_>>(), "{order}");
    }
}

async fn memories_are_found_by_words_of_task_and_lesson(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (one, other) = (fixture.seed_memory().await, fixture.seed_memory().await);
    edit_guidance(&fixture, one, "Ask for the \"Ünique\" number").await.unwrap();
    let find = async |text: &str| {
        let filter = MemoryFilter { text: Some(text.into()), limit: 10, ..MemoryFilter::default() };
        let found = list_memories(store, fixture.id(), filter).await;
        found.into_iter().map(|memory| memory.id).collect::<Vec<_>>()
    };
    let task = fixture.memory(one).await.task;
    assert_eq!(find(&task.to_uppercase()).await, [other, one]);
    assert_eq!(find(&format!("\"üNIQUE\" {task}")).await, [one]);
    assert_eq!(find("").await, [other, one]);
    for nothing in ["guidance", "correct_action", "nowhere"] {
        assert_eq!(find(nothing).await, [], "{nothing}");
    }
}

async fn the_whole_ledger_is_read_page_by_page(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    for outcome in [Outcome::Pass, Outcome::Fail, Outcome::Pass] {
        fixture.queued_run(&[memory], outcome).await;
    }
    let read = async |before, limit| {
        store
            .list_credits(fixture.id(), memory, CreditPage { before, limit, ..CreditPage::default() })
            .await
            .unwrap()
            .unwrap()
    };
    let all = read(None, 10).await;
    let utilities: Vec<f64> = all.iter().map(|credit| credit.utility_after).collect();
    assert_eq!(utilities.len(), 3);
    assert_eq!(utilities[0], fixture.memory(memory).await.tally.utility());
    for (found, expected) in utilities.iter().zip([0.6185, 0.455, 0.65]) {
        assert!((found - expected).abs() < 1e-12, "{utilities:?}");
    }
    let (first, second) = (read(None, 2).await, read(Some(all[1].position), 2).await);
    assert_eq!([first, second].concat(), all);
    assert_eq!(store.list_credits(fixture.id(), fixture.memory_id(), newest(1)).await.unwrap(), None);
}

async fn revisions_are_listed_newest_first(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let first = fixture.memory(memory).await;
    let second = edit_guidance(&fixture, memory, "ask first").await.unwrap();
    let revisions = store.list_memory_revisions(fixture.id(), memory).await.unwrap().unwrap();
    assert_eq!(revisions.iter().map(|revision| revision.revision).collect::<Vec<_>>(), [2, 1]);
    assert_eq!((&revisions[0].lesson, revisions[0].created_at), (&second.lesson, second.updated_at));
    assert_eq!((&revisions[1].lesson, revisions[1].created_at), (&first.lesson, first.created_at));
    assert_eq!(revisions[0].written_by.reflector, "editor");
    assert_eq!(store.list_memory_revisions("elsewhere".parse().unwrap(), memory).await.unwrap(), None);
    store.delete_memory(fixture.id(), memory, fixture.now()).await.unwrap();
    assert_eq!(store.list_memory_revisions(fixture.id(), memory).await.unwrap(), None);
}

async fn a_page_of_large_memories_ends_early(store: &Store) {
    let fixture = Fixture::new(store).await;
    let mut memories = Vec::new();
    for _ in 0..6 {
        let memory = fixture.seed_memory().await;
        edit_guidance(&fixture, memory, &"x".repeat(1_000_000)).await.unwrap();
        memories.insert(0, memory);
    }
    let list = async |before: Option<MemoryId>, limit| {
        let after = before.map(|id| MemoryCursor { value: None, id });
        let filter = MemoryFilter { after, limit, ..MemoryFilter::default() };
        let plan = store.plan_memories(fixture.id(), filter, PATIENCE).await.unwrap();
        (plan.memory_ids, plan.next.is_some())
    };
    let measure = async |limit| {
        let filter = MemoryFilter { limit, ..MemoryFilter::default() };
        store.plan_memories(fixture.id(), filter, PATIENCE).await.unwrap().bytes
    };
    let one = store.measure_memory(fixture.id(), memories[0]).await.unwrap().unwrap();
    assert!((1_000_000..1_010_000).contains(&one), "{one}");
    assert_eq!([measure(1).await, measure(2).await, measure(1_000).await], [one, 2 * one, 5 * one]);
    let read = async |enough| store.get_stamped_memories(fixture.id(), memories.clone(), enough).await.unwrap();
    assert_eq!([read(one).await.len(), read(one + 1).await.len()], [1, 2]);
    assert_eq!(list(None, 1_000).await, (memories[..5].to_vec(), true));
    assert_eq!(list(Some(memories[4]), 1_000).await, (memories[5..].to_vec(), false));
    assert_eq!(list(Some(memories[0]), 5).await, (memories[1..].to_vec(), false), "all that there are");
    assert_eq!(list(None, 2).await, (memories[..2].to_vec(), true));
}

async fn editing_a_lesson_makes_a_revision(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    fixture.queued_run(&[memory], Outcome::Fail).await;
    let before = fixture.memory(memory).await;
    let edited = edit_guidance(&fixture, memory, "ask first").await.unwrap();
    assert_eq!(edited.lesson.guidance, "ask first");
    assert_eq!(edited.lesson.summary, before.lesson.summary);
    assert_eq!((edited.revision, edited.written_by.reflector.as_str()), (2, "editor"));
    assert_eq!((edited.tally, edited.success), (before.tally, before.success));
    assert!(edited.updated_at > before.updated_at);
    assert_eq!(fixture.memory(memory).await, edited);

    fixture.queued_run(&[memory], Outcome::Pass).await;
    let credits = fixture.credits(memory).await;
    let revisions: Vec<u32> = credits.iter().map(|credit| credit.memory_revision).collect();
    assert_eq!(revisions, [2, 1]);
    assert_eq!(edit_guidance(&fixture, memory, "ask twice").await.unwrap().revision, 3);
    assert_eq!(store.check_ledger().await.unwrap().mismatches, []);
}

async fn an_edit_that_changes_nothing_makes_no_revision(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let before = fixture.memory(memory).await;
    assert_eq!(edit_guidance(&fixture, memory, "").await, Some(before.clone()));
    let unedited = store.update_memory(fixture.id(), memory, MemoryEdit::default(), fixture.now());
    assert_eq!(unedited.await.unwrap(), Some(before));
}

async fn a_disabled_memory_is_still_credited(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    set_status(&fixture, memory, MemoryStatus::Disabled).await;
    set_status(&fixture, memory, MemoryStatus::Disabled).await;
    fixture.queued_run(&[memory], Outcome::Pass).await;
    let disabled = fixture.memory(memory).await;
    assert_eq!((disabled.status, disabled.revision), (MemoryStatus::Disabled, 1));
    assert_eq!(disabled.tally.uses(), 1);
    set_status(&fixture, memory, MemoryStatus::Active).await;
    assert_eq!(fixture.memory(memory).await.status, MemoryStatus::Active);
    assert_eq!(store.check_ledger().await.unwrap().mismatches, []);
}

async fn editing_what_is_not_there_changes_nothing(store: &Store) {
    let fixture = Fixture::new(store).await;
    let other = Fixture::in_project(store, "other").await;
    let memory = fixture.seed_memory().await;
    let before = fixture.memory(memory).await;
    assert_eq!(edit_guidance(&fixture, fixture.memory_id(), "x").await, None);
    assert_eq!(edit_guidance(&other, memory, "x").await, None);
    assert_eq!(fixture.memory(memory).await, before);
    store.delete_memory(fixture.id(), memory, fixture.now()).await.unwrap();
    assert_eq!(edit_guidance(&fixture, memory, "x").await, None);
}

async fn a_deleted_memory_is_gone_and_its_ledger_stays(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (trace_id, memory) = fixture.taught_run(&[], Outcome::Pass).await;
    let run = fixture.queued_run(&[memory], Outcome::Pass).await;
    assert!(store.delete_memory(fixture.id(), memory, fixture.now()).await.unwrap());
    assert_eq!(fixture.find_memory(memory).await, None);
    assert_eq!(fixture.trace(trace_id).await.created_memory_id, None);
    assert_eq!(store.check_ledger().await.unwrap().credits, 1);

    // What is done afterwards to the run that saw it neither fails nor brings it back.
    let taken_back = store.take_back_review(fixture.id(), run, fixture.now());
    taken_back.await.unwrap();
    fixture.queued_run(&[memory], Outcome::Pass).await;
    assert_eq!(fixture.find_memory(memory).await, None);
    let report = store.check_ledger().await.unwrap();
    assert_eq!((report.credits, report.mismatches.len()), (0, 0));
}

async fn deleting_twice_or_elsewhere_changes_nothing(store: &Store) {
    let fixture = Fixture::new(store).await;
    let other = Fixture::in_project(store, "other").await;
    let memory = fixture.seed_memory().await;
    assert!(!store.delete_memory(other.id(), memory, other.now()).await.unwrap());
    let absent = store.delete_memory(fixture.id(), fixture.memory_id(), fixture.now());
    assert!(!absent.await.unwrap());
    assert!(fixture.find_memory(memory).await.is_some());
    assert!(store.delete_memory(fixture.id(), memory, fixture.now()).await.unwrap());
    let rows = changes(&fixture, "test-2", 0, 10).await;
    assert!(!store.delete_memory(fixture.id(), memory, fixture.now()).await.unwrap());
    assert_eq!(changes(&fixture, "test-2", 0, 10).await, rows);
}

async fn several_memories_are_read_at_once(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (first, second, deleted) =
        (fixture.seed_memory().await, fixture.seed_memory().await, fixture.seed_memory().await);
    store.delete_memory(fixture.id(), deleted, fixture.now()).await.unwrap();
    let wanted = vec![second, deleted, fixture.memory_id(), first];
    let found = stamped(&fixture, &wanted).await;
    assert_eq!(found.iter().map(|stamped| stamped.memory.id).collect::<Vec<_>>(), [second, first]);
}

async fn a_memory_that_a_run_was_shown_comes_in_the_words_it_saw(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory_id = fixture.seed_memory().await;
    let untouched = fixture.seed_memory().await;
    let say = async |words: &'static str| {
        let edit = Box::new(move |_: Lesson| Lesson { summary: words.into(), ..Lesson::default() });
        let lesson = Some((edit as _, WrittenBy::new("editor", "1")));
        store
            .update_memory(fixture.id(), memory_id, MemoryEdit { lesson, ..MemoryEdit::default() }, fixture.now())
            .await
            .unwrap();
    };
    let retrieval = fixture.new_retrieval("refund", &[memory_id, untouched]);
    store.insert_retrieval(fixture.id(), retrieval.clone()).await.unwrap();
    say("second").await;
    let trace_id = fixture.queued_run(&[memory_id, untouched], Outcome::Pass).await;
    let review_id = fixture.trace(trace_id).await.review.unwrap().id;
    say("third").await;

    let shown = async |retrieval_id: Option<RetrievalId>, review_id: ReviewId| {
        let shown_to = ShownTo { memory_ids: vec![memory_id, fixture.memory_id(), untouched], retrieval_id, review_id };
        let shown = store.get_shown_memories(fixture.id(), shown_to).await.unwrap();
        shown.into_iter().map(|memory| (memory.revision, memory.lesson.summary)).collect::<Vec<_>>()
    };
    let first = "look up the order first";
    let with = |revision, words: &str| vec![(revision, words.to_owned()), (1, first.to_owned())];
    assert_eq!(shown(Some(retrieval.id), review_id).await, with(1, first));
    assert_eq!(shown(None, review_id).await, with(2, "second"), "as it was when the run was reviewed");
    assert_eq!(shown(None, fixture.review_id()).await, with(3, "third"));
}

async fn what_all_runs_were_shown_is_found_as_far_as_they_and_it_are_there(store: &Store) {
    let fixture = Fixture::new(store).await;
    let [memory, always, once, deleted] = [
        fixture.seed_memory().await,
        fixture.seed_memory().await,
        fixture.seed_memory().await,
        fixture.seed_memory().await,
    ];
    let mut runs = Vec::new();
    for others in [&[always, once, deleted][..], &[always, deleted], &[deleted, always, fixture.memory_id()]] {
        let shown = [&[memory], others].concat();
        runs.push(fixture.queued_run(&shown, Outcome::Pass).await);
    }
    store.delete_memory(fixture.id(), deleted, fixture.now()).await.unwrap();
    let together = async |memory_id, runs: &[TraceId]| {
        let found = store.get_shown_together(fixture.id(), memory_id, runs.to_vec()).await.unwrap();
        (found.runs, found.memory_ids)
    };
    assert_eq!(together(memory, &runs).await, (3, vec![always]));
    assert_eq!(together(always, &runs).await, (3, vec![memory]));
    assert_eq!(together(once, &runs[..1]).await, (1, vec![memory, always]));
    assert_eq!(together(memory, &[]).await, (0, vec![]));

    // One that saw it alone, and then one that is gone.
    let alone = fixture.queued_run(&[memory], Outcome::Pass).await;
    assert_eq!(together(memory, &[&runs[..], &[alone]].concat()).await, (4, vec![]));
    store.delete_traces(fixture.id(), vec![alone], false, fixture.now()).await.unwrap();
    assert_eq!(together(memory, &[&runs[..], &[alone]].concat()).await, (3, vec![always]));
    let elsewhere = store.get_shown_together("elsewhere".parse().unwrap(), memory, runs);
    assert_eq!(elsewhere.await.unwrap().runs, 0);
}

async fn lessons_that_do_not_say_how_much_they_tell_are_listed_until_it_is_noted(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (trace_id, first) = fixture.taught_run(&[], Outcome::Pass).await;
    let [second, deleted] = [fixture.seed_memory().await, fixture.seed_memory().await];
    store.delete_memory(fixture.id(), deleted, fixture.now()).await.unwrap();
    let untold = async |after, limit| {
        let listed = store.list_untold(fixture.id(), after, limit).await.unwrap();
        listed.into_iter().map(|untold| untold.memory_id).collect::<Vec<_>>()
    };
    assert_eq!(untold(None, 10).await, [first, second]);
    assert_eq!(untold(None, 1).await, [first]);
    assert_eq!(untold(Some(first), 1).await, [second]);
    let listed = store.list_untold(fixture.id(), None, 1).await.unwrap().remove(0);
    assert_eq!((listed.trace_id, listed.written_by), (trace_id, WrittenBy::new("builtin", "1")));

    let before = fixture.memory(first).await;
    let seen = changes(&fixture, "test-2", 0, 10).await.last().unwrap().changed;
    let told = vec![(first, Tells::Nothing), (deleted, Tells::Example), (fixture.memory_id(), Tells::Example)];
    assert_eq!(store.set_tells(fixture.id(), told).await.unwrap(), 1);
    let lesson = Lesson { tells: Some(Tells::Nothing), ..before.lesson.clone() };
    assert_eq!(fixture.memory(first).await, Memory { lesson, ..before });
    let news = changes(&fixture, "test-2", seen, 10).await;
    assert_eq!(news.iter().map(|row| row.memory_id).collect::<Vec<_>>(), [first], "indexes learn of it");

    // What is said already stands.
    assert_eq!(store.set_tells(fixture.id(), vec![(first, Tells::Answer)]).await.unwrap(), 0);
    assert_eq!(untold(None, 10).await, [second]);
    assert_eq!(store.list_untold("elsewhere".parse().unwrap(), None, 10).await.unwrap(), []);
}
