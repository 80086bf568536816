"""Every address Django answers."""

from django.contrib import admin
from django.urls import include, path

from project.pages import home

urlpatterns = [
    path("", home, name="home"),
    path("", include("accounts.urls")),
    path("admin/", admin.site.urls),
    path("api/", include("project.api_urls")),
]
