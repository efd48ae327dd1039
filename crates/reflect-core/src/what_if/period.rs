//! The runs of a mixture, held against another configuration.

use std::collections::BTreeMap;

use super::{
    answer::MixedAnswer,
    estimate::{Estimate, LoggedRun, Refusal, estimate},
    mixture::Configuration,
};
use crate::{Timestamp, TraceId, lift::Difference};

/// A query that was answered by a mixture.
#[derive(Debug, Clone, PartialEq)]
pub struct MixedQuery {
    /// What it might have been answered with.
    pub answer: MixedAnswer,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// The first run that followed it, with its score if it was reviewed.
    pub run: Option<(TraceId, Option<f64>)>,
}

/// The newest queries that were answered by one and the same mixture.
#[derive(Debug, Clone, Default)]
pub struct MixturePeriod {
    earliest: Option<Timestamp>,
    parts: Option<Vec<(Configuration, f64)>>,
    since: Option<Timestamp>,
    draws: BTreeMap<i64, MixedQuery>,
}

/// What the log says of a configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The configuration that was asked about.
    pub configuration: Configuration,
    /// How many reviewed runs the period has.
    pub runs: usize,
    /// When it began; `None` if nothing was mixed.
    pub since: Option<Timestamp>,
    /// The configurations that were mixed, with their probabilities.
    pub parts: Vec<(Configuration, f64)>,
    /// The mean score under the target.
    pub target: Result<Estimate, Refusal>,
    /// The mean score of what is answered as asked.
    pub as_asked: Result<Estimate, Refusal>,
}

impl MixturePeriod {
    /// A period without queries. Those from before a time do not belong to it.
    pub fn starting(earliest: Option<Timestamp>) -> Self {
        Self { earliest, ..Self::default() }
    }

    /// Takes in the next query, the newest first. Answers whether it belongs to the period; if not, no older one does.
    pub fn add(&mut self, query: MixedQuery) -> bool {
        let possible = query.answer.possible.iter();
        let parts: Vec<_> = possible.map(|possible| (possible.configuration, possible.probability)).collect();
        let is_too_old = self.earliest.is_some_and(|earliest| query.asked_at < earliest);
        if is_too_old || *self.parts.get_or_insert_with(|| parts.clone()) != parts {
            return false;
        }
        self.since = Some(query.asked_at);
        let first = |query: &MixedQuery| query.run.map(|(trace_id, _)| trace_id);
        let counted = self.draws.get(&query.answer.number).and_then(first);
        let is_earlier = first(&query).is_some_and(|other| counted.is_none_or(|counted| other < counted));
        if is_earlier {
            self.draws.insert(query.answer.number, query);
        }
        true
    }

    /// What a configuration would have done.
    pub fn evaluate(&self, target: &Configuration) -> Evaluation {
        let scored = self.draws.values().filter_map(|query| Some((&query.answer, query.run?.1?)));
        let scored: Vec<(&MixedAnswer, f64)> = scored.collect();
        let held_against = |target: &Configuration| {
            let runs: Vec<LoggedRun> = scored.iter().map(|(answer, score)| answer.run(target, *score)).collect();
            estimate(&runs)
        };
        Evaluation {
            configuration: *target,
            runs: scored.len(),
            since: self.since,
            parts: self.parts.clone().unwrap_or_default(),
            target: held_against(target),
            as_asked: held_against(&Configuration::default()),
        }
    }
}

impl Evaluation {
    /// The target less what is answered as asked, where the log can tell both. The interval joins those of the two as if they came from
    /// different runs. They share some, and such runs move both the same way, so it is rather too wide than too narrow.
    pub fn difference(&self) -> Option<Difference> {
        let (target, usual) = (self.target.ok()?, self.as_asked.ok()?);
        let points = target.value - usual.value;
        Some(Difference {
            points,
            low: points - (target.value - target.low).hypot(usual.high - usual.value),
            high: points + (target.high - target.value).hypot(usual.value - usual.low),
        })
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::{
        draws::draws,
        what_if::{Agreement, PossibleAnswer, Resolved},
    };

    const OTHER: Configuration = Configuration { lambda: Some(0.1), limit: None, similarity_threshold: None };

    fn query(number: i64, probability: f64, same: [bool; 2], score: Option<f64>) -> MixedQuery {
        let parts = [(Configuration::default(), 1.0 - probability), (OTHER, probability)];
        let possible = parts.into_iter().zip(same).map(|((configuration, probability), same)| {
            let agreement = if same { Agreement::CERTAIN } else { Agreement::default() };
            PossibleAnswer { configuration, probability, agreement }
        });
        let trace_id = TraceId::from_uuid(Uuid::from_u128(number.unsigned_abs().into()));
        let asked = Resolved { lambda: 0.5, limit: 10, similarity_threshold: None };
        let answer = MixedAnswer { number, asked, possible: possible.collect(), drawn: 0, rule_version: 1 };
        MixedQuery { answer, asked_at: Timestamp::from_micros(-number), run: Some((trace_id, score)) }
    }

    #[test]
    fn a_configuration_that_was_mixed_is_valued_and_another_is_refused() {
        let mut draw = draws(5);
        let mut period = MixturePeriod::default();
        for number in 0..2_000 {
            let is_other = draw() < 0.25;
            let passed = draw() < if is_other { 0.8 } else { 0.4 };
            let score = Some(f64::from(u8::from(passed)));
            assert!(period.add(query(number, 0.25, [!is_other, is_other], score)));
        }
        let found = period.evaluate(&OTHER);
        let (other, usual) = (found.target.unwrap(), found.as_asked.unwrap());
        assert!((other.low..=other.high).contains(&0.8) && (usual.low..=usual.high).contains(&0.4));
        let difference = found.difference().unwrap();
        assert!((difference.low..=difference.high).contains(&0.4) && difference.low > 0.3);
        assert_eq!((found.runs, found.parts.len()), (2_000, 2));
        let never = period.evaluate(&Configuration { limit: Some(2), ..OTHER });
        assert_eq!(never.target, Err(Refusal::LittleSupport { share: 0.0 }));
        assert_eq!((never.as_asked.is_ok(), never.difference()), (true, None));
    }

    #[test]
    fn only_reviewed_first_runs_of_the_newest_mixture_count() {
        let mut period = MixturePeriod::default();
        assert!(period.add(query(1, 0.25, [true, false], None)));
        assert!(period.add(query(2, 0.25, [true, false], Some(1.0))));
        let mut retry = query(9, 0.25, [true, false], Some(1.0));
        retry.answer.number = 2;
        assert!(period.add(retry));
        assert!(period.add(MixedQuery { run: None, ..query(3, 0.25, [true, false], None) }));
        assert!(!period.add(query(4, 0.5, [true, false], Some(1.0))));
        let found = period.evaluate(&OTHER);
        assert_eq!((found.runs, found.since), (1, Some(Timestamp::from_micros(-3))));
        let nothing = MixturePeriod::default().evaluate(&OTHER);
        assert_eq!((nothing.since, nothing.target), (None, Err(Refusal::NoRuns)));
    }

    #[test]
    fn queries_from_before_the_start_do_not_belong() {
        let mut period = MixturePeriod::starting(Some(Timestamp::from_micros(-2)));
        assert!(period.add(query(1, 0.25, [true, false], Some(1.0))));
        assert!(period.add(query(2, 0.25, [true, false], Some(1.0))));
        assert!(!period.add(query(3, 0.25, [true, false], Some(1.0))));
        assert_eq!(period.evaluate(&OTHER).runs, 2);
    }
}
