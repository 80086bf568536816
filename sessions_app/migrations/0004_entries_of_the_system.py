from django.db import migrations, models


class Migration(migrations.Migration):
    """System entries are few, and asked for with every run: they are found without a look at the rest of a transcript."""

    dependencies = [("sessions_app", "0003_a_runs_own_tools")]
    operations = [
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(
                condition=models.Q(role="system"),
                fields=["session", "session_id_kept", "-seq"],
                name="entry_of_the_system",
            ),
        ),
    ]
