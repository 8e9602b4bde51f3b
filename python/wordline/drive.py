"""What of a drive is simulated, and how used it is: the same words on the command line, in studies and in Python."""

from __future__ import annotations

from typing import Literal

from .config import Config

__all__ = ["SHAPE", "ages_until_level", "as_wanted", "is_given", "settings"]

SHAPE = "precondition.shape"
BASE = "presets/base/"
"""Layers with this name hold the defaults."""

Shape = Literal["workload", "random"]
"""Where overwrites go that bring a drive to its equilibrium: as the workload's, or anywhere."""


def settings(
    scale: str | float | None = None, *, steady: bool = False, seed: int | None = None, shape: Shape = "workload"
) -> dict[str, object]:
    """Returns the keys of a configuration that `scale`, `steady` and `seed` mean.

    Args:
        scale: The part of the drive that is simulated, such as `"1/64"` (`ssd.scale`); None: as the configuration says.
        steady: Begin with a drive at the equilibrium of its workload: full, overwritten until write amplification is
            flat.
        seed: The seed of everything random; None: as the configuration says.
        shape: Where the overwrites go, if nobody knows the workload beforehand.
    """
    keys: dict[str, object] = {} if scale is None else {"ssd.scale": scale}
    if steady:
        keys |= {"precondition.fill": 1.0, "precondition.overwrite": "steady", SHAPE: shape}
    return keys if seed is None else {**keys, "seed": seed}


def ages_until_level(config: Config) -> bool:
    """Whether a drive is overwritten before the run until its write amplification is level."""
    return bool(config["precondition.overwrite"] == "steady" and config["zones.mode"] == "off")


def is_given(config: Config, key: str) -> bool:
    """Whether a preset, a file or a setting gives a key, so that its value is not the default."""
    return not config.origin(key).layer.startswith(BASE)


def as_wanted(
    config: Config,
    scale: str | float | None = None,
    *,
    steady: bool = False,
    seed: int | None = None,
    shape: Shape = "workload",
) -> Config:
    """Returns the configuration with what `settings` says; a `precondition.shape` that it has been given stays."""
    keys = settings(scale, steady=steady, seed=seed, shape=shape)
    if steady and is_given(config, SHAPE):
        del keys[SHAPE]
    return config.set_all(keys) if keys else config
