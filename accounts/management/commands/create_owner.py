"""`manage.py create_owner EMAIL`: a person who signs in, with an account of his own."""

from argparse import ArgumentParser
from typing import Any

from accounts.actions import check_new_email, create_owner
from accounts.passwords import VARIABLE, new_password
from core.actor import operator
from core.commands import HubCommand


class Command(HubCommand):
    help = f"Create an owner with an account. The password comes from {VARIABLE}, else it is asked for, else made and printed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", metavar="EMAIL", help="what the owner signs in with")
        parser.add_argument("--staff", action="store_true", help="sees every account and works the whole admin")
        parser.add_argument("--may-run-commands", action="store_true", help="may have the hub start processes on its machine")

    def run(self, **options: Any) -> None:
        email = options["email"].strip()
        check_new_email(email)
        password = new_password(email)
        account = create_owner(
            operator(),
            email=email,
            password=password.text,
            is_staff=options["staff"],
            may_run_commands=options["may_run_commands"],
        )
        self.stdout.write(f"{account.owner.email} can sign in; the account is number {account.pk}.")
        if password.is_made:
            self.stdout.write(f"Password, shown this once: {password.text}")
