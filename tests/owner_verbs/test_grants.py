"""`tertulia chat grant`, `revoke`, `grants`."""

import json

import pytest
from tertulia.surroundings import world

from tests.client.conftest import Cli
from tests.client.stub import Stub, answer, bearers, refused
from tests.owner_verbs.conftest import TOKEN, Person, launch, listed

KEY = "l-0123456789abcdef"
LAUNCHES, GRANT, REVOKE = "/api/launches/", f"/api/launches/{KEY}/grant/", f"/api/launches/{KEY}/revoke/"


def test_a_grant_shows_what_is_granted_and_has_the_handle_typed(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(LAUNCHES, listed(launch())).says(GRANT, answer(200, {}))
    person.answers = ["lead"]
    said = cli("chat", "grant", "lead", "--wake")
    assert (said.code, said.out) == (0, f"Granted: {KEY} chats as @lead and is woken by a mention.\n")
    for fact in ("tmux %7", "lead", KEY, "@lead", "claude 2.1.332", "desk", "woken by a mention"):
        assert fact in said.err
    assert "only to sessions whose tools you would let a coworker steer" in said.err
    assert hub.bodies(GRANT) == [{"handle": "lead", "wake": True, "typed": "lead"}]


def test_a_grant_is_asked_in_person_and_the_list_too(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(LAUNCHES, listed(launch())).says(GRANT, answer(200, {"note": "The version of pi cannot be read."}))
    person.answers = ["boss"]
    said = cli("chat", "grant", KEY, "--as", "boss")
    assert bearers(hub.to(LAUNCHES)) == bearers(hub.to(GRANT)) == [TOKEN] and bearers(hub.to("/api/proof/")) == ["access-old"]
    assert hub.bodies(GRANT)[0]["handle"] == "boss" and "cannot be read" in said.err


def test_t_04_a_wrong_handle_is_refused_by_the_hub_and_grants_nothing(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(LAUNCHES, listed(launch())).says(GRANT, refused(400, "handle_not_typed", "Type the handle exactly: lead."))
    person.answers = ["leda"]
    said = cli("chat", "grant", "lead")
    assert (said.code, said.out) == (5, "") and hub.bodies(GRANT)[0]["typed"] == "leda"


def test_t_04_a_grant_without_a_terminal_is_refused_before_anything_is_asked(hub: Stub, cli: Cli, person: Person) -> None:
    world.interactive = lambda: False
    said = cli("chat", "grant", "lead", stdin=b"lead\n")
    assert said.code == 5 and "terminal of your own" in said.err and not hub.asked


def test_t_04_there_is_no_option_that_answers_for_the_owner(hub: Stub, cli: Cli, person: Person) -> None:
    said = cli("chat", "grant", "lead", "--yes")
    assert said.code == 1 and "No such option" in said.err and not hub.asked


@pytest.mark.parametrize("named", [KEY, "l-0123", "0123", "@boss", "boss", "worker"])
def test_a_launch_is_named_by_its_key_its_beginning_its_handle_or_its_profile(
    hub: Stub, cli: Cli, person: Person, named: str
) -> None:
    hub.says(LAUNCHES, listed(launch(handle="boss", profile="worker"), launch("l-fedcba9876543210", profile="dev")))
    hub.says(REVOKE, answer(200, {}))
    assert cli("chat", "revoke", named).out == f"Revoked: {KEY} chats no longer as @boss.\n"


@pytest.mark.parametrize(
    ("named", "told"), [("lead", "may mean l-0"), ("l-0", "may mean"), ("ghost", "no launch"), ("l", "no launch")]
)
def test_a_launch_that_is_not_told_from_another_is_not_guessed(
    hub: Stub, cli: Cli, person: Person, named: str, told: str
) -> None:
    hub.says(LAUNCHES, listed(launch(), launch("l-0fffffffffffffff")))
    said = cli("chat", "grant", named)
    assert said.code == 1 and told in said.err and not person.answers


def test_whatever_the_hub_has_against_a_grant_is_a_refusal(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(LAUNCHES, listed(launch())).says(GRANT, refused(409, "pane_replaced", "The pane is replaced."))
    person.answers = ["lead"]
    said = cli("chat", "grant", "lead")
    assert said.code == 5 and said.err.endswith("tertulia: The pane is replaced.\n")
    assert hub.queries(LAUNCHES) == [{"live": "true", "page_size": "100"}]


def test_grants_lists_launches_with_and_without_one(hub: Stub, cli: Cli, person: Person) -> None:
    rows = [launch(handle="boss"), launch("l-fedcba9876543210", pane="", multiplexer="")]
    hub.says(LAUNCHES, listed(*rows))
    table = cli("chat", "grants").out.splitlines()
    assert table[0] == f"{KEY}\tlead\t@boss\tgranted\tchat\tclaude 2.1.332\tdesk\ttmux %7"
    assert table[1].split("\t")[3] == "ungranted" and table[1].endswith("no multiplexer")
    assert json.loads(cli("chat", "grants", "--json").out) == {"results": rows}
    assert set(bearers(hub.to(LAUNCHES))) == {"access-old"} and not person.read


def test_what_a_launch_is_called_moves_no_cursor(hub: Stub, cli: Cli, person: Person) -> None:
    hub.says(LAUNCHES, listed(launch(profile="\x1b[2J", host="\u202eevil", pane="%1\n%2")))
    person.answers = ["x"]
    hub.says(GRANT, refused(403, "x", "No."))
    shown = cli("chat", "grant", KEY, "--as", "x").err + cli("chat", "grants").out
    assert all(character.isprintable() or character in "\n\t" for character in shown) and "\\x1b[2J" in shown
