"""The index of words in messages, filled with the messages there are; each database has its own kind."""

from django.db import migrations


def install(apps, schema_editor):
    from chat.search import postgresql, sqlite

    for statement in sqlite.INSTALL if schema_editor.connection.vendor == "sqlite" else postgresql.install():
        schema_editor.execute(statement, params=None)


def remove(apps, schema_editor):
    from chat.search import postgresql, sqlite

    for statement in sqlite.REMOVE if schema_editor.connection.vendor == "sqlite" else postgresql.REMOVE:
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):

    dependencies = [
        ('chat', '0002_tickets'),
    ]

    operations = [
        migrations.RunPython(install, remove),
    ]
