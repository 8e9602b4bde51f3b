"""Tables of a drive for other simulators."""

from .forms import FORMS, Form, form_of
from .measure import COLUMNS, STATES, Cell, cells
from .tabulate import DriveTable, Error, table

__all__ = ["COLUMNS", "FORMS", "STATES", "Cell", "DriveTable", "Error", "Form", "cells", "form_of", "table"]
