//! `reflect keys create`.

use std::{io::Write, sync::Arc};

use anyhow::Context;
use reflect_api::{CreateKeyRequest, CreatedKeyAnswer, ErrorAnswer};
use reflect_core::{Environment, ProjectId, Scope};
use reflect_engine::{
    Caller, Engine, EngineSettings, MasterKey, ModelParts, NewKey, Parts, SystemClock, SystemEntropy,
};
use reflect_store::{DataFolder, Owner, Ownership, Store};
use reflection::BuiltinReflector;

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
    let url = owner
        .url
        .as_ref()
        .with_context(|| format!("process {} has the data folder but does not listen yet", owner.pid))?;
    let master_key =
        master_key::find(settings)?.context("the server's master key is not known: set REFLECT_MASTER_KEY")?;
    let path = format!("{url}/v1/projects/{}/api-keys", percent_encoded(wish.project_id.as_str()));
    let request = CreateKeyRequest { label: wish.label, scopes: wish.scopes, environment: Some(wish.environment) };
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let mut answer = agent
        .post(&path)
        .header("Authorization", format!("Bearer {master_key}"))
        .send_json(&request)
        .with_context(|| format!("asking the server at {url}"))?;
    if !answer.status().is_success() {
        let refused: ErrorAnswer =
            answer.body_mut().read_json().context("the server answered no error that we know")?;
        anyhow::bail!("the server at {url} refused: {}", refused.error.message);
    }
    let created: CreatedKeyAnswer = answer.body_mut().read_json().context("the server's answer cannot be read")?;
    Ok(created.api_key)
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
        embedders: settings.embedders.make(Arc::new(SystemEntropy))?,
        reflector: Arc::new(BuiltinReflector),
        models: ModelParts::default(),
        clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy),
        master_key: MasterKey::new(&master_key.text),
        bootstrap_token: None,
        settings: EngineSettings::default(),
    });
    let new_key = NewKey { label: wish.label, scopes: wish.scopes, environment: wish.environment };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let created = runtime.block_on(engine.create_key(&Caller::master(), &wish.project_id, new_key, None))?;
    Ok(created.plain_text)
}

fn percent_encoded(text: &str) -> String {
    let keep = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().map(|byte| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
