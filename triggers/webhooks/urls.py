"""The address that other services post to."""

from django.urls import path

from triggers.webhooks.door import door

urlpatterns = [path("in/<str:token>", door, name="webhook")]
