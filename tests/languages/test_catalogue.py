"""Both catalogues are committed, agree, and say everything the sources ask for."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import polib
import pytest
import unfold
from django.contrib import admin
from django.core.exceptions import FieldDoesNotExist
from django.utils import translation

from core.registry import scopes
from project import borrowed, translations
from tests.languages.words import MARKUP, PLACEHOLDER, PO, catalogue


def sides(entry: polib.POEntry) -> list[tuple[str, str]]:
    """Each translation with what it translates."""
    if not entry.msgid_plural:
        return [(entry.msgid, entry.msgstr)]
    return [(entry.msgid, entry.msgstr_plural[0]), (entry.msgid_plural, entry.msgstr_plural[1])]


def test_the_compiled_catalogue_says_what_the_readable_one_says() -> None:
    compiled = {(entry.msgctxt, entry.msgid): entry for entry in polib.mofile(str(PO.with_suffix(".mo")))}
    readable = {(entry.msgctxt, entry.msgid): entry for entry in catalogue()}
    assert compiled.keys() == readable.keys()
    assert [key for key in readable if sides(readable[key]) != sides(compiled[key])] == []


def test_nothing_is_untranslated_fuzzy_or_left_over() -> None:
    wanting = [entry.msgid for entry in catalogue() if not entry.translated() or entry.fuzzy or entry.obsolete]
    assert wanting == []


def test_both_sides_hold_the_same_placeholders_and_markup() -> None:
    pairs = [pair for entry in catalogue() for pair in sides(entry)]
    for pattern in (PLACEHOLDER, MARKUP):
        different = [said for asked, said in pairs if Counter(pattern.findall(asked)) != Counter(pattern.findall(said))]
        assert different == []


def test_both_sides_end_and_begin_alike() -> None:
    pairs = [pair for entry in catalogue() for pair in sides(entry)]
    assert [said for asked, said in pairs if (asked[-1] in ".?…:") != (said[-1] in ".?…:")] == []
    assert [said for asked, said in pairs if asked != asked.strip() or said != said.strip()] == []


@pytest.mark.service("gettext")
def test_every_text_of_the_sources_is_in_the_catalogue_and_no_other() -> None:
    wanted = {(entry.msgid, entry.msgid_plural) for entry in translations.extracted(translations.sources())}
    held = {(entry.msgid, entry.msgid_plural) for entry in catalogue()}
    assert (wanted - held, held - wanted) == (set(), set()), "run: python -m project.translations"


@pytest.mark.service("gettext")
def test_to_renew_the_catalogue_twice_changes_nothing_and_loses_nothing() -> None:
    wanted = translations.extracted(translations.sources())
    once = translations.merged(wanted, catalogue(), "pt_BR")
    twice = translations.merged(wanted, once, "pt_BR")
    assert str(twice) == str(once) and "Date" not in str(once.metadata)
    held = {entry.msgid: sides(entry) for entry in catalogue()}
    assert {entry.msgid: sides(entry) for entry in once} == held


@pytest.mark.service("gettext")
def test_a_new_text_comes_in_empty_and_an_old_one_keeps_its_translation(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text('{% load i18n %}{% translate "old" %}{% translate "new" %}')
    held = polib.POFile()
    held.append(polib.POEntry(msgid="old", msgstr="velho"))
    held.append(polib.POEntry(msgid="gone", msgstr="ido"))
    merged = translations.merged(translations.extracted([Path("page.html")], tmp_path), held, "pt_BR")
    assert {entry.msgid: entry.msgstr for entry in merged} == {"old": "velho", "new": ""}


def test_names_of_every_list_and_column_are_translated() -> None:
    assert sorted(set(_untranslated(_labels()))) == []


def _untranslated(texts: Iterator[str]) -> Iterator[str]:
    same = {entry.msgid for entry in catalogue() if entry.msgid == entry.msgstr}
    for text in texts:
        with translation.override("pt-br"):
            if translation.gettext(text) == text and text not in same:
                yield text


def _labels() -> Iterator[str]:
    for model, held in admin.site._registry.items():
        yield from (str(name) for name in (model._meta.verbose_name, model._meta.verbose_name_plural))
        for name in {*held.list_display, *(held.fields or ()), *held.readonly_fields}:
            try:
                field = model._meta.get_field(name)
            except FieldDoesNotExist:
                continue
            yield str(field.verbose_name)
            if name != "timezone":
                yield from (str(label) for _, label in field.flatchoices)
            if field.help_text:
                yield str(field.help_text)


def test_names_made_by_django_follow_the_reader() -> None:
    from accounts.models import Connection

    with translation.override("pt-br"):
        assert str(Connection._meta.verbose_name_plural) == "conexões"
        assert str(Connection._meta.get_field("client_name").verbose_name) == "nome do cliente"


def test_every_scope_is_described_in_portuguese() -> None:
    assert list(_untranslated(scope.description for scope in scopes)) == []


def test_words_borrowed_from_the_look_are_still_its_words() -> None:
    folder = Path(unfold.__file__).parent
    theirs = "\n".join(path.read_text() for kind in ("*.html", "*.py") for path in folder.rglob(kind))
    theirs = re.sub(r"{{ ?(?:cl\.)?(\w+) ?}}", r"%(\1)s", theirs)
    assert [text for text in borrowed.UNFOLD if text not in theirs] == []


@pytest.mark.parametrize(("count", "says"), [(0, "0 segundo"), (1, "1 segundo"), (2, "2 segundos")])
def test_portuguese_counts_nothing_as_one(count: int, says: str) -> None:
    with translation.override("pt-br"):
        assert translation.ngettext("%(count)d second", "%(count)d seconds", count) % {"count": count} == says
