"""Every setting of the hub, read once from the environment; docs/settings.md lists what an operator may set."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from csp.constants import NONCE, NONE, SELF, UNSAFE_EVAL, UNSAFE_INLINE

from accounts.oauth import usercodes
from project.address import allowed_host, canonical_url
from project.api_words import API_DESCRIPTION, API_TAGS
from project.databases import database, for_agents
from project.env import data_folder, env_bool, env_choice, env_float, env_int, env_redis, env_secret, env_str, env_time_zone
from project.look import UNFOLD  # noqa: F401 -- Django reads it from here

BASE_DIR = Path(__file__).resolve().parent.parent
VERSION = "0.1.0"

# --- where it lies and where it answers -------------------------------------------------------------------------------
TERTULIA_HOME = data_folder()
TERTULIA_HOST = env_str("TERTULIA_HOST", "127.0.0.1")
TERTULIA_PORT = env_int("TERTULIA_PORT", 8760, least=1, most=65535)
TERTULIA_URL = canonical_url(env_str("TERTULIA_URL"), TERTULIA_HOST, TERTULIA_PORT)
_address = urlsplit(TERTULIA_URL)
TERTULIA_RESOURCE = f"{TERTULIA_URL}/mcp"
TERTULIA_SERVER = env_choice("TERTULIA_SERVER", "daphne", ("daphne", "uvicorn"))
TERTULIA_PROXY_HEADERS = env_bool("TERTULIA_PROXY_HEADERS", False)
ALLOWED_HOSTS = [allowed_host(TERTULIA_URL)]
CSRF_TRUSTED_ORIGINS = [TERTULIA_URL]

DEBUG = env_bool("TERTULIA_DEBUG", False)
SECRET_KEY = env_secret("TERTULIA_SECRET_KEY", TERTULIA_HOME / "secret.key")
ENCRYPTION_KEY_FILE = TERTULIA_HOME / "encryption.key"
AUDIT_JOURNAL = TERTULIA_HOME / "audit.jsonl"

# --- apps ------------------------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "project.apps.ProjectConfig",
    "unfold.apps.BasicAppConfig",  # its default config would put its own admin site in place of ours
    "unfold.contrib.filters",
    "project.apps.HubAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "channels",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "oauth2_provider",
    "django_celery_beat",
    "core",
    "audit",
    "accounts",
    "chat",
    "sessions_app",
    "triggers",
]
ROOT_URLCONF = "project.urls"
ASGI_APPLICATION = "project.asgi.application"
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.language.PageLanguage",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
            ],
        },
    }
]

# --- database ----------------------------------------------------------------------------------------------------------
DATABASE_URL = env_str("DATABASE_URL")
SQLITE_BUSY_SECONDS = 20
SQLITE_SYNCHRONOUS = env_choice("TERTULIA_SQLITE_SYNCHRONOUS", "NORMAL", ("NORMAL", "FULL"))
DATABASES = {
    "default": database(
        DATABASE_URL, TERTULIA_HOME / "tertulia.sqlite3", busy=SQLITE_BUSY_SECONDS, synchronous=SQLITE_SYNCHRONOUS
    )
}
AGENT_DATABASE_URL = env_str("AGENT_DATABASE_URL")
DATABASES["agent"] = for_agents(DATABASES["default"], AGENT_DATABASE_URL)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DB_WRITERS = env_int("TERTULIA_DB_WRITERS", 4, least=1, most=64)
DB_READERS = env_int("TERTULIA_DB_READERS", 2, least=1, most=64)

# --- held calls ----------------------------------------------------------------------------------------------------------
HELD_PER_CONNECTION = env_int("TERTULIA_HELD_PER_CONNECTION", 64)

# --- REST ----------------------------------------------------------------------------------------------------------------
API_PER_MINUTE = env_int("TERTULIA_API_PER_MINUTE", 600)
REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["accounts.api_auth.BearerAuthentication", "accounts.api_auth.SessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["core.api.defaults.SignedIn"],
    "DEFAULT_THROTTLE_CLASSES": ["accounts.api_auth.CallerThrottle"],
    "DEFAULT_PARSER_CLASSES": ["core.api.defaults.JsonParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "core.api.defaults.AlwaysJson",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "core.api.problems.exception_handler",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Tertulia",
    "VERSION": VERSION,
    "OAS_VERSION": "3.1.0",
    "DESCRIPTION": API_DESCRIPTION,
    "TAGS": API_TAGS,
    "SCHEMA_PATH_PREFIX": "/api",
    "POSTPROCESSING_HOOKS": [],
}

# --- news, channel layer, tasks ------------------------------------------------------------------------------------------
REDIS_URL = env_redis("REDIS_URL")
RUN_THREADS = env_int("TERTULIA_RUN_THREADS", 16, least=1, most=256)
BROKER_FOLDER = TERTULIA_HOME / "broker"
NEWS_FOLDER = TERTULIA_HOME / "news"
NEWS_RECHECK_SECONDS = env_float("TERTULIA_NEWS_RECHECK_SECONDS", 1.0, least=0.05)
CHANNEL_LAYERS: dict[str, Any] = {
    "default": (
        {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": [REDIS_URL]}}
        if REDIS_URL
        else {"BACKEND": "channels.layers.InMemoryChannelLayer"}
    )
}
CACHES: dict[str, Any] = {
    "default": (
        {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL, "KEY_PREFIX": "tertulia"}
        if REDIS_URL
        else {
            "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
            "OPTIONS": {"MAX_ENTRIES": 100_000},  # counters of limits: few entries are pushed out by a flood of others
        }
    )
}

# --- people -----------------------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher", "accounts.oauth.hashers.ClientSecretHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "sign-in"

# --- transport security -------------------------------------------------------------------------------------------------
_https = _address.scheme == "https"
SESSION_ENGINE = "accounts.session_store"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _https
SESSION_COOKIE_NAME = "tertulia_session"  # cookies know no port: another program of 127.0.0.1 may hold Django's own names
CSRF_COOKIE_NAME = "tertulia_csrf"
LANGUAGE_COOKIE_NAME = "tertulia_language"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_HSTS_SECONDS = 31_536_000 if _https else 0
SECURE_REFERRER_POLICY = "same-origin"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _https else None
X_FRAME_OPTIONS = "DENY"
SILENCED_SYSTEM_CHECKS = [
    "oauth2_provider.E001",  # accounts.oauth.validator gives a refresh within the grace new tokens, so none need be kept
    "oauth2_provider.E003",  # http redirects are for loopback addresses only, which Application.clean() sees to (RFC 8252)
    "security.W005",  # the hub owns one host, not its subdomains
    "security.W008",  # TLS ends at the proxy in front, which redirects; the hub answers 421 to any other address
    "security.W021",
]
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF, NONCE],
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "form-action": [SELF],
    }
}
UNFOLD_CSP = {
    "script-src": [SELF, UNSAFE_INLINE, UNSAFE_EVAL],
    "style-src": [SELF, UNSAFE_INLINE],
}
"""What unfold's own pages need; they show agent text only cut and escaped."""

# --- pages --------------------------------------------------------------------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("pt-br", "Português (Brasil)")]
LOCALE_PATHS = [BASE_DIR / "project" / "locale"]
TIME_ZONE = env_time_zone("TERTULIA_TIME_ZONE", "UTC")
USE_I18N = USE_TZ = True
FORMAT_MODULE_PATH = "project.formats"
STATIC_URL = "/static/"
STATIC_ROOT = TERTULIA_HOME / "static"

# --- OAuth -----------------------------------------------------------------------------------------------------------------
OAUTH2_PROVIDER_APPLICATION_MODEL = "accounts.Application"
ACCESS_TOKEN_SECONDS = env_int("TERTULIA_ACCESS_TOKEN_SECONDS", 3600, least=900, most=86_400)
REGISTRATIONS_PER_HOUR = env_int("TERTULIA_REGISTRATIONS_PER_HOUR", 60, least=1)
OAUTH2_PROVIDER: dict[str, Any] = {
    **{
        f"COMPLIANT_BCP_RFC9700_{gate}": True
        for gate in (
            "IMPLICIT_GRANT",
            "PASSWORD_GRANT",
            "PKCE_METHOD",
            "PKCE_REQUIRED",
            "ACCESS_TOKEN_TRANSPORT",
            "AUTHZ_RESPONSE_ISS",
            "TOKEN_STORAGE",
            "REFRESH_TOKEN",
            "REDIRECT_URI_SCHEME",
            "REDIRECT_URI_MATCHING",
        )
    },
    "OIDC_ISS_ENDPOINT": TERTULIA_URL,
    "OAUTH2_VALIDATOR_CLASS": "accounts.oauth.validator.HubValidator",
    "SCOPES_BACKEND_CLASS": "accounts.oauth.scopes.HubScopes",
    "OAUTH2_RESPONSE_TYPES_SUPPORTED": ["code"],
    "OAUTH2_GRANT_TYPES_SUPPORTED": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
    "OAUTH2_TOKEN_ENDPOINT_AUTH_METHODS_SUPPORTED": ["none", "client_secret_basic", "client_secret_post"],
    "OAUTH2_PROTECTED_RESOURCE_NAME": "Tertulia",
    "ACCESS_TOKEN_EXPIRE_SECONDS": ACCESS_TOKEN_SECONDS,
    "AUTHORIZATION_CODE_EXPIRE_SECONDS": 60,
    "REFRESH_TOKEN_EXPIRE_SECONDS": 90 * 86_400,
    "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 120,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "PKCE_REQUIRED": True,
    "ALLOW_LOCALHOST_LOOPBACK": True,
    "ALLOWED_REDIRECT_URI_SCHEMES": ["http", "https", "cursor", "vscode", "vscode-insiders"],
    "REQUEST_APPROVAL_PROMPT": "force",
    "CLIENT_SECRET_HASHER": "client_secret_sha256",
    "DCR_ENABLED": True,
    "DCR_REGISTRATION_PERMISSION_CLASSES": ("oauth2_provider.dcr.AllowAllDCRPermission",),
    "DCR_REGISTRATION_TOKEN_EXPIRE_SECONDS": 365 * 86_400,
    "CIMD_ENABLED": True,
    "CIMD_METADATA_FETCHER": "accounts.oauth.clients.HubMetadataFetcher",
    "CIMD_REGISTRATION_PERMISSION_CLASSES": ("accounts.oauth.clients.OnlyWhileAuthorizing",),
    "OAUTH_DEVICE_VERIFICATION_URI": f"{TERTULIA_URL}/oauth/device",
    "OAUTH_DEVICE_VERIFICATION_URI_COMPLETE": f"{TERTULIA_URL}/oauth/device?user_code={{user_code}}",
    "OAUTH_DEVICE_USER_CODE_GENERATOR": usercodes.generate,
}

# --- chat ----------------------------------------------------------------------------------------------------------------
CHAT_RETENTION_DAYS = env_int("CHAT_RETENTION_DAYS", 14, least=1, most=36_500)
CHAT_BODY_BYTES = env_int("CHAT_BODY_BYTES", 8192, least=1, most=524_288)
CHAT_POSTS_PER_MINUTE = env_int("CHAT_POSTS_PER_MINUTE", 30)
CHAT_STORAGE_BYTES = env_int("CHAT_STORAGE_BYTES", 64 * 1024 * 1024, most=2**62)
CHAT_BUSY_SECONDS = env_float("CHAT_BUSY_SECONDS", 5.0)

# --- sessions ------------------------------------------------------------------------------------------------------------
SESSION_RETENTION_DAYS = env_int("SESSION_RETENTION_DAYS", 30, least=1, most=36_500)
SESSION_RUNS_PER_MINUTE = env_int("SESSION_RUNS_PER_MINUTE", 60)
SESSION_QUEUED_RUNS = env_int("SESSION_QUEUED_RUNS", 100)
SESSION_BYTES_PER_DAY = env_int("SESSION_BYTES_PER_DAY", 64 * 1024 * 1024, most=2**62)
PRIVATE_ADDRESSES = env_bool("TERTULIA_PRIVATE_ADDRESSES", False)

# --- push inbox ------------------------------------------------------------------------------------------------------------
PUSH_RING_MESSAGES = env_int("PUSH_RING_MESSAGES", 200, least=1, most=10_000)
PUSH_TRAIL_BYTES = env_int("PUSH_TRAIL_BYTES", 20 * 1024 * 1024, most=2**62)
PUSH_CONTENT_BYTES = env_int("PUSH_CONTENT_BYTES", 65_536, least=256, most=1_048_576)
PUSH_PER_SECOND = env_int("PUSH_PER_SECOND", 500)
PUSH_BUFFER_MESSAGES = env_int("PUSH_BUFFER_MESSAGES", 1000, least=1, most=100_000)

# --- logs ---------------------------------------------------------------------------------------------------------------
LOG_LEVEL = env_choice("TERTULIA_LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR"))
LOG_JSON = env_bool("TERTULIA_LOG_JSON", False)
LOGGING_CONFIG = "project.logging.configure"
LOGGING = {"level": LOG_LEVEL, "json": LOG_JSON}

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
