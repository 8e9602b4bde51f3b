"""Whatever a job file or another simulator's configuration holds: flows, an SSD, or one line that says what is wrong.

WORDLINE_FOREIGN_S is the time in seconds to go on with further random files.
"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import wordline as wl
from test_fio_jobs import EXACT, RANDOM
from test_imports import FEMU, SIMPLESSD, SSDSIM
from wordline.errors import WordlineError
from wordline.fio_jobs.options import known
from wordline.imports import read

JOBS = [f"[job]\n{job}\n" for job in (*EXACT.values(), *RANDOM.values())]
CONFIGURATIONS = [FEMU.format(transfer=0, mode=1), SIMPLESSD.format(cell=1), SSDSIM.format(chips=2)]
PIECES = (
    "0", "-1", "1e9", "%", "100%", "4k", "/", ":", ",", "=", "[", "]", "${X}", "9" * 30, "nan", "0x", "-", "\n", "\0",
    ";", '"', "1.5", "true", "",
)  # fmt: skip
FILES = 400
SSD = wl.preset("mqsim")
OPTIONS = sorted(known())


def mutated(text: str, chance: random.Random) -> str:
    """The text with a few pieces put in, cut out, or in place of values."""
    for _ in range(chance.randint(1, 6)):
        lines = text.split("\n")
        line, place = chance.randrange(len(lines)), chance.randrange(len(text) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            text = text[:place] + chance.choice(PIECES) + text[place:]
        elif kind == 1:
            text = text[:place] + text[place + chance.randint(1, 8) :]
        elif kind == 2:
            lines.insert(line, f"{chance.choice(OPTIONS)}={chance.choice(PIECES)}")
            text = "\n".join(lines)
        else:
            lines[line] = f"{lines[line].partition('=')[0]}={chance.choice(PIECES)}"
            text = "\n".join(lines)
    return text


def test_random_files_give_a_workload_an_ssd_or_one_line(tmp_path: Path) -> None:
    chance = random.Random(44)  # noqa: S311
    path = tmp_path / "file"
    until = time.monotonic() + float(os.environ.get("WORDLINE_FOREIGN_S", "0"))
    done = taken = 0
    while done < FILES or time.monotonic() < until:
        done += 1
        is_job = chance.random() < 0.6
        text = mutated(chance.choice(JOBS if is_job else CONFIGURATIONS), chance)
        path.write_text(text)
        try:
            if is_job:
                wl.fio(path).warnings(SSD)
            else:
                read(path)
            taken += 1
        except WordlineError as error:
            long = "\n" in str(error)
        else:
            long = False
        assert not long, text
    # Enough of them are right to look at what follows.
    assert taken > done / 10
