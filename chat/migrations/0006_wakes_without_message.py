"""A wake for something other than a message has no message's number."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("chat", "0005_launches")]
    operations = [
        migrations.AlterField(model_name="wake", name="seq", field=models.BigIntegerField(blank=True, null=True)),
    ]
