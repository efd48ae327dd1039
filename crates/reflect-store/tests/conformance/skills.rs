//! Skills: the newest version counts, and none is written twice.

use reflect_core::{MemoryId, MemoryStatus, Outcome, worth::Viewpoint};
use reflect_store::{MemoryEdit, Once, SkillCandidates, SkillWish, Store, TraceInsert};

use crate::support::{Fixture, conformance};

conformance! {
    the_newest_version_is_the_skill,
    a_version_is_written_once,
    a_project_has_its_own_skill,
    every_version_can_be_read_again,
    a_request_for_a_version_is_known_again,
    a_skill_may_stand_on_the_most_useful_of_either_outcome,
    no_more_than_a_few_megabytes_are_read_for_a_skill,
}

async fn the_newest_version_is_the_skill(store: &Store) {
    let fixture = Fixture::new(store).await;
    assert_eq!(store.get_skill(fixture.id()).await.unwrap(), None);
    let (second, first) = (fixture.new_skill(2), fixture.new_skill(1));
    for skill in [&second, &first] {
        assert!(store.insert_skill(fixture.id(), skill.clone(), None).await.unwrap().is_some());
    }
    assert_eq!(store.get_skill(fixture.id()).await.unwrap(), Some(second));
}

async fn a_version_is_written_once(store: &Store) {
    let fixture = Fixture::new(store).await;
    let skill = fixture.new_skill(1);
    assert!(store.insert_skill(fixture.id(), skill.clone(), None).await.unwrap().is_some());
    let mut other = fixture.new_skill(1);
    other.content = "something else".into();
    assert!(store.insert_skill(fixture.id(), other, None).await.unwrap().is_none());
    assert_eq!(store.get_skill(fixture.id()).await.unwrap(), Some(skill));
}

async fn a_project_has_its_own_skill(store: &Store) {
    let fixture = Fixture::new(store).await;
    let other = Fixture::in_project(store, "other").await;
    assert!(store.insert_skill(fixture.id(), fixture.new_skill(1), None).await.unwrap().is_some());
    assert_eq!(store.get_skill(other.id()).await.unwrap(), None);
    assert!(store.insert_skill(other.id(), other.new_skill(1), None).await.unwrap().is_some());
}

async fn every_version_can_be_read_again(store: &Store) {
    let fixture = Fixture::new(store).await;
    assert_eq!(store.list_skills(fixture.id(), None, 10).await.unwrap(), []);
    let skills: Vec<_> = (1..=3).map(|version| fixture.new_skill(version)).collect();
    for skill in &skills {
        assert!(store.insert_skill(fixture.id(), skill.clone(), None).await.unwrap().is_some());
    }
    let newest = store.list_skills(fixture.id(), None, 2).await.unwrap();
    assert_eq!(newest, [skills[2].clone(), skills[1].clone()]);
    assert_eq!(store.list_skills(fixture.id(), Some(2), 10).await.unwrap(), [skills[0].clone()]);
    assert_eq!(store.get_skill_version(fixture.id(), 2).await.unwrap(), Some(skills[1].clone()));
    assert_eq!(store.get_skill_version(fixture.id(), 4).await.unwrap(), None);
}

async fn a_request_for_a_version_is_known_again(store: &Store) {
    let fixture = Fixture::new(store).await;
    let key = |body| fixture.idempotency("k1", body);
    let find = async |body| store.find_skill_of_request(fixture.id(), key(body).unwrap()).await.unwrap();
    assert_eq!(find(7).await, None);
    let insert =
        async |version, body| store.insert_skill(fixture.id(), fixture.new_skill(version), key(body)).await.unwrap();
    assert_eq!(insert(1, 7).await, Some(Once::First(1)));
    assert_eq!(find(7).await, Some(Once::Again(1)));
    assert_eq!(insert(2, 7).await, Some(Once::Again(1)));
    assert_eq!((find(8).await, insert(2, 8).await), (Some(Once::KeyReused), Some(Once::KeyReused)));
    assert_eq!(store.get_skill_version(fixture.id(), 2).await.unwrap(), None);
    let refused = store.insert_skill(fixture.id(), fixture.new_skill(1), fixture.idempotency("k2", 7)).await.unwrap();
    assert_eq!(refused, None, "that version is there");
    let again = store.insert_skill(fixture.id(), fixture.new_skill(2), fixture.idempotency("k2", 7)).await.unwrap();
    assert_eq!(again, Some(Once::First(2)), "what did nothing is not remembered");
}

async fn a_skill_may_stand_on_the_most_useful_of_either_outcome(store: &Store) {
    let fixture = Fixture::new(store).await;
    let mut passed = Vec::new();
    for _ in 0..3 {
        passed.push(fixture.taught_run(&[], Outcome::Pass).await.1);
    }
    let failed = fixture.taught_run(&[], Outcome::Fail).await.1;
    let hidden = fixture.taught_run(&[], Outcome::Fail).await.1;
    let hide = MemoryEdit { status: Some(MemoryStatus::Disabled), ..MemoryEdit::default() };
    store.update_memory(fixture.id(), hidden, hide, fixture.now()).await.unwrap();
    // The second has served best; this run's own memory is the newest.
    let newest = fixture.taught_run(&[passed[1]], Outcome::Pass).await.1;

    let candidates = async |kept: Vec<MemoryId>, each| {
        let wish = SkillWish { embedder: "test-2".into(), viewpoint: Viewpoint::default(), kept, each };
        store.list_skill_candidates(fixture.id(), wish).await.unwrap()
    };
    let SkillCandidates { found, best } = candidates(vec![hidden, passed[0], failed], 2).await;
    let ids: Vec<MemoryId> = best.iter().map(|(memory, _)| memory.id).collect();
    assert_eq!(found, 5, "what is hidden does not count");
    assert_eq!(ids, [passed[1], newest, failed, passed[0]]);
    assert!(best.iter().all(|(_, vector)| *vector == [0.6, -0.8]));
    let wish = SkillWish { embedder: "other".into(), viewpoint: Viewpoint::default(), kept: Vec::new(), each: 1 };
    let other = store.list_skill_candidates(fixture.id(), wish).await.unwrap();
    assert!(other.best.iter().all(|(_, vector)| vector.is_empty()));
}

async fn no_more_than_a_few_megabytes_are_read_for_a_skill(store: &Store) {
    let fixture = Fixture::new(store).await;
    for outcome in [Outcome::Pass, Outcome::Fail] {
        for _ in 0..4 {
            let lesson = fixture.new_lesson(&"long ".repeat(300_000));
            let insert = TraceInsert { lesson: Some(lesson), ..fixture.new_reviewed_trace(&[], outcome) };
            store.insert_trace(fixture.id(), insert).await.unwrap().unwrap();
        }
    }
    let wish = SkillWish { embedder: "test-2".into(), viewpoint: Viewpoint::default(), kept: Vec::new(), each: 200 };
    let SkillCandidates { found, best } = store.list_skill_candidates(fixture.id(), wish).await.unwrap();
    let passed = best.iter().filter(|(memory, _)| memory.success == Some(true)).count();
    assert_eq!((found, passed, best.len()), (8, 3, 6));
}
