//! The client.

use std::{fmt, sync::Arc};

use reflect_core::ProjectId;
use tokio_util::task::TaskTracker;

use crate::{ClientBuilder, Error, Result, augmented::PromptWriter, world::World};

/// Reflect, for one project. Cloning is cheap and shares connections, or the engine.
///
/// ```
/// use reflect_client::ReflectClient;
///
/// # fn main() -> Result<(), reflect_client::Error> {
/// let client = ReflectClient::builder().base_url("http://localhost:8000").api_key("rf_live_…").project("shop").build()?;
/// assert_eq!(client.project_id(), "shop");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ReflectClient {
    pub(crate) world: Arc<dyn World>,
    pub(crate) project_id: ProjectId,
    pub(crate) prompts: PromptWriter,
    /// Submissions of guards that were dropped. Closed from the start, so that waiting ends when none is left.
    pub(crate) left_behind: TaskTracker,
}

impl fmt::Debug for ReflectClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReflectClient")
            .field("world", &self.world.name())
            .field("project_id", &self.project_id)
            .finish()
    }
}

impl ReflectClient {
    /// A client with settings of your own.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    /// A client with the settings of the environment: `REFLECT_API_URL` (`http://localhost:8000` when unset),
    /// `REFLECT_API_KEY` and `REFLECT_PROJECT_ID` (`default` when unset).
    pub fn from_env() -> Result<Self> {
        ClientBuilder::from_env().build()
    }

    /// The engine in this process, on a folder that is made if it is not there; call it inside a tokio runtime. No server, no
    /// key, no network. A folder that a server has open is refused with that server's URL.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), reflect_client::Error> {
    /// let client = reflect_client::ReflectClient::open("./reflect-data").await?;
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "embedded")]
    pub async fn open(folder: impl AsRef<std::path::Path>) -> Result<Self> {
        Self::builder().open(folder, crate::EmbeddedOptions::default()).await
    }

    /// Waits for [`ReflectClient::flush`], lets what is in progress finish and closes the engine of an embedded client, for all its clones; does nothing over HTTP. Dropping
    /// the last clone closes it too, and leaves unfinished lessons to the next who opens the folder.
    pub async fn close(self) {
        self.flush().await;
        self.world.close().await;
    }

    /// The project that calls go to.
    pub fn project_id(&self) -> &str {
        self.project_id.as_str()
    }

    /// The same client for another project.
    pub fn with_project(&self, project_id: impl Into<String>) -> Result<Self> {
        Ok(Self { project_id: parse_project(project_id.into())?, ..self.clone() })
    }
}

/// A tracker that can be waited for at any time.
pub(crate) fn closed_tracker() -> TaskTracker {
    let tracker = TaskTracker::new();
    tracker.close();
    tracker
}

pub(crate) fn parse_project(text: String) -> Result<ProjectId> {
    // In a path these mean another folder.
    if matches!(text.as_str(), "." | "..") {
        return Err(Error::Settings(format!("`{text}` cannot be a project's name")));
    }
    text.try_into().map_err(|error: reflect_core::ids::ProjectIdError| Error::Settings(error.to_string()))
}
