//! The key that somebody wants.

use anyhow::Context;
use clap::{Arg, ArgAction, ArgMatches, Command as Clap};
use reflect_api::CreateKeyRequest;
use reflect_core::Scope;

/// Adds the arguments that describe a key.
pub(super) fn with_arguments(command: Clap) -> Clap {
    command
        .arg(Arg::new("label").long("label").default_value("command line").help("What the key is called"))
        .arg(
            Arg::new("scope")
                .long("scope")
                .action(ArgAction::Append)
                .help("What it may do, such as memory:read; repeat for more. Without it: everything in the project"),
        )
        .arg(Arg::new("environment").long("environment").default_value("live").help("`live` or `test`: a label"))
        .arg(expires_in("For how long it is good, such as 90d, 12h or 30m; without it, until it is revoked"))
}

pub(super) fn expires_in(help: &'static str) -> Arg {
    Arg::new("expires_in").long("expires-in").value_name("TIME").help(help)
}

pub(super) fn read(matches: &ArgMatches) -> anyhow::Result<CreateKeyRequest> {
    let text = |name: &str| matches.get_one::<String>(name).cloned().unwrap_or_default();
    let scopes = matches.get_many::<String>("scope").into_iter().flatten().map(|scope| scope.parse());
    let scopes = scopes.collect::<Result<Vec<Scope>, _>>().context("`--scope` is wrong")?;
    Ok(CreateKeyRequest {
        label: text("label"),
        scopes: if scopes.is_empty() { Scope::ALL.to_vec() } else { scopes },
        environment: Some(text("environment").parse().context("`--environment` is wrong")?),
        expires_in_seconds: read_expires_in(matches)?,
    })
}

/// How long a key is to be good, in seconds.
pub(super) fn read_expires_in(matches: &ArgMatches) -> anyhow::Result<Option<u64>> {
    let Some(text) = matches.get_one::<String>("expires_in") else { return Ok(None) };
    let seconds = seconds(text).filter(|seconds| *seconds > 0);
    let wrong = || format!("`--expires-in` is `{text}`; it must be a number and one of s, m, h, d, w, such as 90d");
    seconds.map(Some).with_context(wrong)
}

fn seconds(text: &str) -> Option<u64> {
    let unit = text.chars().last()?;
    let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
    let length = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 604_800,
        _ => return None,
    };
    number.checked_mul(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit() {
        assert_eq!(["90d", "12h", "30m", "5s", "2w"].map(seconds), [7_776_000, 43_200, 1_800, 5, 1_209_600].map(Some));
        for wrong in ["", "90", "d", "-1d", "1.5h", "9y", "99999999999999999999d"] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }
}
