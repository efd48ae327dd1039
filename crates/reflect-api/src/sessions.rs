//! Signing in to the console, and who one is.

use reflect_core::{Scope, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::keys::ScopeName;

/// A wish to sign in: with a one-time code, or with the key in the header `Authorization`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignInRequest {
    /// The code of the link that the server printed when it started. It is good once, and for five minutes. Without it, the key in the
    /// header counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 256)]
    pub code: Option<String>,
}

/// A session that has just begun.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignInAnswer {
    /// The key to work with. It is shown this once.
    pub api_key: String,
    /// From when on it opens nothing: in eight hours, or when the key behind it ends.
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: Timestamp,
    /// The one project that it opens; null if it opens all.
    pub project_id: Option<String>,
    /// What it may do.
    #[schema(value_type = Vec<ScopeName>)]
    pub scopes: Vec<Scope>,
    /// Whether it stands for the master key, and so opens every project.
    pub is_master: bool,
}

/// The secret is for whoever asked, and not for their log.
impl std::fmt::Debug for SignInAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("SignInAnswer");
        shown.field("project_id", &self.project_id).field("expires_at", &self.expires_at);
        shown.field("api_key", &"****").finish_non_exhaustive()
    }
}

/// Who the holder of a key is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionAnswer {
    /// The one project that the key opens; null if it opens all.
    pub project_id: Option<String>,
    /// What it may do.
    #[schema(value_type = Vec<ScopeName>)]
    pub scopes: Vec<Scope>,
    /// What people call the key; of a session, the key behind it.
    pub label: String,
    /// From when on it opens nothing; null if it never ends by itself.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
    /// Whether it is the master key, or stands for it.
    pub is_master: bool,
    /// Whether it is a session of the console, whose reviews have `source: console`.
    pub is_session: bool,
}
