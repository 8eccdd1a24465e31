"""The screen on which a person judges candidates one after the other. It shows nothing of systems or ranks."""
