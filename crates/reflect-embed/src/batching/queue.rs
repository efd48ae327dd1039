//! The texts that wait, each caller's in a line of its own.

use std::collections::{HashMap, VecDeque};

use tokio::sync::oneshot;

use super::{BatchLimits, Seat};

/// About how many bytes of text make a token.
const BYTES_A_TOKEN: usize = 4;

/// A text that waits for a batch.
pub(super) struct WaitingText {
    pub(super) text: String,
    /// Which texts came together.
    pub(super) request: u64,
    /// Told once the text is in a batch; closed when nobody waits for it any more.
    pub(super) seat: oneshot::Sender<Seat>,
    tokens: usize,
}

/// Callers take turns, a text a turn: so a caller with many texts delays another one's next text by one of its own.
#[derive(Default)]
pub(super) struct Queue {
    lines: HashMap<String, VecDeque<WaitingText>>,
    /// Those who have a line, whoever is next first.
    turns: VecDeque<String>,
    requests: u64,
}

impl Queue {
    /// Appends texts to their caller's line. `None`, and nothing is appended, if something waits there and it would get longer
    /// than it may be.
    pub(super) fn push(
        &mut self,
        caller: &str,
        texts: &[&str],
        limits: BatchLimits,
    ) -> Option<Vec<oneshot::Receiver<Seat>>> {
        self.requests += 1;
        let line = self.lines.entry(caller.to_owned()).or_default();
        line.retain(|waiting| !waiting.seat.is_closed());
        let new: usize = texts.iter().map(|text| tokens(text, limits)).sum();
        let waiting: usize = line.iter().map(|waiting| waiting.tokens).sum();
        if waiting > 0 && waiting + new > limits.waiting_tokens {
            return None;
        }
        if !self.turns.iter().any(|known| known == caller) {
            self.turns.push_back(caller.to_owned());
        }
        let append = |text: &&str| {
            let (seat, seated) = oneshot::channel();
            let (text, tokens) = ((*text).to_owned(), tokens(text, limits));
            line.push_back(WaitingText { text, request: self.requests, seat, tokens });
            seated
        };
        Some(texts.iter().map(append).collect())
    }

    /// The texts whose turn it is and who are still waited for, as many as go into a batch: one at least, if there is any.
    pub(super) fn take(&mut self, limits: BatchLimits) -> Vec<WaitingText> {
        let (mut batch, mut left) = (Vec::new(), limits.tokens);
        while batch.len() < limits.texts.max(1)
            && let Some(caller) = self.turns.pop_front()
        {
            let Some(line) = self.lines.get_mut(&caller) else { continue };
            while line.pop_front_if(|waiting| waiting.seat.is_closed()).is_some() {}
            let Some(next) = line.pop_front_if(|waiting| batch.is_empty() || waiting.tokens <= left) else {
                if line.is_empty() {
                    self.lines.remove(&caller);
                    continue;
                }
                self.turns.push_front(caller);
                break;
            };
            if line.is_empty() {
                self.lines.remove(&caller);
            } else {
                self.turns.push_back(caller);
            }
            left = left.saturating_sub(next.tokens);
            batch.push(next);
        }
        batch
    }
}

/// About how many tokens a text has for the embedder. None counts more than a batch has room for: how much of a longer text is read
/// is the embedder's business.
fn tokens(text: &str, limits: BatchLimits) -> usize {
    text.len().div_ceil(BYTES_A_TOKEN).clamp(1, limits.tokens.max(1))
}
