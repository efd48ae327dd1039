//! Whether the server answers, to whom, and what it says about its parts.

use std::time::{Duration, Instant};

use anyhow::Context;
use reflect_api::{ErrorCode, HealthAnswer, ReadyAnswer, SessionAnswer};
use reflect_client::Error;
use reflect_core::{Clock, Scope, Timestamp};
use reflect_http::HttpClient;
use reflect_system::SystemClock;
use reqwest::{Url, header};

use super::{
    Patient,
    report::{Fault, Report},
};
use crate::target::NO_KEY;

/// What an agent needs to retrieve and to report.
const NEEDED: [Scope; 2] = [Scope::MemoryRead, Scope::TraceWrite];

/// How far apart two clocks may be.
const SKEW: Duration = Duration::from_secs(60);

/// How soon a key's end is worth a warning.
const SOON: Duration = Duration::from_secs(7 * 86_400);

const TIMEOUT: Duration = Duration::from_secs(20);

/// An answer to a plain GET.
struct Answer {
    body: Vec<u8>,
    /// The server's clock, to the second.
    date: Option<Timestamp>,
}

async fn get(patient: &Patient, path: &str) -> anyhow::Result<Answer> {
    let url = Url::parse(&format!("{}{path}", patient.reached.url.trim_end_matches('/')))?;
    let mut request = HttpClient::new()?.for_url(&url).get(url).timeout(TIMEOUT);
    if let Some(key) = &patient.reached.key {
        request = request.bearer_auth(key.expose());
    }
    let response = request.send().await?;
    let date = response.headers().get(header::DATE).and_then(|date| date.to_str().ok());
    let date = date.and_then(|date| httpdate::parse_http_date(date).ok());
    let date = date.and_then(|date| date.duration_since(std::time::UNIX_EPOCH).ok());
    let date = date.map(|since| Timestamp::from_micros(0).plus(since));
    Ok(Answer { date, body: response.bytes().await?.to_vec() })
}

/// Asks for `/health`, and answers whether there is a Reflect server at all.
pub(super) async fn check_reachable(patient: &Patient, report: &mut Report) -> anyhow::Result<bool> {
    let url = &patient.reached.url;
    let asked_at = Instant::now();
    let answer = match get(patient, "/health").await {
        Ok(answer) => answer,
        Err(error) => {
            let remedy =
                "start it with `reflect serve`, or look at the URL, the port, proxies and firewalls on the way";
            report.fail("reachable", Fault::new(format!("nobody answers at {url}: {error:#}"), remedy))?;
            return Ok(false);
        }
    };
    let took = asked_at.elapsed().as_millis();
    let Some(health) = serde_json::from_slice::<HealthAnswer>(&answer.body).ok().filter(|health| health.status == "ok")
    else {
        let remedy = "look at the URL: it is where `reflect serve` listens, without a path";
        report.fail(
            "reachable",
            Fault::new(format!("something answers at {url}, but it is no Reflect server"), remedy),
        )?;
        return Ok(false);
    };
    report.ok("reachable", format!("{url} answers in {took} ms, version {}", health.version))?;
    report.note("clock", clock(answer.date))?;
    Ok(true)
}

fn clock(server: Option<Timestamp>) -> Result<String, Fault> {
    let here = SystemClock.now();
    let Some(server) = server else { return Ok("the server does not say what time it has".into()) };
    let (ahead, behind) = (server.millis_since(here) / 1_000, here.millis_since(server) / 1_000);
    if ahead.max(behind) <= SKEW.as_secs() {
        return Ok("the server's clock and this machine's agree".into());
    }
    let which = if ahead > behind { format!("{ahead} s ahead of") } else { format!("{behind} s behind") };
    Err(Fault::new(
        format!("the server's clock is {which} this machine's"),
        "let both take their time from the network (NTP): keys end and runs are dated by the server's clock",
    ))
}

/// Asks who the key is, and answers that if it will do.
pub(super) async fn check_key(patient: &Patient, report: &mut Report) -> anyhow::Result<Option<SessionAnswer>> {
    if patient.reached.key.is_none() {
        report.fail("key", Fault::new("there is no key to ask with", NO_KEY))?;
        return Ok(None);
    }
    let session = match patient.reached.client(&patient.project_id)?.get_session().await {
        Ok(session) => session,
        Err(error) => {
            report.fail("key", refused_key(&error))?;
            return Ok(None);
        }
    };
    let project = patient.project_id.as_str();
    match &session.project_id {
        Some(other) if other != project => {
            let message = format!("the key `{}` opens the project `{other}`, not `{project}`", session.label);
            let remedy = format!("pass `--project {other}`, or take a key of `{project}`");
            report.fail("key", Fault::new(message, remedy))?;
            return Ok(None);
        }
        Some(project) => report.ok("key", format!("`{}` opens the project `{project}`", session.label))?,
        None => report.ok("key", "the master key opens every project")?,
    }
    if let Some(end) = session.expires_at.filter(|end| end.millis_since(SystemClock.now()) < millis(SOON)) {
        let remedy = "replace it in time: `reflect keys rotate`";
        report.warn("key", Fault::new(format!("it opens nothing any more from {end} on"), remedy))?;
    }
    Ok(report.note("scopes", scopes(&session))?.then_some(session))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn refused_key(error: &Error) -> Fault {
    match error.code() {
        Some(ErrorCode::Unauthorized) => Fault::new(
            error.to_string(),
            "look whether REFLECT_API_KEY holds the whole key, or make another with `reflect keys create`",
        ),
        Some(ErrorCode::TooManyFailures) => Fault::new(error.to_string(), "wait a minute, and use the right key then"),
        _ => Fault::new(error.to_string(), "look into the server's log"),
    }
}

fn scopes(session: &SessionAnswer) -> Result<String, Fault> {
    let has = |needed: &Scope| session.is_master || session.scopes.contains(needed);
    let missing: Vec<&str> = NEEDED.iter().filter(|needed| !has(needed)).map(|scope| scope.as_str()).collect();
    if missing.is_empty() {
        return Ok("it may retrieve and report".into());
    }
    Err(Fault::new(
        format!("the key lacks {}", missing.join(" and ")),
        "make one that has both: `reflect keys create --scope memory:read --scope trace:write`",
    ))
}

/// Asks for `/ready`, and reports each part by itself.
pub(super) async fn check_parts(patient: &Patient, report: &mut Report) -> anyhow::Result<()> {
    let answer = get(patient, "/ready")
        .await
        .and_then(|answer| serde_json::from_slice::<ReadyAnswer>(&answer.body).context("its answer cannot be read"));
    let ready = match answer {
        Ok(ready) => ready,
        Err(error) => {
            let fault = Fault::new(format!("`/ready` gives no answer: {error:#}"), "look into the server's log");
            return report.fail("store", fault);
        }
    };
    report.note("store", store(&ready.store))?;
    report.note("worker", worker(&ready.worker))?;
    report.note("embedder", part(&ready, "embedder", || format!("`{}` makes vectors", ready.embedder)))?;
    report.note("lessons", part(&ready, "reflector", || format!("`{}` writes them", ready.reflector)))?;
    if ready.problems.iter().any(|problem| problem.part == "model") {
        report.note("models", part(&ready, "model", String::new))?;
    }
    Ok(())
}

fn store(state: &str) -> Result<String, Fault> {
    let (message, remedy) = match state {
        "open" => return Ok("it can be read and written".into()),
        "full" => ("the disk is full: nothing is stored", "make room on the disk that holds the data folder"),
        "read_only" => (
            "the database can be read but not written",
            "look whether the disk is mounted read-only and the files are the server's, and whether a second server has taken the folder",
        ),
        _ => ("the database cannot be read", "look into the server's log, then run `reflect check`"),
    };
    Err(Fault::new(message, remedy))
}

fn worker(state: &str) -> Result<String, Fault> {
    match state {
        "running" => Ok("it runs".into()),
        _ => Err(Fault::new("it does not run: no lesson is written", "restart the server, and look into its log")),
    }
}

/// What the server says about one of its parts; `well` where it says nothing.
fn part(ready: &ReadyAnswer, name: &str, well: impl FnOnce() -> String) -> Result<String, Fault> {
    let Some(problem) = ready.problems.iter().find(|problem| problem.part == name) else { return Ok(well()) };
    let said = problem.said.as_ref().map(|said| format!("; it said: {said}")).unwrap_or_default();
    let remedy = match name {
        "embedder" => "look at `embedder`, its URL and its key in the server's settings, and whether the endpoint runs",
        "model" => "look at the provider's key and address; the server's log says at start where they come from",
        _ => "look at `last_ingest_error` of the traces that failed, then retry them",
    };
    Err(Fault::new(format!("{}{said}", problem.problem), remedy))
}
