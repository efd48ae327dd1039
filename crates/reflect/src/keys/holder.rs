//! Who answers about keys: a server, or the engine in this process on a folder that no server has.

use std::{io::Write, sync::Arc};

use anyhow::Context;
use clap::{Arg, Command as Clap};
use reflect_api::{CreateKeyRequest, CreatedKeyAnswer, KeyAnswer, Limits};
use reflect_client::ReflectClient;
use reflect_core::{KeyId, ProjectId};
use reflect_engine::{Caller, Engine, EngineSettings, MasterKey, ModelParts, Parts};
use reflect_service::{Asker, Service};
use reflect_store::{Owner, Store};
use reflect_system::{SystemClock, SystemEntropy};
use reflection::BuiltinReflector;

use crate::{
    command_line::with_settings,
    home::{FolderTaken, Home},
    master_key,
    settings::Settings,
    target::{NO_KEY, Place, Target},
};

pub(super) enum Holder {
    Server(ReflectClient),
    Here { service: Service, project_id: ProjectId, _home: Home },
}

/// Adds the arguments that say whose keys.
pub(super) fn with_target(command: Clap) -> Clap {
    let url = Arg::new("url")
        .long("url")
        .value_name("URL")
        .help("Ask the server at this URL, with the key in REFLECT_API_KEY, which needs keys:write");
    let project = Arg::new("project").long("project").help("The project; it is made if need be [default: default]");
    with_settings(command.arg(project).arg(url), |setting| matches!(setting.name, "data" | "database_url" | "master_key" | "audit_log"))
        .after_help("Without a URL it works through the server that has the data folder open, or on the folder itself when none does, or on the database that `database_url` names.")
}

impl Holder {
    pub(super) async fn open(target: &Target) -> anyhow::Result<Self> {
        let project = target.project_id.as_str();
        match &target.place {
            Place::Url { url, key } => {
                let key = key.as_ref().context(NO_KEY)?;
                let builder = ReflectClient::builder().base_url(url.clone()).api_key(key.expose()).project(project);
                Ok(Self::Server(builder.build()?))
            }
            Place::Folder { settings, .. } => {
                let home = match Home::open(settings) {
                    Ok(home) => home,
                    Err(error) => {
                        let FolderTaken { owner, .. } = error.downcast()?;
                        return Ok(Self::Server(client_of(settings, &owner, project)?));
                    }
                };
                let service = Service::new(engine(settings, home.store().await?)?, Limits::default());
                Ok(Self::Here { service, project_id: target.project_id.clone(), _home: home })
            }
        }
    }

    pub(super) async fn list(&self) -> anyhow::Result<Vec<KeyAnswer>> {
        match self {
            Self::Server(client) => Ok(client.list_keys().await?),
            Self::Here { service, project_id, .. } => {
                Ok(service.list_keys(Asker { caller: &Caller::master(), project_id }).await?)
            }
        }
    }

    pub(super) async fn create(&self, request: CreateKeyRequest) -> anyhow::Result<CreatedKeyAnswer> {
        match self {
            Self::Server(client) => {
                let mut call = client.create_key(request.label, request.scopes);
                if let Some(environment) = request.environment {
                    call = call.environment(environment);
                }
                if let Some(seconds) = request.expires_in_seconds {
                    call = call.expires_in(std::time::Duration::from_secs(seconds));
                }
                Ok(call.await?)
            }
            Self::Here { service, project_id, .. } => {
                Ok(service.create_key(Asker { caller: &Caller::master(), project_id }, request, None).await?)
            }
        }
    }

    pub(super) async fn revoke(&self, key: &KeyAnswer) -> anyhow::Result<KeyAnswer> {
        match self {
            Self::Server(client) => Ok(client.revoke_key(key.id.to_string()).await?),
            Self::Here { service, project_id, .. } => {
                let key_id = KeyId::from_uuid(key.id);
                Ok(service.revoke_key(Asker { caller: &Caller::master(), project_id }, key_id).await?)
            }
        }
    }
}

fn client_of(settings: &Settings, owner: &Owner, project: &str) -> anyhow::Result<ReflectClient> {
    let url = owner
        .url
        .as_ref()
        .with_context(|| format!("process {} has the data folder but does not listen yet", owner.pid))?;
    let master_key =
        master_key::find(settings)?.context("the server's master key is not known: set REFLECT_MASTER_KEY")?;
    Ok(ReflectClient::builder().base_url(url.clone()).api_key(master_key).project(project).build()?)
}

fn engine(settings: &Settings, store: Store) -> anyhow::Result<Arc<Engine>> {
    let master_key = master_key::find_or_make(settings)?;
    if let Some(path) = &master_key.made_at {
        // Not on standard output: that holds the new key and nothing else.
        writeln!(std::io::stderr(), "master key: kept in {}", path.display())?;
    }
    Ok(Engine::new(Parts {
        store,
        embedders: settings.embedders.make(Arc::new(SystemClock), Arc::new(SystemEntropy))?,
        reflector: Arc::new(BuiltinReflector),
        models: ModelParts::default(),
        clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy),
        master_key: MasterKey::new(&master_key.text),
        bootstrap_token: None,
        audit: settings.audit_log()?,
        settings: EngineSettings::default(),
    }))
}
