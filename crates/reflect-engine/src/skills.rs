//! Skills: what a project's lessons add up to, version by version.

use reflect_core::{Memory, Project, Scope, Skill, cosine};
use reflect_store::{IdempotencyKey, Once, SkillWish};
use reflection::{ComposedSkill, MIN_REVIEWED_MEMORIES, SkillOptions, SkillRequest, compose_skill, write_skill};

use crate::{
    Asker, Engine, EngineError, EngineResult,
    metrics::FALLBACKS,
    models::{Fallback, Model, Overheard, Role},
};

/// How many memories of either outcome are considered.
const CANDIDATES: usize = 200;

/// How many versions a list holds.
const MAX_VERSIONS: usize = 100;

/// How often a version is tried again that someone else has written meanwhile.
const TRIES: usize = 5;

/// How much a skill is to stand on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CreateSkill {
    /// How many lessons of passed runs at most.
    pub n_passed: u32,
    /// How many lessons of failed runs at most.
    pub n_failed: u32,
}

impl Engine {
    /// The newest version of a project's skill.
    pub async fn get_skill(&self, asker: Asker<'_>) -> EngineResult<Skill> {
        self.admit(asker, Scope::SkillRead)?;
        let skill = self.store.get_skill(asker.project_id.clone()).await?;
        skill.ok_or_else(|| EngineError::NotFound("this project has no skill yet".into()))
    }

    /// One version of it.
    pub async fn get_skill_version(&self, asker: Asker<'_>, version: u32) -> EngineResult<Skill> {
        self.admit(asker, Scope::SkillRead)?;
        let skill = self.store.get_skill_version(asker.project_id.clone(), version).await?;
        skill.ok_or_else(|| EngineError::NotFound(format!("this project's skill has no version {version}")))
    }

    /// Its versions, newest first.
    pub async fn list_skills(&self, asker: Asker<'_>) -> EngineResult<Vec<Skill>> {
        self.admit(asker, Scope::SkillRead)?;
        self.open_project(asker).await?;
        Ok(self.store.list_skills(asker.project_id.clone(), None, MAX_VERSIONS).await?)
    }

    /// Composes a new version, which keeps of the last one what still holds. A request that was carried out before composes nothing
    /// and costs no call of a model.
    pub async fn create_skill(
        &self,
        asker: Asker<'_>,
        wish: CreateSkill,
        idempotency: Option<IdempotencyKey>,
    ) -> EngineResult<Skill> {
        self.admit(asker, Scope::SkillWrite)?;
        let project = self.open_project(asker).await?;
        if let Some(key) = &idempotency
            && let Some(seen) = self.store.find_skill_of_request(asker.project_id.clone(), key.clone()).await?
        {
            return self.skill_of_request(asker, seen).await;
        }
        for _ in 0..TRIES {
            let previous = self.store.get_skill(asker.project_id.clone()).await?;
            let composed = self.compose(&project, previous.as_ref(), wish).await?;
            let skill = Skill {
                content: composed.content,
                version: previous.map_or(0, |previous| previous.version) + 1,
                name: composed.name,
                description: composed.description,
                n_passed: composed.n_passed,
                n_failed: composed.n_failed,
                memory_ids: composed.memory_ids,
                written_by: Some(composed.written_by),
                created_at: self.now(),
            };
            match self.store.insert_skill(asker.project_id.clone(), skill.clone(), idempotency.clone()).await? {
                Some(Once::First(_)) => return Ok(skill),
                Some(seen) => return self.skill_of_request(asker, seen).await,
                None => {}
            }
            // Either someone else has just written this version, or the project is gone.
            if self.store.get_project(asker.project_id.clone()).await?.is_none() {
                return Err(EngineError::no_project(asker.project_id));
            }
        }
        Err(EngineError::SkillContended)
    }

    /// The version that a request made when it came before.
    async fn skill_of_request(&self, asker: Asker<'_>, seen: Once<u32>) -> EngineResult<Skill> {
        match seen {
            Once::First(version) | Once::Again(version) => {
                let skill = self.store.get_skill_version(asker.project_id.clone(), version).await?;
                skill.ok_or_else(|| EngineError::no_project(asker.project_id))
            }
            Once::KeyReused => Err(EngineError::IdempotencyKeyReused),
        }
    }

    async fn compose(
        &self,
        project: &Project,
        previous: Option<&Skill>,
        wish: CreateSkill,
    ) -> EngineResult<ComposedSkill> {
        let kept = previous.map(|skill| skill.memory_ids.clone()).unwrap_or_default();
        let candidates = SkillWish {
            embedder: project.embedder.as_str().to_owned(),
            viewpoint: self.viewpoint(project),
            kept,
            each: CANDIDATES,
        };
        let candidates = self.store.list_skill_candidates(project.id.clone(), candidates).await?;
        if candidates.found < MIN_REVIEWED_MEMORIES {
            return Err(EngineError::TooFewMemories { found: candidates.found, needed: MIN_REVIEWED_MEMORIES });
        }
        let (memories, vectors): (Vec<Memory>, Vec<Vec<f32>>) = candidates.best.into_iter().unzip();
        let similarity = |left: usize, right: usize| match (vectors.get(left), vectors.get(right)) {
            (Some(left), Some(right)) if left.len() == right.len() => cosine(left, right),
            _ => 0.0,
        };
        let request = SkillRequest {
            memories: &memories,
            n_passed: usize::try_from(wish.n_passed).unwrap_or(usize::MAX),
            n_failed: usize::try_from(wish.n_failed).unwrap_or(usize::MAX),
            project: project.id.as_str(),
            previous: previous.map(|skill| skill.content.as_str()),
            similarity: &similarity,
        };
        let Some(model) = self.models.reflector_of(&project.settings) else {
            return Ok(compose_skill(&request));
        };
        match self.compose_by_model(&model, &request).await {
            Ok(composed) => Ok(composed),
            Err(fallback) => {
                let reason = fallback.label();
                tracing::debug!(model = model.name, reason, error = %fallback, "rules compose a skill that a model did not");
                self.metrics.count(&FALLBACKS, &[Role::SkillWriter.name(), reason]);
                let composed = compose_skill(&request);
                let written_by = composed.written_by.standing_in_for(&model.name);
                Ok(ComposedSkill { written_by, ..composed })
            }
        }
    }

    async fn compose_by_model(&self, model: &Model, request: &SkillRequest<'_>) -> Result<ComposedSkill, Fallback> {
        let permit = model.breaker.admit(self.now()).map_err(|until| Fallback::CircuitOpen { until })?;
        let defaults = SkillOptions::default();
        let options = SkillOptions {
            timeout: self.models.call_timeout.or(defaults.timeout),
            redactor: self.models.redactor.clone(),
            ..defaults
        };
        let overheard = Overheard::new(&*model.skill_writer);
        let asked = write_skill(request, &overheard, &options);
        let Ok(composed) = tokio::time::timeout(self.settings.attempt_timeout, asked).await else {
            permit.failed(self.now());
            return Err(Fallback::TooSlow);
        };
        overheard.report(permit, self.now(), composed.error.clone())?;
        Ok(composed)
    }
}
