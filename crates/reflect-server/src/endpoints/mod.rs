//! One file an endpoint.

pub(crate) mod bootstrap;
pub(crate) mod create_key;
pub(crate) mod create_trace;
pub(crate) mod delete_memory;
pub(crate) mod delete_project;
pub(crate) mod delete_traces;
pub(crate) mod edit_memory;
pub(crate) mod get_memory;
pub(crate) mod get_settings;
pub(crate) mod get_skill;
pub(crate) mod get_trace;
pub(crate) mod health;
pub(crate) mod list_keys;
pub(crate) mod list_memories;
pub(crate) mod list_projects;
pub(crate) mod list_traces;
pub(crate) mod query_memories;
pub(crate) mod ready;
pub(crate) mod retry_trace;
pub(crate) mod review_trace;
pub(crate) mod revoke_key;
pub(crate) mod take_back_review;
pub(crate) mod update_settings;
