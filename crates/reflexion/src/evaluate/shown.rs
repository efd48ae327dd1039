//! An attempt as a judge reads it.

use reflect_core::Message;
use reflect_llm::Role;

use crate::{Attempt, AttemptEnd, reviewed::message};

/// What was said and done, with the arguments and results of tools; and, where the actor did not end by itself, why. The
/// instructions are left out: a judge is shown them apart.
pub(crate) fn messages(attempt: &Attempt) -> Vec<Message> {
    let said = attempt.messages.iter().filter(|message| message.role != Role::System).map(message);
    said.chain(ended(&attempt.end)).collect()
}

fn ended(end: &AttemptEnd) -> Option<Message> {
    let text = match end {
        AttemptEnd::Answered => return None,
        AttemptEnd::Limit(why) => format!("The attempt was ended by a limit: {why}"),
        AttemptEnd::Stuck(why) => format!("The attempt was ended because it went in circles: {why}"),
    };
    Some(Message { role: "runtime".into(), text, ..Message::default() })
}
