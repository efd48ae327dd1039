//! A map of a project's memories: each a point on a plane, near those about similar tasks.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use reflect_core::{EmbedderId, MemoryId, Project, ProjectId, Scope, Timestamp, project_to_plane, worth::LearningRule};
use reflect_store::{MapPage, MapRow};
use uuid::Uuid;

use crate::{Asker, Engine, EngineResult};

/// How many memories a map has at most: the newest. More cannot be told apart on a screen.
const MOST_POINTS: usize = 20_000;

/// How many are read at a time, so that other readers get their turn.
const PAGE: usize = 1_000;

/// How many maps are kept.
const MOST_MAPS: usize = 4;

/// A map.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryMap {
    /// The memories on it, newest first.
    pub points: Vec<MapPoint>,
    /// How many memories queries may answer with. There may be more than points.
    pub total: u64,
    /// When it was made.
    pub made_at: Timestamp,
}

/// A memory on a map.
#[derive(Debug, Clone, PartialEq)]
pub struct MapPoint {
    /// The memory.
    pub memory_id: MemoryId,
    /// Its task, cut.
    pub task: String,
    /// How well it has served.
    pub utility: f64,
    /// How many reviewed runs saw it.
    pub uses: u32,
    /// Where it stands, from −1 to 1.
    pub x: f64,
    /// Where it stands, from −1 to 1.
    pub y: f64,
}

/// The maps that were asked for lately.
#[derive(Default)]
pub(crate) struct MemoryMaps {
    kept: Mutex<HashMap<ProjectId, Kept>>,
    /// Held by the one who makes a map: the others wait, rather than taking a core each.
    making: tokio::sync::Mutex<()>,
}

struct Kept {
    version: Version,
    map: Arc<MemoryMap>,
}

/// What a map shows: a project in one of its lives, by one embedder, as of one change.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Version {
    incarnation: Uuid,
    embedder: EmbedderId,
    rule: LearningRule,
    changed: i64,
}

impl MemoryMaps {
    fn get(&self, project_id: &ProjectId, version: &Version) -> Option<Arc<MemoryMap>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(project_id).filter(|kept| kept.version == *version).map(|kept| Arc::clone(&kept.map))
    }

    fn put(&self, project_id: &ProjectId, version: Version, map: Arc<MemoryMap>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST_MAPS && !kept.contains_key(project_id) {
            let oldest = kept.iter().min_by_key(|(_, kept)| kept.map.made_at).map(|(project_id, _)| project_id.clone());
            oldest.and_then(|oldest| kept.remove(&oldest));
        }
        kept.insert(project_id.clone(), Kept { version, map });
    }
}

impl Engine {
    /// The map of a project's memories. It is made anew when any of them has changed, and on a thread that answers nobody.
    pub async fn memory_map(&self, asker: Asker<'_>) -> EngineResult<Arc<MemoryMap>> {
        self.admit(asker, Scope::MemoryRead)?;
        let project_id = asker.project_id;
        let project = self.open_project(asker).await?;
        let rule = self.learning_rule(&project);
        let version =
            |changed| Version { incarnation: project.incarnation, embedder: project.embedder.clone(), rule, changed };
        let (changed, _) = self.store.count_changes(project_id.clone()).await?;
        if let Some(map) = self.memory_maps.get(project_id, &version(changed)) {
            return Ok(map);
        }
        let _making = self.memory_maps.making.lock().await;
        // What changes after this look is seen by the next one who asks.
        let (changed, total) = self.store.count_changes(project_id.clone()).await?;
        if let Some(map) = self.memory_maps.get(project_id, &version(changed)) {
            return Ok(map);
        }
        let rows = self.map_rows(&project).await?;
        let points = tokio::task::spawn_blocking(move || points(rows)).await?;
        let map = Arc::new(MemoryMap { points, total, made_at: self.now() });
        self.memory_maps.put(project_id, version(changed), Arc::clone(&map));
        Ok(map)
    }

    async fn map_rows(&self, project: &Project) -> EngineResult<Vec<MapRow>> {
        let (embedder, rule) = (project.embedder.as_str(), self.learning_rule(project));
        let mut rows: Vec<MapRow> = Vec::new();
        while rows.len() < MOST_POINTS {
            let limit = PAGE.min(MOST_POINTS - rows.len());
            let before = rows.last().map(|row| row.memory_id);
            let page = MapPage { embedder: embedder.to_owned(), rule, before, limit };
            let page = self.store.list_map_rows(project.id.clone(), page).await?;
            let is_last = page.len() < limit;
            rows.extend(page);
            if is_last {
                break;
            }
        }
        Ok(rows)
    }
}

fn points(mut rows: Vec<MapRow>) -> Vec<MapPoint> {
    let vectors: Vec<Vec<f32>> = rows.iter_mut().map(|row| std::mem::take(&mut row.vector)).collect();
    let places = project_to_plane(&vectors);
    let point = |(row, [x, y]): (MapRow, [f64; 2])| MapPoint {
        memory_id: row.memory_id,
        task: row.task,
        utility: row.utility,
        uses: row.uses,
        x,
        y,
    };
    rows.into_iter().zip(places).map(point).collect()
}
