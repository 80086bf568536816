"""Push servers, push messages, rules and their firings."""

from triggers.models.firings import DedupSeen, Firing, RuleState
from triggers.models.logs import ServerLine
from triggers.models.messages import PushMessage
from triggers.models.rules import Rule
from triggers.models.servers import Listener, PushServer, ToolCall
from triggers.models.settings import TriggerSettings
from triggers.models.webhooks import Webhook, WebhookDelivery

__all__ = [
    "DedupSeen",
    "Firing",
    "Listener",
    "PushMessage",
    "PushServer",
    "Rule",
    "RuleState",
    "ServerLine",
    "ToolCall",
    "TriggerSettings",
    "Webhook",
    "WebhookDelivery",
]
