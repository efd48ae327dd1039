//! What was found, line by line.

use serde::Serialize;

use crate::{say, terminal_text::one_line};

/// How a check went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ok,
    /// It works, and will not always.
    Warning,
    Failed,
    /// Something else has to be put right first, or it cannot be seen from here.
    Skipped,
}

impl Status {
    const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failed => "FAILED",
            Self::Skipped => "skipped",
        }
    }
}

/// One line.
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    status: Status,
    /// What was found.
    message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

/// Something that is wrong, and what to do about it.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) message: String,
    pub(super) remedy: String,
}

impl Fault {
    pub(super) fn new(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { message: message.into(), remedy: remedy.into() }
    }
}

/// All lines. Each is printed as soon as it is known, unless the whole is wanted as JSON.
#[derive(Debug)]
pub(super) struct Report {
    checks: Vec<Check>,
    as_json: bool,
}

impl Report {
    pub(super) fn new(as_json: bool) -> Self {
        Self { checks: Vec::new(), as_json }
    }

    pub(super) fn ok(&mut self, name: &'static str, message: impl Into<String>) -> anyhow::Result<()> {
        self.add(Check { name, status: Status::Ok, message: message.into(), remedy: None })
    }

    pub(super) fn warn(&mut self, name: &'static str, fault: Fault) -> anyhow::Result<()> {
        self.add(Check { name, status: Status::Warning, message: fault.message, remedy: Some(fault.remedy) })
    }

    pub(super) fn fail(&mut self, name: &'static str, fault: Fault) -> anyhow::Result<()> {
        self.add(Check { name, status: Status::Failed, message: fault.message, remedy: Some(fault.remedy) })
    }

    pub(super) fn skip(&mut self, name: &'static str, message: impl Into<String>) -> anyhow::Result<()> {
        self.add(Check { name, status: Status::Skipped, message: message.into(), remedy: None })
    }

    /// Adds what a check came to, and answers whether it was well.
    pub(super) fn note(&mut self, name: &'static str, found: Result<String, Fault>) -> anyhow::Result<bool> {
        match found {
            Ok(message) => self.ok(name, message).map(|()| true),
            Err(fault) => self.fail(name, fault).map(|()| false),
        }
    }

    fn add(&mut self, check: Check) -> anyhow::Result<()> {
        if !self.as_json {
            say(format_args!("{:<8} {:<10} {}", check.status.word(), check.name, one_line(&check.message)))?;
            if let Some(remedy) = &check.remedy {
                say(format_args!("{:<8} {:<10} → {}", "", "", one_line(remedy)))?;
            }
        }
        self.checks.push(check);
        Ok(())
    }

    pub(super) fn failures(&self) -> usize {
        self.checks.iter().filter(|check| check.status == Status::Failed).count()
    }

    /// Ends the report. Anything that failed is an error, so that the command ends with status 1.
    pub(super) fn end(self) -> anyhow::Result<()> {
        let (failed, all) = (self.failures(), self.checks.len());
        if self.as_json {
            let document = serde_json::json!({"ok": failed == 0, "checks": self.checks});
            say(format_args!("{document:#}"))?;
        } else if failed == 0 {
            say(format_args!("the loop closes: {all} checks, none failed"))?;
        }
        anyhow::ensure!(failed == 0, "{failed} of {all} checks failed");
        Ok(())
    }
}
