//! What to put into the configuration of programs that speak the protocol, ready to be pasted.

use anyhow::Context;
use serde_json::{Value, json};

use crate::target::{Place, Target, absolute};

/// A program that takes servers of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    VsCode,
    Codex,
}

impl Program {
    pub(super) const ALL: [Self; 5] = [Self::ClaudeCode, Self::ClaudeDesktop, Self::Cursor, Self::VsCode, Self::Codex];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Codex => "codex",
        }
    }
}

/// How a program reaches the server.
#[derive(Debug)]
enum Entry {
    /// By this program, which it starts with these arguments.
    Command { command: String, arguments: Vec<String>, needs_key: bool },
    /// By itself, over HTTP.
    Http { url: String, project: String },
}

/// The configuration for a target, as the program wants it. No key is in it, only the name of the variable that holds one.
pub(super) fn write(target: &Target, program: Program) -> anyhow::Result<String> {
    let binary = std::env::current_exe().context("finding this program again")?;
    let binary = binary.to_str().context("the path of this program is not UTF-8")?;
    Ok(text(program, entry(target, program, binary)?))
}

fn entry(target: &Target, program: Program, binary: &str) -> anyhow::Result<Entry> {
    let project = target.project_id.as_str();
    let by_command = |option: &str, value: &str, needs_key| Entry::Command {
        command: binary.to_owned(),
        arguments: ["mcp", option, value, "--project", project].map(str::to_owned).to_vec(),
        needs_key,
    };
    Ok(match &target.place {
        // Claude Desktop takes no headers.
        Place::Url { url, .. } if program == Program::ClaudeDesktop => by_command("--url", url, true),
        Place::Url { url, .. } => {
            Entry::Http { url: format!("{}/mcp", url.trim_end_matches('/')), project: project.to_owned() }
        }
        Place::Folder { settings, .. } => {
            let folder = absolute(settings)?;
            by_command("--data", folder.to_str().context("the path of the folder is not UTF-8")?, false)
        }
    })
}

fn text(program: Program, entry: Entry) -> String {
    if program == Program::Codex {
        return toml_text(entry);
    }
    let (around, types, key) = match program {
        Program::VsCode => ("servers", true, "${input:reflect-api-key}"),
        Program::Cursor => ("mcpServers", false, "${env:REFLECT_API_KEY}"),
        Program::ClaudeCode => ("mcpServers", true, "${REFLECT_API_KEY}"),
        Program::ClaudeDesktop | Program::Codex => ("mcpServers", false, "rf_live_…"),
    };
    let is_http = matches!(entry, Entry::Http { .. });
    let mut server = match entry {
        Entry::Command { command, arguments, needs_key: false } => json!({"command": command, "args": arguments}),
        Entry::Command { command, arguments, needs_key: true } => {
            json!({"command": command, "args": arguments, "env": {"REFLECT_API_KEY": key}})
        }
        Entry::Http { url, project } => {
            json!({"url": url, "headers": {"Authorization": format!("Bearer {key}"), "X-Project-Id": project}})
        }
    };
    if types && let Some(server) = server.as_object_mut() {
        server.insert("type".into(), json!(if is_http { "http" } else { "stdio" }));
    }
    let document = if program == Program::VsCode && is_http {
        let input =
            json!({"type": "promptString", "id": "reflect-api-key", "description": "Key of Reflect", "password": true});
        json!({around: {"reflect": server}, "inputs": [input]})
    } else {
        json!({around: {"reflect": server}})
    };
    format!("{document:#}\n")
}

fn toml_text(entry: Entry) -> String {
    // A text in TOML is written as in JSON.
    let quoted = |text: &str| Value::from(text).to_string();
    let lines = match entry {
        Entry::Command { command, arguments, .. } => {
            let arguments: Vec<String> = arguments.iter().map(|argument| quoted(argument)).collect();
            format!("command = {}\nargs = [{}]", quoted(&command), arguments.join(", "))
        }
        Entry::Http { url, project } => format!(
            "url = {}\nbearer_token_env_var = \"REFLECT_API_KEY\"\nhttp_headers = {{ X-Project-Id = {} }}",
            quoted(&url),
            quoted(&project)
        ),
    };
    format!("[mcp_servers.reflect]\n{lines}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUIDE: &str = include_str!("../../../../docs/mcp.md");

    fn local() -> Entry {
        let arguments = ["mcp", "--data", "/home/me/reflect-data", "--project", "shop"].map(str::to_owned).to_vec();
        Entry::Command { command: "/usr/local/bin/reflect".into(), arguments, needs_key: false }
    }

    fn remote(program: Program) -> Entry {
        match program {
            Program::ClaudeDesktop => Entry::Command {
                command: "/usr/local/bin/reflect".into(),
                arguments: ["mcp", "--url", "https://reflect.example.com", "--project", "shop"]
                    .map(str::to_owned)
                    .to_vec(),
                needs_key: true,
            },
            _ => Entry::Http { url: "https://reflect.example.com/mcp".into(), project: "shop".into() },
        }
    }

    #[test]
    fn the_guide_shows_what_is_printed() {
        for program in Program::ALL {
            for entry in [local(), remote(program)] {
                let text = text(program, entry);
                assert!(
                    GUIDE.contains(text.trim_end()),
                    "docs/mcp.md lacks the configuration of {}:\n{text}",
                    program.name()
                );
            }
        }
    }

    #[test]
    fn what_is_printed_can_be_read() {
        for program in Program::ALL {
            for entry in [local(), remote(program)] {
                let text = text(program, entry);
                match program {
                    Program::Codex => {
                        assert!(text.parse::<toml::Table>().unwrap()["mcp_servers"]["reflect"].is_table())
                    }
                    _ => assert!(serde_json::from_str::<Value>(&text).unwrap().is_object()),
                }
            }
        }
    }
}
