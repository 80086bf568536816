"""The app of people, accounts and OAuth."""

import logging

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Registers the scope that stands for all, and hears of revocations and of launches that end."""

    name = "accounts"

    def ready(self) -> None:
        """Fill the registries."""
        from django.utils.translation import gettext_noop

        from accounts import agent_rights, bearer, news, overview, pruning, reading
        from accounts.consumers import LiveConsumer
        from accounts.launches import credentials, sweeping
        from accounts.launches.news import launches_key
        from core.actor import ALL_SCOPES
        from core.mounts import sockets
        from core.news import net
        from core.registry import ScopeSpec, home_cards, live_keys, scopes, sweeps

        scopes.add(
            ALL_SCOPES, ScopeSpec(ALL_SCOPES, gettext_noop("Use every tool of this hub, present and future, for this account"))
        )
        agent_rights.declare()
        bearer.listen()
        credentials.listen()
        pruning.register()
        sweeps.add("launches", sweeping.sweep)
        for library in ("oauthlib", "oauth2_provider"):  # their debug lines hold codes and tokens
            logging.getLogger(library).setLevel(logging.INFO)
        sockets.add("/ws/live/", LiveConsumer.as_asgi())
        net.register(reading.CONNECTION, reading.connection_versions)
        net.register(news.KIND, news.versions)
        live_keys.add("connections", news.connections_key)
        live_keys.add("launches", launches_key)
        home_cards.add("connections", overview.waiting)
