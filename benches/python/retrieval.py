"""What people search vectors with today, timed on request, over the vectors that the benchmark wrote down.

Started with the folder of those vectors. Reads lines `CONTENDER THREADS FIRST COUNT` (threads 0: the contender's own choice), runs
that many queries from that one on, and answers each line with one line of JSON: microseconds for each query.
"""

import json
import pathlib
import sys
import time

import faiss
import numpy as np
import threadpoolctl

FOLDER = pathlib.Path(sys.argv[1])
SHAPE = json.loads((FOLDER / "shape.json").read_text())
COUNT, DIMENSION, LIMIT, LAMBDA = SHAPE["count"], SHAPE["dimension"], SHAPE["limit"], SHAPE["lambda"]
VECTORS = np.fromfile(FOLDER / "vectors.f32", dtype=np.float32).reshape(COUNT, DIMENSION)
UTILITIES = np.fromfile(FOLDER / "utilities.f32", dtype=np.float32)
QUERIES = np.fromfile(FOLDER / "queries.f32", dtype=np.float32).reshape(-1, DIMENSION)


def numpy_blend():
    """The exact blend over all rows: the only one here that ranks by utility, too."""
    weighted = np.float32(LAMBDA) * UTILITIES

    def query(task):
        scores = VECTORS @ (np.float32(1 - LAMBDA) * task) + weighted
        best = np.argpartition(scores, -LIMIT)[-LIMIT:] if LIMIT < COUNT else np.arange(COUNT)
        return best[np.argsort(-scores[best])]

    return query


def faiss_flat():
    """An exact scan by similarity alone."""
    index = faiss.IndexFlatIP(DIMENSION)
    index.add(VECTORS)
    return lambda task: index.search(task.reshape(1, -1), LIMIT)[1][0]


def sqlite_vec():
    """An exact scan by similarity alone, in a database in memory."""
    import apsw  # Many Pythons are built with a sqlite3 that loads no extensions.
    import sqlite_vec as extension

    database = apsw.Connection(":memory:")
    database.enable_load_extension(True)
    database.load_extension(extension.loadable_path())
    database.execute(f"CREATE VIRTUAL TABLE memories USING vec0(vector float[{DIMENSION}] distance_metric=cosine)")
    rows = ((number, vector.tobytes()) for number, vector in enumerate(VECTORS))
    with database:
        database.executemany("INSERT INTO memories(rowid, vector) VALUES (?, ?)", rows)
    sql = "SELECT rowid FROM memories WHERE vector MATCH ? AND k = ? ORDER BY distance"
    return lambda task: [row[0] for row in database.execute(sql, (task.tobytes(), LIMIT))]


def chroma():
    """An approximate search (HNSW) by similarity alone."""
    import chromadb

    client = chromadb.EphemeralClient(chromadb.Settings(anonymized_telemetry=False))
    collection = client.create_collection("memories", configuration={"hnsw": {"space": "cosine"}})
    for start in range(0, COUNT, 5_000):
        part = VECTORS[start : start + 5_000]
        collection.add(ids=[str(start + place) for place in range(len(part))], embeddings=part)
    return lambda task: [int(found) for found in collection.query(query_embeddings=[task], n_results=LIMIT)["ids"][0]]


MAKE = {"numpy": numpy_blend, "faiss": faiss_flat, "sqlite-vec": sqlite_vec, "chroma": chroma}
MADE = {}
DEFAULT_FAISS_THREADS = faiss.omp_get_max_threads()


def run(contender, threads, first, count):
    if contender not in MADE:
        MADE[contender] = MAKE[contender]()
    query = MADE[contender]
    faiss.omp_set_num_threads(threads or DEFAULT_FAISS_THREADS)
    with threadpoolctl.threadpool_limits(limits=threads or None, user_api="blas"):
        query(QUERIES[first])
        micros = []
        for number in range(first, first + count):
            start = time.perf_counter()
            query(QUERIES[number % len(QUERIES)])
            micros.append((time.perf_counter() - start) * 1e6)
    return {"micros": micros}


for line in sys.stdin:
    name, *numbers = line.split()
    print(json.dumps(run(name, *map(int, numbers))), flush=True)
