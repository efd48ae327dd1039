//! What is printed: the server's own report, and the pass rates as they went.

use reflect_client::LiftAnswer;

use super::{
    super::statistics::Share,
    record::{Arm, Record},
    windows::Window,
};
use crate::say;

pub(super) fn print(records: &[Record], windows: &[Window], lift: &LiftAnswer) -> anyhow::Result<()> {
    say(format_args!("\n`GET lift`:\n{}\n", serde_json::to_string_pretty(lift)?));
    say(format_args!("| runs | with memories | without | nothing found |\n|---|---|---|---|"));
    for window in windows {
        let Window { first, last, with, without, nothing_found } = window;
        say(format_args!("| {first}–{last} | {} | {} | {nothing_found} |", cell(*with), cell(*without)));
    }
    print_own_lessons(records);
    let seconds: f64 = records.iter().map(|record| record.seconds).sum();
    say(format_args!("\n{:.1} s from query to lesson, on average", seconds / records.len() as f64));
    Ok(())
}

/// Whether lessons help where the right family's were found.
fn print_own_lessons(records: &[Record]) {
    let with_memories = || records.iter().filter(|record| record.arm == Arm::WithMemories);
    let passed =
        |own: bool| with_memories().filter(move |record| (record.own_lessons > 0) == own).map(|record| record.passed);
    say(format_args!(
        "\nwith memories, and one of the task's own family among them: {}; none: {}",
        cell(Share::of(passed(true))),
        cell(Share::of(passed(false)))
    ));
}

/// Both pass rates in one line.
pub(super) fn rates(window: &Window) -> String {
    format!("with memories {}, without {}", cell(window.with), cell(window.without))
}

fn cell(share: Share) -> String {
    if share.of == 0 { "–".to_owned() } else { format!("{}/{}, {:.0} %", share.hits, share.of, share.percent()) }
}
