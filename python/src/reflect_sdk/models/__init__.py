"""What the server answers, as dataclasses. All of them are exported from `reflect_sdk` itself."""
