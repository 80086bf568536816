"""The addresses of the owner's pages of push servers, webhooks and rules, within the admin site."""

from collections.abc import Callable

from django.http import HttpResponse

View = Callable[..., HttpResponse]


def page_urls() -> list[tuple[str, View, str]]:
    """Each page's address, its view and its name."""
    return [*_servers(), *_webhooks(), *_rules()]


def _servers() -> list[tuple[str, View, str]]:
    from triggers.managing import pages_server_forms as forms
    from triggers.managing import pages_servers as servers

    one = "push-servers/<int:server_id>"
    return [
        ("push-servers/", servers.servers_page, "push-servers"),
        ("push-servers/list/", servers.servers_part, "push-servers-part"),
        ("push-servers/add/", forms.add_page, "push-server-add"),
        ("push-servers/import/", forms.import_page, "push-servers-import"),
        ("push-servers/export/", forms.export, "push-servers-export"),
        (f"{one}/", servers.server_page, "push-server"),
        (f"{one}/now/", servers.server_part, "push-server-part"),
        (f"{one}/edit/", forms.edit_page, "push-server-edit"),
        (f"{one}/do/", servers.deed_page, "push-server-do"),
        (f"{one}/remove/", servers.remove_page, "push-server-remove"),
    ]


def _webhooks() -> list[tuple[str, View, str]]:
    from triggers.managing import pages_webhooks as webhooks

    one = "push-servers/webhooks/<int:webhook_id>"
    return [
        ("push-servers/webhooks/add/", webhooks.add_page, "webhook-add"),
        (f"{one}/", webhooks.edit_page, "webhook"),
        (f"{one}/rotate/", webhooks.rotate_page, "webhook-rotate"),
        (f"{one}/remove/", webhooks.remove_page, "webhook-remove"),
    ]


def _rules() -> list[tuple[str, View, str]]:
    from triggers.managing import pages_rule as rule
    from triggers.managing import pages_rules as rules
    from triggers.managing import pages_rules_file as file

    one = "rules/<int:rule_id>"
    return [
        ("rules/", rules.rules_page, "rules"),
        ("rules/list/", rules.rules_part, "rules-part"),
        ("rules/add/", rule.add_page, "rule-add"),
        ("rules/match/", rule.match_part, "rule-match"),
        ("rules/import/", file.import_page, "rules-import"),
        ("rules/export/", file.export, "rules-export"),
        ("rules/reload/", file.reload_page, "rules-reload"),
        (f"{one}/", rule.edit_page, "rule"),
        (f"{one}/do/", rules.deed_page, "rule-do"),
        (f"{one}/remove/", rules.remove_page, "rule-remove"),
    ]
