//! What the examples share: somewhere to store, and someone who works.

use reflect_client::ReflectClient;

/// Stands in for your agent.
pub(crate) struct Agent;

impl Agent {
    /// An answer, which says whether lessons were in the prompt.
    pub(crate) fn answer(&self, prompt: &str) -> String {
        let lessons = prompt.matches("<memory ").count();
        format!("done, with {lessons} lessons in the prompt")
    }
}

/// A server if the environment names a key, and a folder of this run's own otherwise; it is removed with the second value.
pub(crate) async fn connect() -> anyhow::Result<(ReflectClient, Option<tempfile::TempDir>)> {
    if std::env::var("REFLECT_API_KEY").is_ok_and(|key| !key.is_empty()) {
        return Ok((ReflectClient::from_env()?, None));
    }
    let folder = tempfile::tempdir()?;
    Ok((ReflectClient::open(folder.path()).await?, Some(folder)))
}
