//! 64-bit ARM on a machine that is none: Debian's cross compiler builds for it, and an emulator runs what was built.

use std::{path::Path, process::Command};

use crate::{
    debian::{self, Package},
    shell::{cargo, run, say},
};

const TARGET: &str = "aarch64-unknown-linux-gnu";

/// Where Debian puts the libraries of that architecture.
const LIBRARIES: &str = "/usr/aarch64-linux-gnu";

/// A processor with every instruction that our kernels ask for, and one that has none of them beyond NEON.
const NEWEST: &str = "max";
const OLDEST: &str = "cortex-a72";

/// Where code depends on the processor, and what is built for it.
pub(crate) const GUARDED: &[&str] = &[
    "Cargo.lock",
    "crates/reflect-core/src/kernel.rs",
    "crates/reflect-embed/src",
    "crates/reflect-index/src",
    "xtask/src/arm.rs",
];

/// Optimised where an emulator would otherwise take minutes.
const TESTS: &[&str] = &[
    "test",
    "--config=profile.dev.package.reflect-core.opt-level=2",
    "--config=profile.dev.package.reflect-index.opt-level=2",
    "--package=reflect-core",
    "--package=reflect-embed",
    "--package=reflect-index",
];

/// Long texts, which take minutes on an emulator and no other path than short ones.
const LONG_TEXTS: &[&str] = &[
    "--skip=a_text_of_a_million_characters_is_embedded",
    "--skip=every_text_has_a_vector_of_length_one",
    "--skip=the_end_of_a_text_beyond_the_window_counts",
];

/// Checks that the whole server compiles for 64-bit ARM, then runs there what depends on the processor: the kernels' tests, the
/// embedder's fixtures and the index's property tests.
pub(crate) fn test() -> anyhow::Result<()> {
    if let Err(problem) = make_ready() {
        say(&format!("arm: SKIPPED, nothing was built or run for it: {problem:#}"));
        return Ok(());
    }
    run(cross(&["check", "--package", "reflect", "--quiet"], NEWEST))?;
    run(cross(&[TESTS, &["--lib", "--quiet", "--"], LONG_TEXTS].concat(), NEWEST))?;
    let model = ["--test=suite", "--quiet", "--", "builtin::", "original::"];
    run(cross(&[TESTS, &model, LONG_TEXTS].concat(), NEWEST))?;
    run(cross(&[TESTS, &["--lib", "--quiet", "--", "kernel", "lanes"]].concat(), OLDEST))
}

/// Installs what is missing.
fn make_ready() -> anyhow::Result<()> {
    debian::have(&[
        Package { name: "gcc-aarch64-linux-gnu", file: "/usr/bin/aarch64-linux-gnu-gcc" },
        Package { name: "libc6-dev-arm64-cross", file: "/usr/aarch64-linux-gnu/include/stdio.h" },
        Package { name: "qemu-user", file: "/usr/bin/qemu-aarch64" },
    ])?;
    let mut library = Command::new("rustc");
    library.args(["--print", "target-libdir", "--target", TARGET]);
    let library = String::from_utf8(library.output()?.stdout)?;
    if Path::new(library.trim()).exists() {
        return Ok(());
    }
    let mut add = Command::new("rustup");
    add.args(["target", "add", TARGET]);
    run(add)
}

/// Cargo for 64-bit ARM, with tests on an emulated processor of that name.
fn cross(arguments: &[&str], processor: &str) -> Command {
    let mut command = cargo(arguments.iter().copied().take(1));
    command.args(["--target", TARGET]).args(arguments.iter().skip(1));
    let variable = |name: &str| format!("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_{name}");
    command.env(variable("LINKER"), "aarch64-linux-gnu-gcc");
    command.env(variable("RUNNER"), format!("qemu-aarch64 -L {LIBRARIES} -cpu {processor}"));
    // Emulated, a case and a text take tens of times as long; all of them run on the machine itself.
    command.env("PROPTEST_CASES", "32").env("REFLECT_TEXTS_APART", "6");
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guards::git;

    /// Elsewhere a change could break ARM, and this would not run for it.
    #[test]
    fn only_guarded_files_ask_which_processor_it_is() {
        let found =
            git(&["grep", "--files-with-matches", "-E", "target_arch|aarch64|target_feature", "--", "crates/*/src/*"]);
        let found = found.unwrap();
        let elsewhere: Vec<&str> =
            found.lines().filter(|file| !GUARDED.iter().any(|guarded| file.starts_with(guarded))).collect();
        assert!(found.lines().count() > 5 && elsewhere.is_empty(), "{elsewhere:?}");
    }
}
