//! What a trace says while its lesson is by rules because a model wrote none.

/// How every such warning begins. It is what tells it from the others of a trace, so it stays as it is.
const BEGINNING: &str = "rules wrote this lesson in place of ";

/// Says which model wrote no lesson, and why, in words for the person who looks at the trace.
pub fn stand_in_warning(model: &str, why: &str) -> String {
    format!("{BEGINNING}`{model}`: {why}")
}

/// The warnings of a trace with this one about its lesson in place of an earlier one; with none, the earlier one goes.
pub fn with_stand_in_warning(mut warnings: Vec<String>, warning: Option<&str>) -> Vec<String> {
    warnings.retain(|earlier| !earlier.starts_with(BEGINNING));
    warnings.extend(warning.map(str::to_owned));
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_has_one_warning_about_its_lesson_and_keeps_all_others() {
        let (first, second) = (stand_in_warning("openai/a", "wrong key"), stand_in_warning("openai/b", "no answer"));
        let warned = with_stand_in_warning(vec!["other".into()], Some(&first));
        assert_eq!(warned, ["other", "rules wrote this lesson in place of `openai/a`: wrong key"]);
        let warned = with_stand_in_warning(warned, Some(&second));
        assert_eq!(warned, ["other", second.as_str()]);
        assert_eq!(with_stand_in_warning(warned, None), ["other"]);
    }
}
