"""What a client can do, a group a file. A new operation is a method that returns a `Call`; the client inherits it."""
