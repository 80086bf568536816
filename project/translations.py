"""Keeps the catalogues in `project/locale` equal to the sources: `python -m project.translations`, on a developer's machine.

Needs polib and, to extract, xgettext (Debian: gettext); without it the catalogues are only compiled. What is written depends on
the sources alone, so a second run changes nothing.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import polib
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "project" / "locale"
FLOORS = ("accounts", "audit", "chat", "core", "project", "sessions_app", "triggers")
METADATA = {
    "Project-Id-Version": "Tertulia",
    "MIME-Version": "1.0",
    "Content-Type": "text/plain; charset=UTF-8",
    "Content-Transfer-Encoding": "8bit",
}
PLURALS = {"pt_BR": "nplurals=2; plural=(n > 1);"}
"""Which languages there are, and how each counts: in Portuguese nothing and one are singular."""
KEYWORDS = ("gettext_noop", "gettext_lazy", "ngettext_lazy:1,2", "pgettext:1c,2", "npgettext:1c,2,3", "pgettext_lazy:1c,2")


def can_extract() -> bool:
    """Whether xgettext is installed."""
    return shutil.which("xgettext") is not None


def sources() -> list[Path]:
    """Every file whose words a person reads on a page, relative to the root, in a stable order."""
    modules = [path for floor in FLOORS for path in (ROOT / floor).rglob("*.py") if "migrations" not in path.parts]
    return sorted(path.relative_to(ROOT) for path in [*modules, *(ROOT / "templates").rglob("*.html")])


def extracted(files: list[Path], root: Path = ROOT) -> polib.POFile:
    """What `files` of `root` ask to have translated, each with the files that ask; needs xgettext."""
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            text = (root / path).read_text(encoding="utf-8")
            copy = Path(folder, f"{path}.py" if path.suffix == ".html" else path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(templatize(text, origin=str(path)) if path.suffix == ".html" else text, encoding="utf-8")
        names = "\n".join(f"{path}.py" if path.suffix == ".html" else str(path) for path in files)
        command = ["xgettext", "--language=Python", "--from-code=UTF-8", "--no-wrap", "--output=-", "--files-from=-"]
        command += ["--add-location=file", *(f"--keyword={keyword}" for keyword in ("_", *KEYWORDS))]
        told = subprocess.run(command, input=names, cwd=folder, capture_output=True, text=True, timeout=120, check=True)  # noqa: S603
    return polib.pofile(told.stdout or 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n')


def merged(wanted: polib.POFile, held: polib.POFile, language: str) -> polib.POFile:
    """`wanted` with the translations that `held` has; what nobody asks for any more goes, what is new is empty."""
    catalogue = polib.POFile(wrapwidth=0)
    catalogue.metadata = {**METADATA, "Language": language, "Plural-Forms": PLURALS[language]}
    before = {(entry.msgctxt, entry.msgid, entry.msgid_plural): entry for entry in held if not entry.obsolete}
    for entry in wanted:
        known = before.get((entry.msgctxt, entry.msgid, entry.msgid_plural))
        plural = {0: "", 1: ""} if entry.msgid_plural else {}
        catalogue.append(
            polib.POEntry(
                msgctxt=entry.msgctxt,
                msgid=entry.msgid,
                msgid_plural=entry.msgid_plural,
                msgstr=known.msgstr if known else "",
                msgstr_plural=known.msgstr_plural if known else plural,
                tcomment=known.tcomment if known else "",
                flags=[flag for flag in entry.flags if flag == "python-format"],
                occurrences=sorted(
                    {(place.removesuffix(".py") if ".html." in place else place, "") for place, _ in entry.occurrences}
                ),
            )
        )
    catalogue.sort(key=lambda entry: (entry.occurrences, entry.msgid))
    return catalogue


def renew(language: str, wanted: polib.POFile | None) -> list[str]:
    """Write a language's `django.po` (where something was extracted) and `django.mo`; answers what lacks a translation."""
    place = LOCALE / language / "LC_MESSAGES" / "django.po"
    held = polib.pofile(str(place), wrapwidth=0) if place.exists() else polib.POFile(wrapwidth=0)
    catalogue = held if wanted is None else merged(wanted, held, language)
    place.parent.mkdir(parents=True, exist_ok=True)
    if wanted is not None:
        place.write_text(str(catalogue), encoding="utf-8")
    catalogue.save_as_mofile(str(place.with_suffix(".mo")))
    return [entry.msgid for entry in catalogue if not entry.translated()]


def report() -> Iterator[str]:
    """Renew every language; one line for each text that is still to be translated, then one for all."""
    wanted = extracted(sources()) if can_extract() else None
    if wanted is None:
        yield "xgettext is not installed: compiled only. On Debian: apt-get install gettext"
    for language in PLURALS:
        lacking = renew(language, wanted)
        yield from (f"{language}: to be translated: {text}" for text in lacking)
        yield f"{language}: {len(lacking)} to be translated"


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in report())
