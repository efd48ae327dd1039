//! How the judge has done, on the wire.

use reflect_core::JudgeReport;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How the judge has done in a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JudgeReportAnswer {
    /// Who judges this project's runs now: a model, or `off`.
    pub judge: String,
    /// Traces that it found to have passed or failed.
    pub judged: u64,
    /// Traces of which it could not tell. They stay pending.
    pub unknown: u64,
    /// Traces that it could not be asked about, and is not asked about any more.
    pub given_up: u64,
    /// Traces without any review.
    pub pending: u64,
    /// Traces that it decided and that others have reviewed as well.
    pub compared: u64,
    /// The share of those on which both say the same; null while there are none.
    pub agreement: Option<f64>,
    /// Its verdicts against the reviews of others.
    pub confusion_matrix: ConfusionAnswer,
}

/// The judge's verdicts against the reviews of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConfusionAnswer {
    /// The judge said pass.
    pub pass: ReviewedAs,
    /// The judge said fail.
    pub fail: ReviewedAs,
    /// The judge could not tell.
    pub unknown: ReviewedAs,
}

/// What others said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReviewedAs {
    /// Traces that others reviewed as passed.
    pub pass: u64,
    /// Traces that others reviewed as failed.
    pub fail: u64,
}

impl JudgeReportAnswer {
    /// The report under the judge's name.
    pub fn new(judge: String, report: &JudgeReport) -> Self {
        let confusion = &report.confusion;
        let row = |pass, fail| ReviewedAs { pass, fail };
        Self {
            judge,
            judged: report.judged,
            unknown: report.unknown,
            given_up: report.given_up,
            pending: report.pending,
            compared: confusion.compared(),
            agreement: confusion.agreement(),
            confusion_matrix: ConfusionAnswer {
                pass: row(confusion.pass_pass, confusion.pass_fail),
                fail: row(confusion.fail_pass, confusion.fail_fail),
                unknown: row(confusion.unknown_pass, confusion.unknown_fail),
            },
        }
    }
}
