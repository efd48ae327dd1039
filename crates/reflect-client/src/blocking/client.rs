//! The blocking client.

use crate::{ClientBuilder, Result};

/// Reflect, for one project, without async. Cloning is cheap and shares connections, or the engine.
///
/// ```
/// use reflect_client::{ReflectClient, blocking};
///
/// # fn main() -> Result<(), reflect_client::Error> {
/// let builder = ReflectClient::builder().base_url("http://localhost:8000").api_key("rf_live_…").project("shop");
/// let client: blocking::ReflectClient = builder.build_blocking()?;
/// assert_eq!(client.project_id(), "shop");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ReflectClient {
    pub(super) inner: crate::ReflectClient,
}

/// An async client, used without async: over HTTP with connections of its own.
///
/// An embedded engine stays on the runtime where it was opened. Its lessons are written there, so a call that waits for one must
/// not be made on the only thread of that runtime: open the folder with [`ReflectClient::open`], or call from `spawn_blocking`.
impl From<&crate::ReflectClient> for ReflectClient {
    fn from(client: &crate::ReflectClient) -> Self {
        // The connections of the async client are served by its runtime, on a thread that may be the one we hold up.
        let world = client.world.apart().unwrap_or_else(|| client.world.clone());
        Self { inner: crate::ReflectClient { world, ..client.clone() } }
    }
}

impl ClientBuilder {
    /// A blocking client over HTTP. Nothing is sent yet.
    pub fn build_blocking(self) -> Result<ReflectClient> {
        Ok(ReflectClient { inner: self.build()? })
    }

    /// A blocking client with the engine in this process. See [`crate::ReflectClient::open`].
    #[cfg(feature = "embedded")]
    pub fn open_blocking(
        self,
        folder: impl AsRef<std::path::Path>,
        options: crate::EmbeddedOptions,
    ) -> Result<ReflectClient> {
        let folder = folder.as_ref().to_owned();
        let opened = super::driver::wait(async move { self.open(folder, options).await })?;
        Ok(ReflectClient { inner: opened? })
    }
}

impl ReflectClient {
    /// A client with the settings of the environment, as [`crate::ReflectClient::from_env`].
    pub fn from_env() -> Result<Self> {
        ClientBuilder::from_env().build_blocking()
    }

    /// The engine in this process, on a folder that is made if it is not there, as [`crate::ReflectClient::open`].
    #[cfg(feature = "embedded")]
    pub fn open(folder: impl AsRef<std::path::Path>) -> Result<Self> {
        ClientBuilder::default().open_blocking(folder, crate::EmbeddedOptions::default())
    }

    /// The project that calls go to.
    pub fn project_id(&self) -> &str {
        self.inner.project_id()
    }

    /// The same client for another project.
    pub fn with_project(&self, project_id: impl Into<String>) -> Result<Self> {
        Ok(Self { inner: self.inner.with_project(project_id)? })
    }
}
