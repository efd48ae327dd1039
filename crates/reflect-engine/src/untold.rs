//! Telling how much lessons tell that were stored before lessons said so.

use reflect_core::{ProjectId, Tells};
use reflect_store::{Store, Untold};
use reflection::{BuiltinReflector, RunReflector};

use crate::{EngineResult, work::reviewed_run};

/// How many memories are looked at between two writes.
const PAGE: usize = 500;

/// Has the built-in rules look again at the runs of lessons that they wrote and that do not say how much they tell; answers how many say it now.
/// One that could be of use goes on being taken for one: only that it is an example, an answer to its own task, or nothing at all is
/// noted. Its words stay. Models', clients' and edited lessons are left alone, and so are those whose run or review is gone.
pub async fn tell_lessons(store: &Store) -> EngineResult<usize> {
    let mut noted = 0;
    for project in store.list_projects().await? {
        let mut after = None;
        loop {
            let page = store.list_untold(project.id.clone(), after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = Some(last.memory_id);
            let mut told = Vec::new();
            for untold in &page {
                told.extend(tells_little(store, &project.id, untold).await.map(|tells| (untold.memory_id, tells)));
            }
            noted += store.set_tells(project.id.clone(), told).await?;
        }
    }
    Ok(noted)
}

/// How much a lesson tells by the rules' word, if they wrote it and that is little.
async fn tells_little(store: &Store, project_id: &ProjectId, untold: &Untold) -> Option<Tells> {
    if untold.written_by.reflector != BuiltinReflector.written_by().reflector || untold.written_by.model.is_some() {
        return None;
    }
    // What cannot be read is for the check to name.
    let trace = store.get_trace(project_id.clone(), untold.trace_id).await.ok().flatten()?;
    let review = trace.review.as_ref().filter(|_| trace.created_memory_id == Some(untold.memory_id))?;
    let reflected = BuiltinReflector.reflect_run(&reviewed_run(&trace, review)).await.ok()?;
    let tells = reflected.written.lesson.tells?;
    matches!(tells, Tells::Nothing | Tells::Example | Tells::Answer).then_some(tells)
}
