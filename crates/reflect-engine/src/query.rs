//! Query: the lessons for a task, or for what a conversation comes down to.

use std::{sync::Arc, time::Instant};

use reflect_core::{
    EmbedderId, Match, Memory, MemoryId, Project, QuerySettings, Retrieval, RetrievalId, SameWords, Scope, SearchBy,
    ShownMemory, Slate,
    lift::{Assignment, Draw},
    logged_task,
    what_if::MixedAnswer,
    worth::{LearningRule, SittingOut, SlateDraw, TrialSlot, Viewpoint},
};
use reflect_index::{ByWorth, Hit, Search};
use reflect_store::StampedMemory;
use serde_json::{Map, Value};

use crate::{
    Approximation, Asker, DistilledIntent, Engine, EngineResult, NothingFound, SwitchProgress,
    embedding::EmbeddedTask,
    mixing::Mix,
    searching::{Searchable, Searched},
    words::in_order,
};

/// How often a query is ranked before it is answered although a memory keeps changing under it.
const TRIES: usize = 3;

/// An answer ends before its limit once its memories have this many bytes: one may have megabytes, and there may be a thousand.
const ENOUGH_BYTES: usize = 16 << 20;

/// What is asked. What is `None` follows the project, then the server.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The task at hand, or a conversation to distil it from.
    pub search_by: SearchBy,
    /// How many memories at most.
    pub limit: usize,
    /// The weight of utility.
    pub lambda: Option<f64>,
    /// The weight of score against diversity.
    pub mmr_lambda: Option<f64>,
    /// What of a memory the task is compared with.
    pub matching: Option<Match>,
    /// The floor on similarity.
    pub similarity_threshold: Option<f64>,
    /// How often the most doubtful memory sits out.
    pub sitting_out: Option<f64>,
    /// What the metadata of a memory's trace must hold.
    pub metadata_filter: Option<Map<String, Value>>,
    /// Whether each memory's rank by similarity alone is asked for, which takes a second look at all of them.
    pub explain: bool,
    /// Names the request, if it may be sent again: then the same chance decides.
    pub idempotency_key: Option<String>,
}

impl Query {
    /// Everything else as the project has it.
    pub const fn new(search_by: SearchBy, limit: usize) -> Self {
        Self {
            search_by,
            limit,
            lambda: None,
            mmr_lambda: None,
            matching: None,
            similarity_threshold: None,
            sitting_out: None,
            metadata_filter: None,
            explain: false,
            idempotency_key: None,
        }
    }
}

/// What a query retrieved.
#[derive(Debug, Clone, Default)]
pub struct Retrieved {
    /// Names the answer, so that a run can say what it was shown; none where there was nothing to search by.
    pub retrieval_id: Option<RetrievalId>,
    /// What was searched for, if that was distilled from a conversation.
    pub intent: Option<DistilledIntent>,
    /// The floor on similarity that applied, if there was one.
    pub similarity_threshold: Option<f64>,
    /// The memories, best first.
    pub memories: Vec<RankedMemory>,
    /// The share of tasks that do without memories, if this is one of them.
    pub held_out: Option<f64>,
    /// How much was searched, if it was not everything: the project's embedder cannot run, and the one that it is on the
    /// way to does not know all memories yet.
    pub partial: Option<SwitchProgress>,
    /// Why a better memory may be missing, if one may: the project does not fit in memory, and was searched in the database.
    pub approximate: Option<Approximation>,
    /// Why there are no memories, where none were found.
    pub nothing_found: Option<NothingFound>,
}

/// A memory with the figures that it was ranked by. Those, its utility among them, may be a moment older than its words.
#[derive(Debug, Clone)]
pub struct RankedMemory {
    /// What it says.
    pub memory: Memory,
    /// What it was ranked by.
    pub hit: Hit,
}

/// What a search found, and with which settings.
struct Found {
    project: Arc<Project>,
    settings: QuerySettings,
    memories: Vec<RankedMemory>,
    sat_out: Vec<MemoryId>,
    slate: Option<Slate>,
    mixed: Option<MixedAnswer>,
    partial: Option<SwitchProgress>,
    approximate: Option<Approximation>,
    nothing_found: Option<NothingFound>,
}

impl Engine {
    /// The memories that serve a task best, or what a conversation comes down to; one without words finds nothing. Logs what
    /// was shown, without keeping the caller waiting for it.
    pub async fn query(&self, asker: Asker<'_>, query: Query) -> EngineResult<Retrieved> {
        self.admit(asker, Scope::MemoryRead)?;
        match &query.search_by {
            SearchBy::Task(task) => self.retrieve(asker, task, &query).await,
            SearchBy::Conversation(messages) => {
                let intent = self.distil(asker, messages).await?;
                let retrieved = match intent.text.as_str() {
                    "" => Retrieved::default(),
                    task => self.retrieve(asker, task, &query).await?,
                };
                Ok(Retrieved { intent: Some(intent), ..retrieved })
            }
        }
    }

    async fn retrieve(&self, asker: Asker<'_>, task: &str, query: &Query) -> EngineResult<Retrieved> {
        let mut found = self.find(asker, task, query).await?;
        let draw = self.draw(asker, task, query, &found);
        let held_out = draw.filter(|draw| draw.held_out).map(|draw| draw.share);
        if held_out.is_some() {
            found.memories.clear();
            found.sat_out.clear();
            found.mixed = None;
        }
        let Found { settings, memories, sat_out, slate, mixed, partial, approximate, nothing_found, .. } = found;
        let similarity_threshold = settings.similarity_threshold;
        let now = self.now();
        let retrieval = Retrieval {
            id: RetrievalId::mint(now, &*self.entropy),
            key_id: asker.caller.key_id,
            task: logged_task(task).into_owned(),
            shown: (1..).zip(&memories).map(|(rank, ranked)| ranked.shown(rank)).collect(),
            sat_out,
            settings,
            draw,
            mixed,
            slate,
            created_at: now,
        };
        let retrieval_id = Some(retrieval.id);
        let bytes = self.store.insert_retrieval(asker.project_id.clone(), retrieval).await?;
        self.coordination.retrieval_logs.add(asker.project_id, bytes);
        let intent = None;
        Ok(Retrieved {
            retrieval_id,
            intent,
            similarity_threshold,
            memories,
            held_out,
            partial,
            approximate,
            nothing_found,
        })
    }

    /// The arm that a run is drawn for. Those who only look are not drawn, nor are runs that there is nothing to show to: they are the same in
    /// both arms. Where configurations are mixed, that is nothing under any of them, so that the arm does not depend on which one was drawn.
    fn draw(&self, asker: Asker<'_>, task: &str, query: &Query, found: &Found) -> Option<Draw> {
        let has_nothing_to_show = found.memories.is_empty() && found.mixed.is_none();
        if only_looks(asker, query) || has_nothing_to_show {
            return None;
        }
        let (salt, _) = found.project.incarnation.as_u64_pair();
        Assignment { salt, task, day: self.now().day(), share: self.holdout_of(&found.project) }.draw()
    }

    /// The best memories with their words. The index ranks, the database has the words; a memory that changed between the two
    /// is ranked again, so that its words, its utility and its rank are of one moment.
    async fn find(&self, asker: Asker<'_>, task: &str, query: &Query) -> EngineResult<Found> {
        let mut tries_left = TRIES;
        // A query that is ranked again keeps what it drew.
        let drawn = (!only_looks(asker, query)).then(|| SlateDraw::from_entropy(&*self.entropy));
        loop {
            let Searchable { project, task: embedded, place } = self.open_index(asker, task).await?;
            let EmbeddedTask { embedder, vector, is_partial } = embedded;
            let draw = drawn.map(|drawn| again(drawn, asker, &project, query));
            let asked = self.query_settings(&project, &embedder, query);
            let mix = draw.and_then(|_| self.mix(&project, task, &asked));
            let search = Search {
                task: vector,
                settings: mix.as_ref().map_or(asked, Mix::drawn),
                explain: query.explain,
                empty_lessons: project.settings.empty_lessons.unwrap_or_default(),
                task_words: SameWords::of(task),
                by_worth: self.by_worth(&project, draw, query.sitting_out),
                also: mix.as_ref().map(Mix::all).unwrap_or_default(),
            };
            let Some(Searched { search, found, approximate }) = self.search(place.clone(), search).await? else {
                self.outgrown.forget(asker.project_id);
                continue;
            };
            let (found_count, mut hits, sat_out, slate) = (found.hits.len(), found.hits, found.sat_out, found.slate);
            let (memories, looked_at) = self.read_words(&project, &hits).await?;
            hits.truncate(looked_at);
            tries_left -= 1;
            if unchanged(&hits, &memories) || tries_left == 0 {
                let partial = if is_partial { Some(self.searched_part(&project, &embedder).await?) } else { None };
                let memories = with_words(hits, memories);
                let mixed = mix.and_then(|mix| mix.answer(&found.agreements));
                // An answer that was cut short is not what any configuration shows; where there is nothing to show, all show the same.
                let counts =
                    |mixed: &MixedAnswer| memories.len() == found_count && !(memories.is_empty() && mixed.is_settled());
                let mixed = mixed.filter(counts);
                let settings = search.settings.clone();
                let nothing_found = match memories.is_empty() {
                    true => self.why_nothing(&project, &embedder, place, search).await?,
                    false => None,
                };
                return Ok(Found {
                    project,
                    settings,
                    memories,
                    sat_out,
                    slate,
                    mixed,
                    partial,
                    approximate,
                    nothing_found,
                });
            }
        }
    }

    /// The memories that were found, with how many of them were looked at.
    async fn read_words(&self, project: &Project, hits: &[Hit]) -> EngineResult<(Vec<StampedMemory>, usize)> {
        let known = self.words.of(project.incarnation, hits, ENOUGH_BYTES, Instant::now());
        let missing: Vec<MemoryId> =
            hits.iter().zip(&known).filter(|(_, known)| known.is_none()).map(|(hit, _)| hit.memory_id).collect();
        let mut read = Vec::new();
        if !missing.is_empty() {
            // All of them may come before any that is known, so they alone may take as much as an answer.
            read = self.store.get_stamped_memories(project.id.clone(), missing, ENOUGH_BYTES).await?;
            self.words.keep(project.incarnation, &read, Instant::now());
        }
        Ok(in_order(hits, known, read, ENOUGH_BYTES))
    }

    /// What ranking by worth needs to know, in a project that learns by it.
    fn by_worth(&self, project: &Project, draw: Option<SlateDraw>, sitting_out: Option<f64>) -> Option<ByWorth> {
        let share = project.settings.trial_share.unwrap_or(self.settings.trial_share);
        let most = sitting_out.or(project.settings.sitting_out).unwrap_or(self.settings.sitting_out);
        let Viewpoint { rule, constants, today } = self.viewpoint(project);
        // Nothing is left to chance for those who only look.
        let (trials, sitting_out) = match draw {
            Some(_) => (TrialSlot { share, ..TrialSlot::default() }, SittingOut { most, ..SittingOut::default() }),
            None => (TrialSlot { share: 0.0, ..TrialSlot::default() }, SittingOut::NEVER),
        };
        let by_worth = ByWorth { constants, today, trials, sitting_out, draw: draw.unwrap_or_default() };
        (rule == LearningRule::Worth).then_some(by_worth)
    }

    /// The query's own value, else the project's, else the server's, else (for the floor) the embedder's.
    fn query_settings(&self, project: &Project, embedder: &EmbedderId, query: &Query) -> QuerySettings {
        let own = &project.settings;
        let embedders_floor = || self.embedders.get(embedder).and_then(|embedder| embedder.default_floor());
        QuerySettings {
            limit: query.limit,
            lambda: query.lambda.or(own.lambda).unwrap_or(self.settings.lambda),
            mmr_lambda: query.mmr_lambda.or(own.mmr_lambda).unwrap_or(self.settings.mmr_lambda),
            matching: query.matching.or(own.matching).unwrap_or(self.settings.matching),
            similarity_threshold: query
                .similarity_threshold
                .or(own.similarity_threshold)
                .or(self.settings.similarity_threshold)
                .or_else(embedders_floor),
            metadata_filter: query.metadata_filter.clone(),
        }
    }
}

/// The draw of a request that names itself is always the same.
fn again(drawn: SlateDraw, asker: Asker<'_>, project: &Project, query: &Query) -> SlateDraw {
    let (salt, _) = project.incarnation.as_u64_pair();
    let of_request = |key: &String| SlateDraw::of_request(salt, asker.caller.key_id, key);
    query.idempotency_key.as_ref().map_or(drawn, of_request)
}

/// Whether nobody acts on the answer: people at the console look, and so does whoever asks why memories are where they are.
fn only_looks(asker: Asker<'_>, query: &Query) -> bool {
    query.explain || asker.caller.is_session()
}

/// Whether all memories are still as they were ranked.
fn unchanged(hits: &[Hit], memories: &[StampedMemory]) -> bool {
    let ranked = hits.iter().map(|hit| (hit.memory_id, hit.changed));
    ranked.eq(memories.iter().map(|stamped| (stamped.memory.id, stamped.changed)))
}

/// Joins what was ranked with its words. What is gone by now is left out.
fn with_words(hits: Vec<Hit>, memories: Vec<StampedMemory>) -> Vec<RankedMemory> {
    let mut memories = memories.into_iter().peekable();
    let mut with_words = |hit: Hit| {
        let stamped = memories.next_if(|stamped| stamped.memory.id == hit.memory_id)?;
        Some(RankedMemory { memory: stamped.memory, hit })
    };
    hits.into_iter().filter_map(&mut with_words).collect()
}

impl RankedMemory {
    fn shown(&self, rank: u32) -> ShownMemory {
        ShownMemory {
            memory_id: self.memory.id,
            revision: self.memory.revision,
            rank,
            similarity: self.hit.similarity,
            q_value: self.hit.utility,
            worth: self.hit.worth,
            probability: self.hit.probability,
        }
    }
}
