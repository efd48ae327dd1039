//! `reflect keys`: list, create, revoke and rotate a project's keys.

mod holder;
mod table;
mod wish;

use anyhow::Context;
use clap::{Arg, ArgAction, ArgMatches, Command as Clap};
use reflect_api::{CreateKeyRequest, CreatedKeyAnswer, KeyAnswer};
use reflect_core::KeyStatus;

use crate::{print, say, target::Target};
use holder::Holder;

/// What to do with which project's keys.
pub(crate) struct KeysCommand {
    target: Target,
    action: Action,
}

enum Action {
    List { as_json: bool },
    Create(CreateKeyRequest),
    Revoke { key: String },
    Rotate(Rotation),
}

/// A key that is to be replaced.
struct Rotation {
    key: String,
    expires_in_seconds: Option<u64>,
    /// Whether the old one goes on to open what it did.
    keeps_old: bool,
}

pub(crate) fn command() -> Clap {
    let key = Arg::new("key")
        .required(true)
        .value_name("KEY")
        .help("Its id or its public id, as `reflect keys list` shows them");
    let as_json = Arg::new("json").long("json").action(ArgAction::SetTrue).help("As JSON");
    let keeps_old = Arg::new("keep_old")
        .long("keep-old")
        .action(ArgAction::SetTrue)
        .help("Let the old key go on, until it is revoked: for programs that cannot change at once");
    let commands = [
        Clap::new("list").about("List a project's keys, with their last use and their end").arg(as_json),
        wish::with_arguments(
            Clap::new("create")
                .about("Make a key for a project and print it")
                .long_about("Makes a key for a project and prints it, once."),
        ),
        Clap::new("revoke").about("Let a key open nothing any more").arg(key.clone()),
        Clap::new("rotate")
            .about("Make a key like another one, print it, and revoke the other")
            .arg(key)
            .arg(keeps_old)
            .arg(wish::expires_in("For how long the new key is good; without it, as long as the old one was made for")),
    ];
    let keys = Clap::new("keys").about("Look after API keys").subcommand_required(true).arg_required_else_help(true);
    keys.subcommands(commands.map(holder::with_target))
}

impl KeysCommand {
    pub(crate) fn read(matches: &ArgMatches) -> anyhow::Result<Self> {
        let (name, matches) = matches.subcommand().context("`reflect keys` wants a command")?;
        let key = || matches.get_one::<String>("key").cloned().unwrap_or_default();
        let action = match name {
            "list" => Action::List { as_json: matches.get_flag("json") },
            "create" => Action::Create(wish::read(matches)?),
            "revoke" => Action::Revoke { key: key() },
            _ => Action::Rotate(Rotation {
                key: key(),
                expires_in_seconds: wish::read_expires_in(matches)?,
                keeps_old: matches.get_flag("keep_old"),
            }),
        };
        Ok(Self { target: Target::read_typed(matches)?, action })
    }

    pub(crate) fn run(self) -> anyhow::Result<()> {
        tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
            let holder = Holder::open(&self.target).await?;
            match self.action {
                Action::List { as_json } => list(&holder, as_json).await,
                Action::Create(request) => show_secret(&holder.create(request).await?),
                Action::Revoke { key } => {
                    let revoked = holder.revoke(&find(&holder, &key).await?).await?;
                    say(format_args!("revoked {} ({})", revoked.public_id, revoked.label))
                }
                Action::Rotate(rotation) => rotate(&holder, rotation).await,
            }
        })
    }
}

async fn list(holder: &Holder, as_json: bool) -> anyhow::Result<()> {
    let keys = holder.list().await?;
    if as_json {
        return say(format_args!("{}", serde_json::to_string_pretty(&keys)?));
    }
    print(&table::write(&keys))
}

/// Standard output holds the new key and nothing else, for `KEY=$(reflect keys create)`.
fn show_secret(created: &CreatedKeyAnswer) -> anyhow::Result<()> {
    say(format_args!("{}", created.api_key))
}

/// The key with this id or public id; a whole key is recognised by the public id in it.
async fn find(holder: &Holder, named: &str) -> anyhow::Result<KeyAnswer> {
    let public_id = named.split('_').nth(2).unwrap_or(named);
    let is_named = |key: &KeyAnswer| key.id.to_string() == named || key.public_id == public_id;
    let found = holder.list().await?.into_iter().find(is_named);
    found.with_context(|| format!("there is no key `{public_id}` in this project; see `reflect keys list`"))
}

async fn rotate(holder: &Holder, rotation: Rotation) -> anyhow::Result<()> {
    let old = find(holder, &rotation.key).await?;
    anyhow::ensure!(
        old.status == KeyStatus::Active,
        "key `{}` is {}; make a new one with `reflect keys create`",
        old.public_id,
        old.status.as_str()
    );
    let lifetime = old.expires_at.map(|end| (end.millis_since(old.created_at) / 1_000).max(1));
    let request = CreateKeyRequest {
        label: old.label.clone(),
        scopes: old.scopes.clone(),
        environment: Some(old.environment),
        expires_in_seconds: rotation.expires_in_seconds.or(lifetime),
    };
    let created = holder.create(request).await?;
    // Before the old one goes: should that fail, nobody is left without a key.
    show_secret(&created)?;
    if !rotation.keeps_old {
        holder
            .revoke(&old)
            .await
            .with_context(|| format!("the old key `{}` still opens the project", old.public_id))?;
    }
    Ok(())
}
