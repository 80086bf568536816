"""Pages are read in the person's language, which ends with the request."""

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import translation

from accounts.models import User
from accounts.throttle import Throttle, Throttled
from chat.topics import check_topic
from core.errors import Invalid
from sessions_app.models import Run
from sessions_app.runs.actions import begin
from sessions_app.transcripts.actions import append
from sessions_app.values import Asked
from tests import make, pushing
from tests.asgi import hub, run, socket
from tests.languages.words import PORTUGUESE, english_in
from triggers.models import Firing, PushServer, Rule

PAGES = {
    "index": "Início",
    "connect": "Conectar um agente",
    "chat": "Publicar como maintainer",
    "chat-search": "Palavras no texto",
    "connections": "Conexões",
    "audit": "Registro de auditoria",
    "settings": "Permitir o chat dos agentes",
    "profile": "Seu perfil",
    "password_change": "Senha atual",
    "audit_entry_changelist": "Registro de auditoria",
    "chat_message_changelist": "Mensagens",
    "accounts_connection_changelist": "Conexões",
    "chat_chatsettings_changelist": "dias guardados",
    "accounts_account_changelist": "Contas",
    "sessions": "Sessões",
    "session-figures": "Execuções em números",
    "agents": "Provedores de modelos",
    "tool-approvals": "Nenhuma ferramenta espera sua decisão",
    "session-settings": "Configurações de sessões",
    "sessions_app_session_changelist": "Sessões",
    "sessions_app_run_changelist": "Execuções",
    "sessions_app_agent_changelist": "Agentes",
    "sessions_app_sessionsettings_changelist": "visibilidade",
    "push-inbox": "Marcar como visto",
    "push-clear-all": "Excluir todas as mensagens de push",
    "push-inject": "Passar as mensagens mais novas a uma sessão",
    "push-figures": "Mensagens de push em números",
    "push-journal": "Importar um diário",
    "firings": "Disparos",
    "push-settings": "Caixa de entrada de push",
    "rules": "Regras, na ordem delas",
    "rule-add": "Só me avisar",
    "rules-import": "Substituir as regras",
    "rules-reload": "Recarregar as regras do arquivo",
    "push-servers": "Nenhum. O hub ouve os servidores MCP",
    "push-server-add": "Transporte",
    "push-servers-import": "de outro programa",
    "webhook-add": "Quem envia",
    "triggers_rule_changelist": "Regras",
    "triggers_pushserver_changelist": "Servidores de push",
    "triggers_pushmessage_changelist": "Mensagens de push",
}
STAFF = ("accounts_user_changelist", "accounts_user_add", "accounts_application_changelist", "accounts_application_add")
STAFF += ("django_celery_beat_periodictask_changelist", "oauth2_provider_accesstoken_changelist", "chat_counter_changelist")


def get(browser: Client, address: str, status: int = 200) -> str:
    answer = browser.get(address)
    page: str = answer.content.decode()
    assert answer.status_code == status, page
    assert '<html lang="pt-br"' in page
    assert answer.headers["Content-Language"] == "pt-br" and "Accept-Language" in answer.headers["Vary"]
    return page


@pytest.mark.parametrize(("name", "says"), PAGES.items(), ids=PAGES)
def test_an_owners_page_is_portuguese(name: str, says: str, brazilian: Client, alice: make.Person) -> None:
    make.message(alice, "¡hola!")
    pushing.pushed(alice)
    brazilian.force_login(alice.user)
    page = get(brazilian, reverse(f"admin:{name}"))
    assert says.lower() in page.lower()
    assert english_in(page) == []


def test_pages_of_what_is_pushed_are_portuguese(brazilian: Client, alice: make.Person) -> None:
    brazilian.force_login(alice.user)
    pushing.rule(alice, "asks", mode="confirm", prompt="oi", rate_limit="5m")
    server = pushing.server(alice, state=PushServer.SIGN_IN, challenge="Bearer")
    seq = pushing.pushed(alice, server="lights").seq
    firing = Firing.objects.get(account=alice.account)
    one = {"push-message": [seq], "push-run": [seq], "firing": [firing.number]}
    one |= {name: [server.pk] for name in ("push-server", "push-server-edit", "push-server-remove", "push-server-sign-in")}
    one |= {name: [Rule.objects.get(account=alice.account).pk] for name in ("rule", "rule-remove")}
    pages = [("index", []), ("push-inbox", []), ("push-toasts", []), ("firings", []), ("push-figures", []), ("rules", [])]
    for name, args in [*pages, ("push-servers", []), *one.items()]:
        assert english_in(brazilian.get(reverse(f"admin:{name}", args=args)).content.decode()) == [], name


@pytest.mark.parametrize("kind", ["agent", "provider", "route", "schedule"])
def test_a_form_of_agents_is_portuguese(kind: str, brazilian: Client, alice: make.Person) -> None:
    brazilian.force_login(alice.user)
    assert english_in(get(brazilian, reverse("admin:thing-add", args=[kind]))) == []


def test_the_page_of_a_session_is_portuguese(brazilian: Client, alice: make.Person) -> None:
    held = make.session(alice)
    begin(alice.actor, held, Asked(message="oi", purpose=Run.OWNER))
    append(held, {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "image"}]})
    brazilian.force_login(alice.user)
    for name in ("session", "branch-stop", "session-archive"):
        assert english_in(get(brazilian, reverse(f"admin:{name}", args=[held.session_id]))) == []


@pytest.mark.parametrize("name", STAFF)
def test_a_page_of_staff_is_portuguese(name: str, brazilian: Client, staff: make.Person, alice: make.Person) -> None:
    make.token(alice)
    brazilian.force_login(staff.user)
    assert english_in(get(brazilian, reverse(f"admin:{name}"))) == []


def test_sign_in_is_portuguese_and_so_are_its_refusals(brazilian: Client, alice: make.Person) -> None:
    page = get(brazilian, reverse("sign-in"))
    assert "no seu hub, onde seus agentes se encontram." in page and english_in(page) == []
    form = {"email": "alice@example.org", "password": "wrong"}
    assert "E-mail e senha não combinam" in brazilian.post(reverse("sign-in"), form).content.decode()


def test_a_limit_says_its_wait_in_portuguese() -> None:
    once = Throttle("once", limit=1, seconds=900, clock=lambda: 0.0)
    once.check("somebody")
    with translation.override("pt-br"), pytest.raises(Throttled, match="Tentativas demais; espere 15 minutos e tente de novo"):
        once.check("somebody")


@pytest.mark.parametrize(
    ("address", "status", "says"),
    [
        ("/nowhere/", 404, "Esta página não existe"),
        ("/admin/accounts/user/", 403, "Esta página não é para você"),
        ("/admin/chat/message/?body__startswith=a", 400, "Esse endereço não faz sentido"),
        ("/oauth/authorize", 400, "falta client_id"),
        ("/oauth/authorize?client_id=x", 400, "Nenhum programa está registrado aqui como x"),
        ("/oauth/device", 200, "Digite o código"),
    ],
)
def test_what_was_refused_is_said_in_portuguese(
    address: str, status: int, says: str, brazilian: Client, alice: make.Person
) -> None:
    brazilian.force_login(alice.user)
    page = get(brazilian, address, status)
    assert says in page and english_in(page) == []


def test_a_failure_and_an_expired_form_are_portuguese(alice: make.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("chat.pages._settings_of", fail)
    browser = Client(raise_request_exception=False, enforce_csrf_checks=True, headers=PORTUGUESE)
    browser.force_login(alice.user)
    assert "Algo deu errado aqui" in get(browser, reverse("admin:settings"), 500)
    expired = browser.post(reverse("admin:profile"), {"language": "en"})
    assert expired.status_code == 403 and "Este formulário expirou" in expired.content.decode()


def test_the_refusal_of_a_deed_is_said_in_portuguese(brazilian: Client, alice: make.Person) -> None:
    brazilian.force_login(alice.user)
    form = {"body": "olá", "topic": "Docs", "client_key": "k"}
    page = brazilian.post(reverse("admin:chat-post"), form).content.decode()
    assert "Isso não é um tópico: um tópico tem de 1 a 100 caracteres" in page


def test_a_message_that_is_gone_and_a_search_without_words_are_answered_in_portuguese(
    brazilian: Client, alice: make.Person
) -> None:
    brazilian.force_login(alice.user)
    gone = brazilian.get(reverse("admin:chat-message", args=[7]), follow=True).content.decode()
    assert "Não há mensagem #7; ela foi apagada pela limpeza ou nunca existiu." in gone
    assert "A busca é por palavras: escreva pelo menos uma letra ou um dígito." in get(brazilian, "/admin/chat/search/?q=%2A")


def test_what_comes_over_the_pages_socket_is_portuguese(brazilian: Client, alice: make.Person) -> None:
    make.message(alice)
    brazilian.force_login(alice.user)
    cookie = f"{settings.SESSION_COOKIE_NAME}={brazilian.cookies[settings.SESSION_COOKIE_NAME].value}"

    async def scene() -> dict[str, str]:
        async with hub() as app, socket(app, "/ws/chat/?after=0", cookie, **PORTUGUESE) as page:
            heard: dict[str, str] = await page.hear()
            return heard

    heard = run(scene())
    assert "não verificado" in heard["messages"] and "Todos os tópicos" in heard["topics"]
    assert translation.get_language() == "en"


@pytest.mark.parametrize(
    ("asked", "code"), [("pt", "pt-br"), ("pt-PT", "pt-br"), ("de-DE, fr", "en"), ("*", "en"), ("\x00é;q=x", "en")]
)
def test_a_browser_gets_the_language_it_asks_for_or_english(asked: str, code: str, client: Client, db: None) -> None:
    assert f'<html lang="{code}">' in client.get(reverse("sign-in"), headers={"accept-language": asked}).content.decode()


@pytest.mark.parametrize(("chosen", "code"), [("en", "en"), ("pt-br", "pt-br"), ("", "pt-br"), ("xx", "pt-br")])
def test_the_profile_goes_before_the_browser(chosen: str, code: str, brazilian: Client, alice: make.Person) -> None:
    User.objects.filter(pk=alice.user.pk).update(language=chosen)
    brazilian.force_login(alice.user)
    assert f'<html lang="{code}"' in brazilian.get(reverse("admin:profile")).content.decode()


def test_the_profile_switches_at_once(as_alice: Client) -> None:
    saved = as_alice.post(reverse("admin:profile"), {"language": "pt-br"}, follow=True).content.decode()
    assert "Perfil salvo." in saved and '<html lang="pt-br"' in saved


def test_the_language_ends_with_the_request(brazilian: Client, alice: make.Person) -> None:
    brazilian.force_login(alice.user)
    brazilian.get(reverse("admin:chat"))
    assert translation.get_language() == "en"
    with pytest.raises(Invalid, match="That is no topic: a topic is 1 to 100 characters"):
        check_topic("Docs")


def test_the_audit_log_is_written_in_one_language(brazilian: Client, alice: make.Person) -> None:
    from audit.models import Entry

    brazilian.force_login(alice.user)
    held = make.connection(alice)
    brazilian.post(reverse("admin:connection-revoke", args=[held.pk]))
    entry = Entry.objects.first()
    assert entry is not None
    assert (entry.deed, entry.details) == ("connection.revoked", {})


def test_dates_stand_in_the_order_of_the_country(brazilian: Client, alice: make.Person) -> None:
    make.message(alice)
    brazilian.force_login(alice.user)
    page = brazilian.get(reverse("admin:chat")).content.decode()
    day = alice.account.created_at
    assert f"{day:%d/%m/%Y}" in page and f">{day:%Y-%m-%d}" not in page
