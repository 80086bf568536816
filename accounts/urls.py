"""Addresses of signing in, the authorization server, and the documents that describe it."""

from django.urls import include, path

from accounts import pages
from accounts.oauth import metadata

WELL_KNOWN = ".well-known/oauth-protected-resource"

urlpatterns = [
    path("sign-in/", pages.SignInView.as_view(), name="sign-in"),
    path("sign-out/", pages.sign_out, name="sign-out"),
    path("oauth/", include("accounts.oauth.urls")),
    path(".well-known/oauth-authorization-server", metadata.authorization_server, name="authorization-server"),
    path(WELL_KNOWN, metadata.protected_resource, name="protected-resource-root"),
    path(f"{WELL_KNOWN}/mcp", metadata.protected_resource, name="protected-resource"),
    path(f"{WELL_KNOWN}/mcp/", metadata.protected_resource, {"slash": True}, name="protected-resource-slash"),
    path(".well-known/<path:name>", metadata.unknown),
]
