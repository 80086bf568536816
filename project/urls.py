"""Every address Django answers."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from project.pages import home

admin.autodiscover()

urlpatterns = [
    path("", home, name="home"),
    path("", include("accounts.urls")),
    path("", include("triggers.calling.urls")),
    path("", include("triggers.webhooks.urls")),
    path("sessions/<uuid:session_id>/", RedirectView.as_view(pattern_name="admin:session")),
    path("sessions/<uuid:session_id>", RedirectView.as_view(pattern_name="admin:session")),
    path("admin/", admin.site.urls),
    path("api/", include("project.api_urls")),
]
