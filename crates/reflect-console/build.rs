//! Has the crate built again when the console's files change.

fn main() {
    println!("cargo::rerun-if-changed=built");
    println!("cargo::rerun-if-changed=tests/built");
}
