//! Whether memories help, on the wire.

use reflect_core::{
    Timestamp,
    lift::{ArmReport, Difference, DrawCounts, HoldoutReport, LeftOut, LiftReport, Verdict},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// The most evidence that is told. More of it means nothing to anyone.
const MOST_EVIDENCE: f64 = 1e9;

/// Which runs count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LiftRequest {
    /// Whether reviews by the judge count.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(default = true)]
    pub judged: Option<bool>,
    /// Whether runs count that did not name their query by `retrieval_id` and were joined to it by their memories or their task.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(default = true)]
    pub unnamed: Option<bool>,
}

impl LiftRequest {
    /// What is not to count.
    pub fn left_out(&self) -> LeftOut {
        LeftOut { judged: self.judged == Some(false), unnamed: self.unnamed == Some(false) }
    }
}

/// Whether memories help: tasks with memories against those that did without at random.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LiftAnswer {
    /// The whole report in plain words.
    pub sentence: String,
    /// Whether memories help. It may be looked at as often as one likes: where they make no difference, at most one project in twenty ever gets
    /// a verdict.
    #[schema(value_type = crate::status::VerdictName)]
    pub verdict: Verdict,
    /// The share of tasks that do without memories now.
    pub holdout: f64,
    /// The share of the tasks in this report: those since the holdout was last changed. Null if none was drawn yet.
    pub share: Option<f64>,
    /// When the first of them was asked; null if there is none.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub since: Option<Timestamp>,
    /// Tasks that were answered with memories.
    pub with_memories: LiftArmAnswer,
    /// Tasks that had to do without.
    pub without_memories: LiftArmAnswer,
    /// The difference of the pass rates; null below ten reviewed runs without memories.
    pub difference: Option<DifferenceAnswer>,
    /// How much speaks against "memories make no difference": 20 is a verdict. Told up to a billion.
    pub evidence: f64,
    /// About how many more reviewed runs a verdict takes if the difference is as measured; null with a verdict, and below one point.
    pub more_runs: Option<u64>,
    /// About how many more it takes to see a difference of ten points; 0 if it would have been seen by now.
    pub more_runs_for_ten_points: u64,
    /// Whether runs of one arm are reviewed more often than chance allows. There is no verdict then: the arms are not alike.
    pub reviews_depend_on_arm: bool,
}

/// One arm. A task counts once a day, with its first run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LiftArmAnswer {
    /// Tasks that were drawn for it.
    pub tasks: u64,
    /// Those whose run has a review that counts.
    pub reviewed: u64,
    /// Those of them that passed.
    pub passed: u64,
    /// The share of these; null without any.
    pub pass_rate: Option<f64>,
    /// Tasks of which no run was recorded, or none that could be joined to the query.
    pub unrecorded: u64,
    /// Tasks whose run nobody has reviewed.
    pub unreviewed: u64,
    /// Tasks whose run the judge reviewed.
    pub judged: u64,
    /// Tasks whose run did not name its query.
    pub unnamed: u64,
}

/// A difference of two pass rates, from −1 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DifferenceAnswer {
    /// With memories less without.
    pub points: f64,
    /// The lower end of its interval of 95 %, which holds for one look.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl LiftAnswer {
    /// The report, and the share that is held out now.
    pub fn new(report: &HoldoutReport, holdout: f64) -> Self {
        let lift: &LiftReport = &report.lift;
        Self {
            sentence: report.sentence(holdout),
            verdict: lift.verdict,
            holdout,
            share: report.share,
            since: report.since,
            with_memories: arm(lift.with, report.with),
            without_memories: arm(lift.without, report.without),
            difference: lift.difference.map(Into::into),
            evidence: lift.evidence.min(MOST_EVIDENCE),
            more_runs: lift.more_runs,
            more_runs_for_ten_points: lift.more_runs_for_ten_points,
            reviews_depend_on_arm: lift.reviews_depend_on_arm,
        }
    }
}

fn arm(arm: ArmReport, counts: DrawCounts) -> LiftArmAnswer {
    LiftArmAnswer {
        tasks: arm.assigned,
        reviewed: arm.reviewed.runs,
        passed: arm.reviewed.passes,
        pass_rate: arm.reviewed.share(),
        unrecorded: counts.unrecorded,
        unreviewed: counts.unreviewed,
        judged: counts.judged,
        unnamed: counts.unnamed,
    }
}

impl From<Difference> for DifferenceAnswer {
    fn from(difference: Difference) -> Self {
        let Difference { points, low, high } = difference;
        Self { points, low, high }
    }
}
