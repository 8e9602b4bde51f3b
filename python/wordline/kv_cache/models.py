"""How many bytes of keys and values a token has, by model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .. import _core
from ..errors import ConfigError

__all__ = ["MODELS", "Model", "bytes_per_token"]

BYTES_PER_NUMBER: Final = 2
"""BF16 or FP16."""


@dataclass(frozen=True)
class Model:
    """What decides the size of a model's KV cache.

    Attributes:
        layers: Layers with attention.
        numbers_per_layer: Numbers that a token leaves in each: keys and values of all KV heads, or a latent vector.
        source: Where the figures are from.
    """

    layers: int
    numbers_per_layer: int
    source: str

    @property
    def bytes_per_token(self) -> int:
        """Bytes of a token in 16-bit numbers."""
        return self.layers * self.numbers_per_layer * BYTES_PER_NUMBER


def _heads(layers: int, kv_heads: int, head_dim: int, name: str) -> Model:
    """A model that keeps keys and values of its KV heads."""
    return Model(
        layers,
        2 * kv_heads * head_dim,
        f"config.json of {name}: {layers} layers x 2 x {kv_heads} KV heads x {head_dim} x {BYTES_PER_NUMBER} bytes",
    )


MODELS: Final = {
    "llama-3.1-8b": _heads(32, 8, 128, "meta-llama/Llama-3.1-8B"),
    "llama-3.1-70b": _heads(80, 8, 128, "meta-llama/Llama-3.1-70B"),
    "qwen2.5-7b": _heads(28, 4, 128, "Qwen/Qwen2.5-7B"),
    "qwen3-14b": _heads(40, 8, 128, "Qwen/Qwen3-14B"),
    "deepseek-v3": Model(
        61,
        512 + 64,
        "config.json of deepseek-ai/DeepSeek-V3: 61 layers x (kv_lora_rank 512 + qk_rope_head_dim 64) x 2 bytes (MLA)",
    ),
}
"""Models by name."""


def bytes_per_token(text: str) -> int:
    """Returns the bytes of a token: of a model, or as given, such as `131072` or `128KiB`.

    Raises:
        ConfigError: It is neither.
    """
    if text in MODELS:
        return MODELS[text].bytes_per_token
    number = _core.number(text, "bytes")
    if number is None or not 1 <= number <= 1 << 30 or number != int(number):
        raise ConfigError(
            f"bytes per token = {text}: give a model ({', '.join(MODELS)}), or a whole number such as 131072 or 128KiB"
        )
    return int(number)
