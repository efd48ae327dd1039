//! The model that does the tasks, and what it has answered before.

use std::{path::PathBuf, sync::Arc, time::Duration};

use anyhow::Context;
use reflect_llm::{
    ChatModel, ChatRequest, HttpClient, Limited, ProviderSettings, RetrySettings, Retrying, connect_with,
};
use reflect_system::{SystemClock, SystemEntropy};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{endpoint::Endpoint, options::ModelOptions};

/// A model on a busy machine may take long over an answer or a lesson.
pub(super) const DEADLINE: Duration = Duration::from_secs(900);

/// The same for every task.
const SYSTEM: &str = "You are an assistant at Nord, a company. Do the task, and answer with the result only.";

/// Does tasks, at temperature 0.
#[derive(Clone)]
pub(super) struct Actor {
    pub(super) model: Arc<dyn ChatModel>,
    pub(super) max_tokens: u32,
    /// Where answers are kept, one file for each prompt.
    pub(super) cache: Option<PathBuf>,
}

impl Actor {
    /// The model at an endpoint, which gets all the time that it needs.
    pub(super) fn at(endpoint: &Endpoint, options: &ModelOptions) -> anyhow::Result<Self> {
        if let Some(cache) = &options.cache {
            std::fs::create_dir_all(cache)?;
        }
        let mut settings = ProviderSettings::new(HttpClient::new()?, Arc::new(SystemClock)).base_url(&endpoint.url);
        settings.timeout = DEADLINE;
        let model = connect_with(&format!("openai/{}", options.name), &settings)?;
        let model = Limited::new(model, options.parallel);
        let model = Arc::new(Retrying::new(model, RetrySettings::default(), Arc::new(SystemEntropy)));
        Ok(Self { model, max_tokens: options.max_tokens, cache: options.cache.clone() })
    }

    /// The answer to a prompt; the model is asked once for each.
    pub(super) async fn answer(&self, prompt: &str) -> anyhow::Result<String> {
        let kept_at = self.cache.as_ref().map(|folder| folder.join(self.key(prompt)));
        if let Some(answer) = kept_at.as_ref().and_then(|path| std::fs::read(path).ok()).and_then(|kept| read(&kept)) {
            return Ok(answer);
        }
        let request = ChatRequest::ask(SYSTEM, prompt).temperature(0.0).max_tokens(self.max_tokens);
        let answer = self.model.chat(&request).await.context("the model did not answer")?.text;
        if let Some(path) = kept_at {
            self.keep(&path, prompt, &answer)?;
        }
        Ok(answer)
    }

    fn key(&self, prompt: &str) -> String {
        let asked = json!([self.model.name(), SYSTEM, prompt, self.max_tokens]).to_string();
        let digest = Sha256::digest(asked);
        let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{digits}.json")
    }

    /// Written beside and renamed, so that a run that is killed leaves no half file.
    fn keep(&self, path: &std::path::Path, prompt: &str, answer: &str) -> anyhow::Result<()> {
        let kept = json!({"model": self.model.name(), "prompt": prompt, "answer": answer});
        let beside = path.with_extension("part");
        std::fs::write(&beside, kept.to_string())?;
        std::fs::rename(&beside, path)?;
        Ok(())
    }
}

fn read(kept: &[u8]) -> Option<String> {
    let kept: Value = serde_json::from_slice(kept).ok()?;
    Some(kept.get("answer")?.as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use reflect_llm::{ScriptedModel, ScriptedStep};

    use super::*;

    #[tokio::test]
    async fn a_prompt_that_was_answered_is_not_asked_again() {
        let folder = tempfile::tempdir().unwrap();
        let actor = |answer: &str| Actor {
            model: Arc::new(ScriptedModel::new([ScriptedStep::text(answer)]).named("scripted")),
            max_tokens: 10,
            cache: Some(folder.path().to_owned()),
        };
        assert_eq!(actor("first").answer("Greet Ada").await.unwrap(), "first");
        assert_eq!(actor("second").answer("Greet Ada").await.unwrap(), "first");
        assert_eq!(actor("second").answer("Greet Chen").await.unwrap(), "second");
    }
}
