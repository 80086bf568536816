from django.db import migrations


def give(apps, schema_editor):
    """Accounts that were there before get their push inbox."""
    Account = apps.get_model("accounts", "Account")
    Settings = apps.get_model("triggers", "TriggerSettings")
    Settings.objects.bulk_create([Settings(account=account) for account in Account.objects.filter(trigger_settings=None)])


class Migration(migrations.Migration):
    dependencies = [("triggers", "0001_first")]
    operations = [migrations.RunPython(give, migrations.RunPython.noop)]
