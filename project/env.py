"""Typed readers of the environment; a value that does not fit raises `SettingError` with one clear line."""

import os
import secrets
from pathlib import Path
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


class SettingError(Exception):
    """A setting an operator must mend; the text names the variable and what it takes."""


def env_str(name: str, default: str = "") -> str:
    """The variable's text, stripped, or `default` when unset or blank."""
    return os.environ.get(name, "").strip() or default


def env_bool(name: str, default: bool) -> bool:
    """`1 true yes on` or `0 false no off`, in any case."""
    raw = env_str(name).lower()
    if not raw:
        return default
    if raw in {"1", "true", "yes", "on"}:
        return True
    if raw in {"0", "false", "no", "off"}:
        return False
    raise SettingError(f"{name} is {raw!r}; set it to true or false.")


def env_int(name: str, default: int, *, least: int = 0, most: int = 2**31) -> int:
    """A whole number within bounds, both ends allowed."""
    raw = env_str(name)
    if not raw:
        return default
    try:
        value = int(raw)
    except ValueError:
        raise SettingError(f"{name} is {raw!r}; set it to a whole number from {least} to {most}.") from None
    if not least <= value <= most:
        raise SettingError(f"{name} is {value}; set it to a whole number from {least} to {most}.")
    return value


def env_float(name: str, default: float, *, least: float = 0.0) -> float:
    """A number of at least `least`."""
    raw = env_str(name)
    if not raw:
        return default
    try:
        value = float(raw)
    except ValueError:
        raise SettingError(f"{name} is {raw!r}; set it to a number.") from None
    if not value >= least:
        raise SettingError(f"{name} is {value}; set it to a number of at least {least}.")
    return value


def env_choice(name: str, default: str, choices: tuple[str, ...]) -> str:
    """One of `choices`."""
    value = env_str(name, default)
    if value not in choices:
        raise SettingError(f"{name} is {value!r}; set it to one of: {', '.join(choices)}.")
    return value


def env_time_zone(name: str, default: str) -> str:
    """The name of a time zone this machine knows."""
    value = env_str(name, default)
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise SettingError(f"{name} is {value!r}; set it to a time zone such as UTC or Europe/Lisbon.") from None
    return value


def env_redis(name: str) -> str:
    """The address of a Redis server, or nothing. Its text may hold a password, so a refusal does not repeat it."""
    value = env_str(name)
    try:
        parts = urlsplit(value)
        usable = parts.scheme in {"redis", "rediss"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if value and not usable:
        raise SettingError(f"{name} is no Redis address; set it to redis://host:6379/0.")
    return value


def env_secret(name: str, file: Path) -> str:
    """The variable's text, else the content of `file` (0600), which is made with a fresh secret at first use."""
    given = os.environ.get(name, "").strip()
    if given:
        if len(given) < 32:
            raise SettingError(f"{name} is too short; set at least 32 characters or leave it out.")
        return given
    try:
        return _kept_secret(file)
    except OSError as error:
        raise SettingError(f"the key file {file} cannot be used ({error.strerror}); check who owns it.") from None


def _kept_secret(file: Path) -> str:
    try:
        kept = file.read_text().strip()
    except FileNotFoundError:
        fresh = secrets.token_urlsafe(48)
        scratch = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
        descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as handle:
            handle.write(fresh + "\n")
        try:
            os.link(scratch, file)
        except FileExistsError:
            return file.read_text().strip()
        finally:
            scratch.unlink()
        return fresh
    if len(kept) < 32:
        raise SettingError(f"the key file {file} is damaged; restore it from a backup, or remove it to start anew.")
    return kept


def data_folder() -> Path:
    """The one folder that holds all data: `TERTULIA_HOME`, else the user's data directory; made 0700 at first use."""
    from platformdirs import user_data_path

    given = env_str("TERTULIA_HOME")
    folder = Path(given).expanduser().absolute() if given else user_data_path("tertulia")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
    except OSError as error:
        raise SettingError(
            f"the data folder {folder} cannot be used ({error.strerror}); set TERTULIA_HOME to a folder you may write."
        ) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise SettingError(f"the data folder {folder} is not writable; set TERTULIA_HOME to a folder you may write.")
    return folder
