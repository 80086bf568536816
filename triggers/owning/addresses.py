"""The addresses of the owner's pages of his push inbox, within the admin site."""

from collections.abc import Callable

from django.http import HttpResponse

View = Callable[..., HttpResponse]


def page_urls() -> list[tuple[str, View, str]]:
    """Each page's address, its view and its name."""
    from triggers.owning import pages_deeds as deeds
    from triggers.owning import pages_figures as figures
    from triggers.owning import pages_firings as firings
    from triggers.owning import pages_inbox as inbox
    from triggers.owning import pages_journal as journal
    from triggers.owning import pages_settings as settings
    from triggers.owning import pages_toasts as toasts

    firing = "inbox/firings/<int:number>"
    return [
        ("inbox/", inbox.inbox_page, "push-inbox"),
        ("inbox/now/", inbox.inbox_part, "push-inbox-part"),
        ("inbox/toasts/", toasts.toasts_part, "push-toasts"),
        ("inbox/ack/", deeds.ack_page, "push-ack"),
        ("inbox/clear/", deeds.clear_page, "push-clear"),
        ("inbox/clear-all/", deeds.clear_all_page, "push-clear-all"),
        ("inbox/inject/", deeds.inject_page, "push-inject"),
        ("inbox/pause/", deeds.pause_page, "push-pause"),
        ("inbox/figures/", figures.figures_page, "push-figures"),
        ("inbox/figures/now/", figures.figures_part, "push-figures-part"),
        ("inbox/journal/", journal.journal_page, "push-journal"),
        ("inbox/journal/kept/", journal.kept_part, "push-journal-kept"),
        ("inbox/journal/piece/", journal.piece_page, "push-journal-piece"),
        ("inbox/journal/export/", journal.export_page, "push-journal-export"),
        ("inbox/firings/", firings.firings_page, "firings"),
        ("inbox/firings/list/", firings.firings_part, "firings-part"),
        (f"{firing}/", firings.firing_page, "firing"),
        (f"{firing}/now/", firings.firing_part, "firing-part"),
        (f"{firing}/decide/", firings.decide_page, "firing-decide"),
        (f"{firing}/stop/", firings.stop_page, "firing-stop"),
        ("inbox/<int:seq>/", inbox.message_page, "push-message"),
        ("inbox/<int:seq>/run/", deeds.run_page, "push-run"),
        ("settings/push/", settings.push_settings_page, "push-settings"),
    ]
