"""Run Pantry without ComfyUI: in a browser (serve) or in a terminal (import, sync, inspect)."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import signal
import sys
import webbrowser
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
if str(ROOT) not in sys.path:  # an embedded Python does not add the script's own folder
    sys.path.insert(0, str(ROOT))

from py.app import DATABASE_NAME, WEB_FOLDER, HostInfo, Pantry  # noqa: E402
from py.core.errors import PantryError  # noqa: E402
from py.core.ports import ProgressSink  # noqa: E402
from py.terminal.places import user_data_folder  # noqa: E402
from py.terminal.progress import Silence, TerminalProgress  # noqa: E402
from py.terminal.summary import FAILED, INTERRUPTED, exit_code, summary  # noqa: E402

MISUSE = 2

Work = Callable[[Pantry, argparse.Namespace], Awaitable[dict[str, Any]]]


def parser() -> argparse.ArgumentParser:
    """Return the command line's grammar (docs/reference/cli.md)."""
    top = argparse.ArgumentParser(prog="standalone.py", description="Pantry: images to recipes, politely.")
    commands = top.add_subparsers(dest="command", required=True)
    _serve_options(_command(commands, "serve", serve, "open Pantry in a browser"))
    _import_options(_command(commands, "import", import_folder, "turn a folder of images into recipes"))
    sync_command = _command(commands, "sync", sync, "scan the model folders and fill in what vendors know")
    sync_command.add_argument("--json", action="store_true", help="print the result as one JSON document")
    restore_command = _command(commands, "restore", restore, "put a backup of the database in its place")
    restore_command.add_argument("backup", metavar="BACKUP", type=Path, nargs="?", help="without it: list the backups")
    inspect_command = commands.add_parser("inspect", help="say what images tell; no network")
    inspect_command.set_defaults(run=inspect)
    inspect_command.add_argument("paths", nargs="+", metavar="PATH", type=_path)
    inspect_command.add_argument("--json", action="store_true", help="one JSON object a line")
    return top


def _command(commands: Any, name: str, run: Any, help_text: str) -> argparse.ArgumentParser:
    made: argparse.ArgumentParser = commands.add_parser(name, help=help_text)
    made.set_defaults(run=run)
    made.add_argument("--data-dir", type=Path, default=user_data_folder(), help="where Pantry keeps its data")
    made.add_argument("--verbose", action="store_true", help="say on stderr what is going on")
    return made


def _path(text: str) -> Path:
    """Return a path; an empty one, mostly a shell variable that is not set, would mean the present folder."""
    if not text.strip():
        raise argparse.ArgumentTypeError("an empty path")
    return Path(text)


def _serve_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--host", default="127.0.0.1", help="address to listen on (this machine only)")
    command.add_argument("--port", type=int, default=8189, help="port to listen on, 0 for any free one")
    command.add_argument("--open", action="store_true", help="open the page in a browser")


def _import_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("directory", metavar="DIR", type=_path)
    command.add_argument("--no-recursive", action="store_true", help="leave out the folders inside")
    command.add_argument("--tag", action="append", default=[], metavar="T", help="tag every recipe; may be repeated")
    command.add_argument("--json", action="store_true", help="print the result as one JSON document")


def _host(arguments: argparse.Namespace, sink: ProgressSink, listens_on: tuple[str, ...] = ()) -> HostInfo:
    return HostInfo(data_dir=arguments.data_dir.expanduser().resolve(), sink=sink, listens_on=listens_on)


# --- serve ------------------------------------------------------------------------------------------------------


async def serve(arguments: argparse.Namespace) -> int:
    """Serve the page, the API and the events until interrupted."""
    from py.routes.server import Server
    from py.routes.sockets import Sockets

    sockets = Sockets()
    pantry = Pantry(_host(arguments, sockets, (arguments.host,)))
    server = Server(pantry, sockets, WEB_FOLDER)
    try:
        await pantry.start()
        address = await server.start(arguments.host, arguments.port)
        print(f"Pantry is at {address}  (Ctrl-C stops it)", flush=True)
        await pantry.carry_on()
        if arguments.open:
            webbrowser.open(address)
        await asyncio.Event().wait()
    finally:
        await server.close()
        await pantry.close()
    return 0


# --- import and sync ----------------------------------------------------------------------------------------------


async def import_folder(arguments: argparse.Namespace) -> int:
    """Import a folder, or go on with an import of it that was interrupted."""
    if not arguments.directory.is_dir():
        return _misused(f"There is no folder {arguments.directory}.")
    return await _in_terminal(arguments, _imported, things="images", success="recipes saved")


async def sync(arguments: argparse.Namespace) -> int:
    """Bring the model library in step with the disk, then fill in what vendors know of it."""
    return await _in_terminal(arguments, _synced, things="models", success="filled in")


async def _in_terminal(arguments: argparse.Namespace, work: Work, **words: str) -> int:
    """Run a job to its end with a bar, print how it ended, and return the exit code."""
    progress = Silence() if arguments.json else TerminalProgress()
    pantry = Pantry(_host(arguments, progress))
    try:
        await pantry.start()
        result = await work(pantry, arguments)
    finally:
        progress.close()
        await pantry.close()
    print(json.dumps(result, indent=2) if arguments.json else summary(result, **words))
    return exit_code(result)


async def _imported(pantry: Pantry, arguments: argparse.Namespace) -> dict[str, Any]:
    from py.jobs.request import ImportRequest

    request = ImportRequest(
        directories=(arguments.directory.resolve(),),
        recursive=not arguments.no_recursive,
        tags=tuple(arguments.tag),
    )
    operation = await pantry.imports.unfinished(request)
    if operation is None:
        operation = await pantry.imports.start(request)
    else:
        await pantry.imports.resume(operation)
    return await pantry.imports.wait(operation)


async def _synced(pantry: Pantry, _arguments: argparse.Namespace) -> dict[str, Any]:
    from py.services.metadata_sync_service import SyncRequest

    await pantry.library.scan()
    operation = await pantry.syncs.unfinished()
    if operation is None:
        operation = await pantry.syncs.start(SyncRequest())
    else:
        await pantry.syncs.resume(operation)
    return await pantry.syncs.wait(operation)


# --- restore ------------------------------------------------------------------------------------------------------


async def restore(arguments: argparse.Namespace) -> int:
    """Put a backup in the database's place; the present one is kept beside it. Without a backup, list them."""
    from py.storage.damage import BACKUPS
    from py.storage.damage import restore as put_back

    data = arguments.data_dir.expanduser()
    if arguments.backup is None:
        _print_safely("\n".join(map(str, sorted((data / BACKUPS).glob("*.sqlite")))) or "There is no backup yet.")
        return 0
    if not arguments.backup.is_file():
        return _misused(f"There is no file {arguments.backup}.")
    kept = put_back(data / DATABASE_NAME, arguments.backup)
    print(f"{arguments.backup.name} is in place." + (f" The one before is kept as {kept.name}." if kept else ""))
    return 0


# --- inspect ----------------------------------------------------------------------------------------------------


async def inspect(arguments: argparse.Namespace) -> int:
    """Print what each image says, folders searched; what cannot be read is told in place and makes the exit code 1."""
    from py.terminal.inspection import described, for_people, image_files

    failed = False
    for path in image_files(arguments.paths):
        told = await asyncio.to_thread(described, path)
        failed = failed or "error" in told
        _print_safely(json.dumps(told) if arguments.json else for_people(told) + "\n")
    return FAILED if failed else 0


def _print_safely(text: str) -> None:
    """Print text from an image: no control characters reach the terminal, and no console's code page stops us."""
    plain = "".join(one if one.isprintable() or one == "\n" else " " for one in text)
    encoding = sys.stdout.encoding or "ascii"
    print(plain.encode(encoding, "replace").decode(encoding), flush=True)


# --- running ----------------------------------------------------------------------------------------------------


def _misused(message: str) -> int:
    print(message, file=sys.stderr)
    return MISUSE


def _resume_hint(arguments: argparse.Namespace) -> str:
    if arguments.command not in ("import", "sync"):
        return ""
    return "Interrupted; everything done is saved. Run the same command again to go on."


async def _interruptible(work: Coroutine[Any, Any, int]) -> int:
    """Let SIGINT and SIGTERM cancel the command, so that it ends by its own clean-up; a second ends at once."""
    loop, command = asyncio.get_running_loop(), asyncio.current_task()
    signals = (signal.SIGINT, signal.SIGTERM)

    def stop() -> None:
        for one in signals:
            loop.remove_signal_handler(one)
        if command is not None:
            command.cancel()

    with suppress(NotImplementedError):  # Windows has no such handlers: there Ctrl-C is a KeyboardInterrupt
        for one in signals:
            loop.add_signal_handler(one, stop)
    return await work


def run(work: Coroutine[Any, Any, int], arguments: argparse.Namespace) -> int:
    """Run a command to its exit code; Ctrl-C saves first and says how to go on."""
    try:
        return asyncio.run(_interruptible(work))
    except (KeyboardInterrupt, asyncio.CancelledError):
        if hint := _resume_hint(arguments):
            print(f"\n{hint}", file=sys.stderr)
        return 0 if arguments.command == "serve" else INTERRUPTED
    except PantryError as error:
        print(error, file=sys.stderr)
        return FAILED
    except OSError as error:
        print(f"{error.strerror or error}", file=sys.stderr)
        return FAILED


def main(argv: Sequence[str] | None = None) -> int:
    """Parse the command line and run it; return the exit code."""
    arguments = parser().parse_args(argv)
    level = logging.INFO if getattr(arguments, "verbose", False) else logging.WARNING
    # Whoever ends the process politely gets the same careful end as Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    logging.basicConfig(level=level, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    with suppress(BrokenPipeError):
        return run(arguments.run(arguments), arguments)
    return FAILED


if __name__ == "__main__":
    sys.exit(main())
