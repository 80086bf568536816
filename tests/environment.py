"""A pytest plugin loaded before Django's settings: the suite gets a data folder of its own and no operator's setting.

What is compiled is kept, whatever the environment says: the suite starts a few hundred processes, each would compile it all anew.
"""

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

KEPT = ("DATABASE_URL", "REDIS_URL")

for _name in list(os.environ):
    if (_name.startswith(("TERTULIA_", "CHAT_", "AGENT_", "SESSION_", "PUSH_"))) and not _name.startswith("TERTULIA_TEST_"):
        del os.environ[_name]
for _name in KEPT:
    if os.environ.get(f"TERTULIA_TEST_{_name}"):
        os.environ[_name] = os.environ[f"TERTULIA_TEST_{_name}"]
    else:
        os.environ.pop(_name, None)

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

_home = Path(tempfile.mkdtemp(prefix="tertulia-test-"))
os.environ["TERTULIA_HOME"] = str(_home)
atexit.register(shutil.rmtree, _home, ignore_errors=True)
