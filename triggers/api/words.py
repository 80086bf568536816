"""What several of these doors say in their description."""

from drf_spectacular.utils import OpenApiParameter

TAG = "Push inbox"
MOST_SEQ = 2**63 - 1
MAY_NOT_READ = {403: "The token may not read push messages (`insufficient_scope`)"}
IN_PERSON = "By the owner in person."
SEQ = OpenApiParameter(
    "seq",
    {"type": "integer", "format": "int64", "minimum": 1, "maximum": MOST_SEQ, "examples": [12]},
    location="path",
    description="The push message's number",
)
FIRING = OpenApiParameter(
    "number",
    {"type": "integer", "format": "int64", "minimum": 1, "maximum": MOST_SEQ, "examples": [7]},
    location="path",
    description="The firing's number",
)
SERVER = OpenApiParameter(
    "name",
    {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", "examples": ["ci"]},
    location="path",
    description="The push server's name",
)
