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

/// Callers share the embedder by tokens, by start-time fair queueing: a clock counts tokens, a caller's next text starts when its
/// last one has had its tokens, and whichever starts first is next. So a caller with many texts, or with long ones, delays
/// another one's next text by one of its own.
#[derive(Default)]
pub(super) struct Queue {
    lines: HashMap<String, Line>,
    /// When the text that was taken last started.
    clock: u64,
    requests: u64,
}

/// One caller's texts, the oldest first.
#[derive(Default)]
struct Line {
    texts: VecDeque<WaitingText>,
    /// When the next of them starts.
    start: u64,
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
        line.texts.retain(|waiting| !waiting.seat.is_closed());
        let new: usize = texts.iter().map(|text| tokens(text, limits)).sum();
        let waiting: usize = line.texts.iter().map(|waiting| waiting.tokens).sum();
        if waiting > 0 && waiting + new > limits.waiting_tokens {
            return None;
        }
        // Nobody saves up turns by staying away.
        line.start = line.start.max(self.clock);
        let append = |text: &&str| {
            let (seat, seated) = oneshot::channel();
            let (text, tokens) = ((*text).to_owned(), tokens(text, limits));
            line.texts.push_back(WaitingText { text, request: self.requests, seat, tokens });
            seated
        };
        Some(texts.iter().map(append).collect())
    }

    /// The texts whose turn it is and who are still waited for, as many as go into a batch: one at least, if there is any.
    pub(super) fn take(&mut self, limits: BatchLimits) -> Vec<WaitingText> {
        let (mut batch, mut left) = (Vec::new(), limits.tokens);
        while batch.len() < limits.texts.max(1)
            && let Some(line) = next_line(&mut self.lines)
            && let Some(next) = line.texts.pop_front_if(|waiting| batch.is_empty() || waiting.tokens <= left)
        {
            self.clock = self.clock.max(line.start);
            line.start += next.tokens as u64;
            left = left.saturating_sub(next.tokens);
            batch.push(next);
        }
        // Callers who wait for nothing are remembered for as long as they have had more than others who wait.
        let is_idle = self.lines.values().all(|line| line.texts.is_empty());
        self.lines.retain(|_, line| !line.texts.is_empty() || (!is_idle && line.start > self.clock));
        batch
    }
}

/// The line whose first text starts first, the oldest of several. Texts that nobody waits for any more are left out.
fn next_line(lines: &mut HashMap<String, Line>) -> Option<&mut Line> {
    for line in lines.values_mut() {
        while line.texts.pop_front_if(|waiting| waiting.seat.is_closed()).is_some() {}
    }
    let first = |line: &&mut Line| (line.start, line.texts.front().map(|waiting| waiting.request));
    lines.values_mut().filter(|line| !line.texts.is_empty()).min_by_key(first)
}

/// About how many tokens of a text the embedder reads.
fn tokens(text: &str, limits: BatchLimits) -> usize {
    text.len().div_ceil(BYTES_A_TOKEN).clamp(1, limits.text_tokens.max(1))
}
