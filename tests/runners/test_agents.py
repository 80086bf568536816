"""What an owner writes down of agents and providers, and who may."""

from typing import Any

import pytest

from audit.models import Entry as Audit
from core.errors import Conflict, Forbidden, Invalid, NotFound
from core.sealing import unseal
from sessions_app.models import Agent, ModelProvider, Run, SessionSettings
from sessions_app.runners import actions
from sessions_app.runners.drafts import AgentDraft, ProviderDraft
from sessions_app.runners.models import model_for
from sessions_app.runners.registry import is_known_model, known_models
from sessions_app.runners.whitelist import matches, usable
from tests import make


@pytest.fixture(autouse=True)
def open_house(settings: Any) -> None:
    settings.PRIVATE_ADDRESSES = True


def provider(who: make.Person, **more: Any) -> ModelProvider:
    given = {"name": "local", "base_url": "http://127.0.0.1:9/v1/", "key": "sk-secret", **more}
    return actions.save_provider(who.actor, ProviderDraft(**given))


def key_of(held: ModelProvider) -> str:
    """The key of a provider, which lies sealed in its row."""
    sealed = bytes(held.key_encrypted or b"")
    key = unseal(sealed)
    assert key.encode() not in sealed
    return key


def test_an_agent_is_made_and_changed_and_the_log_knows(owner: make.Person) -> None:
    made = actions.save_agent(owner.actor, AgentDraft(slug="coder", runner="command", argv=("/bin/cat",), tools=("chat_*",)))
    assert (made.runner, made.argv, made.tools) == ("command", ["/bin/cat"], ["chat_*"])
    actions.save_agent(owner.actor, AgentDraft(slug="coder", runner="connected"))
    made.refresh_from_db()
    assert made.runner == "connected"
    deeds = list(Audit.objects.filter(target="agent:coder").order_by("pk").values_list("deed", flat=True))
    assert deeds == ["agent.added", "agent.changed"]


def test_a_command_needs_leave_to_run_commands(alice: make.Person) -> None:
    with pytest.raises(Forbidden, match="may not run commands"):
        actions.save_agent(alice.actor, AgentDraft(slug="coder", runner="command", argv=("/bin/cat",)))
    assert not Agent.objects.filter(slug="coder").exists()


def test_an_agents_token_decides_nothing(owner: make.Person) -> None:
    with pytest.raises(Forbidden):
        actions.save_agent(make.agent(owner), AgentDraft(slug="coder"))
    with pytest.raises(Forbidden):
        actions.save_provider(make.agent(owner), ProviderDraft(name="x", base_url="https://example.org"))
    with pytest.raises(Forbidden):
        actions.try_it(make.agent(owner), make.hub_agent(owner), "hello")


def test_charlies_agents_are_his_own(owner: make.Person, charlie: make.Person) -> None:
    hers = provider(owner)
    with pytest.raises(NotFound):
        actions.save_agent(charlie.actor, AgentDraft(slug="x", runner="model", provider=hers.pk, model="m"))
    with pytest.raises(NotFound):
        actions.try_it(charlie.actor, make.hub_agent(owner), "hello")
    with pytest.raises(NotFound):
        actions.remove_provider(charlie.actor, hers.pk)
    actions.save_agent(charlie.actor, AgentDraft(slug="main", name="Charlie's"))
    assert Agent.objects.get(account=owner.account, slug="main").name == "Main"


@pytest.mark.parametrize(
    "wrong",
    [
        {"slug": "Not Good"},
        {"slug": "x" * 65},
        {"runner": "magic"},
        {"runner": "command"},
        {"runner": "command", "argv": ("",)},
        {"runner": "command", "argv": ("{message}",)},
        {"runner": "command", "argv": ("/bin/cat", "a\0b")},
        {"runner": "command", "argv": ("/bin/cat",) * 65},
        {"runner": "command", "argv": ("/bin/cat",), "environment": ("KEY=value",)},
        {"runner": "command", "argv": ("/bin/cat",), "environment": ("TERTULIA_SECRET_KEY",)},
        {"runner": "command", "argv": ("/bin/cat",), "environment": ("LD_PRELOAD",)},
        {"runner": "command", "argv": ("/bin/cat",), "working_directory": "somewhere"},
        {"runner": "command", "preset": "bash"},
        {"runner": "command", "preset": "pi", "working_directory": "/srv"},
        {"runner": "model"},
        {"timeout_seconds": 0},
        {"timeout_seconds": 86_401},
        {"output_bytes": 10},
        {"tools": ("chat read",)},
        {"tools": ("*chat",)},
        {"allow_agents": ("../etc",)},
        {"instructions": "a\0b"},
        {"instructions": "x" * 32_769},
    ],
)
def test_what_makes_no_sense_is_refused(owner: make.Person, wrong: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        actions.save_agent(owner.actor, AgentDraft(**({"slug": "coder"} | wrong)))
    assert not Agent.objects.filter(slug="coder").exists()


def test_a_providers_key_is_sealed_kept_and_never_in_the_log(owner: make.Person) -> None:
    made = provider(owner)
    assert key_of(made) == "sk-secret"
    changed = actions.save_provider(owner.actor, ProviderDraft(name="local", base_url="http://127.0.0.1:8/v1"))
    assert changed.pk == made.pk and key_of(changed) == "sk-secret"
    assert "sk-secret" not in str(list(Audit.objects.values()))
    actions.save_provider(owner.actor, ProviderDraft(name="local", base_url="http://127.0.0.1:8/v1", key=""))
    changed.refresh_from_db()
    assert changed.key_encrypted is None


@pytest.mark.parametrize("url", ["ftp://example.org", "https://", "http://me:secret@127.0.0.1/v1", "javascript:x"])
def test_a_provider_answers_at_an_http_address(owner: make.Person, url: str) -> None:
    with pytest.raises(Invalid):
        provider(owner, base_url=url)


def test_a_provider_in_use_stays(owner: make.Person) -> None:
    held = provider(owner)
    actions.save_agent(owner.actor, AgentDraft(slug="thinker", runner="model", provider=held.pk, model="m"))
    with pytest.raises(Conflict):
        actions.remove_provider(owner.actor, held.pk)
    actions.remove_agent(owner.actor, "thinker")
    actions.remove_provider(owner.actor, held.pk)
    assert not ModelProvider.objects.exists()


def test_the_default_agent_stays(owner: make.Person) -> None:
    with pytest.raises(Conflict):
        actions.remove_agent(owner.actor, "main")
    with pytest.raises(NotFound):
        actions.remove_agent(owner.actor, "nobody")


def test_trying_an_agent_is_a_run_in_a_session_for_it(owner: make.Person) -> None:
    run = actions.try_it(owner.actor, make.hub_agent(owner), "say hello")
    assert (run.purpose, run.state, run.session.key, run.message) == (Run.TRIAL, Run.QUEUED, "agent:main:try", "say hello")


def test_an_agent_that_is_switched_off_is_not_tried(owner: make.Person) -> None:
    with pytest.raises(Conflict):
        actions.try_it(owner.actor, make.hub_agent(owner, enabled=False), "say hello")


@pytest.mark.parametrize(
    ("fields", "known"),
    [
        ({"runner": "connected"}, None),
        ({"runner": "command"}, None),
        ({"runner": "command", "model_names": ["a", "b"], "model": "c"}, ["a", "b", "c"]),
    ],
)
def test_o_111_which_models_an_agent_may_be_asked_for(
    owner: make.Person, fields: dict[str, Any], known: list[str] | None
) -> None:
    agent = make.hub_agent(owner, **fields)
    assert known_models(owner.account.pk, agent) == known
    assert is_known_model(owner.account.pk, agent, "x") is (known is None)


def test_o_111_a_model_agent_knows_what_its_provider_lists(owner: make.Person) -> None:
    agent = make.hub_agent(owner, provider=provider(owner, model_names=("m-1", "m-2")), model="m-1")
    assert known_models(owner.account.pk, agent) == ["m-1", "m-2"]
    assert not is_known_model(owner.account.pk, agent, "m-3")


@pytest.mark.parametrize(
    ("own_sub", "default_sub", "primary", "everywhere", "used"),
    [
        ("a", "b", "c", "d", "a"),
        ("", "b", "c", "d", "b"),
        ("", "", "c", "d", "c"),
        ("", "", "", "d", "d"),
        ("", "", "", "", ""),
    ],
)
def test_o_112_without_a_model_the_nearest_setting_counts(
    owner: make.Person, own_sub: str, default_sub: str, primary: str, everywhere: str, used: str
) -> None:
    kept = SessionSettings(subagent_model=default_sub, default_model=everywhere)
    agent = Agent(subagent_model=own_sub, model=primary)
    child = make.session(owner, "agent:main:subagent:x", spawn_depth=1)
    assert model_for(kept, agent, child) == model_for(kept, agent, None) == used
    assert model_for(kept, agent, make.session(owner)) == (primary or everywhere)
    assert model_for(kept, agent, child, Run(model="run")) == "run"
    assert model_for(kept, agent, child, Run(model="run"), "asked") == "asked"


def test_a_name_matches_itself_or_its_beginning() -> None:
    assert matches("chat_read", ["chat_*"]) and matches("chat_read", ["*"]) and matches("chat_read", ["chat_read"])
    assert not matches("chat_read", ["chat_"]) and not matches("chat_read", [])


def test_a_sub_agent_gets_no_session_tools_unless_its_owner_says_so(owner: make.Person) -> None:
    from core.tools import tools

    about_sessions = [tool.name for tool in tools if tool.name.startswith("sessions_")]
    kept = SessionSettings.objects.get(pk=owner.account.pk)
    agent, child = make.hub_agent(owner), make.session(owner, "agent:main:subagent:x", spawn_depth=1)
    assert set(usable(kept, agent, make.session(owner))) == set(tools.names()) - {"session_next", "session_reply"}
    assert not any(name.startswith("session") for name in usable(kept, agent, child)) and "chat_read" in usable(
        kept, agent, child
    )
    kept.subagent_tools_deny = ["chat_post"]
    assert "chat_post" not in usable(kept, agent, child)
    if about_sessions:
        kept.subagent_tools_allow = ["sessions_*"]
        assert set(about_sessions) <= set(usable(kept, agent, child))
        kept.subagent_tools_deny = [about_sessions[0]]
        assert about_sessions[0] not in usable(kept, agent, child)
