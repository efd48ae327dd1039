//! The values of settings, read as what they have to be.

use std::{str::FromStr, time::Duration};

use anyhow::{Context, bail};
use reflect_core::Secret;

use crate::{gather::RawSettings, options};

/// Values that were given, or their defaults.
pub(crate) struct Given<'a>(pub(crate) &'a RawSettings);

impl Given<'_> {
    pub(crate) fn maybe(&self, name: &str) -> Option<&str> {
        let default = || options::all().find(|setting| setting.name == name).map(|setting| setting.default);
        self.0.get(name).map(|raw| raw.value.as_str()).or_else(default).filter(|value| !value.is_empty())
    }

    /// Where a value comes from; `None` for a default.
    pub(crate) fn source(&self, name: &str) -> Option<String> {
        self.0.get(name).filter(|raw| !raw.value.is_empty()).map(|raw| raw.source.clone())
    }

    pub(crate) fn text(&self, name: &str) -> anyhow::Result<String> {
        Ok(self.maybe(name).with_context(|| format!("`{name}` is empty"))?.to_owned())
    }

    pub(crate) fn wrong(&self, name: &str, value: &str, allowed: &str) -> anyhow::Error {
        let source = self.0.get(name).map(|raw| format!(" (from {})", raw.source)).unwrap_or_default();
        anyhow::anyhow!("`{name}` is `{value}`{source}, it must be {allowed}")
    }

    /// The values between commas.
    pub(crate) fn list(&self, name: &str) -> impl Iterator<Item = String> {
        let values = self.maybe(name).unwrap_or_default().split(',').map(|value| value.trim().to_owned());
        values.filter(|value| !value.is_empty()).collect::<Vec<_>>().into_iter()
    }

    pub(crate) fn parse<T: FromStr>(&self, name: &str, allowed: &str) -> anyhow::Result<T> {
        let value = self.text(name)?;
        value.parse().map_err(|_| self.wrong(name, &value, allowed))
    }

    pub(crate) fn between(&self, name: &str, low: f64, high: f64) -> anyhow::Result<f64> {
        let value: f64 = self.parse(name, &format!("a number between {low} and {high}"))?;
        if !(low..=high).contains(&value) {
            return Err(self.wrong(name, &value.to_string(), &format!("a number between {low} and {high}")));
        }
        Ok(value)
    }

    pub(crate) fn maybe_between(&self, name: &str, low: f64, high: f64) -> anyhow::Result<Option<f64>> {
        self.maybe(name).map(|_| self.between(name, low, high)).transpose()
    }

    /// A whole number from 1.
    pub(crate) fn count(&self, name: &str, most: u64) -> anyhow::Result<u64> {
        self.count_from(name, 1, most)
    }

    /// As many seconds, up to a day.
    pub(crate) fn seconds(&self, name: &str) -> anyhow::Result<Duration> {
        Ok(Duration::from_secs(self.count(name, 86_400)?))
    }

    pub(crate) fn count_from(&self, name: &str, least: u64, most: u64) -> anyhow::Result<u64> {
        let allowed = format!("a whole number between {least} and {most}");
        let value: u64 = self.parse(name, &allowed)?;
        if !(least..=most).contains(&value) {
            return Err(self.wrong(name, &value.to_string(), &allowed));
        }
        Ok(value)
    }

    pub(crate) fn size(&self, name: &str, most: u64) -> anyhow::Result<usize> {
        Ok(usize::try_from(self.count(name, most)?)?)
    }

    pub(crate) fn one_of(&self, name: &str, allowed: &[&str]) -> anyhow::Result<String> {
        let value = self.text(name)?;
        if !allowed.contains(&value.as_str()) {
            return Err(self.wrong(name, &value, &format!("one of {}", allowed.join(", "))));
        }
        Ok(value)
    }

    /// A secret travels in a header, so it is made of visible ASCII characters. Its value is not repeated in the message.
    pub(crate) fn secret(&self, name: &str, shortest: usize) -> anyhow::Result<Option<Secret>> {
        let Some(value) = self.maybe(name) else { return Ok(None) };
        if value.len() < shortest || !value.bytes().all(|byte| byte.is_ascii_graphic()) {
            bail!("`{name}` is `****`, it must be at least {shortest} visible ASCII characters without spaces");
        }
        Ok(Some(Secret::new(value)))
    }
}
