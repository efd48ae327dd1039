//! The commands, as someone at a shell meets them.

mod audit;
mod data_folder;
mod help;
mod keys;
mod lessons;
mod lift;
mod models;
mod settings;
mod signals;
mod what_if;
