//! How large things may be, and which way files of a crate may use each other, held against the code.
//!
//! The code is read as text. That is enough for sources which rustfmt has laid out.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use crate::shell::root;

/// A file of production code, without its tests.
struct Source {
    /// From the root of the repository.
    path: PathBuf,
    text: String,
}

#[test]
fn no_file_is_over_400_lines() {
    let long: Vec<_> = sources("crates").into_iter().filter(|source| source.text.lines().count() > 400).collect();
    assert!(
        long.is_empty(),
        "look for the second idea in {:?}",
        long.iter().map(|source| &source.path).collect::<Vec<_>>()
    );
}

#[test]
fn no_function_is_over_60_lines() {
    let mut long = Vec::new();
    for source in sources("crates") {
        let lines: Vec<&str> = source.text.lines().collect();
        for (first, line) in lines.iter().enumerate().filter(|(_, line)| is_function(line)) {
            let indent = " ".repeat(line.len() - line.trim_start().len());
            let ends = |line: &str| {
                line.strip_prefix(&indent)
                    .is_some_and(|line| line == "}" || (!line.starts_with(' ') && line.ends_with(';')))
            };
            let length = lines[first..].iter().take_while(|line| !ends(line)).count() + 1;
            if length > 60 {
                long.push(format!("{}:{} has {length} lines", source.path.display(), first + 1));
            }
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn at_most_ten_functions_take_more_than_four_arguments() {
    let mut wide = Vec::new();
    for source in sources("crates") {
        for (line, text) in source.text.lines().enumerate().filter(|(_, line)| is_function(line)) {
            let start = source.text.lines().take(line).map(|line| line.len() + 1).sum::<usize>();
            let count = arguments(&source.text[start..]);
            if count > 4 {
                wide.push(format!("{}:{} takes {count}: {}", source.path.display(), line + 1, text.trim()));
            }
        }
    }
    assert!(wide.len() <= 10, "{} functions take more than four arguments:\n{}", wide.len(), wide.join("\n"));
}

#[test]
fn files_use_each_other_in_one_direction() {
    for name in ["reflect-core", "reflect-store", "reflect-index", "reflect-engine"] {
        let circles = circles(&uses(&texts(&root().join("crates").join(name).join("src"))));
        assert!(circles.is_empty(), "{name} has files that use each other in a circle:\n{}", circles.join("\n"));
    }
}

/// The production code below a folder of the repository.
fn sources(folder: &str) -> Vec<Source> {
    let mut sources = Vec::new();
    for path in
        files(&root().join(folder)).into_iter().filter(|path| path.components().any(|part| part.as_os_str() == "src"))
    {
        let text = production(&std::fs::read_to_string(&path).unwrap());
        if !is_test_file(&path) {
            sources.push(Source { path: path.strip_prefix(root()).unwrap().to_path_buf(), text });
        }
    }
    sources
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Whether the file that declares this one compiles it for tests only.
fn is_test_file(path: &Path) -> bool {
    let module = path.file_stem().unwrap().to_str().unwrap();
    let (module, folder) = match module {
        "lib" | "main" => return false,
        "mod" => {
            (path.parent().unwrap().file_name().unwrap().to_str().unwrap(), path.parent().unwrap().parent().unwrap())
        }
        module => (module, path.parent().unwrap()),
    };
    let parent = ["mod.rs", "lib.rs", "main.rs"].iter().map(|name| folder.join(name)).find(|path| path.exists());
    let Some(parent) = parent else { return false };
    let text = std::fs::read_to_string(&parent).unwrap();
    text.contains(&format!("#[cfg(test)]\nmod {module};")) || is_test_file(&parent)
}

/// What stands before the tests of a file.
fn production(text: &str) -> String {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned()
}

fn is_function(line: &str) -> bool {
    let mut words = line.trim_start().split(' ').filter(|word| !word.starts_with("pub"));
    words.find(|word| !matches!(*word, "async" | "const" | "unsafe" | "extern" | "\"C\"" | "in" | "crate)" | "super)"))
        == Some("fn")
}

/// How many arguments the function at the start of the text takes, without `self`.
fn arguments(text: &str) -> usize {
    let list = &text[opening(text)..];
    let (mut depth, mut count, mut argument) = (0_i32, 0, String::new());
    for (before, letter) in std::iter::once(' ').chain(list.chars()).zip(list.chars()) {
        match letter {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '>' if before != '-' && before != '=' => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && letter == ',') {
            count +=
                usize::from(!argument.trim().is_empty() && !argument.trim_start_matches(['&', ' ']).contains("self"));
            argument.clear();
        } else if depth > 1 || letter != '(' {
            argument.push(letter);
        }
        if depth == 0 {
            break;
        }
    }
    count
}

/// Where the list of arguments opens: behind the name and what stands between `<` and `>`.
fn opening(text: &str) -> usize {
    let mut depth = 0;
    for ((at, letter), before) in text.char_indices().zip(std::iter::once(' ').chain(text.chars())) {
        match letter {
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1,
            '(' if depth == 0 && !text[..at].ends_with("pub") => return at,
            _ => {}
        }
    }
    0
}

/// Each module of a crate with those that it names. A name that a module only hands on counts as that of its origin, and the
/// crate's root, which names all its parts, uses nothing.
fn uses(texts: &Texts) -> BTreeMap<String, BTreeSet<String>> {
    let mut uses = BTreeMap::new();
    for (module, text) in texts.iter().filter(|(module, _)| !module.is_empty()) {
        let named = paths(text).into_iter().filter(|(_, handed_on)| !handed_on);
        let origins = named.filter_map(|(path, _)| origin(texts, &absolute(module, &path)?));
        uses.insert(module.clone(), origins.filter(|origin| origin != module && !origin.is_empty()).collect());
    }
    uses
}

/// The production code of each module of a crate.
type Texts = BTreeMap<String, String>;

fn texts(source: &Path) -> Texts {
    let production_files = files(source).into_iter().filter(|path| !is_test_file(path));
    production_files
        .map(|path| (module_name(source, &path), production(&std::fs::read_to_string(&path).unwrap())))
        .collect()
}

/// `work::claims` for `src/work/claims.rs`; the crate's root has no name.
fn module_name(source: &Path, path: &Path) -> String {
    let path = path.strip_prefix(source).unwrap().with_extension("");
    let parts: Vec<&str> =
        path.iter().map(|part| part.to_str().unwrap()).filter(|part| !["mod", "lib", "main"].contains(part)).collect();
    parts.join("::")
}

/// Every path that starts at `crate`, `super` or `self`, and whether it stands in a `pub use`.
fn paths(text: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let code: String =
        text.lines().filter(|line| !line.trim_start().starts_with("//")).flat_map(|line| [line, "\n"]).collect();
    for statement in code.split_inclusive(';') {
        let trimmed = statement.trim_start();
        let handed_on = trimmed.starts_with("pub") && trimmed.contains(" use ") && !trimmed.contains("fn ");
        for start in ["crate::", "super::", "self::"] {
            for (at, _) in statement.match_indices(start) {
                let fresh = !statement[..at].ends_with(|letter: char| {
                    letter.is_alphanumeric() || letter == '_' || letter == ':' || letter == '$'
                });
                if fresh {
                    found.extend(expand(&statement[at..]).into_iter().map(|path| (path, handed_on)));
                }
            }
        }
    }
    found
}

/// The paths of a use tree: `a::{b, c::d}` gives `a::b` and `a::c::d`.
fn expand(text: &str) -> Vec<String> {
    let end =
        text.find(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != ':').unwrap_or(text.len());
    let (head, rest) = text.split_at(end);
    if !(head.ends_with("::") && rest.starts_with('{')) {
        return vec![head.trim_end_matches("::").to_owned()];
    }
    let (mut depth, mut item, mut items) = (0, String::new(), Vec::new());
    for letter in rest.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && letter == ',') {
            items.push(std::mem::take(&mut item));
        } else if depth > 1 || letter != '{' {
            item.push(letter);
        }
        if depth == 0 {
            break;
        }
    }
    let items = items.iter().map(|item| item.trim()).filter(|item| !item.is_empty());
    items.flat_map(|item| expand(item).into_iter().map(|path| format!("{head}{path}"))).collect()
}

/// A path seen from the crate's root.
fn absolute(module: &str, path: &str) -> Option<Vec<String>> {
    let mut at: Vec<String> = module.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
    for part in path.split("::") {
        match part {
            "crate" => at.clear(),
            "super" => drop(at.pop()?),
            "self" => {}
            part => at.push(part.to_owned()),
        }
    }
    Some(at)
}

/// The module that defines what a path names.
fn origin(texts: &Texts, path: &[String]) -> Option<String> {
    let module =
        (0..=path.len()).rev().map(|length| path[..length].join("::")).find(|module| texts.contains_key(module))?;
    let name = path.get(if module.is_empty() { 0 } else { module.split("::").count() });
    let Some(name) = name else { return Some(module) };
    let handed_on = paths_handed_on(&texts[&module]).into_iter().find(|path| path.rsplit("::").next() == Some(name));
    let further = handed_on.and_then(|path| absolute(&module, &path)).filter(|further| further != path);
    further.map_or(Some(module), |further| origin(texts, &further))
}

/// What a module makes public that its children define.
fn paths_handed_on(text: &str) -> Vec<String> {
    let uses = text.split(';').map(str::trim_start).filter_map(|statement| {
        let (before, tree) = statement.rsplit_once("use ")?;
        before.lines().last().is_some_and(|line| line.starts_with("pub")).then_some(tree)
    });
    uses.flat_map(expand).collect()
}

/// The modules that can be reached from themselves, each with one way round.
fn circles(uses: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let mut found: BTreeMap<BTreeSet<String>, String> = BTreeMap::new();
    for start in uses.keys() {
        let mut ways = vec![vec![start.clone()]];
        let mut seen = BTreeSet::new();
        while let Some(way) = ways.pop() {
            for next in way.last().and_then(|last| uses.get(last)).into_iter().flatten() {
                if next == start {
                    found
                        .entry(way.iter().cloned().collect())
                        .or_insert_with(|| format!("{} -> {start}", way.join(" -> ")));
                } else if seen.insert(next.clone()) {
                    ways.push([way.as_slice(), std::slice::from_ref(next)].concat());
                }
            }
        }
    }
    found.into_values().collect()
}

#[test]
fn a_signature_is_read_as_it_is_written() {
    assert_eq!(arguments("pub(crate) fn plain() {"), 0);
    assert_eq!(arguments("fn with_self(&mut self, one: (u8, u8), two: HashMap<String, Vec<u8>>) {"), 2);
    assert_eq!(arguments("async fn generic<T, F: Fn(u8, u8) -> T>(\n    one: F,\n    two: [u8; 3],\n) -> T {"), 2);
    assert!(is_function("    pub(crate) async fn run(") && !is_function("let f: fn(u8) = g;"));
}

#[test]
fn a_circle_is_found_behind_a_name_that_is_handed_on() {
    let texts = BTreeMap::from([
        (String::new(), "pub use a::A;\npub use b::{B, C};".to_owned()),
        ("a".to_owned(), "use crate::{B, other::X};".to_owned()),
        ("b".to_owned(), "fn f(a: crate::a::A) {}".to_owned()),
    ]);
    assert_eq!(circles(&uses(&texts)), ["a -> b -> a"]);
}
