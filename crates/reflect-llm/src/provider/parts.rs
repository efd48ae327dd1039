//! Images and documents on their way to a provider.

use super::protocol::Protocol;
use crate::{ChatError, ChatRequest, Part, Role, Source, content::base64_of};

/// Refuses what the protocol has no place for, before anything is sent.
pub(super) fn check(protocol: &dyn Protocol, model: &str, request: &ChatRequest) -> Result<(), ChatError> {
    for message in request.messages.iter().filter(|message| !message.parts.is_empty()) {
        for part in &message.parts {
            let why = match part {
                _ if message.role != Role::User => Some("parts are taken in a user's message alone"),
                Part::Image { .. } if !part.has_known_type() => Some("it is no PNG, JPEG, GIF, WebP or HEIC"),
                Part::Document { .. } if !part.has_known_type() => Some("only PDF documents are taken"),
                _ => protocol.refuses(part),
            };
            if let Some(why) = why {
                let message = format!("`{model}` was not asked, since it cannot be sent {part}: {why}");
                return Err(ChatError::Refused { status: None, message });
            }
        }
    }
    Ok(())
}

/// Bytes as an address of the scheme `data`; an address as it is.
pub(super) fn as_url(source: &Source) -> String {
    match source {
        Source::Bytes { media_type, data } => format!("data:{media_type};base64,{}", base64_of(data)),
        Source::Url { url } => url.clone(),
    }
}
