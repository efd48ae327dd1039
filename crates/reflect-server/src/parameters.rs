//! Ids in paths, query parameters and headers.

use std::{collections::HashMap, str::FromStr, sync::Arc};

use axum::{
    extract::{FromRequestParts, Path, Query},
    http::request::Parts,
};
use reflect_api::ErrorCode;
use reflect_core::{KeyId, MemoryId, ProjectId, RetrievalId, TraceId};
use reflect_engine::Caller;
use reflect_service::{Asker, Refusal, Service};
use serde::de::DeserializeOwned;
use utoipa::{
    IntoParams,
    openapi::{
        KnownFormat, ObjectBuilder, Required, SchemaFormat, Type,
        path::{Parameter, ParameterBuilder, ParameterIn},
    },
};

use crate::{App, auth::Authenticated, byte_budget::ByteBudget, changes::Changes, error::ApiError};

/// Who asks what of which project, and who answers: what every endpoint in a project begins with. The key is looked at before the path.
pub(crate) struct InProject<Id = ()> {
    pub(crate) service: Service,
    pub(crate) byte_budget: Arc<ByteBudget>,
    pub(crate) changes: Changes,
    /// What the path names beside the project.
    pub(crate) id: Id,
    caller: Caller,
    project_id: ProjectId,
}

impl<Id> InProject<Id> {
    pub(crate) fn asker(&self) -> Asker<'_> {
        Asker { caller: &self.caller, project_id: &self.project_id }
    }

    async fn read(
        parts: &mut Parts,
        app: &App,
        id: impl FnOnce(&HashMap<String, String>) -> Result<Id, Refusal>,
    ) -> Result<Self, ApiError> {
        let Authenticated(caller) = Authenticated::from_request_parts(parts, app).await?;
        let path = Path::<HashMap<String, String>>::from_request_parts(parts, app).await;
        let Path(values) = path.map_err(|rejection| ApiError::new(ErrorCode::BadRequest, rejection.body_text()))?;
        let (service, changes) = (app.service.clone(), app.changes.clone());
        let byte_budget = Arc::clone(&app.byte_budget);
        Ok(Self { service, byte_budget, changes, id: id(&values)?, caller, project_id: project_id(&values)? })
    }
}

/// An id that stands in a path. One that cannot be an id names nothing: 404, as for any other unknown one.
pub(crate) trait PathId: FromStr {
    const PARAMETER: &'static str;
    const WHAT: &'static str;

    fn describe() -> ObjectBuilder {
        ObjectBuilder::new().schema_type(Type::String).format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)))
    }
}

/// The number of a version of a skill.
pub(crate) struct SkillVersion(pub(crate) u32);

impl FromStr for SkillVersion {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

impl PathId for SkillVersion {
    const PARAMETER: &'static str = "version";
    const WHAT: &'static str = "version";

    fn describe() -> ObjectBuilder {
        ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1)).maximum(Some(u32::MAX))
    }
}

impl PathId for TraceId {
    const PARAMETER: &'static str = "trace_id";
    const WHAT: &'static str = "trace";
}

impl PathId for MemoryId {
    const PARAMETER: &'static str = "memory_id";
    const WHAT: &'static str = "memory";
}

impl PathId for RetrievalId {
    const PARAMETER: &'static str = "retrieval_id";
    const WHAT: &'static str = "retrieval";
}

impl PathId for KeyId {
    const PARAMETER: &'static str = "key_id";
    const WHAT: &'static str = "key";
}

impl FromRequestParts<App> for InProject {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        Self::read(parts, app, |_| Ok(())).await
    }
}

impl<Id: PathId + Send> FromRequestParts<App> for InProject<Id> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let id = |values: &HashMap<String, String>| {
            let text = values.get(Id::PARAMETER).map(String::as_str).unwrap_or_default();
            text.parse().map_err(|_| Refusal::not_found(Id::WHAT, text))
        };
        Self::read(parts, app, id).await
    }
}

fn project_id(values: &HashMap<String, String>) -> Result<ProjectId, ApiError> {
    let text = values.get("project_id").cloned().unwrap_or_default();
    text.try_into().map_err(|error: reflect_core::ids::ProjectIdError| {
        ApiError::new(ErrorCode::InvalidRequest, error.to_string()).with_path("project_id")
    })
}

/// The query parameters.
pub(crate) struct QueryString<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<App> for QueryString<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        match Query::<T>::from_request_parts(parts, app).await {
            Ok(Query(value)) => Ok(Self(value)),
            Err(rejection) => Err(ApiError::new(ErrorCode::InvalidRequest, rejection.body_text())),
        }
    }
}

/// Describes the header that makes a request safe to repeat. Bodies read it by themselves.
pub(crate) struct IdempotencyHeader;

impl IntoParams for IdempotencyHeader {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let value = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(256));
        let header = ParameterBuilder::new().name("Idempotency-Key").parameter_in(ParameterIn::Header);
        let header = header.description(Some("Makes the request safe to repeat for 24 hours"));
        vec![header.required(Required::False).schema(Some(value.pattern(Some("^[!-~]([\\t -~]*[!-~])?$")))).build()]
    }
}

/// Describes filters by metadata. Clients make up the keys, and OpenAPI cannot describe a parameter whose name varies.
pub(crate) struct MetadataParameter;

impl IntoParams for MetadataParameter {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let value = ObjectBuilder::new().schema_type(Type::String).max_length(Some(1_000));
        let parameter = ParameterBuilder::new().name("metadata.KEY").parameter_in(ParameterIn::Query);
        let parameter = parameter.description(Some(
            "Only those whose metadata has this value under KEY, which stands for any key, or a list that holds it. Strings \
             are compared as they are, numbers and booleans by their JSON. Of several such parameters all must match; there \
             may be 32.",
        ));
        vec![parameter.required(Required::False).schema(Some(value)).build()]
    }
}

impl IntoParams for InProject {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![project_parameter()]
    }
}

impl<Id: PathId> IntoParams for InProject<Id> {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let path = ParameterBuilder::new().name(Id::PARAMETER).parameter_in(ParameterIn::Path).required(Required::True);
        let id = path.description(Some(format!("The {}'s id", Id::WHAT))).schema(Some(Id::describe())).build();
        vec![project_parameter(), id]
    }
}

fn project_parameter() -> Parameter {
    let value = ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(128))
        .pattern(Some(r"^[^\u0000-\u001F\u007F-\u009F]+$"));
    let path = ParameterBuilder::new().name("project_id").parameter_in(ParameterIn::Path).required(Required::True);
    path.description(Some("The project's name")).schema(Some(value)).build()
}
