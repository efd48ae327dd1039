//! What the log says of a configuration, in words.

use super::{
    estimate::{Estimate, Refusal},
    mixture::Configuration,
    period::Evaluation,
};

impl Evaluation {
    /// The whole answer in plain words.
    pub fn sentence(&self) -> String {
        let name = self.configuration.name();
        match self.target {
            Err(refusal) => format!("The log cannot tell what {name} would have done: {refusal}."),
            Ok(target) => format!("{} {}", valued(&name, &target), self.compared()),
        }
    }

    fn compared(&self) -> String {
        match (self.difference(), self.as_asked) {
            (Some(difference), Ok(usual)) => {
                let points = |share: f64| format!("{:+.1}", 100.0 * share);
                format!(
                    "As asked it was {:.2}: a difference of {} points, between {} and {} if you look once.",
                    usual.value,
                    points(difference.points),
                    points(difference.low),
                    points(difference.high)
                )
            }
            (_, Err(Refusal::LittleSupport { .. })) => "Nothing was answered as asked to compare it with.".to_owned(),
            (_, usual) => {
                let refusal = usual.err().map_or_else(String::new, |refusal| refusal.to_string());
                format!("What was answered as asked cannot be told: {refusal}.")
            }
        }
    }
}

fn valued(name: &str, estimate: &Estimate) -> String {
    let Estimate { value, low, high, matching_runs, .. } = estimate;
    format!(
        "With {name}, runs would have scored {value:.2} on average, between {low:.2} and {high:.2}, by {matching_runs} runs that were shown what it shows."
    )
}

impl Configuration {
    /// What it changes, in words.
    fn name(&self) -> String {
        let parts = [
            self.lambda.map(|lambda| format!("λ = {lambda}")),
            self.limit.map(|limit| format!("at most {limit} memories")),
            self.similarity_threshold.map(|floor| format!("a threshold of {floor}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() { "what was asked for".to_owned() } else { parts.join(" and ") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_is_compared_and_a_refusal_gives_its_reason() {
        let estimate = |value: f64| Estimate {
            value,
            low: value - 0.05,
            high: value + 0.05,
            matching_runs: 400,
            effective_runs: 350.0,
        };
        let mut evaluation = Evaluation {
            configuration: Configuration { lambda: Some(0.3), limit: Some(3), similarity_threshold: None },
            runs: 2_000,
            since: None,
            parts: Vec::new(),
            target: Ok(estimate(0.625)),
            as_asked: Ok(estimate(0.5)),
        };
        assert_eq!(
            evaluation.sentence(),
            "With λ = 0.3 and at most 3 memories, runs would have scored 0.62 on average, between 0.57 and 0.68, by 400 runs that were shown what it shows. \
             As asked it was 0.50: a difference of +12.5 points, between +5.4 and +19.6 if you look once."
        );
        evaluation.as_asked = Err(Refusal::LittleSupport { share: 0.0 });
        assert!(evaluation.sentence().ends_with("Nothing was answered as asked to compare it with."));
        evaluation.target = Err(Refusal::FewMatches { runs: 7 });
        assert_eq!(
            evaluation.sentence(),
            "The log cannot tell what λ = 0.3 and at most 3 memories would have done: only 7 reviewed runs were shown what this configuration shows, and 50 are needed."
        );
        assert_eq!(Configuration::default().name(), "what was asked for");
    }
}
