"""Rules at the REST doors: for the owner in person."""

from typing import Annotated, Any

from pydantic import BaseModel, Field
from rest_framework.request import Request

from accounts.permissions import require_owner
from core.actor import Actor
from core.api.input import Strict
from core.api.views import OWNER_ONLY, Answer, HubView, NoQuery, operation
from triggers.api.words import IN_PERSON, TAG
from triggers.rules import actions, reading, trying
from triggers.rules.checking import MOST_RULES
from triggers.rules.files import drafts_of
from triggers.serializers import RuleOut, RuleTrialOut, rule_out, trial_out


class RulesOut(BaseModel):
    """The rules in force, in their order."""

    results: list[RuleOut]


class RulesIn(Strict):
    """Rules as a file holds them."""

    rules: Annotated[
        list[Any],
        Field(
            description=f"The rules, at most {MOST_RULES}, under the names a file of rules has",
            examples=[[{"name": "fix", "channel": "builds/*", "mode": "notify"}]],
        ),
    ]


class TrialsOut(BaseModel):
    """What each rule would do."""

    results: list[RuleTrialOut]


class Rules(HubView):
    """The rules."""

    @operation(
        "channel_rules_list",
        "List your rules, and what each did",
        tag=TAG,
        description=IN_PERSON,
        answers={200: (RulesOut, "The rules")},
        refusals=OWNER_ONLY,
    )
    def get(self, request: Request, actor: Actor, query: NoQuery) -> Answer:
        """All of them."""
        return 200, _in_force(actor)


class Reloading(HubView):
    """Rules of the account's file."""

    @operation(
        "channel_rules_reload",
        "Put the rules of the hub's file in the place of those in force",
        tag=TAG,
        description=f"{IN_PERSON} All of them go in, or, on any error, none.",
        answers={200: (RulesOut, "The rules in force now")},
        refusals=OWNER_ONLY,
    )
    def post(self, request: Request, actor: Actor, query: NoQuery) -> Answer:
        """The deed."""
        actions.reload(actor, require_owner(actor))
        return 200, _in_force(actor)


class Trying(HubView):
    """Rules that are not in force."""

    @operation(
        "channel_rules_test",
        "See which stored messages rules would match",
        tag=TAG,
        description=f"{IN_PERSON} Nothing is changed, and nothing fires.",
        body=RulesIn,
        answers={200: (TrialsOut, "What each rule would do with the newest messages")},
        refusals=OWNER_ONLY,
    )
    def post(self, request: Request, actor: Actor, query: NoQuery, body: RulesIn) -> Answer:
        """The trial."""
        require_owner(actor)
        return 200, TrialsOut(results=[trial_out(each) for each in trying.dry_run(actor, drafts_of(body.rules))])


def _in_force(actor: Actor) -> RulesOut:
    return RulesOut(results=[rule_out(each) for each in reading.rules(actor)])
