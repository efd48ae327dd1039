"""Holds `original.py` against sentence-transformers itself, over the texts of the retrieval set and of the vector fixture.

    python check_original.py [--model DIR]      prints the lowest and the mean cosine, and whether all token ids agree

Needs torch and sentence-transformers besides requirements.txt, and is run only when `original.py` changes.
"""

import argparse
import json

import numpy as np
from sentence_transformers import SentenceTransformer

from fixture import FIXTURE_DIRECTORY
from original import Original, packaged_model_directory, read_texts
from quality import RetrievalSet


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--model", help="folder of the original; otherwise the installed package")
    model_directory = arguments.parse_args().model or packaged_model_directory()
    texts = RetrievalSet().texts() + read_texts(FIXTURE_DIRECTORY / "texts.jsonl")
    ours = Original(model_directory)
    theirs = SentenceTransformer(str(model_directory), device="cpu")
    expected = theirs.encode(texts, normalize_embeddings=True, batch_size=16)
    cosines = (ours.embed(texts) * expected).sum(axis=1)
    expected_ids = [theirs.tokenizer(text, truncation=True, max_length=theirs.max_seq_length)["input_ids"] for text in texts]
    differing = [text for text, ids in zip(texts, expected_ids) if ids != ours.token_ids(text)]
    print(
        json.dumps(
            {
                "texts": len(texts),
                "max_tokens": theirs.max_seq_length,
                "lowest_cosine": float(np.min(cosines)),
                "mean_cosine": float(np.mean(cosines)),
                "texts_with_other_token_ids": len(differing),
                "first_of_them": differing[:3],
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
