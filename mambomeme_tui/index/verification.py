"""Everything that can be proved of a version: its bytes, and that its parts say the same of one another.

Bytes come first. Nothing is opened while a byte of it could be another one.
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
from annoy import AnnoyIndex

from mambomeme_tui.digests import hash_json
from mambomeme_tui.encoder import DIMENSION
from mambomeme_tui.errors import DamagedVersion
from mambomeme_tui.index import catalogue, impacts, postings, structure, vectors
from mambomeme_tui.index.manifest import BuildRecord, Manifest, verify
from mambomeme_tui.index.views import DENSE_KINDS
from mambomeme_tui.policy import POLICY_FILE, load_policy
from mambomeme_tui.records import Meme

UNIT_TOLERANCE = 1e-5
ANNOY_SAMPLE = 64


def verify_version(folder: Path) -> Manifest:
    """Prove a version, file by file and then part by part.

    Raises:
        DamagedVersion: naming the first thing that is not as it should be.
    """
    manifest = Manifest.read(folder)
    BuildRecord.read(folder)
    verify(folder, manifest.files)
    for fault in _faults(folder, manifest):
        raise DamagedVersion(f"In version {folder.name}, {fault}.")
    return manifest


def _faults(folder: Path, manifest: Manifest) -> Iterator[str]:
    identifiers: list[str] = []
    contents: list[str] = []
    families: dict[str, tuple[str, ...]] = {}
    structures: list[tuple[str, str]] = []
    with closing(catalogue.Catalogue(folder / catalogue.CATALOGUE_FILE)) as opened:
        if not opened.is_sound():
            yield "the catalogue is no sound database"
        for meme in opened.everything():
            identifiers.append(meme.id)
            contents.append(meme.content_hash)
            families[meme.family.id] = meme.family.situations
            structures.append((meme.family.id, meme.group))
            if content_hash(meme) != meme.content_hash:
                yield f"the record {meme.id} is not what its hash says"
    digest = hash_json([load_policy(folder / POLICY_FILE).digest, *contents])
    known = [manifest.corpus[name] for name in ("items", "digest", "situations")]
    if [len(identifiers), digest, hash_json(sorted(families.items()))] != known:
        yield "the records are not those that the manifest names"
    yield from _structure_faults(folder, structures)
    yield from _posting_faults(folder, identifiers)
    yield from _vector_faults(folder, len(identifiers), manifest)


def content_hash(meme: Meme) -> str:
    """The hash that a record should carry: that of all the rest of it."""
    return hash_json(meme.content())


def _structure_faults(folder: Path, memes: list[tuple[str, str]]) -> Iterator[str]:
    """`memes` has each record's family and group of copies."""
    opened = structure.load(folder / structure.STRUCTURE_FILE)
    for stored, names in zip((opened.families, opened.groups), zip(*memes, strict=True), strict=True):
        numbers: dict[str, int] = {}
        if not np.array_equal(stored, [numbers.setdefault(name, len(numbers)) for name in names]):
            yield "the records belong together otherwise than the catalogue says"
    if impacts.load(folder / impacts.IMPACTS_FOLDER).size != len(memes):
        yield "the impacts are those of other records than the catalogue's"


def _posting_faults(folder: Path, identifiers: list[str]) -> Iterator[str]:
    whoosh_index = postings.open_index(folder / postings.POSTINGS_FOLDER)
    try:
        with whoosh_index.searcher() as searcher:
            numbered = [fields["id"] for _, fields in searcher.reader().iter_docs()]
        if numbered != identifiers:
            yield "the words are indexed for other records than the catalogue's"
    finally:
        whoosh_index.close()


def _vector_faults(folder: Path, memes: int, manifest: Manifest) -> Iterator[str]:
    stored = np.load(folder / vectors.VECTORS_FILE, mmap_mode="r")
    links = np.load(folder / vectors.LINKS_FILE)
    if stored.shape != (manifest.embedding["rows"], DIMENSION) or stored.dtype != np.float32:
        yield "the vectors have another shape than the manifest says"
        return
    if len(stored) and not np.allclose(np.linalg.norm(stored, axis=1), 1.0, atol=UNIT_TOLERANCE, rtol=0):
        yield "a vector is not of unit length"
    bounds = np.array([memes, len(DENSE_KINDS), len(stored)])
    if len(links) != manifest.embedding["links"] or np.any(links < 0) or np.any(links >= bounds):
        yield "a vector is linked to a record that is not there"
    tree = AnnoyIndex(DIMENSION, "angular")
    tree.load(str(folder / vectors.ANNOY_FILE))
    sample = range(0, len(stored), max(1, len(stored) // ANNOY_SAMPLE))
    if tree.get_n_items() != len(stored) or any(
        not np.array_equal(np.array(tree.get_item_vector(row), np.float32), stored[row]) for row in sample
    ):
        yield "the nearest-neighbour tree holds other vectors than the stored ones"
    tree.unload()
