//! The Reflect binary: serve, keys, and the commands that look after a data folder.
//!
//! A command reads its settings, puts the parts together and calls them. Logic lives in the crates below.

mod allocator;
mod backup;
mod check;
mod command_line;
mod copy;
mod descriptors;
mod doctor;
mod embedders;
mod embedding_models;
mod export;
#[cfg(debug_assertions)]
mod faults;
mod gather;
mod given;
mod help_files;
mod home;
mod import;
mod keys;
mod leases;
mod lessons;
mod lift;
mod llm_settings;
mod local_server;
mod logging;
mod master_key;
mod mcp;
mod mixture;
mod models;
mod options;
mod partial;
mod progress;
mod redaction;
mod review;
mod serve;
mod settings;
mod settings_reference;
mod stats;
mod target;
mod terminal_text;
mod what_if;

use std::{io::Write, process::ExitCode};

use command_line::Command;
use home::FolderTaken;

fn main() -> ExitCode {
    allocator::give_back_at_once();
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "reflect: {error:#}");
            if error.is::<FolderTaken>() { ExitCode::from(FolderTaken::STATUS) } else { ExitCode::FAILURE }
        }
    }
}

fn run() -> anyhow::Result<()> {
    match command_line::parse()? {
        Command::Serve(settings) => serve::run(settings),
        Command::Keys(keys) => keys.run(),
        Command::Mcp(mcp) => mcp.run(),
        Command::Doctor(doctor) => doctor.run(),
        Command::Review(review) => review.run(),
        Command::Check { settings, repair } => check::run(&settings, repair),
        Command::Backup { settings, to } => backup::backup(&settings, &to),
        Command::Restore { settings, from } => backup::restore(&settings, &from),
        Command::Copy(copy) => copy.run(),
        Command::Export(settings, wish) => export::run(&settings, &wish),
        Command::Import(settings, wish) => import::run(&settings, &wish),
        Command::Stats { settings, print } => stats::run(&settings, print),
        Command::InstallModel { name, from } => embedding_models::install(&name, from.as_deref()),
        Command::Completions(shell) => help_files::print_completions(shell),
        Command::ManPages(folder) => help_files::write_man_pages(&folder),
        Command::Lessons(lessons) => lessons.run(),
        Command::Lift(lift) => lift.run(),
        Command::WhatIf(what_if) => what_if.run(),
        Command::OpenApi => print(&reflect_server::openapi_json()),
        Command::SettingsReference { as_markdown: true } => print(&settings_reference::markdown()),
        Command::SettingsReference { as_markdown: false } => print(&settings_reference::toml()),
    }
}

/// Prints one line for the person or program that started us.
fn say(line: std::fmt::Arguments<'_>) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{line}")?;
    Ok(stdout.flush()?)
}

/// Prints a document as it is.
fn print(document: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(document.as_bytes())?;
    Ok(stdout.flush()?)
}
