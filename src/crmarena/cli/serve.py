"""`crmarena serve`: an org over HTTP, until it is told to stop."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crmarena.cli.org import OrgPath, Today
from crmarena.errors import UsageError

_SESSIONS = 16

Host = Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for all of them.")]
Port = Annotated[int, typer.Option(min=0, max=65_535, help="The port; 0 takes a free one.")]
Workers = Annotated[int, typer.Option(min=1, max=64, help="Processes that share the org.")]
Writable = Annotated[
    bool,
    typer.Option(
        "--writable", help="Allow writes, each login's in a private session; the org stays as it is."
    ),
]
Sessions = Annotated[
    int | None,
    typer.Option(min=1, max=4_096, help=f"Private sessions at once, with --writable; default: {_SESSIONS}."),
]
Users = Annotated[
    list[str] | None,
    typer.Option("--user", metavar="NAME:PASSWORD", help="Who may log in, once or more; default: one made."),
]
Token = Annotated[str | None, typer.Option(help="An access token of the first user; default: one made.")]
Client = Annotated[
    str | None,
    typer.Option(
        "--client",
        metavar="ID:SECRET",
        help="A connected app that acts as the first user (client_credentials).",
    ),
]
RefreshToken = Annotated[
    str | None, typer.Option("--refresh-token", help="A refresh token of the first user (sf auth URLs).")
]
JwtCertificate = Annotated[
    Path | None,
    typer.Option(
        "--jwt-certificate",
        metavar="FILE",
        help="The certificate (PEM) that assertions of JWT are signed by.",
    ),
]
TokenTtl = Annotated[
    float, typer.Option("--token-ttl", min=1, help="Seconds after which a token that is not used ends.")
]
Tls = Annotated[bool, typer.Option("--tls", help="Serve https, by a certificate made at start.")]
TlsDir = Annotated[
    Path | None,
    typer.Option("--tls-dir", help="Where the certificate is kept, for the next start too; with --tls."),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print address, users and token as one line of JSON, once it answers.")
]


def add_commands(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("serve")(serve)


def serve(
    org: OrgPath,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    workers: Workers = 1,
    writable: Writable = False,
    sessions: Sessions = None,
    users: Users = None,
    token: Token = None,
    client: Client = None,
    refresh_token: RefreshToken = None,
    jwt_certificate: JwtCertificate = None,
    token_ttl: TokenTtl = 7_200,
    today: Today = None,
    tls: Tls = False,
    tls_dir: TlsDir = None,
    as_json: Json = False,
) -> None:
    """Serve an org as Salesforce does: REST, SOAP and OAuth logins, Bulk API 2.0.

    Says where, for whom and with which token, and how clients connect. Ctrl-C ends it.
    """
    from crmarena.cli import asking, serving
    from crmarena.server.settings import ServerSettings

    _check(workers, writable, sessions, tls, tls_dir)
    asking.clock_of(today)
    who = serving.who(org, users or (), token, client)
    settings = ServerSettings(
        org=str(who.org),
        state="",
        logins=who.logins,
        token=who.token,
        refresh_token=refresh_token or "",
        jwt_certificate=str(jwt_certificate.resolve()) if jwt_certificate is not None else None,
        host=host,
        port=port,
        workers=workers,
        token_ttl=token_ttl,
        writable=writable,
        sessions=sessions or _SESSIONS,
        today=today,
        tls=tls,
        tls_directory=str(tls_dir.resolve()) if tls_dir is not None else None,
    )
    from crmarena.server.serve import serve as run

    def announce(ready: ServerSettings) -> None:
        print(serving.as_json(ready) if as_json else serving.as_text(ready), flush=True)

    run(settings, announce)


def _check(workers: int, writable: bool, sessions: int | None, tls: bool, tls_dir: Path | None) -> None:
    """Raise UsageError for options that do not go together."""
    if writable and workers > 1:
        raise UsageError("--writable has its sessions in one process; leave out --workers.")
    if sessions is not None and not writable:
        raise UsageError("--sessions counts the private sessions of --writable; give that too.")
    if tls_dir is not None and not tls:
        raise UsageError("--tls-dir is where --tls keeps its certificate; give that too.")
