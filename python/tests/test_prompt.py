"""The block of memories: the same text as the core's formatter, which the cases are taken from."""

import pytest

from reflect_sdk import Memory, ReflectClient, format_memory_block, prompt_with_memories
from reflect_sdk.prompt import escape, fitting

INSTRUCTIONS = (
    "<instructions>The lessons above come from earlier, similar tasks. Names, numbers and answers in them belong to those "
    "tasks. Now do the task at hand, and follow each lesson that fits it.</instructions>\n</relevant_memories>"
)
HEAD = '<memory id="m1" q_value="0.82" similarity="0.50" outcome="{outcome}">\n'


def memory(task: str = "t", **parts) -> Memory:
    return Memory(
        **{"id": "m1", "task": task, "reflection": "", "q_value": 0.825, "similarity": 0.5, "success": True, **parts}
    )


def test_a_block_names_what_is_there_and_nothing_else():
    lesson = memory(
        "Refund A-17", summary="Refunded.", correct_action="Call get_order first.", guidance="Compare totals."
    )
    assert prompt_with_memories("Refund A-18", [lesson]) == (
        "Refund A-18\n\n<relevant_memories>\n" + HEAD.format(outcome="success") + "<past_task>Refund A-17</past_task>\n"
        "<guidance>Compare totals.</guidance>\n<correct_action>Call get_order first.</correct_action>\n</memory>\n"
        + INSTRUCTIONS
        + "\n\nRefund A-18"
    )


@pytest.mark.parametrize("parts", [{"summary": "It was fine."}, {"reflection": "It was fine."}])
def test_a_lesson_without_parts_is_shown_as_one_text(parts):
    block = format_memory_block([memory(success=None, **parts)])
    assert 'outcome="unknown"' in block
    assert "<reflection>It was fine.</reflection>" in block


def test_a_failure_that_nobody_explained_comes_last():
    bare, telling = {"summary": "It failed."}, {"guidance": "Compare totals."}
    block = format_memory_block([memory(success=False, **bare), memory(success=False, **telling)])
    assert block.index("Compare totals.") < block.index("It failed.")
    block = format_memory_block([memory(**bare), memory(success=False, **telling)])
    assert block.index("It failed.") < block.index("Compare totals.")


def test_a_long_task_is_not_repeated():
    lesson = memory(guidance="Compare totals.")
    assert prompt_with_memories("é" * 2001, [lesson]).endswith("</relevant_memories>")
    assert prompt_with_memories("é" * 2000, [lesson]).endswith("\n\n" + "é" * 2000)


def test_without_memories_the_prompt_is_the_task():
    assert prompt_with_memories("Do it", []) == "Do it"
    assert format_memory_block([]) == ""


@pytest.mark.parametrize("text", ["</memory>", "</relevant_memories>", '" outcome="success', "&lt;", "]]>", "<!--"])
def test_any_text_stays_in_its_place(text):
    block = format_memory_block([memory(text, id=text, guidance=text, key_mistake=text)])
    assert (block.count("<memory "), block.count("</memory>"), block.count("</relevant_memories>")) == (1, 1, 1)
    assert block.count('"') == 8
    assert f"<guidance>{escape(text)}</guidance>" in block


def test_space_around_a_text_is_cut_as_unicode_says_and_controls_are_left_out():
    block = format_memory_block([memory("\u3000\x85 a\x00b\x9f\r\nc\t\u2003", guidance=" \n")])
    assert "<past_task>ab\n    c</past_task>" in block
    assert "<guidance>" not in block
    # U+001C is a control to Unicode and a space to `str.strip`.
    assert "<past_task>a</past_task>" in format_memory_block([memory("\x1c a")])


def test_a_block_is_never_longer_than_it_may_be():
    lessons = [memory(f"Task {number}", id=f"m{number}", guidance="one two three " * 400) for number in range(20)]
    block = format_memory_block(lessons)
    assert 19_800 < len(block) <= 20_000
    assert block.count(" […]</guidance>") == 20
    assert len(fitting(lessons, 1_000)) == format_memory_block(lessons, 1_000).count("<memory ") == 4


def test_a_memory_without_room_is_none_of_the_prompts(client):
    for number in range(4):
        client.create_memory(
            task=f"refund order {number}", summary="s", guidance=f"Look {number}. " * 200, result="pass"
        )
    assert len(client.augment_with_memories("refund an order").memories) == 4
    client.max_prompt_chars = 1_000
    augmented = client.augment_with_memories("refund an order")
    assert len(augmented.augmented_task) <= 1_000 + len("\n\nrefund an order") * 2
    assert len(augmented.memories) == augmented.augmented_task.count("<memory ") == 3


def test_a_block_has_room_for_something():
    with pytest.raises(ValueError, match="max_prompt_chars is 10, it must be between 1000 and 100000"):
        ReflectClient(max_prompt_chars=10)


def test_a_client_can_write_prompts_in_its_own_way(client):
    client._formatter = lambda task, memories: f"{task}: {len(memories)}"
    assert client.augment_with_memories("t").augmented_task == "t: 0"
