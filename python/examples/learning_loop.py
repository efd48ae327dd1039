"""An evaluation loop that learns, beside a control without memory on the same tasks and the same dice.

    pip install reflect-memory matplotlib
    export REFLECT_API_KEY=…
    python learning_loop.py --out learning.png

No model is asked. The agent is simulated: it does not know the rules of the house, guesses right now and then, and follows
a rule, most of the time, once a lesson in its prompt states it. So the curve shows whether the right lessons are found and
shown in time, and says nothing about how well your model follows what it is told.
"""

import argparse
import math
import random
import uuid
from typing import NamedTuple

from reflect_sdk import ReflectClient

GUESSES_RIGHT = 0.2
FOLLOWS_A_LESSON = 0.9
NAMES = ["Chen", "Diaz", "Okafor", "Larsen", "Haddad", "Novak", "Silva", "Tanaka", "Weber", "Moreau"]


class Family(NamedTuple):
    """Tasks under one rule of the house, which the agent cannot know."""

    task: str
    rule: str


FAMILIES = [
    Family("Write a one-line greeting to the customer {name}", "Greetings to customers end with the words Team Nord."),
    Family(
        "Write the invoice identifier for invoice number {number}", "Invoice identifiers have five digits after INV-."
    ),
    Family("State the weight of the parcel for {name}, {number} kg", "Weights on labels are given in grams."),
    Family(
        "Write the date of the delivery to {name} in March {number}", "Dates on delivery notes spell the month out."
    ),
    Family("Write an SQL query that counts the customers named {name}", "Queries leave out rows whose state is 9."),
    Family("Refund order {number} of {name}", "Refunds need the order to be looked up first."),
    Family("Translate the complaint of {name} about order {number}", "Translations keep product names in English."),
    Family("Book a meeting room for {name} and {number} guests", "Meetings are booked in the time zone of Oslo."),
]


class Task(NamedTuple):
    """One task with the dice that decide how it goes."""

    text: str
    rule: str
    guess: float
    follow: float

    def passes(self, prompt: str) -> bool:
        """Whether the simulated agent gets it right from this prompt."""
        return self.guess < GUESSES_RIGHT or (self.rule in prompt and self.follow < FOLLOWS_A_LESSON)


def tasks(count: int, seed: int) -> list[Task]:
    dice = random.Random(seed)
    drawn = [dice.choice(FAMILIES) for _ in range(count)]
    return [
        Task(
            family.task.format(name=dice.choice(NAMES), number=dice.randint(10, 999)),
            family.rule,
            dice.random(),
            dice.random(),
        )
        for family in drawn
    ]


def learn(client: ReflectClient, todo: list[Task]) -> list[bool]:
    """Does the tasks one after the other; each failure is reviewed with the rule that was broken."""
    results: list[bool] = []
    for task in todo:
        with client.trace(task.text, blocking=True) as ctx:
            passed = task.passes(ctx.augmented_task)
            feedback = None if passed else task.rule
            answer = "(an answer by the rule)" if passed else "(an answer against the rule)"
            ctx.set_output(trajectory=answer, result=passed, feedback_text=feedback)
        results.append(passed)
    return results


def control(todo: list[Task]) -> list[bool]:
    """The same tasks and dice without memory."""
    return [task.passes(task.text) for task in todo]


def share(results: list[bool]) -> str:
    """The share that passed, with its 95 % interval by Wilson."""
    n, z = len(results), 1.96
    p = sum(results) / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return f"{p:6.1%} ({max(middle - half, 0.0):.1%} to {min(middle + half, 1.0):.1%})"


def draw(path: str, curves: dict[str, list[list[bool]]]) -> None:
    """The share that passed at each place in the sequence, over all seeds, smoothed over five places."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.5))
    for label, runs in curves.items():
        shares = [sum(place) / len(place) for place in zip(*runs, strict=True)]
        windows = [shares[max(0, end - 5) : end] for end in range(1, len(shares) + 1)]
        axes.plot(range(1, len(shares) + 1), [sum(window) / len(window) for window in windows], label=label)
    axes.set(xlabel="task", ylabel="passed", ylim=(0, 1), title="A simulated agent, with and without memory")
    axes.legend()
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tasks", type=int, default=40, help="how many tasks in a sequence")
    parser.add_argument("--seeds", type=int, default=5, help="how many sequences")
    parser.add_argument("--out", default="learning.png", help="where the curve is drawn")
    args = parser.parse_args()
    curves: dict[str, list[list[bool]]] = {"with memory": [], "without memory": []}
    with ReflectClient.from_env() as client:
        for seed in range(args.seeds):
            todo = tasks(args.tasks, seed)
            # A project of its own: no sequence learns from another.
            curves["with memory"].append(learn(client.for_project(f"learning-{uuid.uuid4().hex[:8]}"), todo))
            curves["without memory"].append(control(todo))
    half = args.tasks // 2
    print(f"{args.seeds} sequences of {args.tasks} tasks from {len(FAMILIES)} families, the same for both")
    for label, runs in curves.items():
        first = [result for results in runs for result in results[:half]]
        second = [result for results in runs for result in results[half:]]
        print(f"{label:15} first half {share(first)}   second half {share(second)}")
    ceiling = 1 - (1 - GUESSES_RIGHT) * (1 - FOLLOWS_A_LESSON)
    print(f"by its dice the agent passes {GUESSES_RIGHT:.0%} without a lesson, and {ceiling:.0%} with the right one")
    draw(args.out, curves)
    print(f"drawn to {args.out}")


if __name__ == "__main__":
    main()
