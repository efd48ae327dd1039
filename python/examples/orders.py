"""What the examples share: a tool, a task from the command line, and a reviewer who knows the rule of the house."""

import sys

RULE = "Answers about orders name the carrier."


def get_order(order_id: int) -> str:
    """Looks an order up: its state and its carrier."""
    return f"order {order_id}: shipped on Monday, carrier Nordpost"


def task() -> str:
    return " ".join(sys.argv[1:]) or "Where is order 7?"


def review(answer: str) -> tuple[str, str | None]:
    """Pass or fail, and what was wrong. In your program this is a test, a gold answer, or a person."""
    return ("pass", None) if "Nordpost" in answer else ("fail", RULE)
