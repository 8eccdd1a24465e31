"""The release benchmark: the real program in a real terminal, its times and lists, and the gates of a release."""
