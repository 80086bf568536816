"""The owner's agents, the providers of their models, and trying them."""

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError, RestrictedError
from django.utils.translation import gettext as _

from accounts.models import Account
from accounts.permissions import may_manage_account
from audit.actions import record
from core import clock, news
from core.actor import Actor
from core.addresses import check_outbound
from core.errors import Conflict, Forbidden, Invalid, NotFound
from core.sealing import seal
from sessions_app.finding.actions import ensure
from sessions_app.models import Agent, ModelProvider, Run, SessionSettings
from sessions_app.news import sessions_key
from sessions_app.redaction import redact
from sessions_app.runners.approvals.actions import decide
from sessions_app.runners.drafts import AgentDraft, ProviderDraft, check_agent, check_provider
from sessions_app.runs.actions import begin
from sessions_app.values import Asked

__all__ = ["decide", "remove_agent", "remove_provider", "save_agent", "save_provider", "try_it"]
TRIAL = "try"


@transaction.atomic
def save_agent(actor: Actor, draft: AgentDraft) -> Agent:
    """Make or change the agent of this id. Raises Forbidden (not the owner; a command without leave to run commands), Invalid,
    NotFound (the provider)."""
    account_id = _own(actor)
    check_agent(draft)
    if draft.runner == Agent.COMMAND:
        require_commands(account_id)
    provider = None if draft.provider is None else _provider(actor, draft.provider)
    if provider is not None:
        _check_models(provider, draft)
    made, is_new = Agent.objects.update_or_create(
        account_id=account_id,
        slug=draft.slug,
        defaults={**draft.columns(), "provider": provider},
        create_defaults={**draft.columns(), "provider": provider, "created_at": clock.now()},
    )
    _reopen_hub_connection(account_id)
    record(
        actor,
        "agent.added" if is_new else "agent.changed",
        target=f"agent:{made.slug}",
        label=made.name,
        account_id=account_id,
        runner=made.runner,
        enabled=made.enabled,
        program=made.argv[0] if made.argv else made.preset,
    )
    news.publish_on_commit(sessions_key(account_id))
    return made


def _check_models(provider: ModelProvider, draft: AgentDraft) -> None:
    for model in (draft.model, draft.subagent_model):
        if model and provider.model_names and model not in provider.model_names:
            raise Invalid(_("This provider does not list the model %(model)s.") % {"model": model})


@transaction.atomic
def remove_agent(actor: Actor, slug: str) -> None:
    """Forget an agent; its sessions stay and their runs end with an error. The default agent cannot go. Raises NotFound,
    Conflict, Forbidden."""
    account_id = _own(actor)
    default = SessionSettings.objects.values_list("default_agent", flat=True).get(pk=account_id)
    if slug in {"main", default}:
        raise Conflict(_("The default agent cannot be removed; switch it off instead."))
    gone, _rows = Agent.objects.filter(account_id=account_id, slug=slug).delete()
    if not gone:
        raise NotFound(_("No such agent; look it up in the list of agents."))
    record(actor, "agent.removed", target=f"agent:{slug}", account_id=account_id)
    news.publish_on_commit(sessions_key(account_id))


@transaction.atomic
def save_provider(actor: Actor, draft: ProviderDraft) -> ModelProvider:
    """Make or change the provider of this name; its key is kept sealed and never shown. Raises Forbidden, Invalid (also for
    an address in a private network, unless the hub's settings allow those)."""
    account_id = _own(actor)
    check_provider(draft)
    check_outbound(draft.base_url)
    changes: dict[str, object] = {"base_url": draft.base_url.rstrip("/"), "model_names": list(draft.model_names)}
    if draft.key is not None:
        changes["key_encrypted"] = seal(draft.key) if draft.key else None
    made, is_new = ModelProvider.objects.update_or_create(
        account_id=account_id, name=draft.name, defaults=changes, create_defaults={**changes, "created_at": clock.now()}
    )
    deed = "provider.added" if is_new else "provider.changed"
    record(actor, deed, target=f"provider:{made.pk}", label=made.name, account_id=account_id, address=redact(made.base_url)[0])
    news.publish_on_commit(sessions_key(account_id))
    return made


@transaction.atomic
def remove_provider(actor: Actor, provider_id: int) -> None:
    """Forget a provider with its key. Raises NotFound, Conflict (an agent uses it)."""
    account_id = _own(actor)
    held = _provider(actor, provider_id)
    try:
        with transaction.atomic():
            held.delete()
    except (ProtectedError, RestrictedError, IntegrityError):
        raise Conflict(_("An agent uses this provider; give it another one first.")) from None
    record(actor, "provider.removed", target=f"provider:{provider_id}", label=held.name, account_id=account_id)
    news.publish_on_commit(sessions_key(account_id))


@transaction.atomic
def try_it(actor: Actor, agent: Agent, prompt: str) -> Run:
    """Let an agent answer a prompt in a session made for trying it; the run. Raises NotFound, Invalid, Forbidden, Conflict."""
    _own(actor)
    held: Agent | None = Agent.objects.visible_to(actor).filter(pk=agent.pk, account_id=actor.account_id).first()
    if held is None:
        raise NotFound(_("No such agent; look it up in the list of agents."))
    if not held.enabled:
        raise Conflict(_("This agent is switched off; switch it on first."))
    if held.runner == Agent.COMMAND:
        require_commands(held.account_id)
    session = ensure(held.account_id, f"agent:{held.slug}:{TRIAL}", display_name=f"Trying {held.name or held.slug}")
    run = begin(actor, session, Asked(message=prompt, purpose=Run.TRIAL, provenance={"kind": "owner", "sourceTool": "try"}))
    record(actor, "agent.tried", target=f"agent:{held.slug}", account_id=held.account_id, run=run.run_id)
    return run


def require_commands(account_id: int) -> None:
    """Raises Forbidden where the account's owner may not have the hub start processes on its machine."""
    owner = Account.objects.select_related("owner").get(pk=account_id).owner
    if not (owner.is_active and owner.may_run_commands):
        raise Forbidden(
            _("You may not run commands on this hub's machine; ask whoever runs it to allow you."), code="may_not_run_commands"
        )


def _own(actor: Actor) -> int:
    if actor.account_id is None or not may_manage_account(actor, actor.account_id):
        raise Forbidden(_("Only the owner in person decides about agents."), code="owner_only")
    return actor.account_id


def _provider(actor: Actor, provider_id: int) -> ModelProvider:
    held: ModelProvider | None = (
        ModelProvider.objects.visible_to(actor).filter(pk=provider_id, account_id=actor.account_id).first()
    )
    if held is None:
        raise NotFound(_("No such provider; look it up in the list of providers."))
    return held


def _reopen_hub_connection(account_id: int) -> None:
    """Whoever saves an agent wants its runs to reach the hub: a connection that was revoked is replaced at the next need."""
    SessionSettings.objects.filter(pk=account_id, hub_connection__revoked_at__isnull=False).update(hub_connection=None)
