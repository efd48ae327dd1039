//! The commands, as someone at a shell meets them.

mod data_folder;
mod keys;
mod settings;
