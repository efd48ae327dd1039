//! Whether a model is worth asking: after several failures in a row it is left alone for a while, so that lessons do not
//! each wait for the same dead line. When the while is over, one call tries whether it is back; until that call has its
//! answer, all others still leave the model alone.

use std::sync::{Mutex, MutexGuard, PoisonError};

use reflect_core::Timestamp;

/// How many failures in a row make an outage.
const FAILURES: u32 = 3;

/// How long a model is left alone at first; each further failure doubles it.
const FIRST_PAUSE_MILLIS: i64 = 15_000;

/// The longest that it is left alone.
const LONGEST_PAUSE_MILLIS: i64 = 300_000;

/// When to look again while somebody tries whether the model is back.
const TRIAL_MILLIS: i64 = 5_000;

/// What is known about a model's failures.
#[derive(Default)]
pub(crate) struct Outage {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    failures: u32,
    /// Set in an outage, and until somebody has been answered again.
    until: Option<Timestamp>,
    /// Somebody tries whether the model is back.
    on_trial: bool,
}

impl State {
    fn until(&self, now: Timestamp) -> Option<Timestamp> {
        match self.until? {
            until if now < until => Some(until),
            _ if self.on_trial => Some(now.plus_millis(TRIAL_MILLIS)),
            _ => None,
        }
    }
}

/// Leave to ask a model, from [`Outage::admit`]. Dropped without a result it says nothing about the model, and the next one may try.
pub(crate) struct Asking<'a> {
    outage: &'a Outage,
    on_trial: bool,
}

impl Outage {
    /// Until when the model is left alone, if it is.
    pub(crate) fn until(&self, now: Timestamp) -> Option<Timestamp> {
        self.state().until(now)
    }

    /// How many more may ask now: none in an outage, one where it is to be seen whether it is over.
    pub(crate) fn places(&self, now: Timestamp) -> usize {
        let state = self.state();
        match (state.until(now), state.until) {
            (Some(_), _) => 0,
            (None, Some(_)) => 1,
            (None, None) => usize::MAX,
        }
    }

    /// Leave to ask, or until when to leave the model alone.
    pub(crate) fn admit(&self, now: Timestamp) -> Result<Asking<'_>, Timestamp> {
        let mut state = self.state();
        if let Some(until) = state.until(now) {
            return Err(until);
        }
        state.on_trial = state.until.is_some();
        Ok(Asking { outage: self, on_trial: state.on_trial })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Asking<'_> {
    /// The model answered, be it nonsense: there is no outage.
    pub(crate) fn answered(self) {
        *self.outage.state() = State::default();
    }

    /// The model did not answer.
    pub(crate) fn failed(self, now: Timestamp) {
        let mut state = self.outage.state();
        // Calls that began before the outage was known say nothing new.
        if state.until.is_some() && !self.on_trial {
            return;
        }
        state.failures = state.failures.saturating_add(1);
        if state.failures >= FAILURES {
            let doubled = FIRST_PAUSE_MILLIS << (state.failures - FAILURES).min(8);
            state.until = Some(now.plus_millis(doubled.min(LONGEST_PAUSE_MILLIS)));
        }
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        if self.on_trial {
            self.outage.state().on_trial = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(0).plus_millis(seconds * 1_000)
    }

    fn fail(outage: &Outage, now: Timestamp) {
        outage.admit(now).ok().unwrap().failed(now);
    }

    /// A model that has just failed three times.
    fn out() -> Outage {
        let outage = Outage::default();
        for _ in 0..3 {
            assert_eq!(outage.until(at(0)), None);
            fail(&outage, at(0));
        }
        outage
    }

    #[test]
    fn three_failures_in_a_row_make_an_outage_and_an_answer_ends_it() {
        let outage = out();
        assert_eq!((outage.until(at(0)), outage.places(at(0))), (Some(at(15)), 0));
        assert_eq!(outage.admit(at(14)).err(), Some(at(15)));
        fail(&outage, at(15));
        assert_eq!(outage.until(at(15)), Some(at(45)), "it was still out: twice as long");
        outage.admit(at(45)).ok().unwrap().answered();
        assert_eq!((outage.until(at(45)), outage.places(at(45))), (None, usize::MAX));
        fail(&outage, at(45));
        assert_eq!(outage.until(at(45)), None, "the count starts anew");
    }

    #[test]
    fn pauses_have_an_end() {
        let outage = out();
        let mut now = at(0);
        for _ in 0..90 {
            now = now.plus_millis(LONGEST_PAUSE_MILLIS);
            fail(&outage, now);
        }
        assert_eq!(outage.until(now), Some(now.plus_millis(LONGEST_PAUSE_MILLIS)));
    }

    #[test]
    fn one_tries_whether_it_is_back_and_the_others_wait_for_the_result() {
        let outage = out();
        assert_eq!(outage.places(at(15)), 1);
        let trial = outage.admit(at(15)).ok().unwrap();
        assert_eq!((outage.admit(at(16)).err(), outage.places(at(16))), (Some(at(21)), 0));
        trial.answered();
        assert_eq!(outage.places(at(17)), usize::MAX);
        assert!(outage.admit(at(17)).is_ok() && outage.admit(at(17)).is_ok());
    }

    #[test]
    fn a_trial_without_a_result_leaves_it_to_the_next() {
        let outage = out();
        drop(outage.admit(at(15)));
        assert_eq!((outage.until(at(15)), outage.places(at(15))), (None, 1));
        fail(&outage, at(15));
        assert_eq!(outage.until(at(16)), Some(at(45)));
    }

    #[test]
    fn those_that_were_in_the_air_say_nothing_new() {
        let outage = Outage::default();
        let early: Vec<Asking<'_>> = (0..5).map(|_| outage.admit(at(0)).ok().unwrap()).collect();
        early.into_iter().for_each(|asking| asking.failed(at(0)));
        assert_eq!(outage.until(at(0)), Some(at(15)));
    }
}
