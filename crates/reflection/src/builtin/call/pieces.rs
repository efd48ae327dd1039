//! A command line taken apart at what stands outside of its quotes.

use std::ops::Range;

/// What stands between two commands of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    /// `&&`: the second runs where the first came to 0.
    And,
    /// `||`: the second runs where the first did not.
    Or,
    /// `;`, `&` or a line's end.
    Then,
    /// `|`.
    Pipe,
}

/// The commands of a line, each with what stands before it. A text in quotes, in brackets or between the marks of a here-document is
/// one piece with what it belongs to.
pub(super) fn split(line: &str) -> Vec<(Joint, Range<usize>)> {
    let mut pieces = Vec::new();
    let (mut start, mut joint) = (0, Joint::Then);
    let mut scanner = Scanner { line, at: 0, depth: 0, quote: None };
    while let Some((at, found)) = scanner.next_joint() {
        pieces.push((joint, start..at));
        (joint, start) = (found, scanner.at);
    }
    pieces.push((joint, start..line.len()));
    pieces.retain(|(_, range)| line.get(range.clone()).is_some_and(|piece| !piece.trim().is_empty()));
    pieces
}

struct Scanner<'a> {
    line: &'a str,
    at: usize,
    depth: usize,
    quote: Option<char>,
}

impl Scanner<'_> {
    /// Where the next joint begins; `at` is then behind it.
    fn next_joint(&mut self) -> Option<(usize, Joint)> {
        loop {
            let rest = self.line.get(self.at..)?;
            let letter = rest.chars().next()?;
            let begin = self.at;
            self.at += letter.len_utf8();
            if letter == '\\' && self.quote != Some('\'') {
                self.at += rest.chars().nth(1).map_or(0, char::len_utf8);
                continue;
            }
            if let Some(quote) = self.quote {
                if letter == quote {
                    self.quote = None;
                }
                continue;
            }
            match letter {
                '\'' | '"' | '`' => self.quote = Some(letter),
                '(' | '{' if letter == '(' || rest.starts_with("{ ") => self.depth += 1,
                ')' | '}' => self.depth = self.depth.saturating_sub(1),
                '<' if rest.starts_with("<<") && !rest.starts_with("<<<") => self.skip_document(),
                '<' if rest.starts_with("<<<") => self.at += 2,
                '>' if rest.starts_with(">&") => self.at += 1,
                _ if self.depth > 0 => {}
                _ => {
                    if let Some((joint, length)) = joint_at(rest) {
                        self.at = begin + length;
                        return Some((begin, joint));
                    }
                }
            }
        }
    }

    /// Goes on behind the here-document that is opened here.
    fn skip_document(&mut self) {
        let rest = self.line.get(self.at + 1..).unwrap_or_default();
        let opening = rest.trim_start_matches(['-', '~', ' ']);
        let mark: String =
            opening.trim_start_matches(['\'', '"', '\\']).chars().take_while(|c| is_of_mark(*c)).collect();
        if mark.is_empty() {
            return;
        }
        let end = rest.match_indices(&mark).find(|(at, _)| {
            let before = rest.get(..*at).unwrap_or_default().trim_end_matches(['\t', ' ']);
            let after = rest.get(at + mark.len()..).unwrap_or_default();
            before.ends_with('\n') && (after.is_empty() || after.starts_with(['\n', '\r', ')']))
        });
        self.at = end.map_or(self.line.len(), |(at, _)| self.at + 1 + at + mark.len());
    }
}

fn is_of_mark(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn joint_at(rest: &str) -> Option<(Joint, usize)> {
    let known = [("&&", Joint::And), ("||", Joint::Or), ("|&", Joint::Pipe), ("|", Joint::Pipe), (";", Joint::Then)];
    if let Some((sign, joint)) = known.into_iter().find(|(sign, _)| rest.starts_with(sign)) {
        return Some((joint, sign.len()));
    }
    match rest.chars().next() {
        Some('\n') => Some((Joint::Then, 1)),
        Some('&') if !rest.starts_with("&>") => Some((Joint::Then, 1)),
        _ => None,
    }
}

/// The words of a command, without their quotes; no more than a command needs to be known by.
pub(super) fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = command.trim().chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some('\''), _) => word.get_or_insert_default().push(letter),
            (_, '\\') => {
                let next = letters.next();
                let word = word.get_or_insert_default();
                // Between double quotes a backslash stands for itself but before a few characters.
                if quote.is_some() && !next.is_some_and(|next| "$`\"\\\n".contains(next)) {
                    word.push('\\');
                }
                word.extend(next);
            }
            (Some(_), _) => word.get_or_insert_default().push(letter),
            (None, '\'' | '"') => {
                word.get_or_insert_default();
                quote = Some(letter);
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(letter),
        }
        if words.len() == 64 {
            return words;
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(line: &str) -> Vec<(Joint, &str)> {
        split(line).into_iter().map(|(joint, range)| (joint, line[range].trim())).collect()
    }

    #[test]
    fn a_line_is_split_outside_of_quotes() {
        assert_eq!(
            pieces("cd a && psql -c \"select 1; select '|'\" 2>&1 | tail -3; echo $(ls | wc -l)"),
            [
                (Joint::Then, "cd a"),
                (Joint::And, "psql -c \"select 1; select '|'\" 2>&1"),
                (Joint::Pipe, "tail -3"),
                (Joint::Then, "echo $(ls | wc -l)"),
            ]
        );
        assert_eq!(pieces("cat > a.py <<'EOF'\nx; y | z\nEOF\npython a.py").len(), 2);
        assert_eq!(pieces("a &> log || true"), [(Joint::Then, "a &> log"), (Joint::Or, "true")]);
        assert_eq!(pieces("it's never closed; x").len(), 1);
        assert!(pieces(" ; ").is_empty());
    }

    #[test]
    fn words_have_no_quotes() {
        assert_eq!(words(r#"psql -c "select \"a\" from b" 'x y'z"#), ["psql", "-c", "select \"a\" from b", "x yz"]);
        assert_eq!(words(r#"psql -c "\dt" a\ b"#), ["psql", "-c", "\\dt", "a b"]);
    }
}
