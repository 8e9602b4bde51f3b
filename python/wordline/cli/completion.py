"""`wordline completion`: the script that lets a shell complete Wordline's commands."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from . import talk
from .complete import COMPLETING

# Bash splits words at `=`, so it would ask for the value of `--set key=` without its key. Instead, the whole line is
# split at blanks, and the part that Bash already has is removed from each answer.
BASH = """\
_wordline_completion() {
    local line="${COMP_LINE:0:COMP_POINT}" words last typed
    read -r -a words <<< "$line"
    [[ "$line" == *" " ]] && words+=("")
    last="${words[${#words[@]}-1]}"
    typed="${words[*]}"
    local IFS=$'\\n'
    COMPREPLY=( $( env COMP_WORDS="$typed" COMP_CWORD=$(( ${#words[@]} - 1 )) _WORDLINE_COMPLETE=complete_bash "$1" ) )
    if [[ "$last" == *=* && "$COMP_WORDBREAKS" == *=* ]]; then
        COMPREPLY=( "${COMPREPLY[@]#"${last%"${last##*=}"}"}" )
    fi
    [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == *= ]] && compopt -o nospace
    return 0
}

complete -o default -F _wordline_completion wordline
"""


class Shell(StrEnum):
    """Shells with a script."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(shell: Annotated[Shell, typer.Argument(help="The shell to complete in.")]) -> None:
    """Print a script that completes commands, presets, workloads, keys and their values.

    Bash: wordline completion bash > ~/.local/share/bash-completion/completions/wordline.
    Zsh: wordline completion zsh > ~/.zfunc/_wordline, with ~/.zfunc in fpath.
    Fish: wordline completion fish > ~/.config/fish/completions/wordline.fish.
    """
    if shell is Shell.BASH:
        talk.data(BASH)
        return
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    script = get_completion_script(prog_name="wordline", complete_var=COMPLETING, shell=shell.value)
    talk.data(script + "\n")
