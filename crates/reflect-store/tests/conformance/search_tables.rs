//! Tables in which a project is searched that does not fit in memory. SQLite has none.

use reflect_core::{EmbedderId, ListWish, ListedEntry, ListedRow, Match, MemoryId, SearchList, worth::LearningRule};
use reflect_store::{SearchState, SearchTables, Store};
use uuid::Uuid;

use crate::support::{Fixture, TempStore};

fn memory_id(number: u128) -> MemoryId {
    MemoryId::from_uuid(Uuid::from_u128(number))
}

/// A memory whose task is near to the first axis by its number, its lesson to the second, and its utility falls with the number.
fn listed(number: u8) -> ListedRow {
    let near = f32::from(number) / 10.0;
    let away = (1.0 - near * near).sqrt();
    let entry = ListedEntry {
        task: vec![near, 0.0, away],
        lesson: vec![0.0, near, away],
        terms: vec![u128::from(number % 2), 7],
        average: 1.0 - f64::from(near),
        worth: 3.0 - f64::from(near),
    };
    ListedRow { memory_id: memory_id(number.into()), entry: Some(entry) }
}

fn wish() -> ListWish {
    let (vector, matching, rule) = (vec![1.0, 0.0, 0.0], Match::Both, LearningRule::Constant);
    ListWish { vector, matching, rule, terms: Vec::new(), depth: 3 }
}

async fn only_tables(store: &Store) -> SearchTables {
    let [tables] = store.list_search_tables().await.unwrap().try_into().unwrap();
    tables
}

fn ids(list: &SearchList) -> Vec<u128> {
    list.entries.iter().map(|(memory_id, _)| memory_id.as_uuid().as_u128()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_have_their_order_and_follow_changes() {
    let temp = TempStore::open().await;
    let (store, fixture) = (&temp.store, Fixture::new(&temp.store).await);
    let embedder = EmbedderId("of-three".into());
    let make = || store.insert_search_tables(fixture.id(), embedder.clone(), 3);
    if !make().await.unwrap() {
        assert_eq!(store.list_search_tables().await.unwrap(), []);
        return;
    }
    assert!(make().await.unwrap(), "there are some already");
    let empty = only_tables(store).await;
    assert_eq!((empty.state, empty.filled_to, empty.dimension), (SearchState::Filling, 0, 3));
    let rows: Vec<ListedRow> = (1..=5).map(listed).collect();
    assert!(store.fill_search_tables(empty.clone(), rows, 5).await.unwrap());
    assert!(!store.fill_search_tables(empty, vec![listed(9)], 9).await.unwrap(), "somebody else was faster");
    for has_graph in [false, true] {
        let tables = only_tables(store).await;
        assert_eq!(store.make_search_graph(tables.clone(), if has_graph { 4 } else { 5 }).await.unwrap(), has_graph);
        store.finish_search_tables(tables, 2).await.unwrap();
        let tables = only_tables(store).await;
        assert_eq!((tables.state, tables.has_graph, tables.memories), (SearchState::Ready, has_graph, 5));
        let lists = store.read_search_lists(&tables, wish()).await.unwrap().unwrap();
        let (by_task, by_lesson) = (lists.by_task.unwrap(), lists.by_lesson.unwrap());
        assert_eq!((ids(&by_task), ids(&lists.by_utility)), (vec![5, 4, 3], vec![1, 2, 3]));
        assert!((by_task.last() - 0.3).abs() < 0.001 && (lists.by_utility.last() - 0.7).abs() < 1e-6);
        assert_eq!((by_lesson.entries.len(), lists.by_graph), (3, has_graph));
        assert!(!by_task.is_whole && !lists.by_utility.is_whole);
    }
    let tables = only_tables(store).await;
    let of_tasks = ListWish { matching: Match::Task, rule: LearningRule::Worth, terms: vec![1, 7], depth: 4, ..wish() };
    let lists = store.read_search_lists(&tables, of_tasks).await.unwrap().unwrap();
    assert_eq!((ids(&lists.by_task.unwrap()), ids(&lists.by_utility)), (vec![5, 3, 1], vec![1, 3, 5]));
    assert!(lists.by_utility.is_whole && lists.by_lesson.is_none());
    let moved = ListedRow { memory_id: memory_id(1), ..listed(9) };
    let deleted = ListedRow { memory_id: memory_id(5), entry: None };
    assert!(store.fill_search_tables(tables.clone(), vec![moved, deleted], 7).await.unwrap());
    let lists = store.read_search_lists(&tables, wish()).await.unwrap().unwrap();
    assert_eq!((ids(&lists.by_task.unwrap()), ids(&lists.by_utility)), (vec![1, 4, 3], vec![2, 3, 4]));
    store.delete_search_tables(tables.clone()).await.unwrap();
    assert_eq!(store.read_search_lists(&tables, wish()).await.unwrap(), None);
    assert_eq!(store.list_search_tables().await.unwrap(), []);
}
