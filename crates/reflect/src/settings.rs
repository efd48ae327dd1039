//! Settings, checked once into values that the rest can trust.

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use anyhow::{Context, bail};
use reflect_api::Limits;
use reflect_core::{Kernel, Secret};
use reflect_engine::{AuditLog, EngineSettings, MasterKey};
use reflect_server::{ConnectionSettings, KeyRate, MetricsAccess};
use reflection::Redactor;

use crate::{
    embedders::{EmbedderName, EmbedderSettings, Remote},
    gather::{RawSettings, secrets_in_flags},
    given::Given,
    llm_settings::LlmSettings,
    mixture, redaction,
};

/// What the server runs with.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) listen: SocketAddr,
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) data: PathBuf,
    /// Where everything is kept instead of the folder.
    pub(crate) database_url: Option<Secret>,
    /// How long a server without users goes on; without it, for ever.
    pub(crate) until_unused: Option<Duration>,
    pub(crate) master_key: Option<Secret>,
    pub(crate) bootstrap_token: Option<Secret>,
    pub(crate) embedders: EmbedderSettings,
    pub(crate) engine: EngineSettings,
    pub(crate) limits: Limits,
    pub(crate) connections: ConnectionSettings,
    pub(crate) key_rate: Option<KeyRate>,
    pub(crate) request_memory: usize,
    pub(crate) kernel: Kernel,
    pub(crate) log: String,
    pub(crate) log_as_json: bool,
    audit_log: String,
    pub(crate) slow_request: Duration,
    #[cfg(debug_assertions)]
    pub(crate) fault: Option<crate::faults::Fault>,
    pub(crate) llm: LlmSettings,
    pub(crate) metrics: MetricsAccess,
    /// Flags that hold secrets.
    pub(crate) secrets_in_flags: Vec<String>,
}

impl Settings {
    /// Checks what was given. The first thing that is wrong is named with its place, its value and what is allowed.
    pub(crate) fn check(raw: &RawSettings) -> anyhow::Result<Self> {
        let given = Given(raw);
        let redactor = redaction::check(&given)?;
        let (unit, seconds) = (|name| given.between(name, 0.0, 1.0), |name| given.seconds(name));
        Ok(Self {
            listen: given.parse("listen", "an address and port such as 127.0.0.1:8000")?,
            allowed_hosts: given.list("allowed_hosts").collect(),
            data: PathBuf::from(given.text("data")?),
            database_url: database_url(&given)?,
            until_unused: given.maybe("until_unused").map(|_| seconds("until_unused")).transpose()?,
            master_key: given.secret("master_key", MasterKey::SHORTEST)?,
            bootstrap_token: given.secret("bootstrap_token", 16)?,
            embedders: embedders(&given, redactor.as_ref())?,
            engine: EngineSettings {
                alpha: unit("alpha")?,
                learning: given.one_of("learning", &["worth", "constant"])?.parse()?,
                trial_share: unit("trial_share")?,
                sitting_out: given.between("sitting_out", 0.0, 0.5)?,
                lambda: unit("lambda")?,
                mmr_lambda: unit("mmr_lambda")?,
                matching: given.one_of("match", &["task", "lesson", "both"])?.parse()?,
                similarity_threshold: given.maybe_between("similarity_threshold", -1.0, 1.0)?,
                holdout: given.between("holdout", 0.0, 0.5)?,
                mixture: mixture::check(&given)?,
                workers: given.size("workers", 1_000)?,
                max_attempts: u32::try_from(given.count("max_attempts", 100)?)?,
                attempt_timeout: seconds("attempt_timeout")?,
                review_deadline: seconds("review_deadline")?,
                queue_max_age: seconds("queue_max_age")?,
                index_memory: given.size("index_memory", 1 << 24)? << 20,
                follow_up_attempts: u32::try_from(given.count("llm_follow_ups", 100)?)?,
                judge_after: seconds("judge_after")?,
                judge_alpha: unit("judge_alpha")?,
                retrieval_retention: Duration::from_secs(given.count("retrieval_days", 36_500)? * 86_400),
                retrieval_log_bytes: given.size("retrieval_log", 1 << 24)? << 20,
                search_timeout: seconds("search_timeout")?,
                trace_retention: days(&given, "trace_days")?,
                trace_count: given.maybe("trace_count").map(|_| given.size("trace_count", 1 << 40)).transpose()?,
                daily_traces: given.maybe("daily_traces").map(|_| given.count("daily_traces", 1 << 40)).transpose()?,
                ..EngineSettings::default()
            },
            limits: limits(&given)?,
            connections: connections(&given)?,
            key_rate: key_rate(&given)?,
            request_memory: given.size("request_memory", 1 << 20)? << 20,
            kernel: kernel(&given)?,
            log: given.text("log")?,
            log_as_json: given.one_of("log_format", &["text", "json"])? == "json",
            slow_request: Duration::from_millis(given.count("slow_request", 3_600_000)?),
            audit_log: given.one_of("audit_log", &["file", "stderr", "off"])?,
            #[cfg(debug_assertions)]
            fault: given.maybe("fault_reflector").map(|fault| fault.parse()).transpose()?,
            llm: LlmSettings::check(&given, redactor)?,
            metrics: metrics(&given)?,
            secrets_in_flags: secrets_in_flags(raw),
        })
    }

    /// The audit log, which is a file where there is a data folder and nothing else was asked for.
    pub(crate) fn audit_log(&self) -> anyhow::Result<AuditLog> {
        match self.audit_log.as_str() {
            "off" => Ok(AuditLog::default()),
            "file" if self.database_url.is_none() => {
                let path = self.data.join("audit.log");
                AuditLog::to_file(&path).with_context(|| format!("opening `{}`", path.display()))
            }
            _ => Ok(AuditLog::to_standard_error()),
        }
    }

    /// Refuses a command that is about data folders where everything is in a database.
    pub(crate) fn need_folder(&self, instead: &str) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.database_url.is_none(),
            "this command is about data folders, and `database_url` is set: {instead}, or name a folder with --data"
        );
        Ok(())
    }
}

/// The database, unless a folder was typed: that wins over what stands in the environment or in a file.
fn database_url(given: &Given<'_>) -> anyhow::Result<Option<Secret>> {
    let is_typed = |name: &str, flag: &str| given.source(name).as_deref() == Some(flag);
    match (is_typed("data", "--data"), is_typed("database_url", "--database-url")) {
        (true, true) => bail!("--data and --database-url were both given: everything is in the one or in the other"),
        (true, false) => return Ok(None),
        (false, _) => {}
    }
    let url = given.secret("database_url", 1)?;
    if let Some(url) = &url {
        let is_postgres = ["postgres://", "postgresql://"].iter().any(|scheme| url.expose().starts_with(scheme));
        anyhow::ensure!(is_postgres, "`database_url` is `****`, it must begin with postgres://");
        anyhow::ensure!(
            given.maybe("until_unused").is_none(),
            "`until_unused` and `database_url` are both set: users hold their leases in a data folder"
        );
    }
    Ok(url)
}

fn connections(given: &Given<'_>) -> anyhow::Result<ConnectionSettings> {
    Ok(ConnectionSettings {
        most: given.size("max_connections", 1 << 20)?,
        head_timeout: given.seconds("head_timeout")?,
        idle_timeout: given.seconds("idle_timeout")?,
        send_timeout: given.seconds("send_timeout")?,
    })
}

fn metrics(given: &Given<'_>) -> anyhow::Result<MetricsAccess> {
    Ok(match given.one_of("metrics", &["open", "key", "off"])?.as_str() {
        "key" => MetricsAccess::MasterKey,
        "off" => MetricsAccess::Off,
        _ => MetricsAccess::Open,
    })
}

fn limits(given: &Given<'_>) -> anyhow::Result<Limits> {
    Ok(Limits {
        body_bytes: given.size("max_body_bytes", 1 << 30)?,
        task_length: given.size("max_task_length", 1 << 30)?,
        text_length: given.size("max_text_length", 1 << 30)?,
        list_length: given.size("max_list_length", 1 << 30)?,
        metadata_bytes: given.size("max_metadata_bytes", 1 << 30)?,
        metadata_values: given.size("max_metadata_values", 1 << 30)?,
        nesting: given.size("max_nesting", 120)?,
        unpaged_list: given.size("max_unpaged_list", 1 << 30)?,
    })
}

fn key_rate(given: &Given<'_>) -> anyhow::Result<Option<KeyRate>> {
    let burst = given.count("key_burst", 1 << 20)? as f64;
    Ok(given.maybe_between("key_rate", 0.01, 1e6)?.map(|per_second| KeyRate { per_second, burst }))
}

fn days(given: &Given<'_>, name: &str) -> anyhow::Result<Option<Duration>> {
    given.maybe(name).map(|_| Ok(Duration::from_secs(given.count(name, 36_500)? * 86_400))).transpose()
}

/// The best kernel of this machine, or the one that was named.
fn kernel(given: &Given<'_>) -> anyhow::Result<Kernel> {
    let names: Vec<&str> = std::iter::once("auto").chain(Kernel::available().map(Kernel::name)).collect();
    let value = given.one_of("kernel", &names)?;
    let mut available = Kernel::available();
    Ok(available.find(|kernel| value == "auto" || kernel.name() == value).unwrap_or(Kernel::Plain))
}

/// Which embedders there are. One over HTTP needs to be told where it is and how large its vectors are.
fn embedders(given: &Given<'_>, redactor: Option<&Arc<Redactor>>) -> anyhow::Result<EmbedderSettings> {
    let value = given.text("embedder")?;
    let allowed =
        "builtin, all-MiniLM-L6-v2, hashing, openai/MODEL or http/MODEL, or several of them with commas between them";
    let names = value.split(',').map(|name| name.trim().parse()).collect::<Result<Vec<EmbedderName>, _>>();
    let names = names.map_err(|()| given.wrong("embedder", &value, allowed))?;
    let remotes: Vec<&EmbedderName> = names.iter().filter(|name| name.model().is_some()).collect();
    let remote = match remotes.as_slice() {
        [] if given.maybe("embedder_url").is_some() => {
            bail!("`embedder_url` is set, and `embedder` is `{value}`: name the model there, as in `http/MODEL`")
        }
        [] => None,
        [name] => Some(Remote { redactor: redactor.cloned(), ..remote(given, name)? }),
        _ => return Err(given.wrong("embedder", &value, "with at most one over HTTP")),
    };
    Ok(EmbedderSettings { names, remote })
}

fn remote(given: &Given<'_>, name: &EmbedderName) -> anyhow::Result<Remote> {
    let missing = |setting: &str, what: &str| format!("`embedder` is `{name}`, and `{setting}` is not set: {what}");
    let url = given.maybe("embedder_url").or(name.default_url());
    let url = url.with_context(|| missing("embedder_url", "say where it is, as in http://localhost:11434/v1"))?;
    given.maybe("embedder_dimension").with_context(|| {
        missing("embedder_dimension", "say how many numbers its vectors have, as its documentation does")
    })?;
    Ok(Remote {
        url: url.to_owned(),
        key: given.secret("embedder_key", 1)?,
        dimension: given.size("embedder_dimension", 65_536)?,
        shorten: given.one_of("embedder_shorten", &["yes", "no"])? == "yes",
        batch: given.size("embedder_batch", 10_000)?,
        timeout: Duration::from_secs(given.count("embedder_timeout", 600)?),
        redactor: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{gather::gather, options};

    fn check(flags: &[(&str, &str)], variables: &[(&str, &str)], file: Option<&str>) -> anyhow::Result<Settings> {
        let look_up = |values: &[(&str, &str)], name: &str| {
            values.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        };
        let file = file.map(|text| ("reflect.toml", text));
        Settings::check(&gather(|name| look_up(flags, name), |name| look_up(variables, name), file)?)
    }

    #[test]
    fn flags_win_over_environment_over_file_over_default() {
        let file = Some("alpha = 0.1\nlambda = 0.1\nworkers = 3");
        let variables = [("REFLECT_ALPHA", "0.2"), ("REFLECT_LAMBDA", "0.2")];
        let settings = check(&[("alpha", "0.25")], &variables, file).unwrap();
        let engine = settings.engine;
        assert_eq!((engine.alpha, engine.lambda, engine.workers, engine.mmr_lambda), (0.25, 0.2, 3, 0.7));
    }

    #[test]
    fn defaults_are_the_engines_and_the_wires_own() {
        let settings = check(&[], &[], None).unwrap();
        assert_eq!(settings.engine, EngineSettings::default());
        assert_eq!(settings.limits, Limits::default());
        assert_eq!(settings.connections, ConnectionSettings::default());
    }

    #[test]
    fn a_wrong_setting_is_named_with_its_value_and_what_is_allowed() {
        let refused = |variable: &str, value: &str| check(&[], &[(variable, value)], None).unwrap_err().to_string();
        assert_eq!(
            refused("REFLECT_ALPHA", "7"),
            "`alpha` is `7` (from REFLECT_ALPHA), it must be a number between 0 and 1"
        );
        assert_eq!(
            refused("REFLECT_ALPHA", "NaN"),
            "`alpha` is `NaN` (from REFLECT_ALPHA), it must be a number between 0 and 1"
        );
        assert_eq!(
            refused("REFLECT_WORKERS", "many"),
            "`workers` is `many` (from REFLECT_WORKERS), it must be a whole number between 1 and 1000"
        );
        assert!(refused("REFLECT_LISTEN", "here").contains("127.0.0.1:8000"));
        assert!(!refused("REFLECT_MASTER_KEY", "hunter2").contains("hunter2"));
        let unknown = check(&[], &[], Some("alhpa = 0.2")).unwrap_err().to_string();
        assert!(unknown.contains("`alhpa`") && unknown.contains("alpha"), "{unknown}");
    }

    #[test]
    fn a_kernel_is_one_of_this_machines() {
        assert_eq!(Some(check(&[], &[], None).unwrap().kernel), Kernel::available().next());
        assert_eq!(check(&[("kernel", "plain")], &[], None).unwrap().kernel, Kernel::Plain);
        let refused = check(&[], &[("REFLECT_KERNEL", "mmx")], None).unwrap_err().to_string();
        assert!(refused.contains("`mmx` (from REFLECT_KERNEL)") && refused.contains("auto, "), "{refused}");
    }

    #[test]
    fn secrets_are_never_printed() {
        let settings = check(&[], &[("REFLECT_MASTER_KEY", "a-very-secret-master-key")], None).unwrap();
        assert!(!format!("{settings:?}").contains("very-secret"));
        let file = "embedder = \"openai/large\"\nembedder_dimension = 8\nembedder_key = \"a-very-secret-key\"";
        assert!(!format!("{:?}", check(&[], &[], Some(file)).unwrap()).contains("very-secret"));
    }

    #[test]
    fn an_embedder_over_http_says_what_it_needs() {
        let refused = |flags: &[(&str, &str)]| check(flags, &[], None).unwrap_err().to_string();
        let said = refused(&[("embedder", "http/nomic")]);
        assert!(said.contains("`embedder_url` is not set") && said.contains("http://localhost:11434/v1"), "{said}");
        let said = refused(&[("embedder", "openai/large")]);
        assert!(said.contains("`embedder_dimension` is not set"), "{said}");
        let said = refused(&[("embedder", "gpt")]);
        assert!(said.contains("`gpt` (from --embedder)") && said.contains("openai/MODEL"), "{said}");
        let said = refused(&[("embedder", "openai/a,http/b"), ("embedder_dimension", "8")]);
        assert!(said.contains("at most one over HTTP"), "{said}");
        let said = refused(&[("embedder_url", "http://host/v1")]);
        assert!(said.contains("`embedder_url` is set"), "{said}");
    }

    #[test]
    fn the_example_file_says_what_the_defaults_are() {
        let documented = check(&[], &[], Some(&crate::settings_reference::toml())).unwrap();
        assert_eq!(documented.engine, EngineSettings::default());
        assert_eq!(documented.limits, Limits::default());
    }

    #[test]
    fn the_readme_is_right_about_the_settings_that_it_shows() {
        let readme = include_str!("../../../README.md");
        let rows: Vec<&str> = readme.lines().filter(|line| line.starts_with("| `REFLECT_")).collect();
        assert!(!rows.is_empty());
        for row in rows {
            let cells: Vec<&str> = row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
            let setting = options::all().find(|setting| setting.variable() == cells[1]);
            let setting = setting.unwrap_or_else(|| panic!("README.md has {row}, which is not a setting"));
            assert_eq!(cells[2].trim_matches('–'), setting.default, "{row}");
        }
    }
}
