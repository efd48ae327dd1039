//! Skills: what a project's lessons add up to, as one document that an agent loads.
//!
//! Three levels. The lessons are there already. The best of passed runs and the most telling of failed ones become
//! statements, under "what works" and "pitfalls" ([`select`], [`statements`]). Both become one Markdown document with YAML
//! front matter ([`document`]). Every statement lists the memories it stands on, in the document itself, so that the next
//! version can tell what still holds.

mod document;
mod model;
mod select;
mod statements;

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;

use reflect_core::{Memory, MemoryId, WrittenBy};

use crate::Spent;

pub use model::{SkillOptions, write_skill};

/// With fewer reviewed memories than this there is too little to make a skill of.
pub const MIN_REVIEWED_MEMORIES: usize = 5;

/// What a skill is made of.
#[derive(Clone, Copy)]
pub struct SkillRequest<'a> {
    /// The project's name: becomes the skill's.
    pub project: &'a str,
    /// Every memory that may be used. One whose run has no outcome is in no skill.
    pub memories: &'a [Memory],
    /// At most this many of passed runs.
    pub n_passed: usize,
    /// At most this many of failed runs.
    pub n_failed: usize,
    /// The document of the version before, if there is one.
    pub previous: Option<&'a str>,
    /// How alike two memories are, in [−1, 1], by their indexes in `memories`.
    pub similarity: &'a (dyn Fn(usize, usize) -> f64 + Sync),
}

/// A skill that can be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct ComposedSkill {
    /// The whole document.
    pub content: String,
    /// The name in its front matter: lower-case letters, digits and hyphens.
    pub name: String,
    /// The description in its front matter.
    pub description: String,
    /// How many lessons of passed runs it stands on.
    pub n_passed: u32,
    /// How many lessons of failed runs it stands on.
    pub n_failed: u32,
    /// The memories it stands on, each once, in the order of the document.
    pub memory_ids: Vec<MemoryId>,
    /// Who wrote it: `builtin`, or `llm` with its model.
    pub written_by: WrittenBy,
    /// What it took.
    pub spent: Spent,
    /// Why the rules stood in for the model, if they did.
    pub error: Option<String>,
}

/// One thing that the skill says.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Statement {
    text: String,
    memory_ids: Vec<MemoryId>,
}

/// Both lists of a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Statements {
    what_works: Vec<Statement>,
    pitfalls: Vec<Statement>,
}

impl Statements {
    fn is_empty(&self) -> bool {
        self.what_works.is_empty() && self.pitfalls.is_empty()
    }
}

/// Composes a skill by rule: the same for the same memories. A version before is refined: what still holds stays in its words,
/// what lost its memories goes, and what is new comes after.
pub fn compose_skill(request: &SkillRequest<'_>) -> ComposedSkill {
    let picks = select::pick(request);
    let kept = request.previous.map(|content| statements::still_holding(content, request)).unwrap_or_default();
    let statements = statements::from_lessons(&picks, kept, request);
    let description = document::description(request, &statements);
    finish(request, &statements, description, WrittenBy::new("builtin", "skill-1"))
}

/// Prints the document and counts what it stands on.
fn finish(
    request: &SkillRequest<'_>,
    statements: &Statements,
    description: String,
    written_by: WrittenBy,
) -> ComposedSkill {
    let name = document::name(request.project);
    let description = document::harmless(&description);
    let mut memory_ids: Vec<MemoryId> = Vec::new();
    for id in statements.what_works.iter().chain(&statements.pitfalls).flat_map(|statement| &statement.memory_ids) {
        if !memory_ids.contains(id) {
            memory_ids.push(*id);
        }
    }
    let count = |passed: bool| {
        let is_one = |memory: &&Memory| memory.success == Some(passed) && memory_ids.contains(&memory.id);
        u32::try_from(request.memories.iter().filter(is_one).count()).unwrap_or(u32::MAX)
    };
    ComposedSkill {
        content: document::print(request.project, &name, &description, statements),
        name,
        description,
        n_passed: count(true),
        n_failed: count(false),
        memory_ids,
        written_by,
        spent: Spent::default(),
        error: None,
    }
}
