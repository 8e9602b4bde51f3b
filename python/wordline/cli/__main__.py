"""`python -m wordline.cli`, for where the script is not on the path."""

import sys

from . import main

sys.exit(main())
