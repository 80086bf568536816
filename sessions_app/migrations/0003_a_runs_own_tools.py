
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('sessions_app', '0002_existing_accounts'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='tools',
            field=models.JSONField(blank=True, help_text="Its own whitelist of tools; none: its agent's.", null=True),
        ),
    ]
