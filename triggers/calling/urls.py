"""What services that sign the hub in to push servers ask of it."""

from django.urls import path

from triggers.calling.pages import client_metadata

urlpatterns = [path("client-metadata.json", client_metadata, name="push-client-metadata")]
