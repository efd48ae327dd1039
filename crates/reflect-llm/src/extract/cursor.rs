//! A position in a text, and a count of how often it was looked at.

/// What may always be gone back over: callers do so only behind a position that they never come back to.
const FEW_BYTES: usize = 8;

/// Reads bytes and counts every look, so that a test can hold the whole extraction to being linear.
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    steps: u64,
    /// Bytes that may still be gone back over: as many as there are, so that going back at most doubles the work.
    may_go_back: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, steps: 0, may_go_back: text.len() }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// The byte here.
    pub(super) fn peek(&mut self) -> Option<u8> {
        self.look(self.at)
    }

    /// The byte at a position of the whole text.
    pub(super) fn look(&mut self, at: usize) -> Option<u8> {
        self.steps += 1;
        self.text.as_bytes().get(at).copied()
    }

    pub(super) fn bump(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.text.len());
    }

    /// Whether the text goes on so from here.
    pub(super) fn sees(&mut self, words: &str) -> bool {
        self.sees_at(self.at, words)
    }

    pub(super) fn sees_at(&mut self, at: usize, words: &str) -> bool {
        self.steps += 1;
        self.text.as_bytes().get(at..).is_some_and(|rest| rest.starts_with(words.as_bytes()))
    }

    /// The same without regard to case.
    pub(super) fn sees_any_case(&mut self, words: &str) -> bool {
        self.steps += 1;
        let here = self.text.as_bytes().get(self.at..self.at + words.len());
        here.is_some_and(|here| here.eq_ignore_ascii_case(words.as_bytes()))
    }

    /// The character here, which may be of several bytes.
    pub(super) fn character(&mut self) -> Option<char> {
        self.steps += 1;
        self.text.get(self.at..)?.chars().next()
    }

    /// Moves on as long as bytes are so, and hands out what was passed.
    pub(super) fn take_while(&mut self, mut wanted: impl FnMut(u8) -> bool) -> &'a str {
        let start = self.at;
        while self.peek().is_some_and(&mut wanted) {
            self.at += 1;
        }
        self.since(start)
    }

    /// The text from an earlier position up to here.
    pub(super) fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// The first position at or after this one where blanks and tabs end.
    pub(super) fn after_blanks(&mut self, mut at: usize) -> usize {
        while matches!(self.look(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        at
    }

    /// Goes back to an earlier position, unless too much was gone back over already. A few bytes are always allowed.
    pub(super) fn go_back(&mut self, to: usize) {
        let distance = self.at.saturating_sub(to);
        if distance <= FEW_BYTES {
            self.at = to;
        } else if distance <= self.may_go_back {
            self.may_go_back -= distance;
            self.at = to;
        }
    }

    /// Goes back to the start of something short that was looked at, whatever was gone back over before.
    pub(super) fn rewind(&mut self, to: usize) {
        self.at = to;
    }

    /// Moves behind the next occurrence of `words` without regard to case, or stays and says so.
    pub(super) fn skip_past(&mut self, words: &str) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let found = rest.windows(words.len()).position(|window| window.eq_ignore_ascii_case(words.as_bytes()));
        self.steps += found.unwrap_or(rest.len()) as u64;
        let Some(distance) = found else { return false };
        self.at += distance + words.len();
        true
    }
}
