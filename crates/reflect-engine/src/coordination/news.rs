//! What instances tell each other: the work on a trace has ended, something in a project has changed.
//!
//! It only makes others quick. Whoever waits looks for themselves every now and then, so nothing is wrong for long when news is lost.

use std::{
    collections::HashMap,
    fmt::Write,
    sync::{Mutex, PoisonError},
};

use reflect_core::{ProjectId, TraceId};
use tokio::sync::Notify;
use uuid::Uuid;

use super::Changed;

/// How many bytes one message has at most: PostgreSQL takes just under 8,000.
const MOST_BYTES: usize = 7_500;

/// News that the others were not told yet.
#[derive(Default)]
pub(super) struct Untold {
    gathered: Mutex<Gathered>,
    notify: Notify,
}

#[derive(Default)]
struct Gathered {
    finished: Vec<TraceId>,
    changed: HashMap<ProjectId, Changed>,
}

/// One piece of news.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// The work on a trace has ended.
    Finished(TraceId),
    /// Something in a project has changed.
    Changed(ProjectId, Changed),
}

impl Untold {
    pub(super) fn finished(&self, trace_id: TraceId) {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner).finished.push(trace_id);
        self.notify.notify_one();
    }

    pub(super) fn changed(&self, project_id: &ProjectId, changed: Changed) {
        let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        match gathered.changed.get_mut(project_id) {
            Some(known) => *known = known.and(changed),
            None => drop(gathered.changed.insert(project_id.clone(), changed)),
        }
        drop(gathered);
        self.notify.notify_one();
    }

    /// Waits until there may be some.
    pub(super) async fn wait(&self) {
        self.notify.notified().await;
    }

    /// All of it, as messages of `instance`. It counts as told.
    pub(super) fn take(&self, instance: Uuid) -> Vec<String> {
        let gathered = std::mem::take(&mut *self.gathered.lock().unwrap_or_else(PoisonError::into_inner));
        let finished = gathered.finished.into_iter().map(|trace_id| format!("finished {trace_id}"));
        let changed = gathered
            .changed
            .into_iter()
            .map(|(project_id, changed)| format!("changed {} {project_id}", changed.bits()));
        let mut messages: Vec<String> = Vec::new();
        for line in finished.chain(changed) {
            match messages.last_mut().filter(|message| message.len() + line.len() < MOST_BYTES) {
                // Writing to a string cannot fail.
                Some(message) => drop(write!(message, "\n{line}")),
                None => messages.push(format!("{instance}\n{line}")),
            }
        }
        messages
    }
}

/// What a message of another instance says. Lines of a later release that are not understood are passed over.
pub(super) fn read(message: &str, this_instance: Uuid) -> Vec<Piece> {
    let mut lines = message.lines();
    if lines.next().and_then(|sender| sender.parse().ok()) == Some(this_instance) {
        return Vec::new();
    }
    lines.filter_map(piece).collect()
}

fn piece(line: &str) -> Option<Piece> {
    match line.split_once(' ')? {
        ("finished", trace_id) => trace_id.parse().ok().map(Piece::Finished),
        ("changed", rest) => {
            let (bits, project_id) = rest.split_once(' ')?;
            Some(Piece::Changed(project_id.parse().ok()?, Changed::from_bits(bits.parse().ok()?)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SENDER: Uuid = Uuid::from_u128(1);
    const OTHER: Uuid = Uuid::from_u128(2);

    #[test]
    fn others_hear_all_of_it_once_and_the_sender_nothing() {
        let untold = Untold::default();
        let project: ProjectId = "a project".parse().unwrap();
        untold.changed(&project, Changed::TRACES);
        untold.changed(&project, Changed::SETTINGS);
        let trace_ids: Vec<TraceId> = (0..500).map(|number| TraceId::from_uuid(Uuid::from_u128(number))).collect();
        trace_ids.iter().for_each(|trace_id| untold.finished(*trace_id));
        let messages = untold.take(SENDER);
        assert!(messages.len() > 1 && messages.iter().all(|message| message.len() < 8_000));
        let mut heard: Vec<Piece> = messages.iter().flat_map(|message| read(message, OTHER)).collect();
        let changed = Changed { traces: true, settings: true, ..Changed::default() };
        assert_eq!(heard.pop(), Some(Piece::Changed(project, changed)));
        assert_eq!(heard, trace_ids.into_iter().map(Piece::Finished).collect::<Vec<_>>());
        assert!(messages.iter().all(|message| read(message, SENDER).is_empty()));
        assert!(untold.take(SENDER).is_empty());
    }

    #[test]
    fn what_is_not_understood_is_passed_over() {
        let message = format!("{SENDER}\nfinished soon\nchanged many things\nmoved 1 p\nchanged 300 p\nchanged 1 p");
        assert_eq!(read(&message, OTHER), [Piece::Changed("p".parse().unwrap(), Changed::TRACES)]);
        assert_eq!(read("", OTHER), []);
    }
}
