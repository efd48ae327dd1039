//! What is done again and again may fail again and again, as while a database is away. The log is told at first, every minute, and in the end.

use std::time::{Duration, Instant};

use crate::EngineResult;

/// How often the log is told of a failure that lasts.
const TOLD_EVERY: Duration = Duration::from_secs(60);

/// Work that is done again and again.
pub(super) struct Repeated {
    /// What it is, as in "erasing deleted projects failed".
    what: &'static str,
    /// When the log was last told of a failure that still lasts.
    told_at: Option<Instant>,
}

/// What the log is told.
#[derive(Debug, PartialEq, Eq)]
enum News {
    Fails,
    WorksAgain,
}

impl Repeated {
    pub(super) const fn new(what: &'static str) -> Self {
        Self { what, told_at: None }
    }

    /// Takes how it went this time. `None` if it failed.
    pub(super) fn note<T>(&mut self, result: EngineResult<T>) -> Option<T> {
        let (what, news) = (self.what, self.news(result.is_err(), Instant::now()));
        match (&result, news) {
            (Err(error), Some(News::Fails)) => tracing::error!(%error, "{what} failed and will be tried again"),
            (Err(error), _) => tracing::debug!(%error, "{what} failed again"),
            (Ok(_), Some(News::WorksAgain)) => tracing::info!("{what} works again"),
            (Ok(_), _) => {}
        }
        result.ok()
    }

    fn news(&mut self, fails: bool, now: Instant) -> Option<News> {
        if !fails {
            return self.told_at.take().map(|_| News::WorksAgain);
        }
        let is_known = self.told_at.is_some_and(|told_at| now.saturating_duration_since(told_at) < TOLD_EVERY);
        if is_known {
            return None;
        }
        self.told_at = Some(now);
        Some(News::Fails)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_at_first_and_every_minute_and_its_end_once() {
        let (mut work, start) = (Repeated::new("working"), Instant::now());
        let mut news_after = |seconds, fails| work.news(fails, start + Duration::from_secs(seconds));
        assert_eq!(news_after(0, false), None);
        assert_eq!(news_after(1, true), Some(News::Fails));
        assert_eq!(news_after(60, true), None);
        assert_eq!(news_after(61, true), Some(News::Fails));
        assert_eq!(news_after(62, false), Some(News::WorksAgain));
        assert_eq!(news_after(63, false), None);
        assert_eq!(news_after(64, true), Some(News::Fails), "that is another one");
    }
}
