"""Who sees whom, by the settings alone."""

import pytest

from sessions_app.visibility import Rules, Seen, level_of, refusal


def main(name: str = "main", **more: object) -> Seen:
    return Seen(key=f"agent:{name}:main", agent=name, **more)  # type: ignore[arg-type]


def other(**more: object) -> Seen:
    return Seen(key="agent:main:other", agent="main", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "level"),
    [(None, "all"), ("", "all"), ("everything", "all"), (7, "all"), ("ALL", "all"), (" Tree ", "tree"), ("self", "self")],
)
def test_o_72_a_level_is_read_in_any_case_and_what_is_none_is_the_default(given: object, level: str) -> None:
    assert level_of(given) == level


def test_o_73_a_tree_holds_what_was_spawned_however_deep_and_nothing_else() -> None:
    rules = Rules(level="tree")
    child = Seen(key="agent:main:subagent:1", agent="main", ancestors=("agent:main:main",))
    grandchild = Seen(key="agent:beta:subagent:2", agent="beta", ancestors=(child.key, "agent:main:main"))
    assert refusal(rules, main(), child) == refusal(rules, main(), grandchild) == refusal(rules, main(), main()) == ""
    assert "visibility=tree" in refusal(rules, main(), other())


def test_o_74_itself_alone() -> None:
    rules = Rules(level="self")
    assert "visibility=self" in refusal(rules, main(), other())
    assert refusal(rules, main(), main()) == ""


def test_its_agent_alone() -> None:
    rules = Rules(level="agent")
    assert refusal(rules, main(), other()) == ""
    assert "visibility=agent" in refusal(rules, main(), main("ops"))


def test_o_75_agents_do_not_reach_each_other_while_that_is_off() -> None:
    rules = Rules(agent_to_agent=False)
    assert "tools.agentToAgent.enabled" in refusal(rules, main(), main("ops"))
    assert refusal(rules, main(), other()) == ""


@pytest.mark.parametrize(
    ("pairs", "one", "two", "allowed"),
    [
        pytest.param(["ops-*", "main"], "ops-a", "ops-b", True, id="O-76-ops"),
        pytest.param(["ops-*", "main"], "main", "ops-a", True, id="O-76-main"),
        pytest.param(["ops-*", "main"], "guest", "ops-a", False, id="O-76-guest"),
        pytest.param(["ops-*", "main"], "ops-a", "guest", False, id="O-76-to-guest"),
        pytest.param(["Ops", "main"], "main", "ops", False, id="O-78-exact"),
        pytest.param(["OPS*", "main"], "main", "ops-a", True, id="O-78-pattern"),
        (["*"], "a", "b", True),
        ([], "a", "b", True),
        (["o.s", "main"], "main", "ops", False),
        (["a*c", "main"], "main", "abbc", True),
        ([" ops ", "main"], "main", "ops", True),
    ],
)
def test_only_agents_that_are_both_allowed_reach_each_other(pairs: list[str], one: str, two: str, allowed: bool) -> None:
    said = refusal(Rules(pairs=pairs), main(one), main(two))
    assert (said == "") is allowed
    assert allowed or "tools.agentToAgent.allow" in said


def test_o_80_a_sandboxed_session_sees_what_it_spawned() -> None:
    rules, boxed = Rules(level="all"), main(sandboxed=True)
    child = Seen(key="agent:main:subagent:1", agent="main", ancestors=(boxed.key,))
    assert refusal(rules, boxed, child) == ""
    assert "sessionToolsVisibility=spawned" in refusal(rules, boxed, other())
    assert refusal(rules, boxed, main("ops")) != ""


def test_o_81_unless_the_owner_lets_it_see_as_others() -> None:
    rules, boxed = Rules(level="all", sandbox="all"), main(sandboxed=True)
    assert refusal(rules, boxed, other()) == refusal(rules, boxed, main("ops")) == ""


def test_the_clamp_of_the_sandbox_never_widens() -> None:
    boxed = main(sandboxed=True)
    child = Seen(key="agent:main:subagent:1", agent="main", ancestors=(boxed.key,))
    assert refusal(Rules(level="self"), boxed, child) != ""
