"""What was measured on a real SSD, as points: a load and its numbers, read from fio's results or a CSV file."""

from .agreement import Agreement, Row
from .point import NUMBERS, Load, Numbers, Point
from .reading import read

__all__ = ["NUMBERS", "Agreement", "Load", "Numbers", "Point", "Row", "read"]
