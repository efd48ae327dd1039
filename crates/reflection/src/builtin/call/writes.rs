//! Where the output of a command goes, and which files it changes.

use super::{edit, pieces, pipeline::Pipeline, programs::Program};

/// Without the redirections at the end.
pub(super) fn without_redirections(text: &str) -> &str {
    let mut kept = text.trim_end();
    while let Some((before, last)) = kept.rsplit_once(char::is_whitespace) {
        let before = before.trim_end();
        if is_redirection(last) {
            kept = before;
        } else if let Some(before) = before.strip_suffix('>').filter(|_| last == "/dev/null") {
            let of_number = ["1", "2", "&"].iter().find_map(|sign| before.strip_suffix(sign));
            kept = of_number.filter(|rest| rest.ends_with(' ')).unwrap_or(before).trim_end();
        } else {
            break;
        }
    }
    kept
}

pub(super) fn is_redirection(word: &str) -> bool {
    matches!(
        word,
        "2>&1" | ">/dev/null" | "2>/dev/null" | "1>/dev/null" | "&>/dev/null" | ">&2" | "1>&2" | "</dev/null"
    )
}

/// Whether the output goes into a file.
pub(super) fn writes_a_file(text: &str) -> bool {
    !redirected_to(text).is_empty()
}

/// The files that a command's output goes into.
fn redirected_to(text: &str) -> Vec<String> {
    if !text.contains('>') {
        return Vec::new();
    }
    let words = pieces::words(text.split("<<").next().unwrap_or_default());
    let mut files = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let target = match word.as_str() {
            ">" | ">>" | "1>" => words.get(at + 1).cloned(),
            word => word.strip_prefix(">>").or(word.strip_prefix('>')).map(str::to_owned),
        };
        files.extend(target.filter(|file| !file.is_empty() && !file.starts_with(['&', '(']) && file != "/dev/null"));
    }
    // `cat <<EOF > file` has its file after the mark.
    let first_line = text.lines().next().unwrap_or_default();
    if let Some((_, after)) = first_line.split_once("<<").and_then(|(_, after)| after.split_once('>')) {
        files.extend(pieces::words(after.trim_start_matches('>')).into_iter().next());
    }
    files
}

/// The files that the commands change: in place, by a patch, or by what is written into them.
pub(super) fn files(pipelines: &[Pipeline]) -> Vec<String> {
    let mut files = Vec::new();
    for stage in pipelines.iter().flat_map(|pipeline| &pipeline.stages) {
        let words = pieces::words(stage);
        let in_place = |word: &String| word.starts_with("-i") || word == "--in-place" || word == "-pi";
        match Program::of(&words).name {
            "sed" | "perl" if words.iter().any(in_place) => files.extend(words.last().cloned()),
            "tee" => files.extend(words.iter().skip(1).find(|word| !word.starts_with('-')).cloned()),
            "apply_patch" | "patch" => files.extend(edit::files_of_patch(stage)),
            "git" if stage.contains("apply") => files.extend(edit::files_of_patch(stage)),
            "echo" | "cat" | "printf" => files.extend(redirected_to(stage)),
            _ => {}
        }
    }
    files.retain(|file| !file.starts_with("/tmp/") && file != "/dev/null");
    files.truncate(8);
    files
}
