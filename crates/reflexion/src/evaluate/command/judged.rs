//! What the end of a command and its output say about the answer.

use std::process::ExitStatus;

use super::{
    super::clip::clipped,
    CommandEvaluator,
    process::{End, Finished},
    report::TestReport,
};
use crate::Evaluation;

/// The most failures that are named one by one.
const NAMED_FAILURES: usize = 20;

impl CommandEvaluator {
    pub(super) fn evaluation(&self, finished: &Finished) -> Evaluation {
        let report = TestReport::read(&finished.stdout).plus(TestReport::read(&finished.stderr));
        let (name, counts) = (self.name(), report.counts());
        let how = match &finished.end {
            End::Exited(status) if status.success() => {
                return Evaluation::pass().scored(1.0).saying(counts.unwrap_or_default());
            }
            End::Exited(status) => format!("`{name}` {}", said(*status)),
            End::TimedOut => format!("`{name}` did not end within {} ms and was killed", self.timeout.as_millis()),
        };
        let feedback = self.feedback(how, counts.as_deref(), &report, finished);
        match finished.end {
            End::Exited(status) if status.code().is_some_and(|code| self.inconclusive.contains(&code)) => {
                Evaluation::unknown(feedback)
            }
            End::Exited(_) => Evaluation::fail(feedback).scored(report.share_passed()),
            End::TimedOut => Evaluation::fail(feedback).scored(0.0),
        }
    }

    fn feedback(&self, how: String, counts: Option<&str>, report: &TestReport, finished: &Finished) -> String {
        let mut feedback = how;
        if let Some(counts) = counts {
            feedback.push_str(&format!("; {counts}"));
        }
        for failure in report.failures.iter().take(NAMED_FAILURES) {
            feedback.push_str(&format!("\n- {failure}"));
        }
        let more = report.failures.len().saturating_sub(NAMED_FAILURES);
        if more > 0 {
            feedback.push_str(&format!("\n- and {more} more"));
        }
        let outputs = [("output", finished.stdout.trim()), ("errors", finished.stderr.trim())];
        let spoken = outputs.iter().filter(|(_, text)| !text.is_empty());
        let limit = self.feedback_limit / spoken.clone().count().max(1);
        for (title, text) in spoken.filter(|_| limit > 0) {
            feedback.push_str(&format!("\n{title}:\n{}", clipped(text, limit)));
        }
        feedback
    }
}

fn said(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("was ended by signal {signal}");
    }
    status.code().map_or_else(|| "ended without an exit code".into(), |code| format!("exited with code {code}"))
}
