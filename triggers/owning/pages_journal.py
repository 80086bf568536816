"""Journals of push messages on a page: one comes in, file by file and piece by piece; all that is kept goes out as one."""

from collections.abc import AsyncIterator, Iterator
from io import BytesIO
from itertools import islice
from typing import Any, cast

from django import forms
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core import executors
from core.actor import Actor
from core.errors import DomainError
from core.pages import fragment, in_own_transaction, page
from core.text import one_line
from triggers.inbox.journal.exporting import export_journal
from triggers.inbox.journal.importing import Imported, import_journal
from triggers.owning import reading
from triggers.owning.asking import own_actor

PIECE_BYTES = 1_500_000
"""What a page sends at once: less than a request may have, and stored within a second or two."""
CHUNK = 200
NAME_LENGTH = 100
SKIPPED_SHOWN = 200
TEMPLATE = "triggers/journal.html"


class JournalForm(forms.Form):
    """A file to read messages from."""

    journal = forms.FileField(
        label=gettext_lazy("Journals"),
        allow_empty_file=True,
        widget=forms.ClearableFileInput(attrs={"class": "hub-file"}),
        help_text=gettext_lazy("channels.jsonl, or such a file; rotated ones such as channels.jsonl.1 too."),
        error_messages={"required": gettext_lazy("Choose a file.")},
    )


@in_own_transaction
@require_http_methods(["GET", "HEAD", "POST"])
def journal_page(request: HttpRequest) -> HttpResponse:
    """Bring a journal in. With its script the page sends large files piece by piece; without it, one small file at once."""
    actor = own_actor(request)
    form = JournalForm(request.POST, request.FILES) if request.method == "POST" else JournalForm()
    done = _brought_in(actor, form) if form.is_bound and form.is_valid() else None
    context: dict[str, Any] = {"form": form, "done": done, "kept": reading.kept(actor), "piece_bytes": PIECE_BYTES}
    if done is not None:
        context["skipped"] = done.skipped[:SKIPPED_SHOWN]
    return page(request, TEMPLATE, _("Journal of push messages"), **context)


@require_safe
def kept_part(request: HttpRequest) -> HttpResponse:
    """How much is kept, for the page to renew."""
    return fragment(request, "triggers/journal_kept.html", kept=reading.kept(own_actor(request)))


@in_own_transaction
@require_POST
def piece_page(request: HttpRequest) -> HttpResponse:
    """Store the whole lines of one piece; answers what became of them, in JSON. The same piece again is nothing new."""
    form = JournalForm(request.POST, request.FILES)
    try:
        actor = own_actor(request)
        if not form.is_valid():
            return JsonResponse({"detail": _("Choose a file.")}, status=400)
        done = _read(actor, form)
    except DomainError as refusal:
        return JsonResponse({"detail": refusal.detail}, status=refusal.status)
    told = {"stored": done.stored, "known": done.known, "trimmed": done.trimmed, "left_out": done.left_out}
    skipped = [[each.line, each.why] for each in done.skipped[:SKIPPED_SHOWN]]
    return JsonResponse({**told, "skipped": skipped})


@require_POST
def export_page(request: HttpRequest) -> HttpResponse:
    """All that is kept, by number, a line each; it streams."""
    lines = export_journal(own_actor(request))
    answer = StreamingHttpResponse(stream(lines), content_type="application/x-ndjson; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="channels-{timezone.localdate():%Y-%m-%d}.jsonl"'
    return cast(HttpResponse, answer)


async def stream(lines: Iterator[str]) -> AsyncIterator[str]:
    """The lines in pieces; memory holds one, and the database is asked for one at a time."""
    while piece := await executors.read(lambda: "".join(islice(lines, CHUNK))):
        yield piece


def _brought_in(actor: Actor, form: JournalForm) -> Imported | None:
    """What the import did; None where it was refused, and the form says why."""
    try:
        return _read(actor, form)
    except DomainError as refusal:
        form.add_error("journal", refusal.detail)
        return None


def _read(actor: Actor, form: JournalForm) -> Imported:
    given = form.cleaned_data["journal"]
    name = one_line(given.name or "channels.jsonl", NAME_LENGTH)
    return import_journal(actor, [(name, BytesIO(given.read()))], progress=lambda _read: None)
