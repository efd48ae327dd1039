//! `reflect serve`.

use std::{
    io::IsTerminal,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use anyhow::Context;
use reflect_core::{Clock, Entropy};
use reflect_engine::{Background, Embedders, Engine, MasterKey, Parts};
use reflect_server::{App, ConnectionSettings};
use reflect_store::Store;
use reflect_system::{SystemClock, SystemEntropy};
use reflection::{BuiltinReflector, RunReflector};
use tokio::{net::TcpListener, signal::unix::SignalKind, sync::watch};

use crate::{descriptors, home::Home, leases::Leases, logging, master_key, models, say, settings::Settings};

/// Serves until SIGTERM or Ctrl-C, or until nobody uses the server any more if it was asked to.
pub(crate) fn run(settings: Settings) -> anyhow::Result<()> {
    logging::start(&settings)?;
    anyhow::ensure!(settings.kernel.choose(), "the kernel is in use before it was chosen");
    for flag in &settings.secrets_in_flags {
        tracing::warn!(
            flag,
            "a secret on the command line can be read by everybody on this machine; use its variable or its `_FILE`"
        );
    }
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().max_blocking_threads(blocking_threads()).build()?;
    runtime.block_on(serve(settings))?;
    // A request that outlived our patience may still hold a thread; the data is safe, so nobody waits for it.
    runtime.shutdown_timeout(Duration::from_secs(1));
    Ok(())
}

/// Threads for what blocks: four reads, a search and an embedding for each core are all that ever runs at a time; the rest is for
/// writes that wait, names that are looked up and the like. Without a limit the runtime starts one whenever none is idle at the moment,
/// soon as many as there are requests in flight, and each keeps megabytes that it has used and freed.
fn blocking_threads() -> usize {
    8 + 2 * std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

async fn serve(settings: Settings) -> anyhow::Result<()> {
    // First, so that a wrong setting leaves no trace.
    let embedders = settings.embedders.make(Arc::new(SystemClock), Arc::new(SystemEntropy))?;
    let mut home = Home::open(&settings)?;
    let leases = match (settings.until_unused, home.folder()) {
        (Some(grace), Some(folder)) => Some(Leases::open(folder.path(), grace)?),
        _ => None,
    };
    let listener =
        TcpListener::bind(settings.listen).await.with_context(|| format!("listening on {}", settings.listen))?;
    let url = format!("http://{}", listener.local_addr()?);
    let engine = put_together(&settings, home.store().await?, embedders)?;
    tracing::info!(kernel = settings.kernel.name(), "starting");
    let link = sign_in_link(&engine, listener.local_addr()?);
    let background = Arc::new(Background::start(Arc::clone(&engine)).await?);
    let app = App::new(engine, Some(Arc::clone(&background)), settings.limits.clone())
        .with_metrics(settings.metrics)
        .with_allowed_hosts(settings.allowed_hosts.clone())
        .with_slow_request(settings.slow_request)
        .with_key_rate(settings.key_rate)
        .with_request_memory(settings.request_memory);
    let (stop, stopping) = watch::channel(false);
    watch_signals(stop.clone())?;
    if let Some(folder) = home.folder() {
        folder.announce(Some(url.clone()))?;
        if leases.is_some() {
            logging::continue_in_file(folder.path())?;
        }
    }
    say(format_args!("listening on {url}"))?;
    if let Some(link) = link {
        say(format_args!("console: {link} (good once, for five minutes)"))?;
    }
    let most = descriptors::allow(settings.connections.most);
    let serving = reflect_server::serve(listener, app, ConnectionSettings { most, ..settings.connections }, stopping);
    match leases {
        Some(leases) => {
            tokio::join!(serving, leases.until_unused(&url, stop));
        }
        None => serving.await,
    }
    background.stop().await;
    tracing::info!("stopped");
    Ok(())
}

/// A link that signs in whoever opens it first, for whoever sits at the terminal. Elsewhere it would end up in a log.
fn sign_in_link(engine: &Engine, mut address: SocketAddr) -> Option<String> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    if address.ip().is_unspecified() {
        address.set_ip(if address.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() });
    }
    Some(format!("http://{address}/sign-in#code={}", engine.hand_out_sign_in_code()))
}

fn put_together(settings: &Settings, store: Store, embedders: Embedders) -> anyhow::Result<Arc<Engine>> {
    let master_key = master_key::find_or_make(settings)?;
    master_key::show(&master_key)?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let entropy: Arc<dyn Entropy> = Arc::new(SystemEntropy);
    Ok(Engine::new(Parts {
        store,
        embedders,
        reflector: reflector(settings),
        models: models::put_together(&settings.llm, &clock, &entropy)?,
        clock,
        entropy,
        master_key: MasterKey::new(&master_key.text),
        bootstrap_token: settings.bootstrap_token.as_ref().map(|secret| secret.expose().to_owned()),
        audit: settings.audit_log()?,
        settings: settings.engine.clone(),
    }))
}

#[cfg(debug_assertions)]
fn reflector(settings: &Settings) -> Arc<dyn RunReflector> {
    settings.fault.map_or_else(|| Arc::new(BuiltinReflector) as Arc<dyn RunReflector>, |fault| Arc::new(fault))
}

#[cfg(not(debug_assertions))]
fn reflector(_: &Settings) -> Arc<dyn RunReflector> {
    Arc::new(BuiltinReflector)
}

/// Asks for the end on the first SIGTERM or Ctrl-C. A second one ends the process at once.
fn watch_signals(stop: watch::Sender<bool>) -> anyhow::Result<()> {
    let mut terminate = tokio::signal::unix::signal(SignalKind::terminate())?;
    let mut interrupt = tokio::signal::unix::signal(SignalKind::interrupt())?;
    let watch = async move {
        let mut seen = false;
        loop {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if seen {
                std::process::exit(130);
            }
            seen = true;
            tracing::info!("stopping: no new requests, those in flight finish");
            let _ = stop.send(true);
        }
    };
    #[expect(clippy::disallowed_methods, reason = "it lives as long as the process and ends with it")]
    tokio::spawn(watch);
    Ok(())
}
