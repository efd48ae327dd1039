"""Memory for AI agents that learns which lessons work."""
