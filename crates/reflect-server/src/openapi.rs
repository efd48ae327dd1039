//! The description of the API, generated from the handlers.

use std::collections::BTreeMap;

use reflect_api::{ErrorAnswer, ErrorCode};
use utoipa::{
    IntoResponses, Modify, OpenApi, ToSchema,
    openapi::{
        ContentBuilder, Ref, RefOr, Response, ResponseBuilder,
        security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

/// The parts of the description that belong to no single endpoint.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Reflect",
        description = "A memory for AI agents that learns which lessons work. Traces go in, reviews say how they went, \
                       lessons come back, ranked by similarity and by how well they have served.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    components(schemas(ErrorAnswer)),
    modifiers(&BearerKey),
    security(("api_key" = []))
)]
pub(crate) struct Description;

struct BearerKey;

impl Modify for BearerKey {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("rf_live_…").build();
        let components = openapi.components.get_or_insert_with(Default::default);
        components.add_security_scheme("api_key", SecurityScheme::Http(scheme));
    }
}

/// What any endpoint with a key may answer beside its own statuses.
pub(crate) struct Refusals;

impl IntoResponses for Refusals {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let statuses = ErrorCode::ALL.iter().map(|code| code.status()).filter(|status| *status != 405);
        statuses.map(|status| (status.to_string(), RefOr::T(refusal(status)))).collect()
    }
}

fn refusal(status: u16) -> Response {
    let codes: Vec<&str> =
        ErrorCode::ALL.iter().filter(|code| code.status() == status).map(|code| code.as_str()).collect();
    let schema = RefOr::Ref(Ref::from_schema_name(ErrorAnswer::name()));
    let content = ContentBuilder::new().schema(Some(schema)).build();
    ResponseBuilder::new().description(codes.join(", ")).content("application/json", content).build()
}

/// The whole description as JSON, as it is served and committed.
pub fn openapi_json() -> String {
    let (_, openapi) = crate::routes::described().split_for_parts();
    let mut json = openapi.to_pretty_json().unwrap_or_default();
    json.push('\n');
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_description_is_the_generated_one() {
        let committed = include_str!("../../../spec/openapi.json");
        assert!(committed == openapi_json(), "spec/openapi.json is out of date: run `cargo xtask openapi`");
    }
}
