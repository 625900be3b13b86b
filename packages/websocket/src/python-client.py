"""Scripted WebSocket clients: reads one JSON object of each from a line of standard input, and prints a line with its id and the results of its steps.

Runs with the module `websockets` from version 10, whose asynchronous client changed some names in version 14.
"""

import asyncio
import json
import sys
import traceback

import websockets


def shown(message):
    return ["text", message] if isinstance(message, str) else ["binary", message.hex()]


def repeated(kind, size):
    pattern = bytes(range(256)) if kind == "binary" else "0123456789abcde\n"
    return (pattern * (size // len(pattern) + 1))[:size]


async def take(ws, name, *given):
    if name == "text":
        return await ws.send(given[0])
    if name == "binary":
        return await ws.send(bytes.fromhex(given[0]))
    if name == "fragments":
        return await ws.send(given[0])
    if name == "receive":
        return shown(await ws.recv())
    if name == "echo":
        message = repeated(*given)
        sending = asyncio.ensure_future(ws.send(message))  # concurrently, so that neither side waits for the other to read
        same = await ws.recv() == message
        await sending
        return same
    if name == "ping":
        await (await ws.ping(given[0].encode()))
        return "pong"
    if name == "close":
        await ws.close(*given)
        return [ws.close_code, ws.close_reason]
    if name == "closed":
        await ws.wait_closed()
        return [ws.close_code, ws.close_reason]
    raise ValueError(name)


def refused_with(error):
    response = getattr(error, "response", None)
    return error.status_code if response is None else response.status_code


def extensions_of(ws):
    fields = ws.response.headers if hasattr(ws, "response") else ws.response_headers
    return fields.get("Sec-WebSocket-Extensions")


async def run(script):
    try:
        ws = await websockets.connect(
            script["url"],
            compression="deflate" if script["deflate"] else None,
            subprotocols=script["protocols"] or None,
            max_size=None,
            ping_interval=None,
        )
    except websockets.InvalidHandshake as error:
        return {"refused": refused_with(error)}
    results = [await take(ws, *step) for step in script["steps"]]
    await ws.close()
    return {"protocol": ws.subprotocol, "extensions": extensions_of(ws), "results": results}


async def report(script):
    try:
        end = {"seen": await run(script)}
    except Exception:
        end = {"failure": traceback.format_exc()}
    print(json.dumps({"id": script["id"], **end}), flush=True)


async def main():
    loop = asyncio.get_running_loop()
    clients = set()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        client = asyncio.ensure_future(report(json.loads(line)))
        clients.add(client)
        client.add_done_callback(clients.discard)


asyncio.run(main())
