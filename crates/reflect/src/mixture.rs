//! The setting for configurations that are mixed at random.

use reflect_api::MixtureRequest;
use reflect_core::what_if::Mixture;

use crate::given::Given;

/// The mixture that was given, in the form that a project's settings have it in.
pub(crate) fn check(given: &Given<'_>) -> anyhow::Result<Option<Mixture>> {
    let Some(text) = given.maybe("mixture") else { return Ok(None) };
    let wrong = |problem: String| {
        let example = r#"JSON such as {"share": 0.2, "configurations": [{"lambda": 0.3}]}"#;
        given.wrong("mixture", text, &format!("{example}: {problem}"))
    };
    let request: MixtureRequest = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
    request.check().map(Some).map_err(|violation| wrong(violation.to_string()))
}

#[cfg(test)]
mod tests {
    use reflect_core::what_if::Configuration;

    use super::*;
    use crate::gather::gather;

    fn read(text: &str) -> anyhow::Result<Option<Mixture>> {
        let variable = |name: &str| (name == "REFLECT_MIXTURE").then(|| text.to_owned());
        check(&Given(&gather(|_| None, variable, None)?))
    }

    #[test]
    fn a_mixture_is_read_as_a_project_has_it_or_refused_with_an_example() {
        let read_well = read(r#"{"share": 0.2, "configurations": [{"limit": 3}]}"#).unwrap().unwrap();
        assert_eq!((read_well.share, read_well.configurations[0].limit), (0.2, Some(3)));
        assert_ne!(read_well.configurations[0], Configuration::default());
        assert_eq!(read("").unwrap(), None);
        for wrong in ["a fifth", r#"{"share": 2}"#, "{}", r#"{"share": 0.2, "configurations": [{"limit": 0}]}"#] {
            let said = read(wrong).unwrap_err().to_string();
            assert!(said.contains("(from REFLECT_MIXTURE), it must be JSON such as {"), "{said}");
        }
    }
}
