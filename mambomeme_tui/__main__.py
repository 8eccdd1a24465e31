"""`python -m mambomeme_tui` is `mambomeme`."""

from mambomeme_tui.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
