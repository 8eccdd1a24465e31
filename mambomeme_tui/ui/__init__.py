"""The interface: everything that knows Textual, and nothing that anything below may import."""
