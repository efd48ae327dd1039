"""Writes the fixture that our forward pass is held against: texts, the original's token ids, and its vectors.

    python fixture.py [--model DIR]

- `texts.jsonl`: 500 JSON strings, one a line, in many scripts, from empty to well over 256 tokens;
- `tokens.jsonl`: what the original's tokenizer makes of each, [CLS] and [SEP] included, cut at 256;
- `original.f16`: 500 rows of 384 little-endian float16: the original's float32 vectors, each of length 1, rounded.

The texts follow from `fixture_pieces.py`, the retrieval set and a fixed seed alone, so that a second run writes the same bytes;
vectors may differ in the last bit from one processor to another.
"""

import argparse
import json
import pathlib
import random

from fixture_pieces import CODE, EDGES, LOGS, MARKUP, SENTENCES
from original import MAX_TOKENS, Original
from quality import RetrievalSet

FIXTURE_DIRECTORY = pathlib.Path(__file__).resolve().parents[2] / "crates" / "reflect-embed" / "tests" / "fixtures"
COUNT = 500
LONG_COUNT = 90
MIXED_COUNT = 70


def short_texts():
    """Each piece once."""
    return EDGES + [sentence for script in SENTENCES.values() for sentence in script] + CODE + LOGS + MARKUP


def long_texts(random_source, token_count):
    """Texts of 100 to 330 tokens, a third of them in one script, the rest a script or a genre in turn; those over 256 are cut by the original."""
    genres = list(SENTENCES.values()) + [CODE, LOGS, MARKUP] * 3
    texts = []
    for index in range(LONG_COUNT):
        wanted = 100 + index * 230 // LONG_COUNT
        genre = genres[index % len(genres)]
        parts = []
        while token_count(" ".join(parts)) < wanted:
            source = genre if index % 3 == 0 else random_source.choice([genre, SENTENCES["english"], random_source.choice(genres)])
            parts.append(random_source.choice(source))
        texts.append(" ".join(parts))
    return texts


def mixed_texts(random_source):
    """Two to four pieces of different kinds, as in a task that quotes a log or speaks two languages; sometimes in capitals."""
    pieces = short_texts()
    texts = []
    for index in range(MIXED_COUNT):
        text = random_source.choice(["\n", " ", "; ", ""]).join(random_source.sample(pieces, random_source.randint(2, 4)))
        texts.append(text.upper() if index % 7 == 0 else text)
    return texts


def fixture_texts(token_count):
    random_source = random.Random(20260101)
    texts = short_texts() + long_texts(random_source, token_count) + mixed_texts(random_source)
    texts = list(dict.fromkeys(texts))
    retrieval_set = RetrievalSet()
    spare = [text for text in retrieval_set.queries + retrieval_set.nothing_fits if text not in texts]
    texts += random_source.sample(spare, COUNT - len(texts))
    return texts


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--model", help="folder of the original; otherwise the installed package")
    original = Original(arguments.parse_args().model)
    original.tokenizer.no_truncation()
    texts = fixture_texts(lambda text: len(original.token_ids(text)))
    original.tokenizer.enable_truncation(MAX_TOKENS)
    token_ids = [original.token_ids(text) for text in texts]
    FIXTURE_DIRECTORY.mkdir(parents=True, exist_ok=True)
    # Escaped to ASCII, so that no editor or checkout changes a control character.
    (FIXTURE_DIRECTORY / "texts.jsonl").write_text("".join(json.dumps(text) + "\n" for text in texts))
    (FIXTURE_DIRECTORY / "tokens.jsonl").write_text("".join(json.dumps(ids, separators=(",", ":")) + "\n" for ids in token_ids))
    vectors = original.embed(texts)
    (FIXTURE_DIRECTORY / "original.f16").write_bytes(vectors.astype("<f2").tobytes())
    lengths = sorted(len(ids) for ids in token_ids)
    print(json.dumps({"texts": len(texts), "median_tokens": lengths[COUNT // 2], "over_200": sum(length > 200 for length in lengths), "cut_at_256": sum(length == MAX_TOKENS for length in lengths)}))


if __name__ == "__main__":
    main()
