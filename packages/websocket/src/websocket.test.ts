import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { cors } from "@framework/cors";
import { waitFor } from "@framework/testing";
import type { Socket } from "node:net";
import { WebSocket } from "ws";
import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { type ServerSocket, websocket, WebSocketClose } from "./index.ts";
import { collect, serve, serveApp } from "./socket-app.test-kit.ts";

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

  test("returning closes with 1000, throwing with 1011, WebSocketClose with its own code", async () => {
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
    const refused = async (path: string, headers: Record<string, string> = {}): Promise<number> => {
      const answer = Promise.withResolvers<number>();
      s.open(path, { headers }).catch((error: Error) =>
        answer.resolve(Number(/\d{3}$/.exec(error.message)?.[0])),
      );
      return await answer.promise;
    };
    expect(await refused("/guarded")).toBe(403);
    expect(await refused("/nowhere")).toBe(404);
    expect(await refused("/ws", { origin: "https://evil.example" })).toBe(403);
    expect(await refused("/ws", { origin: "null" })).toBe(403);
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

  test("a message above the limit closes with 1009, also when only its inflated size is", async () => {
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

  const mebibytes = transport === "fast" ? 16 : 2; // the transports differ up to the upgrade only

  test(`with larger limits ${mebibytes} MiB pass in both directions`, async () => {
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

test("pages of the service itself and of listed origins may connect", async () => {
  await using s = await serve((app) => {
    app.enableWebSocket({ origins: ["https://app.example"] });
    app.websocket("/", async (socket) => {
      await socket.recv();
    });
  });
  await s.open("/", { headers: { origin: "https://app.example" } });
  await s.open("/", { headers: { origin: s.url } });
  await s.open("/");
  await expect(s.open("/", { headers: { origin: "https://app.example.evil" } })).rejects.toThrow("403");
  await expect(s.open("/", { headers: { origin: "http://app.example" } })).rejects.toThrow("403");
});

test("an origin that CORS allows may connect, `*` is not enough", async () => {
  const may = async (origins: string): Promise<boolean> => {
    const app = new (App.with(cors, websocket))().enableCors(origins);
    app.websocket("/", async (socket) => {
      await socket.recv();
    });
    const running = await app.run({ port: 0, logs: false, argv: [], exitOnError: false });
    const headers = { origin: "https://app.example" };
    const client = new WebSocket(running.url.replace("http", "ws"), { headers });
    const opened = await new Promise<boolean>((resolve) => {
      client.on("open", () => resolve(true)).on("error", () => resolve(false));
    });
    client.terminate();
    await running.close();
    return opened;
  };
  expect([await may("https://app.example"), await may("https://other.example"), await may("*")]).toEqual([
    true,
    false,
    false,
  ]);
});

test("the first common sub-protocol is used", async () => {
  await using s = await serve((app) => {
    app.websocket("/", { protocols: ["v1", "v2"] }, async (socket) => {
      await socket.sendText(socket.protocol);
    });
  });
  const client = await s.open("/", { protocols: ["v9", "v2", "v1"] });
  const { texts, closed } = collect(client);
  await closed;
  expect([client.protocol, texts]).toEqual(["v2", ["v2"]]);
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

test("sends after the end reject, and the signal has aborted", async () => {
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
  await new Promise((resolve) => setImmediate(resolve)); // Node reports rejections once a turn is over
  process.off("unhandledRejection", note);
  expect(stray).toEqual([]);
  await expect(socket.sendText("late")).rejects.toMatchObject({ code: "WEBSOCKET_CLOSED" });
  expect([socket.connected, socket.closed?.code, socket.signal.aborted]).toEqual([false, 1006, true]);
  expect(await socket.recv()).toBe(null);
});

test("a sender that awaits never runs ahead of a stalled client; one that does not await is closed with 1013", async () => {
  let sent = 0;
  let most = 0;
  const over = Promise.withResolvers<unknown>();
  await using s = await serve((app) => {
    app.enableWebSocket({ maxSendQueueBytes: 400_000, closeWaitSecs: 0.1 });
    app.websocket("/polite", async (socket) => {
      for (;;) {
        await socket.sendText("x".repeat(100_000));
        sent++;
        most = Math.max(most, socket.bufferedBytes);
      }
    });
    app.websocket("/rude", async (socket) => {
      const sends = Array.from({ length: 200 }, () => socket.sendText("x".repeat(100_000)));
      over.resolve((await Promise.allSettled(sends)).at(-1));
    });
  });
  const polite = await s.open("/polite");
  polite.pause();
  let before = -1;
  await waitFor(
    async () => {
      const still = before === sent;
      before = sent;
      await new Promise((resolve) => setImmediate(resolve));
      return still && sent > 0;
    },
    { intervalMs: 100 } as never,
  );
  expect(most).toBeLessThan(400_000);
  const rude = await s.open("/rude");
  rude.pause();
  expect(await over.promise).toMatchObject({ status: "rejected", reason: { code: "WEBSOCKET_CLOSED" } });
});

test.each([1000, 100_000])(
  "a sender that awaits may send any message behind small ones, with a queue of %d bytes",
  async (maxSendQueueBytes) => {
    await using s = await serve((app) => {
      app.enableWebSocket({ maxSendQueueBytes, deflate: true });
      app.websocket("/", async (socket) => {
        // The first ones are being compressed when the next are sent.
        for (const size of [2000, 900, 5000, 200_000, 10, 200_000]) await socket.sendText("x".repeat(size));
      });
    });
    const { texts, closed } = collect(await s.open("/", { deflate: true }));
    expect(await closed).toEqual([1000, ""]);
    expect(texts.map((text) => text.length)).toEqual([2000, 900, 5000, 200_000, 10, 200_000]);
  },
);

test("a client is paused while its handler does not read, and no message is lost", async () => {
  const go = Promise.withResolvers<void>();
  const seen: number[] = [];
  await using s = await serve((app) => {
    app.enableWebSocket({ maxReceiveQueueBytes: 50_000 });
    app.websocket("/", async (socket) => {
      await go.promise;
      for await (const message of socket) seen.push(message.data.byteLength);
    });
  });
  const client = await s.open("/");
  for (let n = 0; n < 300; n++) client.send("x".repeat(100_000));
  await waitFor(() => client.bufferedAmount > 1_000_000, {
    what: "bytes that remain in the client's buffer",
  });
  go.resolve();
  await waitFor(() => seen.length === 300);
  expect(seen.every((size) => size === 100_000)).toBe(true);
});

test("a client that ignores pings is disconnected; one that answers, or is still sending a long message, is not", async () => {
  const ends: unknown[] = [];
  const pausable = (client: WebSocket): Socket => (client as unknown as { _socket: Socket })._socket;
  await using s = await serve((app) => {
    app.enableWebSocket({ pingSecs: 1, timeoutSecs: 8 });
    app.websocket("/{name}", async (socket, { params }) => {
      const message = await socket.recv();
      ends.push([params.name, message?.data.length ?? socket.closed?.code]);
    });
  });
  const alive = await s.open("/alive");
  const pings: number[] = [];
  alive.on("ping", () => pings.push(1));
  const dead = await s.open("/dead");
  pausable(dead).pause();
  const slow = pausable(await s.open("/slow")).pause();
  slow.write(Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0])); // a binary message of 65,535 bytes
  let left = 65_535;
  const part = (): void => void slow.write(Buffer.alloc(left >= 1000 ? ((left -= 10), 10) : 0));
  const parts = setInterval(part, 100);
  await waitFor(() => ends.length === 1 && pings.length > 5);
  expect(ends).toEqual([["dead", 1006]]);
  clearInterval(parts);
  slow.write(Buffer.alloc(left));
  await waitFor(() => ends.length === 2);
  expect(ends[1]).toEqual(["slow", 65_535]);
});

test("too many control frames close with 1008", async () => {
  await using s = await serve((app) => {
    app.enableWebSocket({ maxControlFramesPerSec: 20 });
    app.websocket("/", async (socket) => {
      await socket.recv();
    });
  });
  const client = await s.open("/");
  const { closed } = collect(client);
  for (let n = 0; n < 200; n++) client.ping();
  expect((await closed)[0]).toBe(1008);
});

test("a room reaches its members except the sender", async () => {
  await using s = await serve((app) => {
    app.websocket("/rooms/{room}", async (socket, { params }) => {
      socket.join(params.room);
      await socket.sendText("joined");
      for await (const message of socket)
        await app.room(params.room).sendText(message.text, { except: socket });
    });
  });
  const [ada, bob, eve] = await Promise.all([s.open("/rooms/a"), s.open("/rooms/a"), s.open("/rooms/b")]);
  const [seenByAda, seenByBob, seenByEve] = [ada, bob, eve].map((client) => collect(client).texts);
  await waitFor(() => s.app.room("a").localSize === 2 && s.app.room("b").localSize === 1);
  ada.send("hello");
  await waitFor(() => seenByBob?.includes("hello") ?? false);
  await s.app.room("b").sendJson({ n: 1 });
  await s.app.room("b").sendBinary(Uint8Array.of(1, 2));
  await waitFor(() => seenByEve?.includes("binary:0102") ?? false);
  expect(seenByAda).not.toContain("hello");
  expect(seenByEve?.filter((text) => text !== "joined")).toEqual(['{"n":1}', "binary:0102"]);
  bob.close();
  await waitFor(() => s.app.room("a").localSize === 1);
  await expect(s.app.room("a").sendText("x".repeat(45_001))).rejects.toMatchObject({
    code: "WEBSOCKET_BROADCAST_TOO_LARGE",
  });
});

test("every configuration mistake is reported at start", async () => {
  const starts = serve((app) => {
    app.enableWebSocket({ pingSecs: -1, origins: ["app.example"], pings: 1 } as never);
    app.websocket("/", () => {});
  });
  await expect(starts).rejects.toThrow(/pingSecs[\s\S]*origins/);
});

test("a connection is an operation from its upgrade to its end, and each message one within it", async () => {
  const seen: string[] = [];
  const current: (string | undefined)[] = [];
  const listening: Feature<{ readonly note: () => void }> = {
    name: "listening",
    install: ({ insight }) => {
      insight.onOperation({
        kinds: ["websocket"],
        start: ({ name, role, parent }) => seen.push(`start ${role} ${name} in ${parent?.role ?? "none"}`),
        error: ({ role, error }) => seen.push(`error ${role} ${error?.message}`),
        end: ({ role, attributes }) => seen.push(`end ${role} ${Number(attributes["websocket.close_code"])}`),
      });
      return { note: () => void current.push(insight.currentOperation()?.role) };
    },
  };
  const app = new (App.with(websocket, listening))();
  app.websocket("/rooms/{id}", async (socket) => {
    app.note();
    await socket.each(async ({ text }) => {
      app.note();
      if (text === "fail") throw new Error("a bug");
    });
  });
  await using service = await serveApp(app);
  const client = await service.open("/rooms/7");
  client.send("hello");
  client.send("fail");
  await collect(client).closed;
  await waitFor(() => seen.length === 8);
  expect(seen).toEqual([
    "start server /rooms/{id} in none",
    "start consumer /rooms/{id} in server",
    "end consumer NaN",
    "start consumer /rooms/{id} in server",
    "error consumer a bug",
    "end consumer NaN",
    "error server a bug",
    "end server 1011",
  ]);
  expect(current).toEqual(["server", "consumer", "consumer"]);
});
