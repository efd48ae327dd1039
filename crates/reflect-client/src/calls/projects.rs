//! Projects, and whether anyone is there.

use reflect_api::{
    BootstrapAnswer, BootstrapRequest, DeletedProjectAnswer, EvaluatePolicyRequest, EvaluationAnswer, HealthAnswer,
    LiftAnswer, LiftRequest, ProjectAnswer, SettingChoicesAnswer, SettingsAnswer, SettingsRequest, StatisticsAnswer,
    StatisticsRequest,
};
use reflect_core::Environment;

use crate::{ReflectClient, Result, setters::setters};

/// A project to be made. Await it to send it.
///
/// ```no_run
/// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
/// let made = client.with_project("shop")?.bootstrap("the token", "me").key_label("my first key").await?;
/// println!("{}", made.api_key);
/// # Ok(()) }
/// ```
#[derive(Clone)]
#[must_use = "a project is made by awaiting it"]
pub struct Bootstrap {
    client: ReflectClient,
    token: String,
    request: BootstrapRequest,
}

impl ReflectClient {
    /// Whether the server is alive. Needs no key.
    pub async fn health(&self) -> Result<HealthAnswer> {
        self.world.health().await
    }

    /// Makes this client's project and its first key, for whoever has the server's bootstrap token. Needs no key.
    ///
    /// The one call that makes something and cannot be repeated: everybody who may make projects has the same token, so the server
    /// cannot tell who asks again, and answers nobody a key that it has handed out. If the answer is lost, the holder of the master
    /// key makes another key or deletes the project.
    pub fn bootstrap(&self, token: impl Into<String>, user_id: impl Into<String>) -> Bootstrap {
        let project_id = self.project_id.as_str().to_owned();
        let request = BootstrapRequest { user_id: user_id.into(), project_id, key_label: None, environment: None };
        Bootstrap { client: self.clone(), token: token.into(), request }
    }

    /// The projects that the key may see.
    pub async fn list_projects(&self) -> Result<Vec<ProjectAnswer>> {
        self.world.list_projects().await
    }

    /// Deletes the project with everything in it.
    pub async fn delete_project(&self) -> Result<DeletedProjectAnswer> {
        self.world.delete_project(&self.project_id).await
    }

    /// The project's defaults.
    pub async fn get_settings(&self) -> Result<SettingsAnswer> {
        self.world.get_settings(&self.project_id).await
    }

    /// How the project stands: its traces of the last `days` days (30 when unset, at most 366), its queue, its memories.
    pub async fn statistics(&self, days: Option<u32>) -> Result<StatisticsAnswer> {
        self.world.statistics(&self.project_id, &StatisticsRequest { days }).await
    }

    /// Whether memories help, by the share of tasks that did without (`holdout` in the settings).
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// println!("{}", client.lift(Default::default()).await?.sentence);
    /// # Ok(()) }
    /// ```
    pub async fn lift(&self, request: LiftRequest) -> Result<LiftAnswer> {
        self.world.lift(&self.project_id, &request).await
    }

    /// What another configuration would have done, by the log, or why that cannot be told. It must be one of those that are mixed (`mixture` in the
    /// settings).
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// use reflect_client::{ConfigurationRequest, EvaluatePolicyRequest};
    ///
    /// let configuration = ConfigurationRequest { lambda: Some(0.3), ..Default::default() };
    /// println!("{}", client.evaluate_policy(EvaluatePolicyRequest { configuration, since: None }).await?.sentence);
    /// # Ok(()) }
    /// ```
    pub async fn evaluate_policy(&self, request: EvaluatePolicyRequest) -> Result<EvaluationAnswer> {
        self.world.evaluate_policy(&self.project_id, request).await
    }

    /// What the project's settings can be set to, and what holds where they are not set.
    pub async fn setting_choices(&self) -> Result<SettingChoicesAnswer> {
        self.world.setting_choices(&self.project_id).await
    }

    /// Changes the project's defaults: what is not named stays, and `Some(None)` follows the server again.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// use reflect_client::SettingsRequest;
    ///
    /// client.update_settings(SettingsRequest { lambda: Some(Some(0.3)), ..Default::default() }).await?;
    /// # Ok(()) }
    /// ```
    pub async fn update_settings(&self, request: SettingsRequest) -> Result<SettingsAnswer> {
        self.world.update_settings(&self.project_id, request).await
    }
}

setters! { Bootstrap:
    /// What the first key is called.
    key_label(text) => request.key_label;
    /// `live` or `test`: a label, nothing more.
    environment(Environment) => request.environment;
}

impl Bootstrap {
    pub(super) async fn send(self) -> Result<BootstrapAnswer> {
        self.client.world.bootstrap(&self.token, self.request).await
    }
}
