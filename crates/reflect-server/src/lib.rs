//! The HTTP face of the engine: router, auth, error envelope, OpenAPI.
