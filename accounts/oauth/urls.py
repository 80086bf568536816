"""Addresses of the authorization server; the namespace is the one django-oauth-toolkit looks its own names up in."""

from django.urls import path

from accounts.oauth import device_pages, endpoints, registration
from accounts.oauth.consent import ConsentView

app_name = "oauth2_provider"
urlpatterns = [
    path("authorize", ConsentView.as_view(), name="authorize"),
    path("token", endpoints.token, name="token"),
    path("revoke", endpoints.revoke, name="revoke-token"),
    path("register", registration.register, name="dcr-register"),
    path("register/<str:client_id>", registration.manage, name="dcr-register-management"),
    path("device-authorization", endpoints.device_authorization, name="device-authorization"),
    path("device", device_pages.device, name="device"),
]
