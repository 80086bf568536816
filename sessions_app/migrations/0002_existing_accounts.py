from django.db import migrations
from django.utils import timezone


def give(apps, schema_editor):
    """Accounts that were there before get their settings and their agent `main`."""
    Account = apps.get_model("accounts", "Account")
    Settings = apps.get_model("sessions_app", "SessionSettings")
    Agent = apps.get_model("sessions_app", "Agent")
    for account in Account.objects.filter(session_settings=None):
        Settings.objects.create(account=account)
        Agent.objects.create(account=account, slug="main", name="Main", created_at=timezone.now())


class Migration(migrations.Migration):
    dependencies = [("sessions_app", "0001_first")]
    operations = [migrations.RunPython(give, migrations.RunPython.noop)]
