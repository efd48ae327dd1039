//! A project that does not fit in memory, searched in the database, beside the same project in memory.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use reflect_core::{EmbedderId, Match, Project, ProjectId, ProjectSettings, SearchBy, worth::LearningRule};
use reflect_embed::{EmbedError, Embedder};
use reflect_engine::{
    Approximation, Asker, AuditLog, Caller, Embedders, Engine, EngineSettings, MasterKey, ModelParts, Parts, Query,
    Retrieved,
};
use reflect_store::{CopySource, CopyTarget, DataFolder, Store};
use reflect_system::{SystemClock, SystemEntropy};
use reflection::BuiltinReflector;
use serde_json::json;

use super::Database;
use crate::{
    filled_database,
    retrieval::{Data, LIMIT, QUERIES, Times},
    say,
};

const PROJECT: &str = "bench";

/// A filter that passes a tenth of the memories.
const TENTH: (&str, i32) = ("team", 3);

pub(crate) fn run(words: &[&str]) -> anyhow::Result<()> {
    let sizes: Vec<usize> = match words {
        [] => vec![20_000, 100_000],
        ["--sizes", sizes] => sizes.split(',').map(str::parse).collect::<Result<_, _>>()?,
        other => anyhow::bail!("`{}` is no option of this benchmark", other.join(" ")),
    };
    let database = Database::named()?;
    std::fs::create_dir_all("target")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    say(format_args!("384 dimensions in clusters, λ 0.5, limit {LIMIT}, one query at a time; {}", database.version()?));
    for size in sizes {
        let url = database.schema(&format!("bench_retrieval_{size}"))?;
        runtime.block_on(compare(size, &url))?;
    }
    Ok(())
}

/// The same queries in memory and in the database.
async fn compare(size: usize, url: &str) -> anyhow::Result<()> {
    let data = Arc::new(Data::make(size));
    store(&data, url).await?;
    let (in_memory, outgrown) = (engine(&data, url, 4 << 30).await?, engine(&data, url, 1).await?);
    let began = Instant::now();
    Asking::default().ask(&outgrown, 0).await?;
    while outgrown.step_search_tables().await? {}
    let tables = outgrown.look_for_search_tables().await?;
    let has_graph = tables.first().is_some_and(|tables| tables.has_graph);
    say(format_args!(
        "\n{size} memories; tables for searches filled in {:.0} s, {} a graph",
        began.elapsed().as_secs_f64(),
        if has_graph { "with" } else { "without" }
    ));
    say(format_args!("{:<34} {:>9} {:>10} {:>10} {:>10}  certain", "", "recall@10", "memory p50", "p50", "p99"));
    for asking in Asking::all() {
        asking.compare(&in_memory, &outgrown).await?;
    }
    Ok(())
}

/// Puts the memories into the database, by way of a data folder.
async fn store(data: &Data, url: &str) -> anyhow::Result<()> {
    let folder = tempfile::Builder::new().prefix("bench-").tempdir_in("target")?;
    let path = DataFolder::database_in(folder.path());
    let project = Project {
        id: PROJECT.parse()?,
        incarnation: uuid::Uuid::from_u128(1),
        settings: ProjectSettings::default(),
        embedder: embedder_id(),
        embedder_switch: None,
        created_at: reflect_core::Timestamp::from_micros(1),
    };
    Store::open(&path)?.get_or_insert_project(project).await?;
    fill(data, &path)?;
    CopyTarget::connect(url).await?.copy_from(&CopySource::open(&path)?, |_| {}).await?;
    Ok(())
}

fn fill(data: &Data, path: &Path) -> anyhow::Result<()> {
    let memories = (0..data.len()).map(|number| filled_database::Filled {
        task: data.vector(number).to_vec(),
        lesson: data.lesson(number).to_vec(),
        utility: data.utilities.get(number).copied().unwrap_or(0.5),
    });
    filled_database::fill(path, (PROJECT, embedder_id().as_str()), memories)
}

async fn engine(data: &Arc<Data>, url: &str, index_memory: usize) -> anyhow::Result<Arc<Engine>> {
    Ok(Engine::new(Parts {
        store: Store::connect(url).await?,
        embedders: Embedders::new("bench", Arc::new(Numbered(Arc::clone(data)))),
        reflector: Arc::new(BuiltinReflector),
        models: ModelParts::default(),
        clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy),
        master_key: MasterKey::new("a master key for a benchmark"),
        bootstrap_token: None,
        audit: AuditLog::default(),
        settings: EngineSettings { index_memory, learning: LearningRule::Constant, ..EngineSettings::default() },
    }))
}

fn embedder_id() -> EmbedderId {
    EmbedderId("bench-384".into())
}

/// Knows the vectors of tasks by their numbers.
struct Numbered(Arc<Data>);

#[async_trait]
impl Embedder for Numbered {
    fn id(&self) -> EmbedderId {
        embedder_id()
    }

    fn default_floor(&self) -> Option<f64> {
        None
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| self.0.query(text.parse().unwrap_or_default()).to_vec()).collect())
    }
}

/// A way to ask.
#[derive(Debug, Clone, Copy, Default)]
struct Asking {
    matching: Match,
    floor: Option<f64>,
    is_filtered: bool,
}

impl Asking {
    fn all() -> impl Iterator<Item = Self> {
        let floors = [(Match::Task, None), (Match::Task, Some(0.3)), (Match::Both, None), (Match::Both, Some(0.3))];
        let plain = floors.into_iter().map(|(matching, floor)| Self { matching, floor, is_filtered: false });
        plain.chain([Self { matching: Match::Both, floor: Some(0.3), is_filtered: true }])
    }

    async fn compare(self, in_memory: &Engine, outgrown: &Engine) -> anyhow::Result<()> {
        let (mut memory_times, mut times) = (Vec::new(), Vec::new());
        let (mut found, mut wanted, mut certain, mut unfinished) = (0_u32, 0_u32, 0_u32, 0_u32);
        for number in 0..QUERIES / 2 {
            let (exact, took) = self.ask(in_memory, number).await?;
            memory_times.push(took.as_secs_f64() * 1e3);
            let (answer, took) = self.ask(outgrown, number).await?;
            times.push(took.as_secs_f64() * 1e3);
            let has = |id| answer.memories.iter().any(|ranked| ranked.memory.id == id);
            found += exact.memories.iter().map(|ranked| u32::from(has(ranked.memory.id))).sum::<u32>();
            wanted += u32::try_from(exact.memories.len())?;
            certain += u32::from(answer.approximate.is_none());
            unfinished += u32::from(answer.approximate == Some(Approximation::Unfinished));
        }
        let [memory_times, times] = [memory_times, times].map(|round| {
            let mut times = Times::default();
            times.add(round);
            times
        });
        say(format_args!(
            "{:<34} {:>9.4} {:>7.2} ms {:>7.1} ms {:>7.1} ms  {certain} exact, {unfinished} unfinished of {}",
            self.name(),
            f64::from(found) / f64::from(wanted.max(1)),
            memory_times.p50()?,
            times.p50()?,
            times.p99()?,
            QUERIES / 2
        ));
        Ok(())
    }

    async fn ask(self, engine: &Engine, number: usize) -> anyhow::Result<(Retrieved, Duration)> {
        let (caller, project_id): (Caller, ProjectId) = (Caller::master(), PROJECT.parse()?);
        let (key, value) = TENTH;
        let filter = self.is_filtered.then(|| json!({key: value}).as_object().cloned()).flatten();
        let query = Query {
            matching: Some(self.matching),
            similarity_threshold: self.floor,
            metadata_filter: filter,
            ..Query::new(SearchBy::Task(number.to_string()), LIMIT)
        };
        let began = Instant::now();
        let retrieved = engine.query(Asker { caller: &caller, project_id: &project_id }, query).await?;
        Ok((retrieved, began.elapsed()))
    }

    fn name(self) -> String {
        let floor = self.floor.map_or_else(|| "no floor".to_owned(), |floor| format!("floor {floor}"));
        let filter = if self.is_filtered { ", a tenth passes" } else { "" };
        format!("match {}, {floor}{filter}", self.matching.as_str())
    }
}
