//! Whether other settings give the same answer, held against searches with those settings.

use std::collections::BTreeSet;

use reflect_core::{MemoryId, QuerySettings, worth::SlateDraw};

use crate::{
    ByWorth, Layout, Search,
    tests::{Project, always_by_worth, filled, scattered, settings},
};

fn shown(project: &Project, search: &Search) -> BTreeSet<MemoryId> {
    project.index.search(search, 1).hits.iter().map(|hit| hit.memory_id).collect()
}

/// What the same search shows with that memory on trial, or with none.
fn tried(project: &Project, search: &Search, first: Option<u32>) -> BTreeSet<MemoryId> {
    let draw = |by_worth: ByWorth| ByWorth {
        draw: SlateDraw {
            whether: first.map_or(0.999, |_| 0.0),
            who: f64::from(first.unwrap_or(0)) / 20.0 + 0.01,
            coins: 0,
        },
        ..by_worth
    };
    shown(project, &Search { by_worth: search.by_worth.map(draw), ..search.clone() })
}

#[test]
fn an_agreement_is_how_often_other_settings_show_the_same() {
    let project = filled(Layout::default(), 400, scattered);
    let other =
        |lambda, limit, similarity_threshold| QuerySettings { lambda, limit, similarity_threshold, ..settings() };
    let also =
        vec![settings(), other(0.45, 10, None), other(0.9, 10, None), other(0.5, 3, None), other(0.5, 10, Some(0.05))];
    for (by_worth, share) in [(None, 0.0), (always_by_worth(0.0), 0.0), (always_by_worth(0.4), 0.4)] {
        for task in [5, 77, 9_999] {
            let search = Search { by_worth, also: also.clone(), ..Search::new(scattered(task), settings()) };
            let found = project.index.search(&search, 2);
            let answer: BTreeSet<MemoryId> = found.hits.iter().map(|hit| hit.memory_id).collect();
            assert_eq!(found.agreements.len(), also.len());
            for (settings, agreement) in also.iter().zip(&found.agreements) {
                let search = Search { by_worth, ..Search::new(scattered(task), settings.clone()) };
                let same = tried(&project, &search, None) == answer;
                let trials = (0..20).filter(|first| tried(&project, &search, Some(*first)) == answer).count();
                let chance = (1.0 - share) * f64::from(u8::from(same)) + share * trials as f64 / 20.0;
                assert!((agreement.chance - chance).abs() < 1e-9, "{settings:?}: {agreement:?}, not {chance}");
            }
        }
    }
}

#[test]
fn where_nothing_can_be_compared_all_settings_agree() {
    let project = filled(Layout::default(), 3, scattered);
    let search = Search { also: vec![settings(), settings()], ..Search::new(vec![1.0; 5], settings()) };
    let found = project.index.search(&search, 1);
    assert!(found.hits.is_empty() && found.agreements.iter().all(|agreement| agreement.chance == 1.0));
    assert_eq!(found.agreements.len(), 2);
}
