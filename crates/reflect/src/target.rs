//! Which server a command speaks to: the one at a URL, or that of a data folder.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Arg, ArgMatches, Command as Clap};
use reflect_client::ReflectClient;
use reflect_core::{ProjectId, Secret};

use crate::{
    command_line::{config_path, settings, with_settings},
    local_server::{self, LocalServer},
    master_key,
    settings::Settings,
};

/// A server and a project there.
pub(crate) struct Target {
    pub(crate) place: Place,
    pub(crate) project_id: ProjectId,
}

/// Where the server is.
pub(crate) enum Place {
    Url { url: String, key: Option<Secret> },
    Folder { settings: Box<Settings>, config: Option<String> },
}

/// A server that can be spoken to.
pub(crate) struct Reached {
    pub(crate) url: String,
    /// None where nobody has given one.
    pub(crate) key: Option<Secret>,
    _server: Option<LocalServer>,
}

/// Adds the arguments that name a target.
pub(crate) fn with_target(command: Clap) -> Clap {
    let url = Arg::new("url").long("url").value_name("URL").help(
        "Speak to the server at this URL, with the key in REFLECT_API_KEY, instead of a folder's [variable: REFLECT_API_URL]",
    );
    let project =
        Arg::new("project").long("project").help("The project [variable: REFLECT_PROJECT_ID] [default: default]");
    with_settings(command.arg(url).arg(project), |setting| setting.name == "data")
        .after_help(
            "Without a URL it is the server of the data folder; one is started if none runs, and ends two seconds after its last user.",
        )
}

impl Target {
    /// What was typed, else what the environment says to clients. A folder that was typed wins over a URL in the environment.
    pub(crate) fn read(matches: &ArgMatches) -> anyhow::Result<Self> {
        let is_folder_typed = matches.get_one::<String>("data").is_some();
        Self::read_with(matches, |name| match name {
            "REFLECT_API_URL" if is_folder_typed => None,
            name => variable(name),
        })
    }

    /// What was typed, and nothing else.
    pub(crate) fn read_typed(matches: &ArgMatches) -> anyhow::Result<Self> {
        Self::read_with(matches, |_| None)
    }

    fn read_with(matches: &ArgMatches, variable_for: impl Fn(&str) -> Option<String>) -> anyhow::Result<Self> {
        let typed = |name: &str| matches.get_one::<String>(name).cloned();
        let project = typed("project").or_else(|| variable_for("REFLECT_PROJECT_ID"));
        let place = match typed("url").or_else(|| variable_for("REFLECT_API_URL")) {
            Some(url) => Place::Url { url, key: variable("REFLECT_API_KEY").map(|key| Secret::new(key.trim())) },
            None => Place::Folder { settings: Box::new(settings(matches)?), config: config_path(matches) },
        };
        let project = project.unwrap_or_else(|| "default".into());
        Ok(Self { place, project_id: project.try_into().context("`--project` is wrong")? })
    }

    /// Joins or starts the folder's server. A server at a URL is not asked anything yet.
    pub(crate) fn reach(&self) -> anyhow::Result<Reached> {
        match &self.place {
            Place::Url { url, key } => Ok(Reached { url: url.clone(), key: key.clone(), _server: None }),
            Place::Folder { settings, config } => {
                settings.need_folder("name one of its servers with --url")?;
                let folder = absolute(settings)?;
                let server = local_server::join(&folder, config.as_deref())?;
                let key = master_key::find(settings)?
                    .context("the server's master key is not known: set REFLECT_MASTER_KEY")?;
                Ok(Reached { url: server.url.clone(), key: Some(Secret::new(key)), _server: Some(server) })
            }
        }
    }
}

impl Reached {
    /// A client for a project of this server.
    pub(crate) fn client(&self, project_id: &ProjectId) -> anyhow::Result<ReflectClient> {
        let builder = ReflectClient::builder().base_url(self.url.clone()).project(project_id.as_str());
        let key = self.key.as_ref().context(NO_KEY)?;
        Ok(builder.api_key(key.expose()).build()?)
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// What is said where a key is needed and there is none.
pub(crate) const NO_KEY: &str = "no key was given: put one into REFLECT_API_KEY (`reflect keys create` makes one)";

/// The data folder, whatever the working folder of whoever reads it.
pub(crate) fn absolute(settings: &Settings) -> anyhow::Result<PathBuf> {
    std::path::absolute(&settings.data).with_context(|| format!("the folder `{}`", settings.data.display()))
}
