//! The terminal: keys as they are pressed, lines where a line is asked for.

use std::io::{BufRead, Read, Write, stdin, stdout};

use anyhow::Context;
use rustix::termios::{OptionalActions, OutputModes, Termios, tcgetattr, tcgetwinsize, tcsetattr};

const CLEAR: &str = "\u{1b}[2J\u{1b}[H";
const CTRL_C: u8 = 3;
const CTRL_D: u8 = 4;

/// What was pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Letter(char),
    /// Ctrl-C, Ctrl-D, or the end of the terminal.
    End,
}

/// How much fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) columns: usize,
    pub(super) rows: usize,
}

/// A terminal that hands over each key at once. Dropping it makes it what it was.
pub(super) struct Terminal {
    before: Termios,
}

impl Terminal {
    pub(super) fn open() -> anyhow::Result<Self> {
        let before = tcgetattr(stdin()).context("reading how the terminal is set")?;
        let terminal = Self { before };
        terminal.take_keys()?;
        Ok(terminal)
    }

    fn take_keys(&self) -> anyhow::Result<()> {
        let mut raw = self.before.clone();
        raw.make_raw();
        // A line feed goes to the beginning of the next line, as everywhere else.
        raw.output_modes.insert(OutputModes::OPOST | OutputModes::ONLCR);
        tcsetattr(stdin(), OptionalActions::Now, &raw).context("setting the terminal")
    }

    fn take_lines(&self) -> anyhow::Result<()> {
        tcsetattr(stdin(), OptionalActions::Now, &self.before).context("setting the terminal")
    }

    pub(super) fn size(&self) -> Size {
        let size = tcgetwinsize(stdout()).ok().filter(|size| size.ws_col > 0 && size.ws_row > 0);
        size.map_or(Size { columns: 80, rows: 24 }, |size| Size {
            columns: usize::from(size.ws_col),
            rows: usize::from(size.ws_row),
        })
    }

    /// Shows a text on an empty screen.
    pub(super) fn show(&self, text: &str) -> anyhow::Result<()> {
        write(&format!("{CLEAR}{text}"))
    }

    /// Waits for the next key.
    pub(super) fn key(&self) -> anyhow::Result<Key> {
        let mut byte = [0];
        match stdin().lock().read(&mut byte)? {
            0 => Ok(Key::End),
            _ => Ok(match byte {
                [CTRL_C | CTRL_D] => Key::End,
                [byte] => Key::Letter(char::from(byte)),
            }),
        }
    }

    /// Asks for a line, with what the terminal offers to edit it; `None` if nothing was typed.
    pub(super) fn line(&self, question: &str) -> anyhow::Result<Option<String>> {
        self.take_lines()?;
        write(&format!("\n{question}"))?;
        let mut line = String::new();
        let read = stdin().lock().read_line(&mut line);
        self.take_keys()?;
        read?;
        Ok(Some(line.trim().to_owned()).filter(|line| !line.is_empty()))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // There is nobody left to tell.
        let _ = self.take_lines();
        let _ = write("\n");
    }
}

fn write(text: &str) -> anyhow::Result<()> {
    let mut stdout = stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}
