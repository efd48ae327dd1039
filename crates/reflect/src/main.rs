//! The Reflect binary: serve, keys, and the commands that look after a data folder.
fn main() {}
