"""The beginning of every process that is not `manage.py`: a wrong setting is one line on stderr and status 2, no traceback."""

import os
import sys

from project.env import SettingError

WRONG_SETTING = 2


def load_settings() -> None:
    """Load Django's settings, or say what is wrong with them and end the process."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
    from django.conf import settings

    try:
        settings.INSTALLED_APPS  # noqa: B018  the settings load when first asked
    except SettingError as error:
        sys.stderr.write(f"Error: {error}\n")
        raise SystemExit(WRONG_SETTING) from None
