//! Projects and their settings.

use reflect_api::{
    BootstrapAnswer, BootstrapRequest, DEFAULT_LIMIT, DeletedProjectAnswer, EmbedderSwitchAnswer, ProjectAnswer,
    SettingChoicesAnswer, SettingDefaultsAnswer, SettingsAnswer, SettingsRequest,
};
use reflect_core::{Environment, Project};
use reflect_engine::{Bootstrap, Caller, SettingsChange};

use crate::{Asker, Service, ServiceResult};

impl Service {
    /// A project and its first key, for whoever has the token.
    pub async fn bootstrap(&self, token: &str, request: BootstrapRequest) -> ServiceResult<BootstrapAnswer> {
        let wish = Bootstrap {
            project_id: request.check()?,
            key_label: request.key_label.unwrap_or_else(|| "Default Admin Key".into()),
            environment: request.environment.unwrap_or(Environment::Live),
        };
        let made = self.engine.bootstrap(token, wish).await?;
        Ok(BootstrapAnswer { user_id: request.user_id, project_id: made.project_id.into(), api_key: made.api_key })
    }

    /// The projects that a key may see.
    pub async fn list_projects(&self, caller: &Caller) -> ServiceResult<Vec<ProjectAnswer>> {
        Ok(self.engine.list_projects(caller).await?.into_iter().map(Into::into).collect())
    }

    /// Deletes a project with everything in it.
    pub async fn delete_project(&self, asker: Asker<'_>) -> ServiceResult<DeletedProjectAnswer> {
        let deleted = self.engine.delete_project(asker).await?;
        Ok(DeletedProjectAnswer {
            project_id: asker.project_id.clone().into(),
            traces: deleted.traces,
            memories: deleted.memories,
            reviews: deleted.reviews,
            api_keys: deleted.api_keys,
            jobs: deleted.jobs,
        })
    }

    /// A project's defaults.
    pub async fn get_settings(&self, asker: Asker<'_>) -> ServiceResult<SettingsAnswer> {
        let project = self.engine.get_project(asker).await?;
        self.settings_answer((*project).clone()).await
    }

    /// What a project's settings can be set to, and what holds where they are not.
    pub async fn setting_choices(&self, asker: Asker<'_>) -> ServiceResult<SettingChoicesAnswer> {
        let choices = self.engine.setting_choices(asker).await?;
        let defaults = choices.defaults;
        Ok(SettingChoicesAnswer {
            embedders: choices.embedders,
            reflectors: choices.reflectors,
            judges: choices.judges,
            defaults: SettingDefaultsAnswer {
                lambda: defaults.lambda,
                mmr_lambda: defaults.mmr_lambda,
                matching: defaults.matching,
                similarity_threshold: defaults.similarity_threshold,
                alpha: defaults.alpha,
                holdout: defaults.holdout,
                mixture: defaults.mixture.map(Into::into),
                learning: defaults.learning,
                trial_share: defaults.trial_share,
                sitting_out: defaults.sitting_out,
                empty_lessons: defaults.empty_lessons,
                half_life_days: defaults.half_life_days,
                limit: DEFAULT_LIMIT,
                reflector: defaults.reflector,
                judge: defaults.judge,
                embedder: defaults.embedder,
            },
        })
    }

    /// Changes a project's defaults.
    pub async fn update_settings(&self, asker: Asker<'_>, request: SettingsRequest) -> ServiceResult<SettingsAnswer> {
        request.check(&self.limits)?;
        let mixture = request.mixture.map(|mixture| mixture.map(|mixture| mixture.check()).transpose()).transpose()?;
        let change = SettingsChange {
            lambda: request.lambda,
            mmr_lambda: request.mmr_lambda,
            matching: request.matching,
            similarity_threshold: request.similarity_threshold,
            alpha: request.alpha,
            holdout: request.holdout,
            mixture,
            learning: request.learning,
            trial_share: request.trial_share,
            sitting_out: request.sitting_out,
            empty_lessons: request.empty_lessons,
            half_life_days: request.half_life_days,
            reflector: request.reflector,
            embedder: request.embedder,
            judge: request.judge,
            judge_rubric: request.judge_rubric,
        };
        let project = self.engine.update_settings(asker, change).await?;
        self.settings_answer(project).await
    }

    /// A project's defaults, with how far it has come on the way to another embedder.
    async fn settings_answer(&self, project: Project) -> ServiceResult<SettingsAnswer> {
        let switch = self.engine.switch_status(&project).await?.map(|status| EmbedderSwitchAnswer {
            to: status.switch.target.0,
            done: status.progress.done,
            total: status.progress.total,
            started_at: status.switch.started_at,
            problem: status.problem,
        });
        Ok(SettingsAnswer::new(project, switch))
    }
}
