"""Programs in a terminal of their own: spawned, read with a stamp on every chunk, replayed and read off afterwards."""
