"""Whether everything that the libraries show can be named by whoever uses them: `public_api.py DOC_FOLDER LIBRARY… -- INTERNAL…`.

rustdoc has described each library in JSON. Whatever a public item shows in its signature, its fields or its bounds has to be
public in the same library, in another of them, or in a crate that is not ours. A type of an internal crate that no library offers
could be held and not named.
"""

import json
import sys
from pathlib import Path


class Library:
    """What one library offers."""

    def __init__(self, name: str, described: dict):
        self.name = name
        self.index, self.paths = described["index"], described["paths"]
        self.names: set[str] = set()
        """Every public name, as users write it."""
        self.offered: set[str] = set()
        """What is behind those names, by where it is defined."""
        self.shown: dict[str, str] = {}
        """What is shown, with an item that shows it."""
        self._seen: set[str] = set()
        self._walk(described["root"], "")

    def _walk(self, id_: int, parent: str) -> None:
        if path := self._path(id_):
            self.offered.add(path)
        item = self.index.get(str(id_))
        if item is None or item["visibility"] not in ("public", "default") or str(id_) in self._seen:
            return
        self._seen.add(str(id_))
        kind, inner = next(iter(item["inner"].items()))
        # Written in the source, rather than derived from what a type is made of.
        if kind == "impl" and (inner["is_synthetic"] or inner["blanket_impl"]):
            return
        name = "::".join(filter(None, [parent, item["name"]]))
        if kind not in ("use", "impl"):
            self.names.add(name)
        self._show(inner, name)
        if kind == "use":
            self._walk_use(inner, name)
        elif isinstance(inner, dict):
            for key in ("items", "impls", "variants", "kind"):
                self._walk_all(inner.get(key), name)

    def _walk_use(self, inner: dict, name: str) -> None:
        target = self.index.get(str(inner["id"]))
        if inner["is_glob"] and target and "module" in target["inner"]:
            # What is in a private module is public once all of it is offered elsewhere.
            self._walk_all(target["inner"]["module"]["items"], name)
        elif inner["id"] is not None:
            self._walk(inner["id"], name)

    def _walk_all(self, ids: object, name: str) -> None:
        """Every id in a list, or in the lists of an object."""
        if isinstance(ids, dict):
            for value in ids.values():
                self._walk_all(value, name)
        elif isinstance(ids, list):
            for id_ in ids:
                if isinstance(id_, int):
                    self._walk(id_, name)

    def _show(self, value: object, by: str) -> None:
        """Notes every type and trait that is named in a signature."""
        if isinstance(value, dict):
            if isinstance(value.get("path"), str) and isinstance(value.get("id"), int):
                if path := self._path(value["id"]):
                    self.shown.setdefault(path, by)
            for inside in value.values():
                self._show(inside, by)
        elif isinstance(value, list):
            for inside in value:
                self._show(inside, by)

    def _path(self, id_: int) -> str | None:
        found = self.paths.get(str(id_))
        return found and "::".join(found["path"])


def main(folder: Path, libraries: list[str], internal: list[str]) -> None:
    found = [Library(name, json.loads((folder / f"{name.replace('-', '_')}.json").read_text())) for name in libraries]
    for library in found:
        print(*sorted(library.names), sep="\n")
    offered = set().union(*(library.offered for library in found))
    ours = {name.replace("-", "_") for name in [*libraries, *internal]}
    problems = [
        f"`{library.name}` shows `{path}` in `{by}`, and no library offers it"
        for library in found
        for path, by in sorted(library.shown.items())
        if path.split("::")[0] in ours and path not in offered
    ]
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    named, _, rest = " ".join(sys.argv[2:]).partition(" -- ")
    main(Path(sys.argv[1]), named.split(), rest.split())
