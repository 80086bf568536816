#!/usr/bin/env python
"""The hub's command line."""

import os
import sys


def main() -> None:
    """Run one management command; a wrong setting is one line on stderr and exit status 2."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
    from project.env import SettingError

    try:
        if sys.argv[1:2] == ["up"]:
            from project.supervisor.arguments import hand_to_settings

            hand_to_settings(sys.argv[2:])
        if sys.argv[1:2] == ["screenshots"]:
            from project.screenshots.place import throw_away

            throw_away()
        from django.core.management import execute_from_command_line

        execute_from_command_line(sys.argv)
    except SettingError as error:
        sys.stderr.write(f"Error: {error}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
