//! Skills, and how far the judge can be trusted.

use reflect_api::{CreateSkillRequest, ErrorCode, JudgeReportAnswer, SkillAnswer};

use crate::{ReflectClient, Result};

impl ReflectClient {
    /// Composes the next version of the project's skill.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// let skill = client.create_skill(Default::default()).await?;
    /// std::fs::write("SKILL.md", skill.content).unwrap();
    /// # Ok(()) }
    /// ```
    pub async fn create_skill(&self, request: CreateSkillRequest) -> Result<SkillAnswer> {
        self.world.create_skill(&self.project_id, request).await
    }

    /// The newest version of the project's skill, if there is one.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// if let Some(skill) = client.get_skill().await? {
    ///     println!("{} {}", skill.version, skill.content);
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn get_skill(&self) -> Result<Option<SkillAnswer>> {
        match self.world.get_skill(&self.project_id).await {
            Err(error) if error.code() == Some(ErrorCode::NotFound) => Ok(None),
            answer => answer.map(Some),
        }
    }

    /// One version of it.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// let first = client.get_skill_version(1).await?;
    /// println!("{}", first.content);
    /// # Ok(()) }
    /// ```
    pub async fn get_skill_version(&self, version: u32) -> Result<SkillAnswer> {
        self.world.get_skill_version(&self.project_id, version).await
    }

    /// Every version of it, newest first.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// for skill in client.list_skill_versions().await? {
    ///     println!("{} {} {}", skill.version, skill.created_at, skill.description);
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn list_skill_versions(&self) -> Result<Vec<SkillAnswer>> {
        self.world.list_skill_versions(&self.project_id).await
    }

    /// How often the judge and people agreed.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// let report = client.judge_report().await?;
    /// println!("{} judged, agreement {:?} on {}", report.judged, report.agreement, report.compared);
    /// # Ok(()) }
    /// ```
    pub async fn judge_report(&self) -> Result<JudgeReportAnswer> {
        self.world.judge_report(&self.project_id).await
    }
}
