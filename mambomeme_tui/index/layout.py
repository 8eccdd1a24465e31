"""Where everything lies in a data folder, and what a version may be called.

DATA/current                    names of versions, one a line: the first is served, the others were before it
DATA/versions/v-0123456789ab/   a version; never changes
DATA/models/53aa51172d14/       the encoder's export, shared by versions; never changes
DATA/cache/                     vectors of texts that were embedded before; may be deleted at any time
DATA/publish.lock               held by the one process that writes; publish.holder says which
.scratch-*                      in any of these: unfinished or taken away; whoever holds the lock removes it
"""

import re

CURRENT_FILE = "current"
VERSIONS_FOLDER = "versions"
MODELS_FOLDER = "models"
CACHE_FOLDER = "cache"
LOCK_FILE = "publish.lock"
HOLDER_FILE = "publish.holder"
SCRATCH = ".scratch-"

_NAME = re.compile(r"v-[0-9a-f]{12}")


def is_name(text: str) -> bool:
    """Whether this can be a version's name; nothing else ever becomes part of a path."""
    return _NAME.fullmatch(text) is not None
