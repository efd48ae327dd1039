//! WordPiece: words into the pieces that a model knows.

use std::collections::HashMap;

use super::words::for_each_word;

/// A word of more characters than this is unknown as a whole, as in the models' own tokenizer.
const LONGEST_WORD: usize = 100;

/// A vocabulary and how text is cut by it.
pub(super) struct Tokenizer {
    /// Pieces that begin a word.
    first: HashMap<Box<str>, u32>,
    /// Pieces that go on with one; written `##piece` in the vocabulary.
    further: HashMap<Box<str>, u32>,
    /// The length in bytes of the longest piece.
    longest: usize,
    /// Stands before every text.
    pub(super) start: u32,
    /// Stands after every text.
    pub(super) end: u32,
    unknown: u32,
}

impl Tokenizer {
    /// Reads a vocabulary: one piece a line, its number is its id. `None` if one of the special pieces is missing.
    pub(super) fn new(vocabulary: &str) -> Option<Self> {
        let count = vocabulary.lines().count();
        let mut first: HashMap<Box<str>, u32> = HashMap::with_capacity(count);
        let mut further: HashMap<Box<str>, u32> = HashMap::with_capacity(count / 4);
        for (id, piece) in (0..).zip(vocabulary.lines()) {
            match piece.strip_prefix("##") {
                Some(rest) if !rest.is_empty() => further.insert(rest.into(), id),
                _ => first.insert(piece.into(), id),
            };
        }
        let longest = first.keys().chain(further.keys()).map(|piece| piece.len()).max().unwrap_or(0);
        let special = |name: &str| first.get(name).copied();
        let (start, end, unknown) = (special("[CLS]")?, special("[SEP]")?, special("[UNK]")?);
        Some(Self { first, further, longest, start, end, unknown })
    }

    /// The ids of a text's pieces, without start and end.
    pub(super) fn tokens(&self, text: &str) -> Vec<u32> {
        let mut tokens = Vec::new();
        for_each_word(text, |word| self.push_word(word, &mut tokens));
        tokens
    }

    /// The longest piece that fits, again and again. A word that cannot be covered is one unknown piece.
    fn push_word(&self, word: &str, tokens: &mut Vec<u32>) {
        let before = tokens.len();
        let mut rest = word;
        let mut pieces = &self.first;
        if word.len() > LONGEST_WORD && word.chars().count() > LONGEST_WORD {
            tokens.push(self.unknown);
            return;
        }
        while !rest.is_empty() {
            let Some((id, length)) = self.longest_piece(pieces, rest) else {
                tokens.truncate(before);
                tokens.push(self.unknown);
                return;
            };
            tokens.push(id);
            rest = rest.get(length..).unwrap_or_default();
            pieces = &self.further;
        }
    }

    fn longest_piece(&self, pieces: &HashMap<Box<str>, u32>, text: &str) -> Option<(u32, usize)> {
        let mut length = text.len().min(self.longest);
        while length > 0 {
            if let Some(id) = text.get(..length).and_then(|piece| pieces.get(piece)) {
                return Some((*id, length));
            }
            length -= 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokenizer() -> Tokenizer {
        Tokenizer::new("[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##aff\n##able\nrun\n##ning\n,\n数\n##").unwrap()
    }

    #[test]
    fn the_longest_piece_comes_first() {
        assert_eq!(tokenizer().tokens("Unaffable, running"), [4, 5, 6, 9, 7, 8]);
    }

    #[test]
    fn a_word_that_cannot_be_covered_is_unknown_as_a_whole() {
        assert_eq!(tokenizer().tokens("unaffxable run"), [1, 7]);
        assert_eq!(tokenizer().tokens(&"run".repeat(40)), [1]);
    }

    #[test]
    fn a_vocabulary_without_the_special_pieces_is_refused() {
        assert!(Tokenizer::new("a\nb").is_none());
    }
}
