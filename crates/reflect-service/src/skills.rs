//! Skills, and how far the judge can be trusted.

use reflect_api::{CreateSkillRequest, JudgeReportAnswer, SkillAnswer};
use reflect_engine::{CreateSkill, IdempotencyKey};

use crate::{Asker, Service, ServiceResult};

impl Service {
    /// Composes the next version of the project's skill.
    pub async fn create_skill(
        &self,
        asker: Asker<'_>,
        request: CreateSkillRequest,
        idempotency: Option<IdempotencyKey>,
    ) -> ServiceResult<SkillAnswer> {
        let (n_passed, n_failed) = request.check()?;
        let create = CreateSkill { n_passed, n_failed };
        Ok(self.engine.create_skill(asker, create, idempotency).await?.into())
    }

    /// The newest version.
    pub async fn get_skill(&self, asker: Asker<'_>) -> ServiceResult<SkillAnswer> {
        Ok(self.engine.get_skill(asker).await?.into())
    }

    /// One version.
    pub async fn get_skill_version(&self, asker: Asker<'_>, version: u32) -> ServiceResult<SkillAnswer> {
        Ok(self.engine.get_skill_version(asker, version).await?.into())
    }

    /// Every version, newest first.
    pub async fn list_skill_versions(&self, asker: Asker<'_>) -> ServiceResult<Vec<SkillAnswer>> {
        let skills = self.engine.list_skills(asker).await?;
        Ok(skills.into_iter().map(Into::into).collect())
    }

    /// How often the judge and people agreed.
    pub async fn judge_report(&self, asker: Asker<'_>) -> ServiceResult<JudgeReportAnswer> {
        let (judge, report) = self.engine.judge_report(asker).await?;
        Ok(JudgeReportAnswer::new(judge, &report))
    }
}
