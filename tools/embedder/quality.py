"""Scores an embedder on the retrieval set in `benches/data/retrieval`.

    python quality.py texts                     one JSON string a line: every text of the set, in the order that `score` expects
    python quality.py score vectors.npy         figures as one JSON object; `.jsonl` (one array of numbers a line) works as well
    python quality.py original [--model DIR]    the same figures for the original all-MiniLM-L6-v2
    python quality.py score-lessons FILE        figures for `task`, `lesson` and `both`: FILE has the vectors of `texts-lessons`
    python quality.py original-lessons          the same for the original

`texts-lessons` and `original-lessons` take the lessons written by hand, or with `--lessons FILE` those in a file: one JSON string a line, in the order
of `tasks`, which prints the task of every memory.

`--misses` adds each hard or easy query whose right memory was not first, and what was found in its place.

Each query searches all memories of the set, tasks and distractors, by cosine. A tie counts against the embedder: the rank of the
right memory is one more than the number of other memories that are at least as similar, so that equal vectors earn nothing.
"""

import argparse
import json
import os
import pathlib
import sys

# As in original.py, and before numpy loads: two threads on a busy machine made this ten times slower.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

SET_DIRECTORY = pathlib.Path(__file__).resolve().parents[2] / "benches" / "data" / "retrieval"


def read_rows(name):
    lines = (SET_DIRECTORY / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line]


class RetrievalSet:
    """Memories: the tasks of the easy half, those of the hard half, then all distractors. The right memory of query i is memory i."""

    def __init__(self):
        easy, hard = read_rows("easy.jsonl"), read_rows("hard.jsonl")
        self.easy_count, self.hard_count = len(easy), len(hard)
        self.memories = [row["task"] for row in easy + hard] + [text for row in hard for text in row["distractors"]]
        self.queries = [row["query"] for row in easy + hard]
        self.query_ids = [row["id"] for row in easy + hard]
        self.nothing_fits = [row["query"] for row in read_rows("nothing_fits.jsonl")]

    def texts(self):
        return self.memories + self.queries + self.nothing_fits


# What a lesson's similarity has to be ahead by to count for more than its task's; the server's own value.
HANDICAP = 0.04

JOINED = {
    "task": lambda task, lesson: task,
    "lesson": lambda task, lesson: lesson,
    "both": lambda task, lesson: np.maximum(task, lesson - HANDICAP),
    "both, no handicap": np.maximum,
    "both, the mean": lambda task, lesson: (task + lesson) / 2,
}


class LessonSet:
    """Memories with lessons: those of `RetrievalSet`, then those whose tasks are vague; and the utterances, which are searched by themselves."""

    def __init__(self, lessons=None):
        plain = RetrievalSet()
        written = {row["id"]: row for row in read_rows("lessons.jsonl")}
        hard, vague, utterances = read_rows("hard.jsonl"), read_rows("vague.jsonl"), read_rows("utterances.jsonl")
        by_hand = [written[query_id]["lesson"] for query_id in plain.query_ids]
        by_hand += [lesson for row in hard for lesson in written[row["id"]]["distractors"]]
        self.plain, self.vague_count, self.utterance_count = plain, len(vague), len(utterances)
        self.tasks = plain.memories + [row["task"] for row in vague + utterances]
        self.lessons = lessons or by_hand + [row["lesson"] for row in vague + utterances]
        self.queries = plain.queries + [row["query"] for row in vague + utterances]
        self.nothing_fits = plain.nothing_fits

    def texts(self):
        return self.tasks + self.lessons + self.queries + self.nothing_fits

    def score(self, vectors):
        """For each way to join: figures of the easy and the hard half as they always were, of the vague ones among all of these, and of the utterances."""
        vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        ends = np.cumsum([len(self.tasks), len(self.lessons), len(self.queries)])
        tasks, lessons, queries, nothing_fits = np.split(vectors, ends)
        old, vague = len(self.plain.memories), self.vague_count
        asked = np.split(queries, np.cumsum([self.plain.easy_count, self.plain.hard_count, vague]))
        names = ["easy", "hard", "vague", "utterances"]
        stored = [slice(0, old), slice(0, old), slice(0, old + vague), slice(old + vague, None)]
        right = [0, self.plain.easy_count, old, 0]
        figures = {}
        for way, join in JOINED.items():
            of = lambda asked, stored: join(asked @ tasks[stored].T, asked @ lessons[stored].T)
            found = [np.roll(of(asked, stored), -right, axis=1) for asked, stored, right in zip(asked, stored, right)]
            figures[way] = {name: retrieval_figures(ranks_of_right_memories(found)) for name, found in zip(names, found)}
            ranks = np.concatenate([ranks_of_right_memories(found) for found in found[:2]])
            figures[way]["as it was"] = retrieval_figures(ranks)
            similar = [found.diagonal() for found in found[:3]]
            empty = of(nothing_fits, stored[0]).max(axis=1)
            figures[way]["floors"] = floor_figures(np.concatenate(similar[:2]), empty)
            for floor in figures[way]["floors"]:
                floor["vague_memories_kept"] = round(float((similar[2] >= floor["floor"]).mean()), 4)
        return figures


def ranks_of_right_memories(similarities):
    """Rank 1 is best. `similarities` has a row for each query; the right memory of row i is column i."""
    right = similarities.diagonal()[:, None]
    return (similarities >= right).sum(axis=1)


def retrieval_figures(ranks):
    return {
        "queries": len(ranks),
        "recall_at_1": round(float((ranks <= 1).mean()), 4),
        "recall_at_5": round(float((ranks <= 5).mean()), 4),
        "mrr": round(float((1.0 / ranks).mean()), 4),
    }


def distribution(values):
    names = {"minimum": 0, "p5": 5, "p10": 10, "p25": 25, "p50": 50, "p75": 75, "p90": 90, "p95": 95, "p99": 99, "maximum": 100}
    return {name: round(float(np.percentile(values, percent)), 4) for name, percent in names.items()}


def floor_figures(right, nothing_fits):
    """For floors from 0.10 to 0.60: the share of right memories a floor lets pass, and of nothing-fits queries that it leaves empty."""
    floors = [step / 100 for step in range(10, 61, 5)]
    return [
        {
            "floor": floor,
            "right_memories_kept": round(float((right >= floor).mean()), 4),
            "nothing_fits_left_empty": round(float((nothing_fits < floor).mean()), 4),
        }
        for floor in floors
    ]


def score(retrieval_set, vectors, with_misses):
    expected = len(retrieval_set.texts())
    if len(vectors) != expected:
        raise SystemExit(f"the set has `{expected}` texts but there are `{len(vectors)}` vectors: embed the output of `quality.py texts`")
    vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    memory_count, query_count = len(retrieval_set.memories), len(retrieval_set.queries)
    memories, queries, nothing_fits = np.split(vectors, [memory_count, memory_count + query_count])
    similarities = queries @ memories.T
    ranks = ranks_of_right_memories(similarities)
    easy, hard = ranks[: retrieval_set.easy_count], ranks[retrieval_set.easy_count :]
    right, best_of_nothing = similarities.diagonal(), (nothing_fits @ memories.T).max(axis=1)
    figures = {
        "memories": memory_count,
        "easy": retrieval_figures(easy),
        "hard": retrieval_figures(hard),
        "all": retrieval_figures(ranks),
        "similarity_of_right_memory": distribution(right),
        "best_similarity_when_nothing_fits": distribution(best_of_nothing),
        "floors": floor_figures(right, best_of_nothing),
    }
    if with_misses:
        figures["misses"] = misses(retrieval_set, similarities, ranks)
    return figures


def misses(retrieval_set, similarities, ranks):
    found = []
    for index in np.flatnonzero(ranks > 1):
        others = similarities[index].copy()
        others[index] = -2.0
        best = int(others.argmax())
        found.append(
            {
                "id": retrieval_set.query_ids[index],
                "query": retrieval_set.queries[index],
                "rank": int(ranks[index]),
                "right": [round(float(similarities[index, index]), 3), retrieval_set.memories[index]],
                "found": [round(float(others[best]), 3), retrieval_set.memories[best]],
            }
        )
    return found


def read_vectors(path):
    if path.endswith(".npy"):
        return np.load(path).astype(np.float32)
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    return np.array([json.loads(line) for line in lines if line], dtype=np.float32)


def with_lessons(arguments):
    given = pathlib.Path(arguments.lessons).read_text(encoding="utf-8").splitlines() if arguments.lessons else []
    lesson_set = LessonSet([json.loads(line) for line in given])
    sys.stdout.reconfigure(encoding="utf-8")
    if arguments.command in ("tasks", "texts-lessons"):
        for text in lesson_set.tasks if arguments.command == "tasks" else lesson_set.texts():
            print(json.dumps(text, ensure_ascii=False))
        return
    if arguments.command == "original-lessons":
        from original import Original

        vectors = Original(arguments.model).embed(lesson_set.texts())
    else:
        vectors = read_vectors(arguments.vectors)
    print(json.dumps(lesson_set.score(vectors), indent=2, ensure_ascii=False))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("command", choices=["texts", "score", "original", "tasks", "texts-lessons", "score-lessons", "original-lessons"])
    arguments.add_argument("vectors", nargs="?", help="vectors of `quality.py texts`, in that order")
    arguments.add_argument("--model", help="folder of the original; otherwise the installed package")
    arguments.add_argument("--misses", action="store_true")
    arguments.add_argument("--lessons", help="lessons to take in place of those written by hand")
    arguments = arguments.parse_args()
    if arguments.command in ("tasks", "texts-lessons", "score-lessons", "original-lessons"):
        return with_lessons(arguments)
    retrieval_set = RetrievalSet()
    if arguments.command == "texts":
        sys.stdout.reconfigure(encoding="utf-8")
        for text in retrieval_set.texts():
            print(json.dumps(text, ensure_ascii=False))
        return
    if arguments.command == "original":
        from original import Original

        vectors = Original(arguments.model).embed(retrieval_set.texts())
    elif arguments.vectors is None:
        raise SystemExit("`score` needs a file of vectors")
    else:
        vectors = read_vectors(arguments.vectors)
    print(json.dumps(score(retrieval_set, vectors, arguments.misses), indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
