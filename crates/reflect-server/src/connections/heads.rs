//! Where the heads of requests begin and end in what a client sends, and whether their lines end as HTTP says.
//!
//! The parser behind us takes a bare LF for the end of a line, as proxies in front of us may not; where two readers disagree about where a
//! request ends, one client can speak in another's name. So heads are looked at before they are parsed. What follows a head is
//! held back until it is known how long its body is, so that every head is seen, those that follow at once included.

/// How long a request's body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyLength {
    /// So many bytes.
    Known(u64),
    /// It comes in chunks, and says itself where it ends.
    Chunked,
}

/// What a head looked like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Head {
    /// Every line ended with CRLF.
    Good,
    /// A line ended otherwise.
    BareLineFeed,
}

/// Follows a client through its requests.
#[derive(Debug, Default)]
pub(crate) struct Heads {
    place: Place,
    /// Bytes of the line so far, and whether the last of them was CR.
    line_length: usize,
    after_carriage_return: bool,
    has_request_line: bool,
    has_bare_line_feed: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    InHead,
    /// The head is complete, and nobody has said yet how long the body is.
    AfterHead,
    InBody(u64),
    InChunks,
}

impl Heads {
    /// Takes the next bytes, at least one. Answers how many of them belong together, and the head that ends with them.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> (usize, Option<Head>) {
        match self.place {
            Place::AfterHead | Place::InChunks => (bytes.len(), None),
            Place::InBody(left) => {
                let taken = usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len()));
                self.expect_body(BodyLength::Known(left - taken as u64));
                (taken, None)
            }
            Place::InHead => self.take_head(bytes),
        }
    }

    /// Says how long the body is that follows the head.
    pub(crate) fn expect_body(&mut self, length: BodyLength) {
        match length {
            BodyLength::Known(0) => self.expect_head(),
            BodyLength::Known(length) => self.place = Place::InBody(length),
            BodyLength::Chunked => self.place = Place::InChunks,
        }
    }

    /// Says that the request is over.
    pub(crate) fn end_request(&mut self) {
        if self.place == Place::InChunks {
            self.expect_head();
        }
    }

    fn expect_head(&mut self) {
        *self = Self::default();
    }

    fn take_head(&mut self, bytes: &[u8]) -> (usize, Option<Head>) {
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', bytes) {
            self.lengthen_line(bytes.get(start..end).unwrap_or_default());
            start = end + 1;
            if let Some(head) = self.end_line() {
                return (start, Some(head));
            }
        }
        self.lengthen_line(bytes.get(start..).unwrap_or_default());
        (bytes.len(), None)
    }

    fn lengthen_line(&mut self, more: &[u8]) {
        self.line_length += more.len();
        if let Some(last) = more.last() {
            self.after_carriage_return = *last == b'\r';
        }
    }

    /// The head, if this was its last line.
    fn end_line(&mut self) -> Option<Head> {
        self.has_bare_line_feed |= !self.after_carriage_return;
        let is_empty = self.line_length == usize::from(self.after_carriage_return);
        (self.line_length, self.after_carriage_return) = (0, false);
        // Empty lines before a request are passed over.
        if is_empty && self.has_request_line {
            self.place = Place::AfterHead;
            return Some(if self.has_bare_line_feed { Head::BareLineFeed } else { Head::Good });
        }
        self.has_request_line |= !is_empty;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The heads in a text that comes in pieces of this size, all followed by bodies of this length.
    fn heads(text: &str, piece: usize, body: BodyLength) -> Vec<Head> {
        let mut heads = Heads::default();
        let mut found = Vec::new();
        for mut bytes in text.as_bytes().chunks(piece) {
            while !bytes.is_empty() {
                let (taken, head) = heads.take(bytes);
                bytes = &bytes[taken..];
                if let Some(head) = head {
                    found.push(head);
                    heads.expect_body(body);
                }
            }
        }
        found
    }

    #[test]
    fn every_head_is_seen_however_it_comes() {
        let requests =
            "GET / HTTP/1.1\r\nA: b\r\n\r\n{\n\n}GET / HTTP/1.1\r\nA: b\n\r\n{\n\n}\r\nGET / HTTP/1.1\r\n\r\n";
        for piece in [1, 2, 3, 7, 1_000] {
            let found = heads(requests, piece, BodyLength::Known(4));
            assert_eq!(found, [Head::Good, Head::BareLineFeed, Head::Good], "in pieces of {piece}");
        }
    }

    #[test]
    fn a_head_that_ends_with_bare_line_feeds_ends_there() {
        assert_eq!(
            heads("GET / HTTP/1.1\n\nGET / HTTP/1.1\r\n\r\n", 5, BodyLength::Known(0)),
            [Head::BareLineFeed, Head::Good]
        );
    }

    #[test]
    fn after_chunks_a_head_is_seen_again_once_the_request_is_over() {
        let mut heads = Heads::default();
        assert_eq!(heads.take(b"GET / HTTP/1.1\r\n\r\n").1, Some(Head::Good));
        heads.expect_body(BodyLength::Chunked);
        assert_eq!(heads.take(b"1\r\n\n\r\n0\r\n\r\n"), (11, None));
        heads.end_request();
        assert_eq!(heads.take(b"GET / HTTP/1.1\n\r\n").1, Some(Head::BareLineFeed));
    }
}
