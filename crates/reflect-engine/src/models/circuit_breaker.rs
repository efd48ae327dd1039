//! A circuit breaker for a model: after several failures in a row it stops calls for a while, so that lessons do not each wait
//! for the same dead line.
//!
//! Closed, calls go through. Open, none does. When the pause is over the breaker is half-open: one trial call goes through, and
//! all others are refused until that call has ended. An answer closes the breaker; another failure opens it for twice as long.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use reflect_core::{Backoff, Timestamp};

use super::{
    fallback::Fallback,
    trouble::{Trouble, Troubles},
};

/// How many failures in a row open the breaker.
const FAILURES: u32 = 3;

/// The longest that it is open.
const LONGEST: Duration = Duration::from_secs(300);

/// For how long it is open.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(15), LONGEST);

/// When to look again while a trial call is on its way.
const TRIAL_MILLIS: i64 = 5_000;

/// Counts a model's failures in a row, and stops calling it while it is down.
#[derive(Default)]
pub(crate) struct CircuitBreaker {
    state: Mutex<State>,
    troubles: Troubles,
}

#[derive(Clone, Copy)]
enum State {
    Closed {
        failures: u32,
    },
    /// Open until then; from then on a trial call may begin.
    Open {
        failures: u32,
        until: Timestamp,
    },
    /// The trial call that began after `until` is on its way.
    HalfOpen {
        failures: u32,
        until: Timestamp,
    },
}

impl Default for State {
    fn default() -> Self {
        Self::Closed { failures: 0 }
    }
}

impl State {
    fn open_until(self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Open { until, .. } if until.is_awaited(now, LONGEST) => Some(until),
            Self::HalfOpen { .. } => Some(now.plus_millis(TRIAL_MILLIS)),
            Self::Open { .. } | Self::Closed { .. } => None,
        }
    }

    /// The state after `failures` failures in a row, the last of them now.
    fn after(failures: u32, now: Timestamp) -> Self {
        if failures < FAILURES {
            return Self::Closed { failures };
        }
        Self::Open { failures, until: now.plus(BACKOFF.wait(failures - FAILURES + 1)) }
    }
}

impl CircuitBreaker {
    /// Closed, for a model of this name.
    pub(super) fn of(model: &str) -> Self {
        Self { state: Mutex::default(), troubles: Troubles::of(model) }
    }

    /// Until when no call may begin, if none may now.
    pub(crate) fn open_until(&self, now: Timestamp) -> Option<Timestamp> {
        self.state().open_until(now)
    }

    /// How many calls may begin now: none while the breaker is open, one where a trial is due.
    pub(crate) fn free_permits(&self, now: Timestamp) -> usize {
        let state = *self.state();
        match state {
            State::Closed { .. } => usize::MAX,
            State::Open { .. } if state.open_until(now).is_none() => 1,
            State::Open { .. } | State::HalfOpen { .. } => 0,
        }
    }

    /// A permit for one call, or until when to leave the model alone.
    pub(crate) fn admit(&self, now: Timestamp) -> Result<CallPermit<'_>, Timestamp> {
        let mut state = self.state();
        if let Some(until) = state.open_until(now) {
            return Err(until);
        }
        let trial_after = match *state {
            State::Open { failures, until } => {
                *state = State::HalfOpen { failures, until };
                Some(until)
            }
            State::Closed { .. } | State::HalfOpen { .. } => None,
        };
        Ok(CallPermit { breaker: self, trial_after })
    }

    /// Why the last call came to nothing, and since when that has been so; `None` where the last one was of use.
    pub(crate) fn trouble(&self) -> Option<Trouble> {
        self.troubles.current()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A permit to call a model, from [`CircuitBreaker::admit`]. Dropped without a result it says nothing about the model, and the
/// next call may be the trial.
pub(crate) struct CallPermit<'a> {
    breaker: &'a CircuitBreaker,
    /// For a trial call: the end of the pause that it comes after, which no other trial shares.
    trial_after: Option<Timestamp>,
}

impl CallPermit<'_> {
    /// The model gave an answer of use.
    pub(crate) fn answered(self) {
        self.breaker.troubles.end();
        self.close();
    }

    /// The model answered, be it nonsense: the breaker closes.
    fn close(self) {
        *self.breaker.state() = State::default();
    }

    /// What a call that came to nothing says about the model, if it says anything.
    pub(crate) fn report(self, fallback: &Fallback, now: Timestamp) {
        if fallback.was_asked() {
            self.breaker.troubles.note(fallback, now);
        }
        match fallback.model_answered() {
            Some(true) => self.close(),
            Some(false) => self.failed(now),
            None => {}
        }
    }

    /// The model did not answer.
    pub(crate) fn failed(self, now: Timestamp) {
        let mut state = self.breaker.state();
        *state = match *state {
            State::Closed { failures } => State::after(failures.saturating_add(1), now),
            State::HalfOpen { failures, until } if self.trial_after == Some(until) => {
                State::after(failures.saturating_add(1), now)
            }
            // A call that began before the breaker opened says nothing new.
            unchanged => unchanged,
        };
    }
}

impl Drop for CallPermit<'_> {
    fn drop(&mut self) {
        let mut state = self.breaker.state();
        if let State::HalfOpen { failures, until } = *state
            && self.trial_after == Some(until)
        {
            *state = State::Open { failures, until };
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::models::fallback::Failure;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(0).plus_millis(seconds * 1_000)
    }

    fn fail(breaker: &CircuitBreaker, now: Timestamp) {
        breaker.admit(now).ok().unwrap().failed(now);
    }

    /// The breaker of a model that has just failed three times.
    fn open() -> CircuitBreaker {
        let breaker = CircuitBreaker::default();
        for _ in 0..3 {
            assert_eq!(breaker.open_until(at(0)), None);
            fail(&breaker, at(0));
        }
        breaker
    }

    #[test]
    fn three_failures_in_a_row_open_the_breaker_and_an_answer_closes_it() {
        let breaker = open();
        assert_eq!((breaker.open_until(at(0)), breaker.free_permits(at(0))), (Some(at(15)), 0));
        assert_eq!(breaker.admit(at(14)).err(), Some(at(15)));
        fail(&breaker, at(15));
        assert_eq!(breaker.open_until(at(15)), Some(at(45)), "the trial failed: twice as long");
        breaker.admit(at(45)).ok().unwrap().answered();
        assert_eq!((breaker.open_until(at(45)), breaker.free_permits(at(45))), (None, usize::MAX));
        fail(&breaker, at(45));
        assert_eq!(breaker.open_until(at(45)), None, "the count starts anew");
    }

    #[test]
    fn pauses_have_an_end() {
        let breaker = open();
        let mut now = at(0);
        for _ in 0..90 {
            now = now.plus(LONGEST);
            fail(&breaker, now);
        }
        assert_eq!(breaker.open_until(now), Some(now.plus(LONGEST)));
    }

    #[test]
    fn half_open_lets_one_trial_call_through_and_the_others_wait_for_its_result() {
        let breaker = open();
        assert_eq!(breaker.free_permits(at(15)), 1);
        let trial = breaker.admit(at(15)).ok().unwrap();
        assert_eq!((breaker.admit(at(16)).err(), breaker.free_permits(at(16))), (Some(at(21)), 0));
        trial.answered();
        assert_eq!(breaker.free_permits(at(17)), usize::MAX);
        assert!(breaker.admit(at(17)).is_ok() && breaker.admit(at(17)).is_ok());
    }

    #[test]
    fn a_clock_that_is_set_back_lengthens_no_pause() {
        let breaker = open();
        let yesterday = at(-86_400);
        assert_eq!((breaker.open_until(yesterday), breaker.free_permits(yesterday)), (None, 1));
        assert!(breaker.admit(yesterday).is_ok());
    }

    #[test]
    fn a_trial_without_a_result_leaves_it_to_the_next() {
        let breaker = open();
        drop(breaker.admit(at(15)));
        assert_eq!((breaker.open_until(at(15)), breaker.free_permits(at(15))), (None, 1));
        fail(&breaker, at(15));
        assert_eq!(breaker.open_until(at(16)), Some(at(45)));
    }

    #[test]
    fn calls_that_began_before_it_opened_say_nothing_new() {
        let breaker = CircuitBreaker::default();
        let early: Vec<CallPermit<'_>> = (0..5).map(|_| breaker.admit(at(0)).ok().unwrap()).collect();
        early.into_iter().for_each(|permit| permit.failed(at(0)));
        assert_eq!(breaker.open_until(at(0)), Some(at(15)));
    }

    #[test]
    fn the_end_of_an_old_trial_does_not_end_a_newer_one() {
        let breaker = CircuitBreaker::default();
        let early = breaker.admit(at(0)).ok().unwrap();
        (0..3).for_each(|_| fail(&breaker, at(0)));
        let old_trial = breaker.admit(at(15)).ok().unwrap();
        early.answered();
        (0..3).for_each(|_| fail(&breaker, at(20)));
        let new_trial = breaker.admit(at(35)).ok().unwrap();
        drop(old_trial);
        assert_eq!(breaker.free_permits(at(36)), 0, "the new trial is still on its way");
        drop(new_trial);
        assert_eq!(breaker.free_permits(at(36)), 1);
    }

    #[test]
    fn each_reason_has_its_label_and_only_silence_opens_the_breaker() {
        let now = Timestamp::from_micros(0);
        let why = || "why".to_owned();
        for (fallback, label, opens) in [
            (Fallback::CircuitOpen { until: now }, "outage", false),
            (Fallback::SpendLimit { until: now }, "budget", false),
            (Fallback::NoTimeLeft, "deadline", false),
            (Fallback::NoSlot, "crowded", false),
            (Fallback::NoFollowUpSlot, "deadline", false),
            (Fallback::TooSlow, "deadline", true),
            (Fallback::NoAnswer(Failure { kind: "unavailable", words: why() }), "unavailable", true),
            (Fallback::Refused(Failure { kind: "unauthorized", words: why() }), "unauthorized", false),
            (Fallback::Unusable(why()), "unusable", false),
            (Fallback::Panicked, "panic", false),
        ] {
            let breaker = CircuitBreaker::default();
            for _ in 0..3 {
                breaker.admit(now).ok().unwrap().report(&fallback, now);
            }
            assert_eq!((fallback.label(), breaker.open_until(now).is_some()), (label, opens), "{fallback:?}");
            assert!(!fallback.to_string().is_empty());
        }
    }

    #[test]
    fn an_answer_that_cannot_be_used_ends_a_row_of_failures() {
        let (breaker, now) = (CircuitBreaker::default(), Timestamp::from_micros(0));
        let report = |fallback| breaker.admit(now).ok().unwrap().report(&fallback, now);
        report(Fallback::TooSlow);
        report(Fallback::TooSlow);
        report(Fallback::Unusable("no JSON".into()));
        report(Fallback::TooSlow);
        assert_eq!(breaker.open_until(now), None);
    }

    #[derive(Debug, Clone, Copy)]
    enum Step {
        Begin,
        Answer(usize),
        Fail(usize),
        Drop(usize),
        Wait(i64),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => Just(Step::Begin),
            1 => (0_usize..8).prop_map(Step::Answer),
            4 => (0_usize..8).prop_map(Step::Fail),
            2 => (0_usize..8).prop_map(Step::Drop),
            3 => (0_i64..400).prop_map(Step::Wait),
        ]
    }

    proptest! {
        /// Whatever happens: what `free_permits` and `open_until` promise is what `admit` does, no pause is longer than the
        /// longest, at most one trial is on its way, and once all calls have ended time alone lets a call through again.
        #[test]
        fn a_breaker_keeps_its_promises(steps in proptest::collection::vec(step(), 0..80)) {
            let breaker = CircuitBreaker::default();
            let (mut calls, mut now) = (Vec::new(), at(0));
            for step in steps {
                match step {
                    Step::Begin => {
                        let (free, until) = (breaker.free_permits(now), breaker.open_until(now));
                        let admitted = breaker.admit(now);
                        prop_assert_eq!(admitted.is_ok(), free > 0);
                        prop_assert_eq!(admitted.as_ref().err().copied(), until);
                        calls.extend(admitted);
                    }
                    Step::Answer(n) if n < calls.len() => {
                        calls.swap_remove(n).answered();
                        prop_assert_eq!(breaker.free_permits(now), usize::MAX);
                    }
                    Step::Fail(n) if n < calls.len() => calls.swap_remove(n).failed(now),
                    Step::Drop(n) if n < calls.len() => drop(calls.swap_remove(n)),
                    Step::Wait(seconds) => now = now.plus_millis(seconds * 1_000),
                    Step::Answer(_) | Step::Fail(_) | Step::Drop(_) => {}
                }
                if let State::HalfOpen { until, .. } = *breaker.state() {
                    prop_assert_eq!(calls.iter().filter(|call| call.trial_after == Some(until)).count(), 1);
                }
                let longest = now.plus(LONGEST);
                prop_assert!(breaker.open_until(now).is_none_or(|until| until <= longest));
            }
            drop(calls);
            prop_assert!(breaker.admit(now.plus(LONGEST)).is_ok());
        }
    }
}
