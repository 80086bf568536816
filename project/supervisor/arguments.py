"""`--host` and `--port` of `up`, read before the settings load: they decide the hub's address in every process."""

import argparse
import os

from project.env import SettingError


def hand_to_settings(arguments: list[str]) -> None:
    """Put what follows `up` on the command line into the environment. Raises SettingError on a port that is none."""
    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False)
    parser.add_argument("--host")
    parser.add_argument("--port")
    try:
        given, _ = parser.parse_known_args(arguments)
    except argparse.ArgumentError:
        return  # the command's own parser says what is wrong
    if given.port is not None and not (given.port.isdecimal() and 1 <= int(given.port) <= 65535):
        raise SettingError(f"--port is {given.port!r}; give a whole number from 1 to 65535.")
    for name, value in (("TERTULIA_HOST", given.host), ("TERTULIA_PORT", given.port)):
        if value is not None:
            os.environ[name] = value
