"""The app of sessions."""

from django.apps import AppConfig


class SessionsConfig(AppConfig):
    """Fills the registries of the floors beneath."""

    name = "sessions_app"
    verbose_name = "Sessions"

    def ready(self) -> None:
        """Register scopes, tools, sweeps and prunings; hear of new accounts."""
        from django.utils.translation import gettext_noop

        from core.news import net
        from core.registry import ScopeSpec, account_deletions, prunings, scopes, sweeps
        from sessions_app import agent_rights, news, pruning, receivers  # noqa: F401 -- receivers connects itself
        from sessions_app.announcing import wiring as announcing
        from sessions_app.connected import wiring as connected
        from sessions_app.listing import wiring as listing
        from sessions_app.owning import wiring as owning
        from sessions_app.runners import wiring as runners
        from sessions_app.runs import sweeping
        from sessions_app.scheduling import wiring as scheduling
        from sessions_app.sending import wiring as sending
        from sessions_app.spawning import wiring as spawning

        scopes.add(
            "sessions.read", ScopeSpec("sessions.read", gettext_noop("List the account's sessions and read their history"))
        )
        scopes.add("sessions.send", ScopeSpec("sessions.send", gettext_noop("Send messages into sessions and answer in its own")))
        scopes.add("sessions.spawn", ScopeSpec("sessions.spawn", gettext_noop("Start sub-agents")))
        agent_rights.declare()
        net.register(news.RUN, news.run_versions)
        net.register(news.SESSION, news.session_versions)
        sweeps.add("runs", sweeping.recover)
        prunings.add("archived sessions", pruning.prune_archived)
        prunings.add("earlier transcripts", pruning.prune_transcripts)
        prunings.add("ended runs", pruning.prune_runs)
        prunings.add("chains of runs", pruning.prune_chains)
        prunings.add("settled announcements", pruning.prune_announcements)
        account_deletions.add("sessions", pruning.forget_account)
        for part in (listing, runners, connected, sending, announcing, spawning, scheduling, owning):
            part.register()
