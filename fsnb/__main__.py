"`python -m fsnb` is the command `fsnb`. Written by hand."
import sys
from .show.cli import main

if __name__ == "__main__": sys.exit(main())
