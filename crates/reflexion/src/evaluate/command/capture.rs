//! The head and the tail of an output, however long it is.

use std::collections::VecDeque;

use tokio::io::{AsyncRead, AsyncReadExt};

/// Keeps the first and the last bytes, together at most the limit.
pub(super) struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_limit: usize,
    tail_limit: usize,
    left_out: u64,
}

impl Capture {
    pub(super) fn new(limit: usize) -> Self {
        let tail_limit = limit / 2;
        Self { head: Vec::new(), tail: VecDeque::new(), head_limit: limit - tail_limit, tail_limit, left_out: 0 }
    }

    /// Reads to the end. What was read before an error, or before this is dropped, stays.
    pub(super) async fn read(&mut self, mut output: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 8 * 1024];
        while let Ok(length @ 1..) = output.read(&mut buffer).await {
            self.push(buffer.get(..length).unwrap_or_default());
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        let room = self.head_limit - self.head.len();
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        // Of what is longer than the tail, only its end can stay.
        let (over, rest) = rest.split_at(rest.len().saturating_sub(self.tail_limit));
        let drop = (self.tail.len() + rest.len()).saturating_sub(self.tail_limit);
        self.tail.drain(..drop);
        self.tail.extend(rest);
        self.left_out += (over.len() + drop) as u64;
    }

    /// The text without colours. A character that the cut went through is left out with it; bytes that are no text become `U+FFFD`.
    pub(super) fn into_text(self) -> String {
        let mut bytes = self.head;
        if self.left_out == 0 {
            bytes.extend(self.tail);
            return without_escapes(&String::from_utf8_lossy(&bytes));
        }
        bytes.truncate(whole_characters(&bytes));
        let tail: Vec<u8> = self.tail.into_iter().skip_while(|byte| is_continuation(*byte)).collect();
        let note = format!("\n[… {} bytes left out …]\n", self.left_out);
        let text = [String::from_utf8_lossy(&bytes), note.into(), String::from_utf8_lossy(&tail)].concat();
        without_escapes(&text)
    }
}

/// How long the text is without a character at its end that is not all there.
fn whole_characters(bytes: &[u8]) -> usize {
    let last = bytes.iter().rposition(|byte| !is_continuation(*byte)).unwrap_or(0);
    let length = match bytes.get(last) {
        Some(0xC0..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF7) => 4,
        _ => 1,
    };
    if last + length > bytes.len() { last } else { bytes.len() }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Leaves out the sequences with which terminals are told colours, and other control characters but tabs and line breaks.
fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' if characters.next_if_eq(&'[').is_some() => {
                while characters.next().is_some_and(|part| !('\u{40}'..='\u{7e}').contains(&part)) {}
            }
            '\n' | '\t' => plain.push(character),
            control if control.is_control() => {}
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn captured(pieces: &[&[u8]], limit: usize) -> String {
        let mut capture = Capture::new(limit);
        pieces.iter().for_each(|piece| capture.push(piece));
        capture.into_text()
    }

    #[test]
    fn head_and_tail_stay() {
        let long = format!("start{}end", "x".repeat(1_000));
        let text = captured(&[long.as_bytes()], 20);
        assert_eq!(text, "startxxxxx\n[… 988 bytes left out …]\nxxxxxxxend");
        assert_eq!(captured(&[b"whole"], 5), "whole");
        assert_eq!(captured(&[b"gone"], 0), "\n[… 4 bytes left out …]\n");
    }

    #[test]
    fn colours_and_what_is_no_text_do_no_harm() {
        assert_eq!(captured(&[b"\x1b[1;31mFAILED\x1b[0m a\r\nb\x07\x1b["], 99), "FAILED a\nb");
        assert_eq!(captured(&[b"a\xffb"], 99), "a\u{fffd}b");
    }

    proptest! {
        #[test]
        fn a_cut_never_splits_a_character_and_never_keeps_too_much(
            text in "[aé日🙂\n]{0,80}",
            limit in 0..120_usize,
            step in 1..40_usize,
        ) {
            let pieces: Vec<&[u8]> = text.as_bytes().chunks(step).collect();
            let shown = captured(&pieces, limit);
            prop_assert!(!shown.contains('\u{fffd}'), "{shown}");
            match shown.split_once("\n[… ") {
                None => prop_assert_eq!(&shown, &text),
                Some((head, tail)) => {
                    let (_, tail) = tail.split_once(" …]\n").unwrap();
                    prop_assert!(text.starts_with(head) && text.ends_with(tail));
                    prop_assert!(head.len() + tail.len() <= limit && text.len() > limit);
                }
            }
        }

        #[test]
        fn any_bytes_make_a_text(bytes in prop::collection::vec(any::<u8>(), 0..200), limit in 0..100_usize) {
            captured(&[&bytes], limit);
        }
    }
}
