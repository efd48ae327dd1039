//! Walks over a reply once and finds the objects in it.
//!
//! What is inside an object is passed together with it, so marks of thinking and fences inside texts are never taken for real.

use std::ops::Range;

use serde_json::{Map, Value};

use super::{
    cursor::Cursor,
    notes::Notes,
    object::read_object,
    thinking::{self, Mark},
};

/// An object in a reply.
pub(super) struct Candidate {
    pub(super) map: Map<String, Value>,
    /// What had to be done to read it.
    pub(super) notes: Notes,
    /// It neither broke off nor needed a guess.
    pub(super) sound: bool,
    /// It is inside a fence that is meant for JSON.
    pub(super) fenced: bool,
    /// It is an item of an array.
    pub(super) in_array: bool,
    /// It is inside a thinking block that never ended.
    pub(super) in_open_thinking: bool,
    end: usize,
}

/// What was found in a reply.
#[derive(Default)]
pub(super) struct Scan {
    pub(super) candidates: Vec<Candidate>,
    pub(super) thinking_stripped: bool,
    pub(super) thinking_unclosed: bool,
    /// Words are around the objects.
    pub(super) prose: bool,
    /// The parts of the reply that are no thinking.
    pub(super) said: Vec<Range<usize>>,
    pub(super) steps: u64,
    last_word: usize,
}

impl Scan {
    /// Whether nothing but blanks and a fence's end follow a candidate.
    pub(super) fn ends_with(&self, candidate: &Candidate) -> bool {
        self.last_word < candidate.end
    }
}

/// Finds every object in `text`.
pub(super) fn scan(text: &str) -> Scan {
    let mut scanner = Scanner {
        cursor: Cursor::new(text),
        found: Scan::default(),
        fence: None,
        array: false,
        said_from: 0,
        absent: Vec::new(),
    };
    while let Some(byte) = scanner.cursor.peek() {
        scanner.pass(byte);
    }
    scanner.finish()
}

struct Scanner<'a> {
    cursor: Cursor<'a>,
    found: Scan,
    /// Inside a fence, and whether it is one for JSON.
    fence: Option<bool>,
    /// The last thing that was passed was a `[`, or a `,` behind an item of an array.
    array: bool,
    said_from: usize,
    /// Closing marks that do not come any more.
    absent: Vec<String>,
}

impl Scanner<'_> {
    fn pass(&mut self, byte: u8) {
        match byte {
            b'{' => self.pass_object(),
            b' ' | b'\t' | b'\n' | b'\r' => self.cursor.bump(1),
            b'`' | b'~' if self.cursor.sees("```") || self.cursor.sees("~~~") => self.pass_fence(byte),
            _ => {
                if thinking::may_start(byte) && self.pass_thinking() {
                    return;
                }
                match byte {
                    b'[' => self.array = true,
                    b',' => {}
                    _ => self.array = false,
                }
                if self.cursor.sees("\u{feff}") {
                    self.cursor.bump("\u{feff}".len());
                    return;
                }
                if !matches!(byte, b'[' | b']' | b',') {
                    self.found.prose = true;
                    self.found.last_word = self.cursor.at();
                }
                self.cursor.bump(1);
            }
        }
    }

    fn pass_object(&mut self) {
        let start = self.cursor.at();
        let Some(object) = read_object(&mut self.cursor) else {
            self.found.prose = true;
            self.found.last_word = start;
            self.array = false;
            return;
        };
        self.found.candidates.push(Candidate {
            map: object.map,
            notes: object.notes,
            sound: object.sound,
            fenced: self.fence == Some(true),
            in_array: self.array,
            in_open_thinking: self.found.thinking_unclosed,
            end: self.cursor.at(),
        });
    }

    fn pass_fence(&mut self, mark: u8) {
        self.cursor.take_while(|byte| byte == mark);
        if self.fence.take().is_some() {
            return;
        }
        let language =
            self.cursor.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'-'));
        let for_json = ["", "json", "json5", "jsonc", "jsonl", "javascript", "js", "text"];
        self.fence = Some(for_json.iter().any(|known| language.eq_ignore_ascii_case(known)));
    }

    fn pass_thinking(&mut self) -> bool {
        let start = self.cursor.at();
        let Some(mark) = thinking::pass_mark(&mut self.cursor) else { return false };
        match mark {
            Mark::Closes => {
                self.found.candidates.clear();
                self.found.said.clear();
                self.found.prose = false;
                self.found.last_word = 0;
                self.fence = None;
                self.said_from = self.cursor.at();
                // What seemed never to end has ended, and what was taken for its inside is gone.
                self.found.thinking_unclosed = false;
                self.found.thinking_stripped = true;
            }
            // Once a block is open to the end, looking for the end of another would only cost time.
            Mark::Opens(_) if self.found.thinking_unclosed => {}
            Mark::Opens(close) => {
                self.found.said.push(self.said_from..start);
                // A closing mark that was not found once is not looked for again: that would be quadratic.
                let may_close = !self.absent.contains(&close);
                if may_close && self.cursor.skip_past(&close) {
                    self.found.thinking_stripped = true;
                    self.said_from = self.cursor.at();
                } else {
                    if may_close {
                        self.absent.push(close);
                    }
                    self.found.thinking_unclosed = true;
                    self.said_from = usize::MAX;
                }
            }
        }
        true
    }

    fn finish(mut self) -> Scan {
        let end = self.cursor.at();
        if self.said_from < end {
            self.found.said.push(self.said_from..end);
        }
        self.found.steps = self.cursor.steps();
        self.found
    }
}
