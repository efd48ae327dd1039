//! Projects, and whether anyone is there.

use reflect_api::{
    BootstrapAnswer, BootstrapRequest, DeletedProjectAnswer, HealthAnswer, ProjectAnswer, SettingsAnswer,
    SettingsRequest,
};

use crate::{ReflectClient, Result};

impl ReflectClient {
    /// Whether the server is alive. Needs no key.
    pub async fn health(&self) -> Result<HealthAnswer> {
        self.world.health().await
    }

    /// Makes this client's project and its first key, for whoever has the server's bootstrap token. Needs no key.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_client::ReflectClient) -> Result<(), reflect_client::Error> {
    /// let made = client.bootstrap("the token", "me").await?;
    /// println!("{}", made.api_key);
    /// # Ok(()) }
    /// ```
    pub async fn bootstrap(&self, token: &str, user_id: impl Into<String>) -> Result<BootstrapAnswer> {
        let project_id = self.project_id.as_str().to_owned();
        let request = BootstrapRequest { user_id: user_id.into(), project_id, key_label: None, environment: None };
        self.world.bootstrap(token, request).await
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

    /// Changes the project's defaults.
    pub async fn update_settings(&self, request: SettingsRequest) -> Result<SettingsAnswer> {
        self.world.update_settings(&self.project_id, request).await
    }
}
