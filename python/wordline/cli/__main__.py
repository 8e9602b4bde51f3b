"""`python -m wordline.cli`, if the script is not on the path."""

import sys

from . import main

sys.exit(main())
