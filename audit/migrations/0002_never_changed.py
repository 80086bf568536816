"""The database itself refuses to change an audit entry.

Whoever alters this table later: SQLite rebuilds a table by copying it, and its triggers are gone then; make them anew.
"""

from django.db import migrations

SQLITE = """
CREATE TRIGGER audit_entry_never_changed BEFORE UPDATE ON audit_entry
BEGIN SELECT RAISE(ABORT, 'audit entries are never changed'); END
"""
POSTGRESQL = """
CREATE FUNCTION audit_entry_never_changed() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'audit entries are never changed' USING ERRCODE = 'integrity_constraint_violation'; END $$;
CREATE TRIGGER audit_entry_never_changed BEFORE UPDATE ON audit_entry
FOR EACH ROW EXECUTE FUNCTION audit_entry_never_changed()
"""
UNDO = {
    "sqlite": "DROP TRIGGER audit_entry_never_changed",
    "postgresql": "DROP TRIGGER audit_entry_never_changed ON audit_entry; DROP FUNCTION audit_entry_never_changed()",
}


def forbid(apps, schema_editor):
    """Make the trigger."""
    schema_editor.execute(SQLITE if schema_editor.connection.vendor == "sqlite" else POSTGRESQL)


def permit(apps, schema_editor):
    """Drop it."""
    schema_editor.execute(UNDO[schema_editor.connection.vendor])


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial")]

    operations = [migrations.RunPython(forbid, permit)]
