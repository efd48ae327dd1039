//! Ids in paths, and values behind the question mark.

use std::{collections::HashMap, str::FromStr};

use axum::{
    extract::{FromRequestParts, Path, Query},
    http::request::Parts,
};
use reflect_api::ErrorCode;
use reflect_core::{KeyId, MemoryId, ProjectId, TraceId};
use serde::de::DeserializeOwned;

use crate::{App, error::ApiError};

/// A path that names a project.
pub(crate) struct ProjectPath(pub(crate) ProjectId);

/// A path that names a project and something inside it.
pub(crate) struct InProject<Id> {
    pub(crate) project_id: ProjectId,
    pub(crate) id: Id,
}

/// An id that stands in a path. One that cannot be an id names nothing: 404, as for any other unknown one.
pub(crate) trait PathId: FromStr {
    const PARAMETER: &'static str;
    const WHAT: &'static str;
}

impl PathId for TraceId {
    const PARAMETER: &'static str = "trace_id";
    const WHAT: &'static str = "trace";
}

impl PathId for MemoryId {
    const PARAMETER: &'static str = "memory_id";
    const WHAT: &'static str = "memory";
}

impl PathId for KeyId {
    const PARAMETER: &'static str = "key_id";
    const WHAT: &'static str = "key";
}

impl FromRequestParts<App> for ProjectPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        Ok(Self(project_id(&path_values(parts, app).await?)?))
    }
}

impl<Id: PathId + Send> FromRequestParts<App> for InProject<Id> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let values = path_values(parts, app).await?;
        let text = values.get(Id::PARAMETER).map(String::as_str).unwrap_or_default();
        let id = text.parse().map_err(|_| ApiError::not_found(Id::WHAT, text))?;
        Ok(Self {
            project_id: project_id(&values)?,
            id,
        })
    }
}

async fn path_values(parts: &mut Parts, app: &App) -> Result<HashMap<String, String>, ApiError> {
    let path = Path::<HashMap<String, String>>::from_request_parts(parts, app).await;
    Ok(path
        .map_err(|rejection| ApiError::new(ErrorCode::BadRequest, rejection.body_text()))?
        .0)
}

fn project_id(values: &HashMap<String, String>) -> Result<ProjectId, ApiError> {
    let text = values.get("project_id").cloned().unwrap_or_default();
    text.try_into().map_err(|error: reflect_core::ids::ProjectIdError| {
        ApiError::new(ErrorCode::InvalidRequest, error.to_string()).with_path("project_id")
    })
}

/// The values behind the question mark.
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
