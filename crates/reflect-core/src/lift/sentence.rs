//! The report in plain words.

use super::{
    holdout::HoldoutReport,
    report::{ArmReport, LiftReport, Verdict},
};

impl HoldoutReport {
    /// What a person is told first. `holdout` is the share that is held out now.
    pub fn sentence(&self, holdout: f64) -> String {
        match self.share {
            None if holdout > 0.0 => format!(
                "Nothing is known yet: {:.0} % of the tasks do without memories, and none was asked so far that memories are found for.",
                100.0 * holdout
            ),
            _ => self.lift.sentence(),
        }
    }
}

impl LiftReport {
    /// What a person is told first.
    pub fn sentence(&self) -> String {
        let (with, without) = (self.with, self.without);
        if with.assigned + without.assigned == 0 {
            return "No runs are held out, so nobody can say whether memories help; set `holdout` to find out."
                .to_owned();
        }
        if self.reviews_depend_on_arm {
            return format!(
                "No verdict: {} of the runs with memories were reviewed and {} of those without, so the reviewed ones are not alike.",
                percent(with.reviewed.runs, with.assigned),
                percent(without.reviewed.runs, without.assigned),
            );
        }
        let Some(difference) = self.difference else {
            let runs = counted(without.reviewed.runs, "reviewed run");
            return format!("Not known yet: only {runs} did without memories so far, too few to compare.");
        };
        let measured = format!(
            "{} with memories passed and {} without: {}, between {} and {} if you look once",
            arm(with),
            arm(without),
            points(difference.points),
            signed(difference.low),
            signed(difference.high),
        );
        match (self.verdict, self.more_runs) {
            (Verdict::Helps, _) => format!("Memories help. {measured}."),
            (Verdict::Hurts, _) => format!("Memories hurt. {measured}."),
            (Verdict::NotKnownYet, Some(more)) => {
                format!(
                    "Not known yet. {measured}. About {} would settle it, if this is the true difference.",
                    counted(more, "more reviewed run")
                )
            }
            (Verdict::NotKnownYet, None) => {
                format!("Not known yet. {measured}: too small a difference to be seen soon.")
            }
        }
    }
}

fn arm(arm: ArmReport) -> String {
    format!("{} of {}", percent(arm.reviewed.passes, arm.reviewed.runs), counted(arm.reviewed.runs, "run"))
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.0} %", 100.0 * part as f64 / whole.max(1) as f64)
}

fn points(difference: f64) -> String {
    let size = format!("{:.1}", 100.0 * difference.abs());
    let noun = if size == "1.0" { "point" } else { "points" };
    format!("{size} {noun} {}", if difference < 0.0 { "fewer" } else { "more" })
}

fn signed(difference: f64) -> String {
    format!("{:+.1}", 100.0 * difference).replace('-', "−")
}

fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
