//! Projects: made on first use, bootstrapped by strangers with a token, deleted whole.

use std::{sync::Arc, time::Duration};

use reflect_core::{Environment, Project, ProjectId, ProjectSettings, Scope};
use reflect_store::DeletedProject;
use uuid::Uuid;

use crate::{
    Asker, AuditEvent, Caller, Changed, Engine, EngineError, EngineResult, NewKey, SettingsChange, StoreError, access,
    work::bit_by_bit,
};

/// For how long the sender of a deletion waits until everything is erased.
const ERASED_AT_ONCE: Duration = Duration::from_secs(1);

/// A stranger's wish for a project of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bootstrap {
    /// The project's name.
    pub project_id: ProjectId,
    /// What its first key is called.
    pub key_label: String,
    /// That key's label for real or trial use.
    pub environment: Environment,
}

/// What the stranger gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bootstrapped {
    /// The project's name.
    pub project_id: ProjectId,
    /// The text of a key that may do everything in it.
    pub api_key: String,
}

impl Engine {
    /// The project, which the holder of the master key makes by using it.
    pub(crate) async fn open_project(&self, asker: Asker<'_>) -> EngineResult<Arc<Project>> {
        let Asker { caller, project_id } = asker;
        match self.find_project(project_id).await? {
            Some(project) => Ok(project),
            None if caller.is_master() => {
                let made = self.store.get_or_insert_project(self.new_project(project_id)).await;
                Ok(Arc::new(made.map_err(not_erased)?))
            }
            None => Err(EngineError::no_project(project_id)),
        }
    }

    /// The project, if there is one.
    pub(crate) async fn find_project(&self, project_id: &ProjectId) -> EngineResult<Option<Arc<Project>>> {
        Ok(self.coordination.find_project(project_id).await?)
    }

    /// Refuses whoever does not have the bootstrap token.
    pub fn check_bootstrap_token(&self, token: &str) -> EngineResult<()> {
        let expected = self.bootstrap_token.as_deref().ok_or(EngineError::BootstrapDisabled)?;
        if access::same_text(token, expected) { Ok(()) } else { Err(EngineError::WrongBootstrapToken) }
    }

    /// Makes a project and a key for it, for whoever has the bootstrap token.
    pub async fn bootstrap(&self, token: &str, bootstrap: Bootstrap) -> EngineResult<Bootstrapped> {
        self.check_bootstrap_token(token)?;
        let project_id = bootstrap.project_id;
        let Bootstrap { key_label: label, environment, .. } = bootstrap;
        let new_key = NewKey { label, scopes: Scope::ALL.to_vec(), environment, expires_in: None };
        let (nonce, insert) = self.generate_key(&project_id, new_key);
        let created = self.reveal(insert.key.clone(), &nonce);
        let inserted = self.store.insert_project_with_key(self.new_project(&project_id), insert).await;
        if !inserted.map_err(not_erased)? {
            return Err(EngineError::ProjectExists(project_id));
        }
        self.audit_new_key("bootstrap", &created.key);
        Ok(Bootstrapped { project_id, api_key: created.plain_text })
    }

    /// The projects that the caller may see.
    pub async fn list_projects(&self, caller: &Caller) -> EngineResult<Vec<Project>> {
        let projects = self.store.list_projects().await?;
        let visible = |project: &Project| caller.bound_to().is_none_or(|bound| *bound == project.id);
        Ok(projects.into_iter().filter(visible).collect())
    }

    /// A project with its own settings.
    pub async fn get_project(&self, asker: Asker<'_>) -> EngineResult<Arc<Project>> {
        self.admit(asker, Scope::ProjectWrite)?;
        self.open_project(asker).await
    }

    /// Changes a project's settings. Another embedder is a matter of time: the project is sent on the way to it.
    pub async fn update_settings(&self, asker: Asker<'_>, change: SettingsChange) -> EngineResult<Project> {
        let Asker { caller, project_id } = asker;
        self.admit(asker, Scope::ProjectWrite)?;
        let project = self.open_project(asker).await?;
        self.check_settings(&change)?;
        let embedder =
            change.embedder.as_ref().map(|name| self.find_embedder(&project, name.as_deref())).transpose()?;
        let settings = change.names();
        let updated =
            self.store.update_project_settings(project_id.clone(), |settings| change.applied_to(settings)).await?;
        self.coordination.forget_projects();
        let updated = updated.ok_or_else(|| EngineError::no_project(project_id))?;
        self.coordination.note_change(asker.project_id, Changed::SETTINGS);
        self.audit(&AuditEvent::SettingsChanged { by: caller.public_id(), project: project_id, settings });
        match embedder {
            Some(embedder) => self.start_switch(&updated, embedder).await,
            None => Ok(updated),
        }
    }

    /// Deletes a project with everything in it. Its keys open nothing any more, its queued lessons are not written. A small one is
    /// erased when this answers; of a large one the rest is erased in the background.
    pub async fn delete_project(&self, asker: Asker<'_>) -> EngineResult<DeletedProject> {
        let Asker { caller, project_id } = asker;
        caller.require(Scope::ProjectDelete, project_id)?;
        let deleted = self.store.delete_project(project_id.clone()).await?;
        self.coordination.forget_projects();
        self.coordination.forget_keys();
        self.indexes.forget(project_id);
        self.coordination.retrieval_logs.forget(project_id);
        self.coordination.notify_all_finished();
        self.coordination.note_change(asker.project_id, Changed::LEARNING);
        let deleted = deleted.ok_or_else(|| EngineError::no_project(project_id))?;
        self.audit(&AuditEvent::ProjectDeleted {
            by: caller.public_id(),
            project: project_id,
            traces: deleted.traces,
            memories: deleted.memories,
            keys: deleted.api_keys,
        });
        // What is left after that, or after a failure, is erased in the background.
        let _ = tokio::time::timeout(ERASED_AT_ONCE, self.erase(project_id)).await;
        Ok(deleted)
    }

    /// Erases what is left of deleted projects.
    pub async fn erase_deleted_projects(&self) -> EngineResult<()> {
        let projects = self.store.list_being_erased();
        for project_id in &projects {
            self.erase(project_id).await?;
            tracing::info!(%project_id, "erased what a deleted project had held");
        }
        if projects.is_empty() { Ok(()) } else { self.give_back_room().await }
    }

    async fn erase(&self, project_id: &ProjectId) -> EngineResult<usize> {
        bit_by_bit(|| self.store.erase_some(project_id.clone())).await
    }

    fn new_project(&self, project_id: &ProjectId) -> Project {
        let mut incarnation = [0_u8; 16];
        self.entropy.fill(&mut incarnation);
        Project {
            id: project_id.clone(),
            incarnation: Uuid::from_bytes(incarnation),
            settings: ProjectSettings::default(),
            embedder: self.embedders.default_id().clone(),
            embedder_switch: None,
            created_at: self.now(),
        }
    }
}

fn not_erased(error: StoreError) -> EngineError {
    match error {
        StoreError::BeingErased(project_id) => EngineError::being_erased(&project_id),
        error => error.into(),
    }
}
