//! Lists of memories, a page at a time.

use std::{collections::HashMap, time::Duration};

use reflect_core::{
    Direction, Memory, MemoryCursor, MemoryId, MemoryOrder, MemoryStatus, ProjectId,
    worth::{LearningRule, Viewpoint},
};

use crate::{
    error::StoreResult,
    sql::{Query, Read, Value, params},
    store::Store,
    tables::{
        credits,
        memories::{self, BYTES},
    },
    text_checks::TextCheck,
    text_search::Search,
};

/// A page ends early once its memories have this many bytes.
pub(crate) const PAGE_BYTES: usize = 4 << 20;

/// Which memories a list holds.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryFilter {
    /// By whether they are shown.
    pub status: Option<MemoryStatus>,
    /// By words that all occur in the task or the lesson, in any order and whatever the case of their letters.
    pub text: Option<String>,
    /// What they are listed by.
    pub order: MemoryOrder,
    /// Only those that queries leave out.
    pub only_retired: bool,
    /// Only those that say the same as this one, itself among them.
    pub same_as: Option<MemoryId>,
    /// Of those in the list that say the same only the one that most runs saw; of several the oldest.
    pub only_distinct: bool,
    /// How their project sees them.
    pub viewpoint: Viewpoint,
    /// From which end on.
    pub direction: Direction,
    /// Only those after this one.
    pub after: Option<MemoryCursor>,
    /// How many at most.
    pub limit: usize,
}

/// A page of memories that was looked up and has not been read yet.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryPlan {
    /// As many as were asked for, or fewer once they have 4 MiB.
    pub memory_ids: Vec<MemoryId>,
    /// How many bytes their texts have.
    pub bytes: usize,
    /// Where the last one stands, if there are more after it.
    pub next: Option<MemoryCursor>,
    /// Where one stands for several, how many those are, itself among them.
    pub runs_alike: HashMap<MemoryId, u32>,
}

impl Default for MemoryFilter {
    fn default() -> Self {
        Self {
            status: None,
            text: None,
            order: MemoryOrder::Created,
            only_retired: false,
            same_as: None,
            only_distinct: false,
            viewpoint: Viewpoint::default(),
            direction: Direction::Desc,
            after: None,
            limit: 0,
        }
    }
}

impl Store {
    /// A page of a project's memories, measured and not read. One that looks for words, or for one of those that say the same, may have to look at
    /// every memory: it is given up after `patience`, and as soon as nobody waits for it.
    pub async fn plan_memories(
        &self,
        project_id: ProjectId,
        filter: MemoryFilter,
        patience: Duration,
    ) -> StoreResult<MemoryPlan> {
        if filter.may_look_at_all() {
            let owner = project_id.clone();
            self.scans.scan(&owner, patience, move |read| plan(read, &project_id, &filter)).await
        } else {
            self.readers.read(move |read| plan(read, &project_id, &filter)).await
        }
    }

    /// The memories with these ids, in their order and as their project sees them; those that are gone are passed over.
    pub async fn get_memories(
        &self,
        project_id: ProjectId,
        memory_ids: Vec<MemoryId>,
        viewpoint: Viewpoint,
    ) -> StoreResult<Vec<Memory>> {
        self.readers
            .read(move |read| {
                let found = memories::get_all(read, &project_id, &memory_ids)?;
                Ok(found.into_iter().map(|memory| memory.seen_from(&viewpoint)).collect())
            })
            .await
    }
}

/// An index has everything which memories are ordered by; of the memories themselves only the heads of their rows are looked at.
fn plan(read: &dyn Read, project_id: &ProjectId, filter: &MemoryFilter) -> StoreResult<MemoryPlan> {
    let mut found: Vec<MemoryId> = Vec::new();
    filter.search(project_id).each(read, |row| {
        found.push(row.get("memory_id")?);
        Ok(())
    })?;
    let mut has_more = found.len() > filter.limit;
    found.truncate(filter.limit);
    let (mut plan, mut last) = (MemoryPlan::default(), None);
    for measured in filter.measure(read, project_id, &found)? {
        if plan.bytes >= PAGE_BYTES {
            has_more = true;
            break;
        }
        let Measured { stands, bytes, runs_alike } = measured;
        plan.memory_ids.push(stands.id);
        plan.bytes += bytes;
        plan.runs_alike.extend((runs_alike > 1).then_some((stands.id, runs_alike)));
        last = Some(stands);
    }
    plan.next = last.filter(|_| has_more);
    Ok(plan)
}

/// What a page has to know of a memory.
struct Measured {
    stands: MemoryCursor,
    bytes: usize,
    /// How many say the same, itself among them; 0 if that is not asked for.
    runs_alike: u32,
}

impl MemoryFilter {
    const fn may_look_at_all(&self) -> bool {
        self.text.is_some() || self.only_distinct
    }

    fn status_param(&self) -> Value<'static> {
        self.status.map(MemoryStatus::as_str).into()
    }

    /// The day by which memories are retired, if that is asked for. Constant steps retire nothing.
    fn today_param(&self) -> Option<Value<'static>> {
        let today = (self.viewpoint.rule == LearningRule::Worth).then_some(self.viewpoint.today);
        self.only_retired.then(|| today.into())
    }

    /// What those in the list have in common that say the same, with the parameters `?n` and after it. Deleted ones say nothing.
    fn common(&self, n: usize) -> String {
        let retired = format!(" AND pinned = 0 AND retired_until > ?{}", n + 1);
        let retired = if self.only_retired { &retired } else { "" };
        format!("project_id = ?1 AND (CAST(?{n} AS TEXT) IS NULL OR status = ?{n}){retired}")
    }

    /// How many of them say the same as a memory, if that is asked for.
    fn count_alike(&self, n: usize) -> Option<String> {
        let common = self.common(n);
        self.only_distinct.then(|| {
            format!(
                "(SELECT count(*) FROM memories AS alike WHERE {common} AND alike.same_words = memories.same_words)"
            )
        })
    }

    /// What they are listed by.
    const fn column(&self) -> &'static str {
        match self.order {
            MemoryOrder::Created => "memory_id",
            MemoryOrder::Updated => "updated_at",
            MemoryOrder::Utility => credits::utility_column(self.viewpoint.rule),
            MemoryOrder::Uses => "uses",
        }
    }

    fn measure(&self, read: &dyn Read, project_id: &ProjectId, memory_ids: &[MemoryId]) -> StoreResult<Vec<Measured>> {
        let alike = self.count_alike(3).unwrap_or_else(|| "0".into());
        // Microseconds are below 2^53 until the year 2255.
        let stands = if self.order == MemoryOrder::Created { "0" } else { self.column() };
        let sql = format!(
            "SELECT memory_id, CAST({stands} AS DOUBLE PRECISION) AS stands, {BYTES} AS bytes, {alike} AS runs_alike FROM memories
             WHERE project_id = ?1 AND memory_id = ?2"
        );
        let of_list: Vec<Value<'_>> = if self.only_distinct {
            [self.status_param()].into_iter().chain(self.today_param()).collect()
        } else {
            Vec::new()
        };
        let key = |id: &MemoryId| [&params![project_id, *id][..], &of_list].concat();
        let keys: Vec<Vec<Value<'_>>> = memory_ids.iter().map(key).collect();
        read.query_all_of(&sql, &keys, |row| {
            let stands: f64 = row.get("stands")?;
            let value = (self.order != MemoryOrder::Created).then_some(stands);
            let stands = MemoryCursor { value, id: row.get("memory_id")? };
            Ok(Measured { stands, bytes: row.get("bytes")?, runs_alike: row.get("runs_alike")? })
        })
    }

    /// One more than the page may have, which tells whether there are more.
    fn search<'a>(&'a self, project_id: &'a ProjectId) -> Search<'a> {
        let mut params = params![project_id].to_vec();
        params.push(self.status_param());
        params.extend(self.today_param());
        let common = self.common(2);
        let mut conditions = format!("{common} AND deleted_at IS NULL");
        let (descending, beyond) = match self.direction {
            Direction::Desc => (" DESC", '<'),
            Direction::Asc => ("", '>'),
        };
        let column = self.column();
        let next = params.len() + 1;
        match (self.after, self.order) {
            (Some(MemoryCursor { id, .. }), MemoryOrder::Created) => {
                conditions += &format!(" AND memory_id {beyond} ?{next}");
                params.push(id.into());
            }
            (Some(MemoryCursor { value, id }), _) => {
                let id_at = next + 1;
                // A cursor that does not say where its memory stood means where it stands now.
                let stands = format!("SELECT {column} FROM memories WHERE project_id = ?1 AND memory_id = ?{id_at}");
                conditions += &format!(" AND ({column}, memory_id) {beyond} (coalesce(?{next}, ({stands})), ?{id_at})");
                params.extend(params![value, id].to_vec());
            }
            (None, _) => {}
        }
        if let Some(memory_id) = self.same_as {
            params.push(memory_id.into());
            conditions += &same_as(params.len());
        }
        if self.only_distinct {
            conditions += &format!(
                " AND (same_words IS NULL OR memory_id = (
                      SELECT alike.memory_id FROM memories AS alike
                      WHERE {common} AND alike.same_words = memories.same_words
                      ORDER BY alike.uses DESC, alike.memory_id LIMIT 1))"
            );
        }
        let ties = if self.order == MemoryOrder::Created { String::new() } else { format!(", memory_id{descending}") };
        let order = format!("{column}{descending}{ties}");
        let checks = self.text.iter().map(|text| TextCheck::lesson_words(text)).collect();
        let (tables, limit) = ("FROM memories", self.limit + 1);
        Search { id: "memory_id", tables, conditions, params, checks, order, limit }
    }
}

/// Which memories say the same as the one of the parameter `?n`, itself among them, which may say nothing.
fn same_as(n: usize) -> String {
    let this = format!("memories AS this WHERE this.project_id = ?1 AND this.memory_id = ?{n}");
    format!(
        " AND memory_id IN (
              SELECT alike.memory_id FROM memories AS alike
              WHERE alike.project_id = ?1 AND alike.same_words = (SELECT this.same_words FROM {this})
              UNION ALL SELECT this.memory_id FROM {this})"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::plan_of;

    #[test]
    fn memories_in_any_order_are_found_in_an_index() {
        let project_id = "p".parse().unwrap();
        for order in MemoryOrder::ALL {
            let filter = MemoryFilter { order: *order, ..MemoryFilter::default() };
            let plan = plan_of(&filter.search(&project_id).select().unwrap());
            assert!(plan.contains("USING COVERING INDEX memories_figures (project_id=?)"), "{order}: {plan}");
        }
    }

    #[test]
    fn memories_that_say_the_same_are_found_in_an_index() {
        let project_id = "p".parse().unwrap();
        let alike = "USING COVERING INDEX memories_alike (project_id=? AND same_words=?)";
        for order in MemoryOrder::ALL {
            let all = MemoryFilter { order: *order, ..MemoryFilter::default() };
            let distinct = MemoryFilter { only_distinct: true, ..all.clone() };
            let plan = plan_of(&distinct.search(&project_id).select().unwrap());
            assert!(plan.contains("USING COVERING INDEX memories_figures (project_id=?)"), "{order}: {plan}");
            assert!(plan.contains(alike) && plan.matches("TEMP B-TREE").count() < 2, "{order}: {plan}");
            let same_as = Some(MemoryId::from_uuid(uuid::Uuid::nil()));
            let plan = plan_of(&MemoryFilter { same_as, ..all }.search(&project_id).select().unwrap());
            assert!(plan.contains(alike) && plan.contains("(project_id=? AND memory_id=?)"), "{order}: {plan}");
        }
    }
}
