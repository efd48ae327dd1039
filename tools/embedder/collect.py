"""Gather training text from packages and folders already on disk: one text a line, in document order, cleaned and without repeats.

    python collect.py --out text.txt --cap 3000000 packages/*.deb packages/*.whl packages/*.tar.gz folder/ sentences.txt.gz

A source is a Debian package, a wheel, a source archive, a folder, or a gzipped file of lines. Nothing is installed or run; members
are read from the archive and handled by their ending. `--cap` bounds the characters taken from one source so that no source
drowns the others; files are visited in a seeded random order, so a cap takes whole files from everywhere in the source.
The text is for training only and is not part of the repository.
"""
import argparse
import gzip
import html
import io
import multiprocessing
import pathlib
import random
import re
import struct
import subprocess
import tarfile
import zipfile

LARGEST_MEMBER = 4_000_000
LONGEST_TEXT, SHORTEST_TEXT = 600, 12
MARKUP = (".html", ".htm", ".xhtml", ".page", ".docbook", ".xml")
PLAIN = (".txt", ".md", ".rst", ".text", ".pod", ".info")
STRINGS = (".json", ".yaml", ".yml", ".jsonl", ".tsv", ".csv", ".properties", ".intent", ".ftl")
CODE = (".py", ".rs", ".js", ".ts", ".go")


def from_markup(text):
    text = re.sub(r"(?is)<(script|style|head|nav)\b.*?</\1>|<!--.*?-->", " ", text)
    text = re.sub(r"(?i)</?(p|div|li|tr|td|th|h\d|dt|dd|br|pre|table|title|desc|item|note|section|para|term|entry)\b[^>]*>", "\n\n", text)
    return paragraphs(html.unescape(re.sub(r"<[^>]*>", "", text)))


def from_manual(text):
    """A manual page: requests become paragraph breaks or, for `.B` and its like, words of the sentence."""
    lines = []
    for line in text.split("\n"):
        if re.match(r"[.'](B|I|BR|IR|RB|BI|IB|RI|Nm|Xr|Fl|Ar)\b", line):
            line = line.split(None, 1)[1] if " " in line else ""
        elif line[:1] in (".", "'"):
            line = ""
        line = re.sub(r"\\f\(?\[?[A-Z0-9]+\]?|\\[&|^/,%]|\\s[-+]?\d", "", line)
        lines.append(line.replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\").replace('"', ""))
    return paragraphs("\n".join(lines))


def from_catalogue(data):
    """The messages of a compiled gettext catalogue: half of them as written, half as translated."""
    order = "<" if data[:4] == b"\xde\x12\x04\x95" else ">"
    count, originals, translations = struct.unpack(order + "3I", data[8:20])
    for index in range(count):
        start = (originals if index % 2 else translations) + 8 * index
        length, offset = struct.unpack(order + "2I", data[start : start + 8])
        yield data[offset : offset + length].decode("utf-8", "ignore").split("\0")[0].replace("&", "").replace("_", " ")


def from_code(text):
    """Doc comments and the string literals that read like messages."""
    for block in re.findall(r'(?s)"""(.*?)"""', text):
        yield from paragraphs(block)
    for block in re.findall(r"(?m)(?:^[ \t]*//[/!]?[^\n]*\n)+", text):
        yield from paragraphs(re.sub(r"(?m)^[ \t]*//[/!]?", "", block))
    for literal in re.findall(r'"((?:[^"\\\n]|\\.){16,300})"', text):
        if literal.count(" ") >= 2:
            yield literal.replace("\\n", " ")


def from_wordnet(text):
    for line in text.split("\n"):
        if " | " in line and not line.startswith("  "):
            fields, gloss = line.split(" | ", 1)
            yield fields.split(" ")[4].replace("_", " ") + ": " + gloss.split("; \"")[0]
            yield from re.findall(r'"([^"]+)"', gloss)


def paragraphs(text):
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*[-*•] )", text):
        yield paragraph


def handle(name, data):
    """The raw texts of one file, or none when its ending is not one we read."""
    lower = name.lower()
    if lower.endswith((".gz", ".dz")):
        data, lower = gzip.decompress(data), lower[:-3]
    if lower.endswith(".mo"):
        return from_catalogue(data)
    text = data.decode("utf-8", "ignore")
    if "/man/" in lower and re.search(r"/man\d\w*/", lower):
        return from_manual(text)
    if "/wordnet/data." in lower:
        return from_wordnet(text)
    if lower.endswith(MARKUP):
        return from_markup(text)
    if lower.endswith(CODE):
        return from_code(text)
    if lower.endswith(STRINGS):
        return re.findall(r'"((?:[^"\\\n]|\\.){12,600})"', text) + re.findall(r"(?m)^\s*(?:-|[\w ]+:)\s+([^\s\"'{\[][^\n]{12,})$", text)
    if "/fortunes/" in lower and "." not in pathlib.PurePath(lower).name:
        return text.split("\n%\n")
    if lower.endswith(PLAIN + (".dict",)):
        return paragraphs(text)
    return []


def members(path):
    """(name, bytes) of every file of a source; unreadable ones are left out."""
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.suffix in CODE + PLAIN and file.is_file())
        random.Random(0).shuffle(files)
        for file in files:
            if file.stat().st_size < LARGEST_MEMBER:
                yield str(file), file.read_bytes()
    elif path.suffix == ".whl":
        archive = zipfile.ZipFile(path)
        names = archive.namelist()
        random.Random(0).shuffle(names)
        for name in names:
            if archive.getinfo(name).file_size < LARGEST_MEMBER:
                yield name, archive.read(name)
    else:
        if path.suffix == ".deb":
            data = subprocess.run(["dpkg-deb", "--fsys-tarfile", str(path)], capture_output=True, check=True).stdout
            archive = tarfile.open(fileobj=io.BytesIO(data))
        else:
            archive = tarfile.open(path)
        entries = [entry for entry in archive.getmembers() if entry.isfile() and 40 < entry.size]
        if path.suffix == ".deb":  # already in memory, so any order costs the same
            random.Random(0).shuffle(entries)
        for entry in entries:
            if entry.size < LARGEST_MEMBER or "dict" in entry.name or "wordnet" in entry.name:
                yield entry.name, archive.extractfile(entry).read()


def texts(raw):
    """Clean lines of one raw text: whitespace folded, long ones cut at sentence ends, what is not prose left out."""
    text = re.sub(r"\s+", " ", raw).strip(" -*•#|")
    pieces = [text]
    if len(text) > 300:
        pieces = re.split(r"(?<=[.!?:;。！？])\s+", text)
    for piece in pieces:
        piece = piece[:LONGEST_TEXT]
        letters = sum(map(str.isalpha, piece))
        wide = sum(character > "\u2e80" for character in piece)
        if len(piece) >= SHORTEST_TEXT or wide >= 6:
            if letters > 0.55 * len(piece) and (piece.count(" ") >= 2 or wide >= 6):
                yield piece


def collect(job):
    """All texts of one source up to the cap."""
    path, cap = job
    if str(path).endswith(".txt.gz"):
        return path.name, gzip.open(path, "rt", encoding="utf-8").read().split("\n")
    lines, taken = [], 0
    try:
        for name, data in members(path):
            from_this_file = 0
            try:
                for raw in handle(name, data):
                    for line in texts(raw):
                        lines.append(line)
                        taken += len(line)
                        from_this_file += len(line)
                    if from_this_file > cap // 30 and "dict" not in name and "wordnet" not in name:
                        break
            except (OSError, ValueError, struct.error, IndexError, EOFError):
                continue
            if taken > cap:
                break
    except (OSError, subprocess.CalledProcessError, tarfile.TarError, zipfile.BadZipFile) as error:
        print(f"{path.name}: left out, {error}")
    return path.name, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+", type=pathlib.Path)
    parser.add_argument("--out", required=True)
    parser.add_argument("--cap", type=int, default=3_000_000, help="characters from one source")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    seen, total = set(), 0
    with multiprocessing.Pool(arguments.workers) as pool, open(arguments.out, "w", encoding="utf-8") as out:
        for name, lines in pool.imap(collect, [(source, arguments.cap) for source in arguments.sources]):
            kept = characters = 0
            for line in lines:
                # Lines that differ in case or numbers alone count as one.
                key = hash(re.sub(r"\d+", "0", line.lower()))
                if line and key not in seen and characters < 2 * arguments.cap + 30_000_000 * (".txt.gz" in name):
                    seen.add(key)
                    out.write(line + "\n")
                    kept, characters = kept + 1, characters + len(line)
            total += characters
            print(f"{name}\t{kept:,} texts\t{characters:,} characters", flush=True)
    print(f"in all {total:,} characters")


if __name__ == "__main__":
    main()
