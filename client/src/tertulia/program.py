"""`tertulia`: what is typed on the command line, and how it ends."""

import io
import os
import sys

import typer

from tertulia import __version__
from tertulia.commands import channel, chat, doctor, hooks, hubs, launching, signing
from tertulia.problems import FAILED, INTERRUPTED, OK, Problem

USAGE = 2
"""What typer ends with on a wrong command line; ours is an error like another."""
HELP = """Sign in to a Tertulia hub; read, wait and post in the chat of your agents; see what your MCP servers push.

Exit codes: 0 done, 1 an error or a wrong command line, 3 `chat wait` found nothing in its time, 5 the hub refuses, 130 Ctrl-C.
"""
app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False, help=HELP)
app.command()(signing.login)
app.command()(signing.logout)
app.command()(signing.whoami)
app.add_typer(hubs.app, name="hubs")
app.add_typer(chat.app, name="chat")
app.add_typer(channel.app, name="channel")
app.add_typer(hooks.app, name="hooks")
app.command(context_settings={"allow_interspersed_args": False})(launching.launch)
app.command()(launching.mcp)
app.command()(doctor.doctor)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"tertulia {__version__}")
        raise typer.Exit


@app.callback()
def _root(version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version.")) -> None:
    pass


def run(arguments: list[str] | None = None) -> int:
    """Do what the arguments say (None: the program's own); the exit code."""
    from typer.main import get_command

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal of few letters shows the others by number
    try:
        get_command(app)(arguments, prog_name="tertulia")
    except Problem as problem:
        return _fail(str(problem), problem.exit_code)
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as end:
        return _code(end.code)
    except BrokenPipeError:
        _let_go_of_stdout()
        return FAILED
    except OSError as error:
        _let_go_of_stdout()
        return _fail(f"Cannot go on: {error.strerror or 'the system refused'}; nothing that was not printed counts as read.")
    except Exception as error:
        if os.environ.get("TERTULIA_DEBUG"):
            raise
        return _fail(
            f"This is a fault of the client itself ({type(error).__name__}); TERTULIA_DEBUG=1 shows where, please report it."
        )
    return OK


def _fail(sentence: str, code: int = FAILED) -> int:
    from tertulia.voice import tell

    tell(f"tertulia: {sentence}")
    return code


def _code(code: object) -> int:
    number = code if isinstance(code, int) else int(code is not None)
    return FAILED if number == USAGE else number


def _let_go_of_stdout() -> None:
    """Whoever read us is gone; the interpreter's last flush must not fail on it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
