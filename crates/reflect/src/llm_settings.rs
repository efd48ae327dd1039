//! The operator's settings about models, checked once.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use reflect_core::Secret;
use reflect_llm::{Price, Prices};
use reflection::Redactor;

use crate::given::Given;

/// Which models there are, where they are, and how much may be asked of them.
#[derive(Debug, Clone)]
pub(crate) struct LlmSettings {
    /// Who writes the lessons; `None` is the built-in reflector.
    pub(crate) reflector: Option<String>,
    /// Who judges; `None` is nobody.
    pub(crate) judge: Option<String>,
    /// Every model that was named, each once: what projects pick among.
    pub(crate) models: Vec<ModelName>,
    pub(crate) endpoints: BTreeMap<Provider, Endpoint>,
    pub(crate) timeout: Duration,
    pub(crate) retries: u32,
    pub(crate) concurrency: usize,
    pub(crate) daily_limit_usd: Option<f64>,
    /// What tokens cost: list prices, and the operator's own over them.
    pub(crate) prices: Prices,
    /// Removes from texts what must not leave the machine.
    pub(crate) redactor: Option<Arc<Redactor>>,
}

/// Whose protocol is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Provider {
    OpenAi,
    Anthropic,
    Gemini,
    Ollama,
}

impl Provider {
    const ALL: [Self; 4] = [Self::OpenAi, Self::Anthropic, Self::Gemini, Self::Ollama];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }
}

/// Where a provider is, and what opens it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Endpoint {
    /// The provider's own when `None`.
    pub(crate) base_url: Option<String>,
    pub(crate) api_key: Option<Secret>,
    /// The variable, flag or file that each of them comes from.
    pub(crate) base_url_from: Option<String>,
    pub(crate) api_key_from: Option<String>,
}

/// A model, as in `openai/gpt-5.4-mini`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelName {
    pub(crate) provider: Provider,
    pub(crate) model: String,
}

impl std::fmt::Display for ModelName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.provider.name(), self.model)
    }
}

impl LlmSettings {
    pub(crate) fn check(given: &Given<'_>, redactor: Option<Arc<Redactor>>) -> anyhow::Result<Self> {
        let reflector = chosen(given, "llm", "builtin")?;
        let judge = chosen(given, "judge", "off")?;
        let mut models: Vec<ModelName> = Vec::new();
        let listed = given.list("llm_models").map(|name| model_name(given, "llm_models", &name));
        for model in reflector.iter().chain(&judge).cloned().map(Ok).chain(listed) {
            let model = model?;
            if !models.contains(&model) {
                models.push(model);
            }
        }
        let settings = Self {
            reflector: reflector.map(|model| model.to_string()),
            judge: judge.map(|model| model.to_string()),
            models,
            endpoints: Provider::ALL
                .iter()
                .map(|provider| Ok((*provider, endpoint(given, *provider)?)))
                .collect::<anyhow::Result<_>>()?,
            timeout: Duration::from_secs(given.count("llm_timeout", 3_600)?),
            retries: u32::try_from(given.count_from("llm_retries", 0, 20)?)?,
            concurrency: given.size("llm_concurrency", 1_000)?,
            daily_limit_usd: given.maybe_between("llm_daily_limit", 0.0, 1e9)?,
            prices: given.list("llm_prices").try_fold(Prices::default(), |prices, text| {
                let (model, price) = parse_price(given, &text)?;
                anyhow::Ok(prices.with(model, price))
            })?,
            redactor,
        };
        settings.check_prices()?;
        Ok(settings)
    }

    /// A limit on money can only be kept where it is known what a call costs.
    fn check_prices(&self) -> anyhow::Result<()> {
        let unpriced = self.models.iter().find(|model| self.prices.of(&model.to_string()).is_none());
        match (self.daily_limit_usd, unpriced) {
            (Some(_), Some(model)) => anyhow::bail!(
                "`llm_daily_limit` is set and nobody said what `{model}` costs; add it to `llm_prices`, as in `{model}=0.25/2`"
            ),
            _ => Ok(()),
        }
    }
}

/// The model that a setting names, unless it says that there is to be none.
fn chosen(given: &Given<'_>, name: &str, none: &str) -> anyhow::Result<Option<ModelName>> {
    let value = given.text(name)?;
    if value == none { Ok(None) } else { model_name(given, name, &value).map(Some) }
}

fn model_name(given: &Given<'_>, setting: &str, value: &str) -> anyhow::Result<ModelName> {
    let parsed = value.split_once('/').and_then(|(provider, model)| {
        let provider = Provider::ALL.into_iter().find(|known| known.name() == provider)?;
        let plain = !model.is_empty() && model.bytes().all(|byte| byte.is_ascii_graphic());
        plain.then(|| ModelName { provider, model: model.to_owned() })
    });
    parsed.ok_or_else(|| {
        let without = match setting {
            "llm" => "builtin, or ",
            "judge" => "off, or ",
            _ => "",
        };
        let allowed =
            "PROVIDER/MODEL with openai, anthropic, gemini or ollama as its provider, as in openai/gpt-5.4-mini";
        given.wrong(setting, value, &format!("{without}{allowed}"))
    })
}

fn endpoint(given: &Given<'_>, provider: Provider) -> anyhow::Result<Endpoint> {
    let setting = format!("{}_base_url", provider.name());
    let base_url = given.maybe(&setting).map(|url| url.trim_end_matches('/').to_owned());
    if let Some(url) = base_url.as_ref().filter(|url| !url.starts_with("http://") && !url.starts_with("https://")) {
        return Err(given.wrong(&setting, url, "a URL that starts with http:// or https://"));
    }
    let base_url_from = given.source(&setting);
    if provider == Provider::Ollama {
        return Ok(Endpoint { base_url, base_url_from, ..Endpoint::default() });
    }
    let setting = format!("{}_api_key", provider.name());
    let api_key = given.secret(&setting, 1)?;
    Ok(Endpoint { base_url, api_key, base_url_from, api_key_from: given.source(&setting) })
}

fn parse_price(given: &Given<'_>, text: &str) -> anyhow::Result<(String, Price)> {
    let wrong = || given.wrong("llm_prices", text, "MODEL=INPUT/OUTPUT, as in openai/gpt-5.4-mini=0.25/2");
    let (model, prices) = text.rsplit_once('=').ok_or_else(wrong)?;
    let model = model_name(given, "llm_prices", model)?;
    let (input, output) = prices.split_once('/').ok_or_else(wrong)?;
    let dollars = |price: &str| price.parse().ok().filter(|price: &f64| price.is_finite() && *price >= 0.0);
    let (input, output) = dollars(input).zip(dollars(output)).ok_or_else(wrong)?;
    Ok((model.to_string(), Price { input, output }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gather::gather;

    fn check(variables: &[(&str, &str)]) -> anyhow::Result<LlmSettings> {
        let look_up = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        let raw = gather(|_| None, look_up, None)?;
        LlmSettings::check(&Given(&raw), None)
    }

    fn refused(variables: &[(&str, &str)]) -> String {
        check(variables).unwrap_err().to_string()
    }

    #[test]
    fn nothing_leaves_the_machine_unless_the_operator_says_so() {
        let settings = check(&[]).unwrap();
        assert_eq!((settings.reflector, settings.judge, settings.models), (None, None, Vec::new()));
    }

    #[test]
    fn every_model_that_is_named_is_listed_once() {
        let settings = check(&[
            ("REFLECT_LLM", "openai/gpt-5.4-mini"),
            ("REFLECT_JUDGE", "ollama/qwen3:4b"),
            ("REFLECT_LLM_MODELS", "openai/gpt-5.4-mini, openai/org/model"),
        ]);
        let names: Vec<String> = settings.unwrap().models.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["openai/gpt-5.4-mini", "ollama/qwen3:4b", "openai/org/model"]);
    }

    #[test]
    fn a_name_without_a_known_provider_is_refused() {
        assert_eq!(
            refused(&[("REFLECT_LLM", "gpt-5")]),
            "`llm` is `gpt-5` (from REFLECT_LLM), it must be builtin, or PROVIDER/MODEL with openai, anthropic, gemini or \
             ollama as its provider, as in openai/gpt-5.4-mini"
        );
        let refused_judge = refused(&[("REFLECT_JUDGE", "acme/judge")]);
        assert!(refused_judge.contains("`judge` is `acme/judge`") && refused_judge.contains("must be off, or "));
        assert!(refused(&[("REFLECT_LLM_MODELS", "openai/")]).contains("`llm_models`"));
        assert!(refused(&[("REFLECT_OPENAI_BASE_URL", "localhost:80")]).contains("http://"));
    }

    #[test]
    fn a_limit_on_money_needs_to_know_the_prices() {
        let limit = ("REFLECT_LLM_DAILY_LIMIT", "5");
        assert_eq!(
            refused(&[limit, ("REFLECT_LLM", "openai/a")]),
            "`llm_daily_limit` is set and nobody said what `openai/a` costs; add it to `llm_prices`, as in `openai/a=0.25/2`"
        );
        let priced = check(&[limit, ("REFLECT_LLM", "openai/a"), ("REFLECT_LLM_PRICES", "openai/a=0.25/2")]).unwrap();
        assert_eq!(priced.prices.of("openai/a"), Some(Price { input: 0.25, output: 2.0 }));
        assert!(check(&[limit, ("REFLECT_LLM", "ollama/a")]).is_ok(), "one's own machine costs nothing");
        assert!(check(&[limit, ("REFLECT_LLM", "openai/gpt-5.4-mini")]).is_ok(), "its list price is known");
        assert!(refused(&[("REFLECT_LLM_PRICES", "openai/a=cheap")]).contains("MODEL=INPUT/OUTPUT"));
    }

    /// Where the key and the address of OpenAI come from, with these variables.
    fn openai(variables: &[(&str, &str)]) -> (Option<String>, Option<String>) {
        let endpoint = check(variables).unwrap().endpoints.remove(&Provider::OpenAi).unwrap();
        assert_eq!(endpoint.api_key.is_some(), endpoint.api_key_from.is_some());
        assert_eq!(endpoint.base_url.is_some(), endpoint.base_url_from.is_some());
        (endpoint.api_key_from, endpoint.base_url_from)
    }

    #[test]
    fn the_variables_of_other_programs_are_read_where_ours_are_not_set() {
        let from = |name: &str| Some(name.to_owned());
        let (key, address) = (("OPENAI_API_KEY", "sk-theirs"), ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1"));
        assert_eq!(openai(&[]), (None, None));
        assert_eq!(openai(&[key]), (from("OPENAI_API_KEY"), None));
        assert_eq!(openai(&[key, address]), (from("OPENAI_API_KEY"), from("OPENAI_BASE_URL")));
        let ours = ("REFLECT_OPENAI_API_KEY", "sk-ours");
        assert_eq!(openai(&[key, ours]), (from("REFLECT_OPENAI_API_KEY"), None));
        for (variable, provider) in [("ANTHROPIC_API_KEY", Provider::Anthropic), ("GEMINI_API_KEY", Provider::Gemini)] {
            let endpoints = check(&[(variable, "theirs")]).unwrap().endpoints;
            assert_eq!(endpoints[&provider].api_key_from, from(variable));
            let others = endpoints.iter().filter(|(other, _)| **other != provider);
            assert!(others.into_iter().all(|(_, endpoint)| endpoint.api_key.is_none()), "{variable}");
        }
    }

    #[test]
    fn no_key_goes_to_an_address_that_it_was_not_set_for() {
        let from = |name: &str| Some(name.to_owned());
        let (key, address) = (("OPENAI_API_KEY", "sk-theirs"), ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1"));
        let our_address = ("REFLECT_OPENAI_BASE_URL", "http://127.0.0.1:2/v1");
        assert_eq!(openai(&[key, our_address]), (None, from("REFLECT_OPENAI_BASE_URL")));
        assert_eq!(
            openai(&[key, address, ("REFLECT_OPENAI_API_KEY", "sk-ours")]),
            (from("REFLECT_OPENAI_API_KEY"), None)
        );
        let elsewhere = [("ANTHROPIC_API_KEY", "theirs"), ("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")];
        let endpoints = check(&elsewhere).unwrap().endpoints;
        assert!(endpoints[&Provider::Anthropic].api_key.is_none(), "it is for that address, which is not read here");
    }

    #[test]
    fn keys_are_never_printed() {
        let settings = check(&[("REFLECT_OPENAI_API_KEY", "sk-very-private")]).unwrap();
        assert!(!format!("{settings:?}").contains("very-private"));
    }
}
