//! Settings of a client.

use std::{sync::Arc, time::Duration};

use derive_setters::Setters;
use reflect_core::{Secret, memory_block::MAX_CHARS};
use reqwest::Url;

use crate::{
    Error, ReflectClient, Result,
    augmented::PromptWriter,
    client::{closed_tracker, parse_project},
    world::http::{HttpSettings, HttpWorld},
};

/// Where a server is if nothing else is said.
const DEFAULT_URL: &str = "http://localhost:8000";

/// The project of a client that names none.
const DEFAULT_PROJECT: &str = "default";

/// Settings of a client. Everything has a default but the key.
///
/// ```
/// # fn main() -> Result<(), reflect_client::Error> {
/// use reflect_client::ClientBuilder;
///
/// let settings = ClientBuilder::default().base_url("http://localhost:8000").api_key("rf_live_…");
/// let shop = settings.clone().project("shop").build()?;
/// let support = settings.project("support").build()?;
/// # let _ = (shop, support);
/// # Ok(()) }
/// ```
#[derive(Clone, Setters)]
#[setters(strip_option)]
pub struct ClientBuilder {
    /// Where the server is, such as `http://localhost:8000`.
    #[setters(into)]
    base_url: String,
    /// The key that every call carries.
    #[setters(into)]
    api_key: Option<String>,
    /// The project that calls go to; `default` when unset.
    #[setters(into)]
    project: String,
    /// How long one try of a call may take; 60 s when unset. A review waits on the server for its lesson, up to 30 s.
    timeout: Duration,
    /// How often a call that is safe to repeat is tried again after a failure that may pass; 3 when unset, 0 never.
    retries: u32,
    /// The pause before the first repetition; it doubles with each, up to 30 s, and varies so that clients do not come back in
    /// step. What the server asks for in `Retry-After` counts if it is longer.
    retry_pause: Duration,
    #[setters(skip)]
    prompts: PromptWriter,
}

impl Default for ClientBuilder {
    fn default() -> Self {
        Self {
            base_url: DEFAULT_URL.into(),
            api_key: None,
            project: DEFAULT_PROJECT.into(),
            timeout: Duration::from_secs(60),
            retries: 3,
            retry_pause: Duration::from_millis(200),
            prompts: PromptWriter::default(),
        }
    }
}

impl ClientBuilder {
    /// What `REFLECT_API_URL`, `REFLECT_API_KEY` and `REFLECT_PROJECT_ID` say; empty ones say nothing.
    pub fn from_env() -> Self {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let builder = Self::default();
        Self {
            base_url: set("REFLECT_API_URL").unwrap_or(builder.base_url),
            api_key: set("REFLECT_API_KEY"),
            project: set("REFLECT_PROJECT_ID").unwrap_or(builder.project),
            ..Self::default()
        }
    }

    /// Writes augmented prompts in another way than all our clients do. A trace that shows such a prompt and forgets its memories
    /// cannot be told by its text, so nobody warns of it.
    ///
    /// ```
    /// let builder = reflect_client::ReflectClient::builder().formatter(|task, memories| {
    ///     let lessons: Vec<&str> = memories.iter().map(|memory| memory.reflection.as_str()).collect();
    ///     format!("{task}\n\nLessons:\n{}", lessons.join("\n"))
    /// });
    /// # let _ = builder;
    /// ```
    #[must_use]
    pub fn formatter(mut self, formatter: impl Fn(&str, &[crate::Memory]) -> String + Send + Sync + 'static) -> Self {
        self.prompts.formatter = Some(Arc::new(formatter));
        self
    }

    /// How many characters of an augmented prompt the memories may take, from 1,000 to 100,000; 20,000 when unset. The longest texts are
    /// cut, and marked; what has no room at all is not among the memories of the prompt either.
    #[must_use]
    pub fn max_prompt_chars(mut self, max_chars: usize) -> Self {
        self.prompts.max_chars = max_chars;
        self
    }

    /// A client over HTTP. Nothing is sent yet.
    pub fn build(self) -> Result<ReflectClient> {
        let api_key = self.api_key.filter(|key| !key.trim().is_empty());
        let settings = HttpSettings {
            base_url: parse_url(&self.base_url)?,
            api_key: api_key.map(|key| Secret::new(key.trim())),
            timeout: self.timeout,
            retries: self.retries,
            retry_pause: self.retry_pause,
        };
        Ok(ReflectClient {
            world: Arc::new(HttpWorld::new(settings)?),
            project_id: parse_project(self.project)?,
            prompts: checked(self.prompts)?,
            left_behind: closed_tracker(),
        })
    }

    /// The engine in this process, on a folder, with this builder's project and formatter. See [`ReflectClient::open`].
    #[cfg(feature = "embedded")]
    pub async fn open(
        self,
        folder: impl AsRef<std::path::Path>,
        options: crate::EmbeddedOptions,
    ) -> Result<ReflectClient> {
        Ok(ReflectClient {
            project_id: parse_project(self.project)?,
            world: Arc::new(crate::world::embedded::EmbeddedWorld::open(folder.as_ref(), options).await?),
            prompts: checked(self.prompts)?,
            left_behind: closed_tracker(),
        })
    }
}

fn checked(prompts: PromptWriter) -> Result<PromptWriter> {
    let (least, most) = MAX_CHARS.into_inner();
    if !(least..=most).contains(&prompts.max_chars) {
        let problem = format!("`max_prompt_chars` is {}, it must be between {least} and {most}", prompts.max_chars);
        return Err(Error::Settings(problem));
    }
    Ok(prompts)
}

fn parse_url(text: &str) -> Result<Url> {
    // What was given is not repeated: it may hold a password.
    let wrong = |problem: &str| Error::Settings(format!("the server's URL {problem}, as in `{DEFAULT_URL}`"));
    let url = Url::parse(text.trim()).map_err(|_| wrong("cannot be read: it must be a whole one"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(wrong("must begin with http:// or https:// and name a host"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("must be without a user and a password; the key goes into `api_key`"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("must be without a query and a fragment"));
    }
    Ok(url)
}
