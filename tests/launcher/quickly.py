"""`tertulia launch` without what the command line takes to load: `python quickly.py COMMAND…`."""

import sys

from tertulia.launch.starting import launch
from tertulia.problems import Problem

if __name__ == "__main__":
    try:
        launch(sys.argv[1:], profile=None, hub=None)
    except Problem as problem:
        sys.stderr.write(f"tertulia: {problem}\n")
        sys.exit(problem.exit_code)
