import { waitFor } from "@framework/testing";
import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { type ServerSocket, WebSocketClose } from "./index.ts";
import { collect, serve } from "./socket-app.test-kit.ts";

const transports = ["fast", "node"] as const;

describe.each(transports)("on the %s transport", (transport) => {
  test("text and binary messages come back unchanged and in order", async () => {
    await using s = await serve(
      (app) => {
        app.websocket("/echo", async (socket) => {
          for await (const message of socket) await socket.send(message);
        });
      },
      { transport },
    );
    const client = await s.open("/echo");
    const { texts } = collect(client);
    client.send("héllo \u{1F600}");
    client.send(Buffer.from([0, 255]));
    client.send("");
    await waitFor(() => texts.length === 3);
    expect(texts).toEqual(["héllo \u{1F600}", "binary:00ff", ""]);
  });

  test("recv returns typed messages, then always null", async () => {
    const seen: unknown[] = [];
    await using s = await serve(
      (app) => {
        app.websocket("/", async (socket) => {
          for (let n = 0; n < 4; n++) {
            const message = await socket.recv();
            seen.push(
              message === null
                ? null
                : [
                    message.msgType,
                    message.isText,
                    message.isBinary,
                    message.isText ? message.text : message.data.byteLength,
                  ],
            );
          }
          seen.push(socket.closed);
        });
      },
      { transport },
    );
    const client = await s.open("/");
    client.send("a");
    client.send(Buffer.from("bcd"));
    client.close(4001, "done");
    await waitFor(() => seen.length === 5);
    expect(seen).toEqual([
      ["text", true, false, "a"],
      ["binary", false, true, 3],
      null,
      null,
      { code: 4001, reason: "done" },
    ]);
  });

  test("the handler gets typed parameters and the request with its query and fields", async () => {
    await using s = await serve(
      (app) => {
        app.websocket("/rooms/{room}", async (socket, request) => {
          const room: string = request.params.room;
          await socket.sendJson({
            room,
            name: request.query.get("name"),
            host: request.getHeader("x-own"),
            app: request.app === app,
          });
        });
      },
      { transport },
    );
    const client = await s.open("/rooms/a%20b?name=ada", { headers: { "x-own": "1" } });
    const { texts, closed } = collect(client);
    expect(await closed).toEqual([1000, ""]);
    expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual([
      { room: "a b", name: "ada", host: "1", app: true },
    ]);
  });

  test("a handler that returns closes with 1000, one that throws with 1011, and WebSocketClose with its own code", async () => {
    await using s = await serve(
      (app) => {
        app.websocket("/return", () => {});
        app.websocket("/throw", () => {
          throw new Error("secret");
        });
        app.websocket("/own", () => {
          throw new WebSocketClose(4242, "so there");
        });
        app.websocket("/close", (socket) => socket.close(3000, "ä".repeat(100)));
      },
      { transport },
    );
    const codes = [];
    for (const path of ["/return", "/throw", "/own", "/close"])
      codes.push(await collect(await s.open(path)).closed);
    expect(codes).toEqual([
      [1000, ""],
      [1011, "internal error"],
      [4242, "so there"],
      [3000, "ä".repeat(61)],
    ]);
  });

  test("an invalid handshake gets an HTTP reply", async () => {
    await using s = await serve(
      (app) => {
        app.websocket("/ws", () => {});
        app.websocket("/guarded", { guards: [() => false] }, () => {});
      },
      { transport },
    );
    const plain = await fetch(`${s.url}/ws`);
    expect([plain.status, plain.headers.get("upgrade"), plain.headers.get("sec-websocket-version")]).toEqual([
      426,
      "websocket",
      "13",
    ]);
    expect(await plain.json()).toMatchObject({ status: 426, error: "Upgrade Required" });
    const refusalStatus = async (path: string, headers: Record<string, string> = {}): Promise<number> => {
      const status = Promise.withResolvers<number>();
      s.open(path, { headers }).catch((error: Error) =>
        status.resolve(Number(/\d{3}$/.exec(error.message)?.[0])),
      );
      return await status.promise;
    };
    expect(await refusalStatus("/guarded")).toBe(403);
    expect(await refusalStatus("/nowhere")).toBe(404);
    expect(await refusalStatus("/ws", { origin: "https://evil.example" })).toBe(403);
    expect(await refusalStatus("/ws", { origin: "null" })).toBe(403);
  });

  test("drain closes connections with 1001 and the service stops", async () => {
    await using s = await serve(
      (app) => {
        app.websocket("/", async (socket) => {
          await socket.recv();
        });
      },
      { transport },
    );
    const { closed } = collect(await s.open("/"));
    const stopped = s.close();
    expect((await closed)[0]).toBe(1001);
    await stopped;
  });

  test("a message above the limit closes the connection with 1009, even if only its inflated size is above it", async () => {
    await using s = await serve(
      (app) => {
        app.enableWebSocket({ maxMessageBytes: 10_000, deflate: true });
        app.websocket("/", async (socket) => {
          for await (const _ of socket) await socket.sendText("got");
        });
      },
      { transport },
    );
    for (const deflate of [false, true]) {
      const client = await s.open("/", { deflate });
      const { closed, texts } = collect(client);
      client.send("x".repeat(10_000));
      await waitFor(() => texts.length === 1);
      client.send("x".repeat(10_001));
      expect((await closed)[0]).toBe(1009);
    }
  });

  const mebibytes = transport === "fast" ? 16 : 2; // the transports differ only until the upgrade

  test(`with larger limits, messages of ${mebibytes} MiB pass in both directions`, async () => {
    const size = mebibytes * 1024 * 1024;
    await using s = await serve(
      (app) => {
        app.enableWebSocket({ maxMessageBytes: size });
        app.websocket("/", async (socket) => {
          for await (const message of socket) await socket.send(message);
        });
      },
      { transport },
    );
    const client = await s.open("/");
    const sizes: number[] = [];
    client.on("message", (data: Buffer) => sizes.push(data.byteLength));
    client.send(Buffer.alloc(size, 7));
    await waitFor(() => sizes.length === 1);
    expect(sizes).toEqual([size]);
  });
});

test("messages with a schema are typed; a mismatch closes with 1008, invalid JSON with 1007, binary with 1003", async () => {
  const seen: { n: number }[] = [];
  await using s = await serve((app) => {
    app.websocket("/", { message: z.object({ n: z.number() }) }, async (socket) => {
      for (let event = await socket.receiveJson(); event !== null; event = await socket.receiveJson()) {
        const n: number = event.n;
        seen.push({ n });
      }
    });
  });
  const codes: number[] = [];
  for (const message of ['{"n":"1"}', "nonsense", Buffer.from("{}")]) {
    const client = await s.open("/");
    client.send('{"n":1,"more":2}');
    client.send(message);
    codes.push((await collect(client).closed)[0]);
  }
  expect(codes).toEqual([1008, 1007, 1003]);
  expect(seen).toEqual([{ n: 1 }, { n: 1 }, { n: 1 }]);
});

test("once the connection has ended, sends reject, unawaited sends cause no unhandled rejection, and the signal is aborted", async () => {
  const ended = Promise.withResolvers<ServerSocket>();
  await using s = await serve((app) => {
    app.websocket("/", async (socket) => {
      const { signal } = socket;
      await socket.recv();
      expect(signal.aborted).toBe(true);
      ended.resolve(socket);
    });
  });
  (await s.open("/")).terminate();
  const socket = await ended.promise;
  const stray: unknown[] = [];
  const note = (reason: unknown): void => void stray.push(reason);
  process.on("unhandledRejection", note);
  void socket.sendText("dropped");
  void socket.sendBinary(new Uint8Array(1));
  void socket.sendJson({ dropped: true });
  void socket.send("dropped");
  await new Promise((resolve) => setImmediate(resolve)); // Node reports unhandled rejections at the end of a turn of the event loop
  process.off("unhandledRejection", note);
  expect(stray).toEqual([]);
  await expect(socket.sendText("late")).rejects.toMatchObject({ code: "WEBSOCKET_CLOSED" });
  expect([socket.connected, socket.closed?.code, socket.signal.aborted]).toEqual([false, 1006, true]);
  expect(await socket.recv()).toBe(null);
});
