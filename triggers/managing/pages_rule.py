"""The form of a rule, with what it would match among the stored messages."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from core.actor import Actor
from core.errors import DomainError
from core.pages import fragment, in_own_transaction, page
from sessions_app.owning.asking import account_of, back
from triggers.firing.agents import fault
from triggers.managing.asking import row
from triggers.managing.forms_rules import RuleForm, initial
from triggers.managing.saying import warn
from triggers.models import PushMessage, PushServer, Rule, Webhook
from triggers.owning.asking import own_actor
from triggers.owning.reading import own
from triggers.rules.actions import save as save_rule
from triggers.rules.checking import BadRules
from triggers.rules.trying import would_match
from triggers.values import RuleDraft

SHOWN = 10
NEWEST, MOST_OFFERED = 200, 50
UNNAMED = "new"


@require_http_methods(["GET", "HEAD", "POST"])
@in_own_transaction
def add_page(request: HttpRequest) -> HttpResponse:
    """The form of a new rule, at the end of the list."""
    return _form_page(request, own_actor(request), None)


@require_http_methods(["GET", "HEAD", "POST"])
@in_own_transaction
def edit_page(request: HttpRequest, rule_id: int) -> HttpResponse:
    """The form of one that is there. Foreign and unknown are answered alike."""
    return _form_page(request, *row(request, Rule, rule_id))


@require_POST
@in_own_transaction
def match_part(request: HttpRequest) -> HttpResponse:
    """What the rule as it is being written would match; nothing is kept."""
    return fragment(request, "triggers/would_match.html", **_matched(own_actor(request), RuleForm(request.POST)))


def _form_page(request: HttpRequest, actor: Actor, held: Rule | None) -> HttpResponse:
    form = _form(request, held)
    if request.method == "POST" and "preview" not in request.POST and form.is_valid():
        try:
            saved = save_rule(actor, form.draft(), was=None if held is None else held.name)
        except BadRules as refusal:
            form.tell(refusal)
        except DomainError as error:
            form.add_error(None, error.detail)
        else:
            warn(request, [each for each in saved.warnings if f'"{form.draft().name}"' in each])
            return back(request, reverse("admin:rules"), done=_("%(name)s is saved.") % {"name": form.draft().name})
    title = _("New rule") if held is None else _("Rule %(name)s") % {"name": held.name}
    context = {**_offered(actor), **_matched(actor, form)}
    return page(request, "triggers/rule_form.html", title, form=form, held=held, **context)


def _form(request: HttpRequest, held: Rule | None) -> RuleForm:
    if request.method == "POST":
        return RuleForm(request.POST)
    return RuleForm(initial={"enabled": True, "mode": Rule.NOTIFY} if held is None else initial(held))


def _matched(actor: Actor, form: RuleForm) -> dict[str, Any]:
    trial = would_match(actor, _filters(form))
    return {
        "warnings": _warnings(actor, form),
        "trial": trial,
        "shown": trial.matches[:SHOWN],
        "more": max(0, len(trial.matches) - SHOWN),
    }


def _warnings(actor: Actor, form: RuleForm) -> list[str]:
    """What its owner should think of before he saves it."""
    mode, windows = form["mode"].value(), [form[name].value() for name in ("rate_limit", "dedup_window")]
    found = [fault(account_of(actor))] if mode in {Rule.CONFIRM, Rule.AUTO} else []
    if mode == Rule.AUTO and not any(windows):
        found.append(
            _("This rule runs an agent at every message that it matches; say how often at most, in one of the last two fields.")
        )
    return [each for each in found if each]


def _filters(form: RuleForm) -> RuleDraft:
    """Of what is written so far only what decides about a match: a rule that is not finished matches all the same."""

    def given(name: str) -> str:
        return str(form[name].value() or "")

    return RuleDraft(
        name=given("name").strip() or UNNAMED,
        server=given("server").strip(),
        channel=given("channel").strip(),
        content_regex=given("content_regex"),
        rate_limit=given("rate_limit").strip(),
        dedup_window=given("dedup_window").strip(),
    )


def _offered(actor: Actor) -> dict[str, list[str]]:
    """Names that the fields offer: servers and webhooks there are, and channels that the newest messages came by."""
    servers = {*own(PushServer, actor).values_list("name", flat=True), *own(Webhook, actor).values_list("name", flat=True)}
    channels = dict.fromkeys(own(PushMessage, actor).order_by("-seq").values_list("channel", flat=True)[:NEWEST])
    return {"servers": sorted(servers), "channels": list(channels)[:MOST_OFFERED]}
