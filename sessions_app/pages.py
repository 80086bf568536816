"""The addresses of the owner's pages about sessions, within the admin site."""

from collections.abc import Callable

from django.http import HttpResponse

View = Callable[..., HttpResponse]


def page_urls() -> list[tuple[str, View, str]]:
    """Each page's address, its view and its name."""
    from sessions_app.owning import pages_agents as agents
    from sessions_app.owning import pages_decisions as decisions
    from sessions_app.owning import pages_session as session
    from sessions_app.owning import pages_sessions as sessions
    from sessions_app.owning import pages_settings as settings

    one, thing = "sessions/<uuid:session_id>", "agents/<slug:kind>/<int:pk>"
    return [
        ("sessions/", sessions.sessions_page, "sessions"),
        ("sessions/list/", sessions.sessions_part, "sessions-part"),
        ("sessions/figures/", sessions.figures_page, "session-figures"),
        ("sessions/figures/now/", sessions.figures_part, "session-figures-part"),
        ("sessions/approvals/", decisions.approvals_page, "tool-approvals"),
        ("sessions/approvals/list/", decisions.approvals_part, "tool-approvals-part"),
        ("sessions/approvals/<int:approval_id>/", decisions.decide_page, "tool-decide"),
        ("sessions/chains/<int:chain_id>/", decisions.chain_page, "session-chain"),
        ("sessions/runs/<uuid:run_id>/stop/", session.run_stop_page, "run-stop"),
        (f"{one}/", session.session_page, "session"),
        (f"{one}/state/", session.state_part, "session-state"),
        (f"{one}/new/", session.new_part, "session-new"),
        (f"{one}/send/", session.send_page, "session-send"),
        (f"{one}/policy/", session.policy_page, "session-policy"),
        (f"{one}/stop/", session.branch_stop_page, "branch-stop"),
        (f"{one}/archive/", session.archive_page, "session-archive"),
        ("agents/", agents.agents_page, "agents"),
        ("agents/list/", agents.agents_part, "agents-part"),
        ("agents/agent/<int:pk>/try/", agents.try_page, "agent-try"),
        ("agents/<slug:kind>/add/", agents.add_page, "thing-add"),
        (f"{thing}/", agents.edit_page, "thing"),
        (f"{thing}/remove/", agents.remove_page, "thing-remove"),
        ("settings/sessions/", settings.session_settings_page, "session-settings"),
    ]
