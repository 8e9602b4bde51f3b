"""A coding in characters: a row of states, the voltages that each page is read with, and where states go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

# Blanks between two states, where a read voltage stands.
GAP = 3
BOXES = {True: tuple("┌─┐│└┘"), False: tuple("+-+|++")}
ARROWS = {True: tuple("╰─▶"), False: tuple("`->")}
READ = {True: "┃", False: "!"}


def show(document: dict[str, Any], everything: list[dict[str, Any]] | None, console: Console) -> None:
    """Prints a coding, and what becomes of it; without a set of invalid pages, the senses for each set."""
    unicode = (console.encoding or "").lower().startswith("utf")
    for line in drawing(document, unicode=unicode, width=console.width):
        console.print(line, markup=False, soft_wrap=True)
    if everything is not None:
        console.print()
        console.print(sets_table(everything))


def drawing(document: dict[str, Any], *, unicode: bool, width: int = 10_000) -> list[str]:
    """The lines of the drawing: before, the moves, after, and what it costs."""
    states, pages = document["states"], document["pages"]
    bits = len(pages)
    margin = max(len(page["page"]) for page in pages) + 2
    pitch = bits + 2 + GAP
    if margin + pitch * len(states) + 12 > width:
        return listing(document, unicode=unicode)
    invalid = {number for number, page in enumerate(pages) if not page["valid"]}
    lines = [*row(states, margin, unicode=unicode), *reads(pages, "before", len(states), margin, unicode=unicode)]
    if not invalid:
        return lines
    lines += ["", f"invalid: {', '.join(pages[number]['page'] for number in sorted(invalid))}"]
    lines += moves(states, margin, pitch, bits, unicode=unicode)
    lines += row(states, margin, invalid, unicode=unicode)
    valid = [page for page in pages if page["valid"]]
    return [*lines, *reads(valid, "after", len(states), margin, unicode=unicode), "", *summary(document)]


def row(states: list[dict[str, Any]], margin: int, invalid: set[int] | None = None, *, unicode: bool) -> list[str]:
    """The states as boxes with their bits, LSB first; after a merge only those that remain, without invalid bits."""
    left, flat, right, side, low_left, low_right = BOXES[unicode]
    bits = len(states[0]["word"])
    names, top, middle, bottom = ([" " * margin] for _ in range(4))
    for state in states:
        if invalid is not None and not state["kept"]:
            for part in (names, top, middle, bottom):
                part.append(" " * (bits + 2 + GAP))
            continue
        word = "".join("-" if number in (invalid or ()) else bit for number, bit in enumerate(state["word"]))
        names.append(f"S{state['state']}".center(bits + 2) + " " * GAP)
        top.append(left + flat * bits + right + " " * GAP)
        middle.append(side + word + side + " " * GAP)
        bottom.append(low_left + flat * bits + low_right + " " * GAP)
    return ["".join(part).rstrip() for part in (names, top, middle, bottom)]


def reads(pages: list[dict[str, Any]], when: str, states: int, margin: int, *, unicode: bool) -> list[str]:
    """A line for each page with a mark at each of its read voltages, under a line of their names."""
    bits = states.bit_length() - 1
    pitch = bits + 2 + GAP

    def column(voltage: int) -> int:
        return margin + voltage * pitch - GAP + 1

    used = sorted({voltage for page in pages for voltage in page[when]["read_voltages"]})
    labels = [" "] * (margin + states * pitch)
    for voltage in used:
        name = f"V{voltage}"
        start = column(voltage) - len(name) // 2
        labels[start : start + len(name)] = name
    lines = ["".join(labels).rstrip()]
    for page in pages:
        line = list(page["page"].ljust(margin + states * pitch))
        for voltage in page[when]["read_voltages"]:
            line[column(voltage)] = READ[unicode]
        lines.append("".join(line) + senses(page[when]))
    return lines


def senses(side: dict[str, Any]) -> str:
    """How many senses, and how long they take."""
    count, us = side["senses"], side["read_us"]
    text = f"{count} sense{'' if count == 1 else 's'}"
    return f"{text}, {us:g} us" if us is not None else text


def moves(states: list[dict[str, Any]], margin: int, pitch: int, bits: int, *, unicode: bool) -> list[str]:
    """An arrow for each state that is programmed up."""
    corner, line, head = ARROWS[unicode]
    lines = []
    for state in states:
        if state["kept"]:
            continue
        start, end = (margin + (number - 1) * pitch + (bits + 2) // 2 for number in (state["state"], state["target"]))
        lines.append(" " * start + corner + line * (end - start - 1) + head + f" S{state['target']}")
    return lines


def summary(document: dict[str, Any]) -> list[str]:
    """What changes for each page that is still valid, and how long the adjustment takes."""
    lines = []
    for page in document["pages"]:
        if page["valid"]:
            before, after = senses(page["before"]), senses(page["after"])
            lines.append(
                f"{page['page']}: {before} before, {after} after" if before != after else f"{page['page']}: {before}"
            )
    adjustment = document["adjustment"]
    if adjustment is None:
        return [*lines, "no cell has to be programmed"]
    share, us = adjustment["share_of_msb_program"], adjustment["adjust_us"]
    span = f"S{adjustment['from']} to S{adjustment['to']}"
    return [*lines, f"adjustment: cells are programmed to {span}, {share:g} of an MSB program ({us:g} us)"]


def listing(document: dict[str, Any], *, unicode: bool) -> list[str]:
    """The same as lines, for a terminal that is too narrow for the row."""
    to = "→" if unicode else "->"
    states = [
        f"S{state['state']} {state['word']}" + ("" if state["kept"] else f"  {to} S{state['target']}")
        for state in document["states"]
    ]
    pages = []
    for page in document["pages"]:
        when = "after" if page["valid"] else "before"
        voltages = ", ".join(f"V{number}" for number in page[when]["read_voltages"])
        pages.append(f"{page['page']}: {voltages if page['valid'] else 'invalid'}")
    return [*states, "", *pages, "", *summary(document)]


def sets_table(everything: list[dict[str, Any]]) -> Any:  # noqa: ANN401 - a table of rich, which is imported late
    """Senses of each page for each set of invalid pages, and how long the adjustment takes."""
    from .console import grid

    names = [page["page"] for page in everything[0]["pages"]]
    table = grid("invalid", *(f"senses {name}" for name in names), "adjustment")
    for document in everything:
        invalid = [page["page"] for page in document["pages"] if not page["valid"]]
        counts = [str(page["after"]["senses"]) if page["valid"] else "-" for page in document["pages"]]
        adjustment = document["adjustment"]
        share = f"{adjustment['share_of_msb_program']:g} of an MSB program" if adjustment else "-"
        table.add_row(", ".join(invalid) or "none", *counts, share)
    return table
