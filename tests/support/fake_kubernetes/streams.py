"""Programs of a pod behind websockets: the protocols v4 and v5 of `channel.k8s.io`."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import struct
import termios
from contextlib import suppress
from typing import Any

from aiohttp import WSMsgType, web

from tests.support.fake_kubernetes.machine import Machine

STDIN, STDOUT, STDERR, STATUS, RESIZE, CLOSE = 0, 1, 2, 3, 4, 255


class Streams:
    """The connections to one machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.open: dict[str, set[web.WebSocketResponse]] = {"exec": set(), "attach": set()}
        self._attached: web.WebSocketResponse | None = None
        assert machine.process.stdin and machine.process.stdout
        self._input = machine.process.stdin
        self._output = machine.process.stdout
        os.set_blocking(self._output.fileno(), False)
        asyncio.get_running_loop().add_reader(self._output, self._forward)

    def cut(self, kind: str) -> None:
        """Break connections without a word."""
        for socket in list(self.open[kind]):
            assert socket._req and socket._req.transport
            socket._req.transport.abort()

    async def ended(self, code: int) -> None:
        """Tell who is attached that the machine has ended."""
        asyncio.get_running_loop().remove_reader(self._output)
        if self._attached and not self._attached.closed:
            with suppress(ConnectionError):
                await self._attached.send_bytes(bytes([STATUS]) + status(0))
                await self._attached.close()

    async def serve(self, request: web.Request, protocols: tuple[str, ...]) -> web.StreamResponse:
        """Serve one connection until it ends."""
        socket = web.WebSocketResponse(protocols=protocols, max_msg_size=0)
        await socket.prepare(request)
        kind = request.match_info["kind"]
        self.open[kind].add(socket)
        try:
            if kind == "attach":
                await self._attach(socket)
            elif request.query.get("tty", "").lower() == "true":
                await self._terminal(socket, request.query.getall("command"))
            else:
                await self._program(socket, request.query.getall("command"))
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self.open[kind].discard(socket)
        return socket

    def _forward(self) -> None:
        data = self._output.read(1 << 16)
        if data and self._attached and not self._attached.closed:
            self._later = asyncio.ensure_future(self._attached.send_bytes(bytes([STDOUT]) + data))

    async def _attach(self, socket: web.WebSocketResponse) -> None:
        self._attached = socket
        async for channel, data in messages(socket):
            if channel == STDIN:
                with suppress(OSError):
                    self._input.write(data)
                    self._input.flush()
        with suppress(OSError):
            self._input.close()  # stdinOnce

    async def _program(self, socket: web.WebSocketResponse, argv: list[str]) -> None:
        process = await asyncio.create_subprocess_exec(
            *self._machine.enter(argv, tty=False), env=self._machine.environment,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        assert process.stdin and process.stdout and process.stderr
        feeding = asyncio.create_task(self._feed(socket, process.stdin))
        await asyncio.gather(
            send_all(socket, STDOUT, process.stdout), send_all(socket, STDERR, process.stderr)
        )
        await self._report(socket, await process.wait())
        feeding.cancel()

    async def _feed(self, socket: web.WebSocketResponse, stdin: asyncio.StreamWriter) -> None:
        async for channel, data in messages(socket):
            with suppress(ConnectionError):
                if channel == STDIN:
                    stdin.write(data)
                    await stdin.drain()
                elif channel == CLOSE and data == bytes([STDIN]):
                    stdin.close()
        stdin.close()

    async def _terminal(self, socket: web.WebSocketResponse, argv: list[str]) -> None:
        loop = asyncio.get_running_loop()
        master, slave = self._machine.open_terminal()
        process = await asyncio.create_subprocess_exec(
            *self._machine.enter(argv, tty=True), env=self._machine.environment,
            stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        reader = asyncio.StreamReader()
        output, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(os.dup(master), "rb", 0)
        )
        typing = asyncio.create_task(self._type(socket, master))
        try:
            await send_all(socket, STDOUT, reader)
            await self._report(socket, await process.wait())
        finally:
            typing.cancel()
            output.close()
            os.close(master)

    async def _type(self, socket: web.WebSocketResponse, master: int) -> None:
        async for channel, data in messages(socket):
            if channel == RESIZE:
                size = json.loads(data)
                packed = struct.pack("=4H", size["Height"], size["Width"], 0, 0)
                fcntl.ioctl(master, termios.TIOCSWINSZ, packed)
            elif channel == STDIN:
                while data:
                    with suppress(BlockingIOError):
                        data = data[os.write(master, data) :]
                    if data:
                        await asyncio.sleep(0.001)
        # The client has hung up: so does the terminal.
        assert socket._req and socket._req.task
        socket._req.task.cancel()

    async def _report(self, socket: web.WebSocketResponse, code: int) -> None:
        await socket.send_bytes(bytes([STATUS]) + status(code))
        await socket.close()


async def messages(socket: web.WebSocketResponse) -> Any:
    """Yield the channel and the data of each message."""
    async for message in socket:
        if message.type in (WSMsgType.BINARY, WSMsgType.TEXT):
            data = message.data if isinstance(message.data, bytes) else message.data.encode()
            if data:
                yield data[0], data[1:]


async def send_all(
    socket: web.WebSocketResponse, channel: int, reader: asyncio.StreamReader
) -> None:
    """Send what is read until its end."""
    with suppress(OSError):  # a terminal whose programs have ended
        while data := await reader.read(1 << 16):
            await socket.send_bytes(bytes([channel]) + data)


def status(code: int) -> bytes:
    """Return what the API tells of a program's end (k8s.io/apimachinery, v1.Status)."""
    if code == 0:
        return json.dumps({"metadata": {}, "status": "Success"}).encode()
    message = f"command terminated with non-zero exit code: exit status {code}"
    causes = [{"reason": "ExitCode", "message": str(code)}]
    told = {"metadata": {}, "status": "Failure", "message": message, "reason": "NonZeroExitCode"}
    return json.dumps({**told, "details": {"causes": causes}}).encode()
