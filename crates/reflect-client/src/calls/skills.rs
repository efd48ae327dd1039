//! Skills, and how far the judge can be trusted.

use reflect_api::{CreateSkillRequest, ErrorCode, JudgeReportAnswer, SkillAnswer};

use crate::{ReflectClient, Result, world::Named};

impl ReflectClient {
    /// Composes the next version of the project's skill. The call carries a name, so that one that is sent twice writes one version.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// let skill = client.create_skill(Default::default()).await?;
    /// std::fs::write("SKILL.md", skill.content).unwrap();
    /// # Ok(()) }
    /// ```
    pub async fn create_skill(&self, request: CreateSkillRequest) -> Result<SkillAnswer> {
        self.world.create_skill(&self.project_id, Named { request, name: None }).await
    }

    /// The newest version of the project's skill, if there is one.
    pub async fn get_skill(&self) -> Result<Option<SkillAnswer>> {
        match self.world.get_skill(&self.project_id).await {
            Err(error) if error.code() == Some(ErrorCode::NotFound) => Ok(None),
            answer => answer.map(Some),
        }
    }

    /// One version of it.
    pub async fn get_skill_version(&self, version: u32) -> Result<SkillAnswer> {
        self.world.get_skill_version(&self.project_id, version).await
    }

    /// Every version of it, newest first.
    pub async fn list_skill_versions(&self) -> Result<Vec<SkillAnswer>> {
        self.world.list_skill_versions(&self.project_id).await
    }

    /// How often the judge and people agreed.
    pub async fn judge_report(&self) -> Result<JudgeReportAnswer> {
        self.world.judge_report(&self.project_id).await
    }
}
