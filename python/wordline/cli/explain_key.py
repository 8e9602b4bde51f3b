"""`wordline explain KEY`: the meaning of a key, its values, and the presets that set it; or that of a number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import complete, talk
from . import options as opt
from .errors import BadInputError, nearest

if TYPE_CHECKING:
    from rich.console import Console

    from ..explain.keys import Key
    from ..explain.not_modelled import Topic
    from ..explain.terms import Answer
    from ..record.schema import Number

KEYS_SHOWN = 12


def key(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="KEY",
            help="A key, a part of its name, one of its values, a number of a result, or words of a question.",
            autocompletion=complete.keys,
        ),
    ],
    json: opt.Json = False,
) -> None:
    """Say what a key means, which values it takes, and which presets set it and why.

    The word `key` may be left out, unless a preset or a topic has the same name.
    """
    from ..config import parameters
    from ..explain.answered import answer_named, answer_to
    from ..explain.keys import about, find, is_key, named
    from ..explain.not_modelled import topic_of
    from ..explain.words import words_of

    word = " ".join(words)
    keys = find(word)
    # `load` and `latency` are questions, `fdp` is a section; that a key has such a word in its name says less.
    asked = set(words_of(word))
    is_question = " " in word and not any(asked <= set(words_of(name)) for name in keys)
    if not (len(keys) == 1 and is_key(word)) and (answer := (answer_to if is_question else answer_named)(word)):
        # Three letters are in many words by chance.
        tell_answer(answer, word, keys if len(word) > 3 or is_key(word) else [], as_json=json)
        return
    if (not keys or ("." in word and not named(word))) and (columns := _numbers_of(word)):
        tell_columns(columns, word, as_json=json)
        return
    topic = topic_of(word)
    if not keys and topic:
        tell(topic, word, as_json=json)
        return
    is_dotted = word.partition(".")[0] in {name.partition(".")[0] for name in parameters()}
    if not keys and not is_dotted and (answer := answer_to(word)):
        tell_answer(answer, word, [], as_json=json)
        return
    if not keys:
        raise not_there(word)
    if json:
        from ..output.json_document import text

        beside = {"not_modelled": of_topic(topic)} if topic else {}
        talk.data(text({"word": word, "keys": [document(about(name)) for name in keys], **beside}))
        return
    if topic:
        tell(topic, word, as_json=False)
        talk.data("\n")
    if len(keys) == 1:
        talk.show(lambda console: draw(about(keys[0]), console))
    else:
        talk.show(lambda console: draw_list(keys, console))
        talk.note(f"{len(keys)} keys have to do with `{word}`; `wordline explain {keys[0]}` says all of one")


def tell_answer(answer: Answer, word: str, keys: Sequence[str], *, as_json: bool) -> None:
    """Prints which command answers a question, the page about it, its keys and columns, and keys that speak of it."""
    every = list(dict.fromkeys((*answer.keys, *keys)))
    if as_json:
        from ..output.json_document import text

        talk.data(text({"word": word, "keys": every, "answer": answer._asdict()}))
        return
    columns = f"Columns: {', '.join(answer.columns)}\n" if answer.columns else ""
    talk.data(f"{answer.name}\nAsk: {answer.command}\n{columns}docs/{answer.page} explains it.\n")
    shown = every[: max(KEYS_SHOWN, len(answer.keys))]
    if shown:
        talk.data("\n")
        talk.show(lambda console: draw_list(shown, console))
    if len(every) > len(shown):
        talk.note(f"{len(every) - len(shown)} more keys speak of it: --json has all")


def _numbers_of(word: str) -> Sequence[Number]:
    """Returns the numbers of a result that are called so; a short name of a number of reads or writes will do."""
    from ..record.schema import numbers_called
    from ..stats.columns import OPS
    from ..stats.names import path_of

    return numbers_called((word.partition(".")[0] in OPS and path_of(word)) or word)


def tell_columns(columns: Sequence[Number], word: str, *, as_json: bool) -> None:
    """Prints what numbers of a result are, and how to see them."""
    if as_json:
        from ..output.json_document import text

        told = [{"column": each.path, "unit": each.unit, "help": each.text} for each in columns]
        talk.data(text({"word": word, "keys": [], "columns": told}))
        return
    rows = [(each.path, each.unit, each.text) for each in columns[:KEYS_SHOWN]]
    talk.show(lambda console: console.print(_table(("number of a result", "unit", "what it is"), rows)))
    name = word if "." in word else columns[0].path
    talk.data(f"\nAsk: wordline compare … --columns {name}\ndocs/reference/result.md has all numbers.\n")
    if len(columns) > len(rows):
        talk.note(f"{len(columns) - len(rows)} more numbers are called so: --json has all")


def tell(topic: Topic, word: str, *, as_json: bool) -> None:
    """Prints that something is not modelled, why, and where to look instead."""
    from ..explain.not_modelled import PAGE

    if as_json:
        from ..output.json_document import text

        talk.data(text({"word": word, "keys": [], "not_modelled": of_topic(topic)}))
        return
    talk.data(
        f"{topic.name}: not modelled.\n{topic.why}\nInstead: {topic.instead}\n{PAGE} has what else is not in it.\n"
    )


def of_topic(topic: Topic) -> dict[str, str]:
    """Returns something that is not modelled in the form of `--json`."""
    return {"name": topic.name, "why": topic.why, "instead": topic.instead}


def not_there(word: str) -> BadInputError:
    """Returns the error for a word that means nothing here."""
    from ..config import parameters, presets
    from .hints import presets_naming, workloads_naming

    known = list(parameters())
    near = nearest(word, [each.name for each in presets()]) or nearest(word, known)
    near = near or nearest(word, [each.rpartition(".")[2] for each in known])
    suggestion = f"did you mean `{near}`? " if near else ""
    if (naming := presets_naming(word)) or (naming := workloads_naming(word)):
        suggestion = f"{naming}; "
    fix = "`wordline explain` lists all keys, `wordline presets` all presets, docs/questions.md has what is asked most"
    return BadInputError(f"there is no key, value or preset `{word}`", f"{suggestion}{fix}")


def document(about: Key) -> dict[str, Any]:
    """Returns a key in the form of `--json`."""
    row = about.row
    return {
        "key": about.name,
        "help": row["help"],
        "takes": row["values"],
        "unit": row["unit"],
        "default": row.get("default"),
        "source": row["source"],
        "choices": [{"value": name, "help": text} for name, text in about.choices.items()],
        "acts_with": about.conditions,
        "presets": [{"preset": each.preset, "value": each.value, "why": each.why} for each in about.presets],
        "keys": [{"key": name, "with": values} for name, values in about.keys],
        "needs": [str(each) for each in about.needs],
    }


def draw(about: Key, console: Console) -> None:
    """Prints all of one key."""
    from rich.text import Text

    from ..output.compare_table import value_text
    from ..output.console import grid

    row = about.row
    unit = f" {row['unit']}" if row["unit"] else ""
    console.print(Text.assemble((about.name, "bold"), f": {row['help']}"))
    default = value_text(row["default"]) if "default" in row else ""
    lines = [("default", f"{default or '(empty)'}{unit}{'; ' + row['source'] if row['source'] else ''}")]
    if not about.choices:
        lines.append(("takes", row["values"]))
    lines += [("acts with" if not number else "", text) for number, text in enumerate(about.conditions)]
    lines += [("needs" if not number else "", str(need)) for number, need in enumerate(about.needs)]
    table = grid("", "", right=False)
    table.show_header = False
    for label, text in lines:
        table.add_row(Text(label, style="dim"), Text(text))
    console.print(table)
    parts = (
        (("value", "what it does"), [(name, text) for name, text in about.choices.items()]),
        (("set by preset", "to", "why"), [(each.preset, value_text(each.value), each.why) for each in about.presets]),
        (("key that acts with it", "where it is"), about.keys[:KEYS_SHOWN]),
    )
    for names, rows in parts:
        if rows:
            console.print()
            console.print(_table(names, rows))
    if len(about.keys) > KEYS_SHOWN:
        console.print(Text(f"and {len(about.keys) - KEYS_SHOWN} more keys: --json has all", style="dim"))
    if example := example_of(about):
        console.print(Text(f"\n{example}", style="dim"))


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Any:  # noqa: ANN401 - a table of rich
    from rich.text import Text

    from ..output.console import grid

    table = grid(*names, right=False)
    table.columns[0].no_wrap = True
    for cells in rows:
        table.add_row(*(Text(str(cell)) for cell in cells))
    return table


def example_of(about: Key) -> str:
    """Returns a command that tries the key, if it takes words."""
    words = list(about.choices)[:2]
    if len(words) < 2:
        return ""
    ssd = about.presets[0].preset if about.presets else "datacenter-tlc"
    return f"try it: wordline compare {ssd} --scale 1/64 -w fio/random-mix -n 10k --set {about.name}={','.join(words)}"


def draw_list(keys: Sequence[str], console: Console) -> None:
    """Prints several keys, a line each."""
    from ..config import parameters
    from ..output.compare_table import value_text

    rows = []
    for name in keys:
        row = parameters()[name]
        unit = f" {row['unit']}" if row["unit"] else ""
        rows.append((name, f"{value_text(row['default'])}{unit}" if "default" in row else "", row["help"]))
    console.print(_table(("key", "default", "what it means"), rows))
