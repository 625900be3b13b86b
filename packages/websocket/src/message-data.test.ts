import { randomFillSync } from "node:crypto";
import { once } from "node:events";
import { waitFor } from "@framework/testing";
import { App, ForbiddenError } from "@framework/core";
import { expect, test } from "@jest/globals";
import { type ServerSocket, websocket, WebSocketClose } from "./index.ts";
import { collect, serve } from "./socket-app.test-kit.ts";

type Send = (value: never) => Promise<void>;

/** Returns the result of each send: an error code, or "sent". */
const outcomes = async (send: Send, values: readonly unknown[]): Promise<readonly unknown[]> => {
  const found: unknown[] = [];
  for (const value of values)
    await send(value as never).then(
      () => found.push("sent"),
      (error: { code?: unknown }) => found.push(error.code),
    );
  return found;
};

const lookalike = { byteLength: 4000, length: 4000, isBinary: true };

test("only a string is sent as text, not an object with a `byteLength`", async () => {
  const values = [lookalike, undefined, null, 5, {}, [1], new Uint8Array(4), new ArrayBuffer(4)];
  const found: unknown[] = [];
  await using s = await serve((app) => {
    app.websocket("/", async (socket) => {
      found.push(await outcomes((value) => socket.sendText(value), values));
      found.push(await outcomes((value) => app.room("a").sendText(value), values));
      await socket.sendText("end");
    });
  });
  const { texts, closed } = collect(await s.open("/"));
  expect(await closed).toEqual([1000, ""]);
  expect(texts).toEqual(["end"]);
  expect(found).toEqual([
    values.map(() => "WEBSOCKET_BAD_MESSAGE"),
    values.map(() => "WEBSOCKET_BAD_MESSAGE"),
  ]);
});

test("a value that is not a string, bytes or a message is not sent, and does not count in the queue", async () => {
  const values = [lookalike, { byteLength: 2_000_000_000 }, undefined, null, 5, {}, [1]];
  const messages = [...values, { data: lookalike, isBinary: true }, { data: "x", isBinary: false }];
  const found: unknown[] = [];
  await using s = await serve((app) => {
    app.websocket("/", async (socket) => {
      found.push(await outcomes((value) => socket.sendBinary(value), [...values, "text"]));
      found.push(await outcomes((value) => app.room("a").sendBinary(value), [...values, "text"]));
      found.push(await outcomes((value) => socket.send(value), messages));
      for (let at = 0; at < 40; at++) await socket.sendBinary(new Uint8Array(60_000));
    });
  });
  const { texts, closed } = collect(await s.open("/"));
  expect(await closed).toEqual([1000, ""]);
  expect([texts.length, new Set(found.flat())]).toEqual([40, new Set(["WEBSOCKET_BAD_MESSAGE"])]);
});

test("an ArrayBuffer and every view are sent as their bytes, by a socket and a room", async () => {
  const memory = Uint8Array.from({ length: 8 }, (_, at) => at).buffer;
  const bytes = [
    [memory, "0001020304050607"],
    [new DataView(memory, 2, 3), "020304"],
    [new Float32Array([1]), "0000803f"],
    [new Uint16Array(memory, 2, 2), "02030405"],
    [Buffer.from(memory, 1, 2), "0102"],
  ] as const;
  await using s = await serve((app) => {
    app.websocket("/", async (socket) => {
      socket.join("a");
      for (const [value] of bytes) {
        await socket.sendBinary(value);
        await socket.send(value);
        await app.room("a").sendBinary(value);
      }
      await socket.send({ data: Buffer.from("own"), isBinary: false } as never);
    });
  });
  const { texts, closed } = collect(await s.open("/"));
  expect(await closed).toEqual([1000, ""]);
  const expected = bytes.flatMap(([, hex]) => Array.from({ length: 3 }, () => `binary:${hex}`));
  expect(texts).toEqual([...expected, "own"]);
});

test.each([
  ["4001", "x", "WEBSOCKET_BAD_CLOSE_CODE"],
  [4001.5, "x", "WEBSOCKET_BAD_CLOSE_CODE"],
  [null, "x", "WEBSOCKET_BAD_CLOSE_CODE"],
  [4001, {}, "WEBSOCKET_BAD_MESSAGE"],
  [4001, 5, "WEBSOCKET_BAD_MESSAGE"],
])(
  "closing with the code %p and the reason %p from a client's message is an error in the handler",
  async (code, reason, error) => {
    type Close = Record<"code" | "reason", never>;
    const logged: unknown[] = [];
    const record = (_text: string, fields: object): void => void logged.push(fields);
    const log = { info() {}, warn() {}, error: record as never };
    await using s = await serve(
      (app) => {
        app.websocket("/throw", async (socket) => {
          const sent = (await socket.recv())?.json() as Close;
          throw new WebSocketClose(sent.code, sent.reason);
        });
        app.websocket("/close", async (socket) => {
          const sent = (await socket.recv())?.json() as Close;
          await socket.close(sent.code, sent.reason);
        });
        app.websocket("/unawaited", async (socket) => {
          const sent = (await socket.recv())?.json() as Close;
          void socket.close(sent.code, sent.reason);
          await socket.sendText("open");
        });
      },
      { log },
    );
    const stray: unknown[] = [];
    const note = (cause: unknown): void => void stray.push(cause);
    process.on("unhandledRejection", note);
    for (const path of ["/throw", "/close", "/unawaited"]) {
      const client = await s.open(path);
      client.send(JSON.stringify({ code, reason }));
      const { closed, texts } = collect(client);
      expect([await closed, texts]).toEqual(
        path === "/unawaited" ? [[1000, ""], ["open"]] : [[1011, "internal error"], []],
      );
    }
    process.off("unhandledRejection", note);
    expect(stray).toEqual([]);
    expect(logged).toMatchObject([{ error: { code: error } }, { error: { code: error } }]);
  },
);

test("a refusal whose detail is not a string closes with 1008", async () => {
  await using s = await serve((app) => {
    app.websocket("/", () => {
      throw new ForbiddenError({ banned: true } as never);
    });
  });
  expect(await collect(await s.open("/")).closed).toEqual([1008, '{"banned":true}']);
});

test.each([5, undefined, "", "a".repeat(201)])("app.room rejects the name %p", (name) => {
  const app = new (App.with(websocket))();
  expect(() => app.room(name as string)).toThrow(expect.objectContaining({ code: "WEBSOCKET_BAD_ROOM" }));
});

test("a room's name must be a string", async () => {
  const found: unknown[] = [];
  await using s = await serve((app) => {
    app.websocket("/", async (socket) => {
      for (const name of [5, {}, ["a"], undefined])
        found.push(...(await outcomes(async (room) => socket.join(room), [name])));
    });
  });
  expect(await collect(await s.open("/")).closed).toEqual([1000, ""]);
  expect(found).toEqual(found.map(() => "WEBSOCKET_BAD_ROOM"));
  expect(found).toHaveLength(4);
});

test.each([3000, 20_000, 60_000])(
  "a handler may reuse the memory of a binary message of %d bytes once its send has resolved",
  async (size) => {
    const count = Math.ceil(20_000_000 / size);
    let server: ServerSocket | undefined;
    await using s = await serve((app) => {
      app.websocket("/", async (socket) => {
        server = socket;
        await socket.recv();
        const memory = new Uint8Array(size);
        for (let at = 0; at < count; at++) await socket.sendBinary(memory.fill(at % 251));
      });
    });
    const client = await s.open("/");
    let received = 0;
    const wrong: number[] = [];
    client.on("message", (data: Buffer) => {
      if (!data.equals(Buffer.alloc(size, received % 251))) wrong.push(received);
      received++;
    });
    client.send("go");
    client.pause();
    await waitFor(() => (server?.bufferedBytes ?? 0) > 0);
    client.resume();
    await once(client, "close");
    expect([received, wrong]).toEqual([count, []]);
  },
  60_000,
);

test("a handler may reuse the memory of a compressed message once its send has resolved", async () => {
  const noise = randomFillSync(new Uint8Array(40_000));
  await using s = await serve((app) => {
    app.enableWebSocket({ deflate: true });
    app.websocket("/", async (socket) => {
      const memory = new Uint8Array(3000);
      for (let at = 0; at < 40; at++) {
        memory.set(noise.subarray(at, at + 3000));
        await socket.sendBinary(memory);
      }
    });
  });
  const { texts, closed } = collect(await s.open("/", { deflate: true }));
  expect(await closed).toEqual([1000, ""]);
  expect(texts).toEqual(
    Array.from(
      { length: 40 },
      (_, at) => `binary:${Buffer.from(noise.subarray(at, at + 3000)).toString("hex")}`,
    ),
  );
});
