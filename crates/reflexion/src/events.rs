//! The events of a run.

use std::{
    io::Write,
    sync::{Mutex, PoisonError},
};

use reflect_core::Timestamp;
use serde::{Deserialize, Serialize};

/// An event of a run. Each trial that begins has a start and an end, whatever becomes of it; each lesson is reported once,
/// before the end of its trial.
///
/// ```
/// use reflexion::Event;
/// use serde_json::json;
///
/// let event = Event::TrialEnd { trial_number: 2, success: true, score: None, feedback: String::new() };
/// let written = serde_json::to_value(&event).unwrap();
/// assert_eq!(written, json!({"event": "trial_end", "trial_number": 2, "success": true}));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// A trial begins.
    TrialStart {
        /// Its number, from 1.
        trial_number: u32,
    },
    /// A lesson was written.
    ReflectionGenerated {
        /// The trial it is from.
        trial_number: u32,
        /// What it says.
        reflection: String,
    },
    /// A trial is over.
    TrialEnd {
        /// Its number.
        trial_number: u32,
        /// Whether it succeeded.
        success: bool,
        /// Its score, if it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        score: Option<f64>,
        /// What the evaluator said; left out of the JSON when empty.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        feedback: String,
    },
}

impl Event {
    /// `trial_start`, `reflection_generated` or `trial_end`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::TrialStart { .. } => "trial_start",
            Self::ReflectionGenerated { .. } => "reflection_generated",
            Self::TrialEnd { .. } => "trial_end",
        }
    }

    /// The trial it is about.
    pub fn trial_number(&self) -> u32 {
        match self {
            Self::TrialStart { trial_number }
            | Self::ReflectionGenerated { trial_number, .. }
            | Self::TrialEnd { trial_number, .. } => *trial_number,
        }
    }
}

/// Hears the events of runs. It only looks on: to step in, use [`crate::Hooks`]. A closure is one.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use reflect_core::Timestamp;
/// use reflexion::{Event, EventListener};
///
/// let heard = AtomicU32::new(0);
/// let listener = |_at: Timestamp, event: &Event| heard.store(event.trial_number(), Ordering::Relaxed);
/// listener.on_event(Timestamp::from_micros(0), &Event::TrialStart { trial_number: 2 });
/// assert_eq!(heard.load(Ordering::Relaxed), 2);
/// ```
pub trait EventListener: Send + Sync {
    /// Something happened. It is called within the run, so it should not take long; a panic is swallowed.
    fn on_event(&self, at: Timestamp, event: &Event);
}

impl<F: Fn(Timestamp, &Event) + Send + Sync> EventListener for F {
    fn on_event(&self, at: Timestamp, event: &Event) {
        self(at, event);
    }
}

/// Writes events as lines of JSON: the event's name, the time and the event's own fields. What cannot be written is left out, with
/// a warning in the log: a full disk ends no run.
///
/// ```
/// use reflexion::{Event, EventListener, JsonLines};
/// use reflect_core::Timestamp;
///
/// let lines = JsonLines::new(Vec::new());
/// lines.on_event(Timestamp::from_micros(0), &Event::TrialStart { trial_number: 1 });
/// let written = String::from_utf8(lines.into_writer()).unwrap();
/// assert_eq!(written, "{\"at\":\"1970-01-01T00:00:00.000000Z\",\"event\":\"trial_start\",\"trial_number\":1}\n");
/// ```
#[derive(Debug)]
pub struct JsonLines<W> {
    writer: Mutex<W>,
}

impl<W: Write> JsonLines<W> {
    /// Writes there; each line is flushed.
    pub fn new(writer: W) -> Self {
        Self { writer: Mutex::new(writer) }
    }

    /// What it wrote to.
    pub fn into_writer(self) -> W {
        self.writer.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, at: Timestamp, event: &Event) -> std::io::Result<()> {
        #[derive(Serialize)]
        struct Line<'a> {
            at: Timestamp,
            #[serde(flatten)]
            event: &'a Event,
        }
        let mut line = serde_json::to_vec(&Line { at, event })?;
        line.push(b'\n');
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.write_all(&line)?;
        writer.flush()
    }
}

impl<W: Write + Send> EventListener for JsonLines<W> {
    fn on_event(&self, at: Timestamp, event: &Event) {
        if let Err(error) = self.write(at, event) {
            tracing::warn!(%error, event = event.name(), "an event could not be written");
        }
    }
}
