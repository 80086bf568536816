"""Every address under /api/."""

from django.urls import path, re_path, register_converter
from django.urls.converters import IntConverter, StringConverter

from accounts.api import Connections, Me, OneConnection, Revocation
from accounts.launches.api import End
from accounts.proofs.api import Approval, Approvals, Proof
from audit.api import AuditLog
from chat.api.clearing import Prune, Purge
from chat.api.inbox import Cursors, InboxOfOne, Receipts
from chat.api.launches import Granting, Grants, Launches, Revoking
from chat.api.messages import Messages, OneMessage
from chat.api.tickets import OneTicket, Tickets
from chat.api.topics import Archiving, Topics
from chat.api.wait import Wait
from core.api.views import Nowhere
from project.api_docs import docs, schema
from sessions_app.api.approvals import OneToolApproval, ToolApprovals
from triggers.api.firings import Confirming, Firings, Pausing, Resuming, Stopping
from triggers.api.inbox import Acknowledging, Clearing, Injecting, OnePushMessage, PushInbox, PushMessages, RunningMessage
from triggers.api.rules import Reloading, Rules, Trying
from triggers.api.servers import PushStatus, ServerLog


class ConnectionId(StringConverter):
    """The id of a connection, in its form."""

    regex = "c-[0-9a-f]{16}"


class Number(IntConverter):
    """A number that a database can look for."""

    regex = "[0-9]{1,18}"


class LaunchKey(StringConverter):
    """The key of a launch, in its form."""

    regex = "l-[0-9a-f]{16}"


class PushServerName(StringConverter):
    """The name of a push server, in its form."""

    regex = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}"


register_converter(ConnectionId, "connection")
register_converter(LaunchKey, "launch")
register_converter(Number, "number")
register_converter(PushServerName, "push_server")

urlpatterns = [
    path("schema/", schema, name="api-schema"),
    path("docs/", docs, name="api-docs"),
    path("me/", Me.as_view()),
    path("messages/", Messages.as_view()),
    path("messages/<number:seq>/", OneMessage.as_view()),
    path("messages/<number:seq>/receipts/", Receipts.as_view()),
    path("inbox/", InboxOfOne.as_view()),
    path("cursors/", Cursors.as_view()),
    path("wait/", Wait.as_view()),
    path("topics/", Topics.as_view()),
    path("topics/archive/", Archiving.as_view()),
    path("chat/prune/", Prune.as_view()),
    path("chat/purge/", Purge.as_view()),
    path("channel/", PushInbox.as_view()),
    path("channel/ack/", Acknowledging.as_view()),
    path("channel/clear/", Clearing.as_view()),
    path("channel/inject/", Injecting.as_view()),
    path("channel/pause/", Pausing.as_view()),
    path("channel/resume/", Resuming.as_view()),
    path("channel/status/", PushStatus.as_view()),
    path("channel/messages/", PushMessages.as_view()),
    path("channel/messages/<number:seq>/", OnePushMessage.as_view()),
    path("channel/messages/<number:seq>/run/", RunningMessage.as_view()),
    path("channel/firings/", Firings.as_view()),
    path("channel/firings/<number:number>/confirm/", Confirming.as_view()),
    path("channel/firings/<number:number>/stop/", Stopping.as_view()),
    path("channel/rules/", Rules.as_view()),
    path("channel/rules/reload/", Reloading.as_view()),
    path("channel/rules/test/", Trying.as_view()),
    path("channel/servers/<push_server:name>/log/", ServerLog.as_view()),
    path("approvals/", ToolApprovals.as_view()),
    path("approvals/<number:approval_id>/", OneToolApproval.as_view()),
    path("connections/", Connections.as_view()),
    path("connections/<connection:connection_id>/", OneConnection.as_view()),
    path("connections/<connection:connection_id>/revoke/", Revocation.as_view()),
    path("launches/", Launches.as_view()),
    path("launches/<launch:key>/end/", End.as_view()),
    path("launches/<launch:key>/grant/", Granting.as_view()),
    path("launches/<launch:key>/revoke/", Revoking.as_view()),
    path("grants/", Grants.as_view()),
    path("proof/", Proof.as_view()),
    path("proof/approvals/", Approvals.as_view()),
    path("proof/approvals/token/", Approval.as_view()),
    path("tickets/", Tickets.as_view()),
    path("tickets/<number:ticket_id>/", OneTicket.as_view()),
    path("audit/", AuditLog.as_view()),
    re_path("", Nowhere.as_view()),
]
