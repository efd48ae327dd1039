//! Which files an editor's call changes.

use super::tool::Name;
use crate::builtin::arguments::{Fields, value_text};

const EDITORS: &str = "edit edits editor replace write patch insert multiedit overwrite append";
const PATHS: [&str; 8] =
    ["path", "file_path", "filePath", "filepath", "target_file", "filename", "file", "notebook_path"];

/// The files; an empty list where the editor only looks, `None` where the tool is no editor.
pub(super) fn files(name: &Name, arguments: &str, fields: Option<&Fields>) -> Option<Vec<String>> {
    let path = PATHS.iter().find_map(|key| fields?.get(*key)).map(|raw| value_text(raw));
    let is_editor = name.has(EDITORS) || (name.has("create save delete") && name.has("file"));
    if !is_editor {
        return None;
    }
    let is_view = fields.and_then(|fields| fields.get("command")).is_some_and(|raw| value_text(raw) == "view");
    match path {
        Some(_) if is_view => Some(Vec::new()),
        Some(path) if !path.trim().is_empty() => Some(vec![path]),
        _ => Some(files_of_patch(&patch(arguments, fields)?)).filter(|files| !files.is_empty()),
    }
}

fn patch(arguments: &str, fields: Option<&Fields>) -> Option<String> {
    let Some(fields) = fields else { return Some(arguments.to_owned()) };
    ["patch", "input", "diff"].iter().find_map(|key| fields.get(*key)).map(|raw| value_text(raw))
}

/// The files that a patch names, each once.
pub(super) fn files_of_patch(patch: &str) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for line in patch.lines() {
        let opened = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "+++ b/"];
        let Some(file) = opened.iter().find_map(|sign| line.strip_prefix(sign)) else { continue };
        let file = file.trim().to_owned();
        if !files.contains(&file) && files.len() < 8 {
            files.push(file);
        }
    }
    files
}
