//! Telling those who watch a project that something in it has changed.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU8, Ordering},
    },
};

use reflect_core::ProjectId;
use tokio::sync::Notify;

/// What has changed in a project since somebody last looked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Changed {
    /// Its traces or their reviews.
    pub traces: bool,
    /// Its memories or their utilities.
    pub memories: bool,
    /// Its settings or its keys.
    pub settings: bool,
    /// Its lessons that are still to be written.
    pub queue: bool,
}

impl Changed {
    pub(crate) const TRACES: Self = Self { traces: true, memories: false, settings: false, queue: false };
    pub(crate) const MEMORIES: Self = Self { traces: false, memories: true, settings: false, queue: false };
    pub(crate) const SETTINGS: Self = Self { traces: false, memories: false, settings: true, queue: false };
    /// A review, or the end of the work on a lesson.
    pub(crate) const LEARNING: Self = Self { traces: true, memories: true, settings: false, queue: true };

    /// Everything may have.
    pub(crate) const ALL: Self = Self { traces: true, memories: true, settings: true, queue: true };

    /// Both.
    pub(super) const fn and(self, other: Self) -> Self {
        Self::from_bits(self.bits() | other.bits())
    }

    pub(super) const fn bits(self) -> u8 {
        self.traces as u8 | (self.memories as u8) << 1 | (self.settings as u8) << 2 | (self.queue as u8) << 3
    }

    pub(super) const fn from_bits(bits: u8) -> Self {
        Self { traces: bits & 1 > 0, memories: bits & 2 > 0, settings: bits & 4 > 0, queue: bits & 8 > 0 }
    }
}

/// The watches of all projects. Where nobody watches, a change costs a look at an empty map.
#[derive(Default)]
pub(super) struct Watches {
    by_project: Mutex<HashMap<ProjectId, Vec<Weak<Watched>>>>,
}

#[derive(Default)]
struct Watched {
    changed: AtomicU8,
    notify: Notify,
}

/// Sees what changes in a project, from when it was made until it is dropped.
pub struct Watch(Arc<Watched>);

impl Watch {
    /// Waits until something has changed that was not taken yet.
    pub async fn wait(&self) {
        while self.0.changed.load(Ordering::Acquire) == 0 {
            self.0.notify.notified().await;
        }
    }

    /// What has changed since it was last taken.
    pub fn take(&self) -> Changed {
        Changed::from_bits(self.0.changed.swap(0, Ordering::AcqRel))
    }
}

impl Watches {
    pub(super) fn watch(&self, project_id: &ProjectId) -> Watch {
        let watched = Arc::new(Watched::default());
        let mut by_project = self.lock();
        let watches = by_project.entry(project_id.clone()).or_default();
        // Where nothing changes, those who have left are still there.
        watches.retain(|watch| watch.strong_count() > 0);
        watches.push(Arc::downgrade(&watched));
        Watch(watched)
    }

    pub(super) fn note(&self, project_id: &ProjectId, changed: Changed) {
        let mut by_project = self.lock();
        let Some(watches) = by_project.get_mut(project_id) else { return };
        note(watches, changed);
        if watches.is_empty() {
            by_project.remove(project_id);
        }
    }

    /// The same in every project.
    pub(super) fn note_everywhere(&self, changed: Changed) {
        let mut by_project = self.lock();
        by_project.values_mut().for_each(|watches| note(watches, changed));
        by_project.retain(|_, watches| !watches.is_empty());
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ProjectId, Vec<Weak<Watched>>>> {
        self.by_project.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells those who are still there.
fn note(watches: &mut Vec<Weak<Watched>>, changed: Changed) {
    watches.retain(|watch| match watch.upgrade() {
        Some(watched) => {
            watched.changed.fetch_or(changed.bits(), Ordering::AcqRel);
            watched.notify.notify_one();
            true
        }
        None => false,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_watch_sees_what_changes_in_its_project_once() {
        let (watches, project, other) = (Watches::default(), "p".parse().unwrap(), "q".parse().unwrap());
        watches.note(&project, Changed::TRACES);
        let (watch, second) = (watches.watch(&project), watches.watch(&project));
        watches.note(&other, Changed::SETTINGS);
        assert_eq!(watch.take(), Changed::default());
        watches.note(&project, Changed::TRACES);
        watches.note(&project, Changed::SETTINGS);
        watch.wait().await;
        assert_eq!(watch.take(), Changed { traces: true, settings: true, ..Changed::default() });
        assert_eq!(watch.take(), Changed::default());
        assert_eq!(second.take(), Changed { traces: true, settings: true, ..Changed::default() });
    }

    #[test]
    fn nothing_is_kept_for_those_who_left() {
        let (watches, project) = (Watches::default(), "p".parse().unwrap());
        drop(watches.watch(&project));
        watches.note(&project, Changed::LEARNING);
        assert!(watches.lock().is_empty());
    }

    #[test]
    fn those_who_come_make_room_for_themselves_where_nothing_changes() {
        let (watches, project) = (Watches::default(), "p".parse().unwrap());
        for _ in 0..3 {
            drop(watches.watch(&project));
        }
        assert_eq!(watches.lock()[&project].len(), 1);
    }
}
