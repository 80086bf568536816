"""The page at the hub's bare address."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.csrf import csrf_exempt


@csrf_exempt  # nothing is done here
def home(request: HttpRequest) -> HttpResponse:
    """A person goes on to his pages. A client that was given the hub's address without the path is told where MCP is spoken:
    Claude Code, mcp-remote and Codex were seen to come here, and to read of an expired form."""
    if request.method in {"GET", "HEAD"}:
        return redirect("admin:index")
    detail = f"MCP is spoken at /mcp of this hub; use {settings.TERTULIA_RESOURCE}."
    return JsonResponse({"error": "method_not_allowed", "detail": detail}, status=405, headers={"Allow": "GET, HEAD"})
