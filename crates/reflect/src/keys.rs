//! `reflect keys create`.

use std::{io::Write, sync::Arc};

use anyhow::Context;
use reflect_api::{CreateKeyRequest, CreatedKeyAnswer, ErrorAnswer};
use reflect_core::{Environment, ProjectId, Scope};
use reflect_engine::{Asker, Caller, Engine, EngineSettings, MasterKey, ModelParts, NewKey, Parts};
use reflect_http::client_for;
use reflect_store::{DataFolder, Owner, Ownership, Store};
use reflect_system::{SystemClock, SystemEntropy};
use reflection::BuiltinReflector;
use reqwest::{Url, header};

use crate::{master_key, say, settings::Settings};

/// The key that is wanted.
pub(crate) struct KeyWish {
    project_id: ProjectId,
    label: String,
    scopes: Vec<Scope>,
    environment: Environment,
}

impl KeyWish {
    pub(crate) fn check(
        project: String,
        label: String,
        scopes: Vec<String>,
        environment: String,
    ) -> anyhow::Result<Self> {
        let named: Result<Vec<Scope>, _> = scopes.iter().map(|scope| scope.parse()).collect();
        let named = named.context("`--scope` is wrong")?;
        Ok(Self {
            project_id: project.try_into().context("`--project` is wrong")?,
            label,
            scopes: if named.is_empty() { Scope::ALL.to_vec() } else { named },
            environment: environment.parse().context("`--environment` is wrong")?,
        })
    }
}

/// Makes a key, through the server that has the folder or on the folder itself, and prints it.
pub(crate) fn create(settings: &Settings, wish: KeyWish) -> anyhow::Result<()> {
    let key = match DataFolder::open(&settings.data)? {
        Ownership::Theirs(owner) => ask_server(settings, &owner, wish)?,
        Ownership::Ours(folder) => make_here(settings, &folder, wish)?,
    };
    say(format_args!("{key}"))
}

fn ask_server(settings: &Settings, owner: &Owner, wish: KeyWish) -> anyhow::Result<String> {
    let base_url = owner
        .url
        .as_ref()
        .with_context(|| format!("process {} has the data folder but does not listen yet", owner.pid))?;
    let master_key =
        master_key::find(settings)?.context("the server's master key is not known: set REFLECT_MASTER_KEY")?;
    let url = keys_url(base_url, &wish.project_id)?;
    let body = CreateKeyRequest {
        label: wish.label,
        scopes: wish.scopes,
        environment: Some(wish.environment),
        expires_in_seconds: None,
    };
    let request = client_for(&url, |builder| builder)?
        .post(url)
        .bearer_auth(master_key)
        .header(header::CONTENT_TYPE, "application/json")
        .body(serde_json::to_vec(&body)?);
    let answer = async {
        let response = request.send().await?;
        let status = response.status();
        anyhow::Ok((status, response.bytes().await?))
    };
    let (status, body) = runtime()?.block_on(answer).with_context(|| format!("asking the server at {base_url}"))?;
    if !status.is_success() {
        let refused: ErrorAnswer =
            serde_json::from_slice(&body).context("the server answered no error that we know")?;
        anyhow::bail!("the server at {base_url} refused: {}", refused.error.message);
    }
    let created: CreatedKeyAnswer = serde_json::from_slice(&body).context("the server's answer cannot be read")?;
    Ok(created.api_key)
}

/// Where a project's keys are. Its id may hold a slash.
fn keys_url(base_url: &str, project_id: &ProjectId) -> anyhow::Result<Url> {
    let mut url = Url::parse(base_url).with_context(|| format!("the server's address `{base_url}` is wrong"))?;
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().extend(["v1", "projects", project_id.as_str(), "api-keys"]);
    }
    Ok(url)
}

fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

fn make_here(settings: &Settings, folder: &DataFolder, wish: KeyWish) -> anyhow::Result<String> {
    let store = Store::open(&folder.database())?;
    let master_key = master_key::find_or_make(settings)?;
    if let Some(path) = &master_key.made_at {
        // Not on standard output: that holds the new key and nothing else, for `KEY=$(reflect keys create)`.
        writeln!(std::io::stderr(), "master key: kept in {}", path.display())?;
    }
    let engine = Engine::new(Parts {
        store,
        embedders: settings.embedders.make(Arc::new(SystemClock), Arc::new(SystemEntropy))?,
        reflector: Arc::new(BuiltinReflector),
        models: ModelParts::default(),
        clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy),
        master_key: MasterKey::new(&master_key.text),
        bootstrap_token: None,
        audit: settings.audit_log(folder.path())?,
        settings: EngineSettings::default(),
    });
    let new_key = NewKey { label: wish.label, scopes: wish.scopes, environment: wish.environment, expires_in: None };
    let asker = Asker { caller: &Caller::master(), project_id: &wish.project_id };
    let created = runtime()?.block_on(engine.create_key(asker, new_key, None))?;
    Ok(created.plain_text)
}
