"""The admin's lists of launches and of owner's proofs: read-only, and one's own alone."""

from django.test import Client
from django.urls import reverse

from accounts.models import OwnerProof
from accounts.proofs import actions
from tests import make

LAUNCHES = reverse("admin:accounts_launch_changelist")


def test_an_owner_sees_his_launches_and_no_secret_of_them(alice: make.Person, bob: make.Person, as_alice: Client) -> None:
    hers, his = make.launch(alice, profile="lead", start_token="98765432123"), make.launch(bob, profile="foreign")
    page = as_alice.get(LAUNCHES).content.decode()
    assert hers.key in page and his.key not in page
    one = as_alice.get(reverse("admin:accounts_launch_change", args=[hers.pk])).content.decode()
    assert hers.host in one and hers.credential not in one and "98765432123" not in one
    assert as_alice.get(reverse("admin:accounts_launch_change", args=[his.pk])).status_code == 302


def test_staff_see_every_launch_and_who_proved_himself(alice: make.Person, as_staff: Client, as_alice: Client) -> None:
    launch = make.launch(alice)
    actions.ask(make.agent(alice))
    proofs = reverse("admin:accounts_ownerproof_changelist")
    assert launch.key in as_staff.get(LAUNCHES).content.decode()
    shown = as_staff.get(proofs).content.decode()
    proof = OwnerProof.objects.get()
    assert proof.connection_id in shown and proof.digest not in shown and str(proof.code) not in shown
    assert as_alice.get(proofs).status_code == 403
