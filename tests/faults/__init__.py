"""Publishing under faults: every file operation killed, refused or lost in a power cut, one after the other."""
