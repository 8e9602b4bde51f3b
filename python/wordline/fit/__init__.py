"""A drive that is fitted to measurements: from fio's results to a configuration, with how well each number is known."""

from .drive import Fit, fit

__all__ = ["Fit", "fit"]
