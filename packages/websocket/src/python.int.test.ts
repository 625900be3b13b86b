import { setTimeout as delay } from "node:timers/promises";
import { UnauthorizedError } from "@framework/core";
import { waitFor } from "@framework/testing";
import { afterAll, describe, expect, test } from "@jest/globals";
import { findPython, PythonClients } from "./python-client.test-kit.ts";
import type { CloseInfo, ServerSocket } from "./index.ts";
import { serve } from "./socket-app.test-kit.ts";

const python = findPython();
if (python === null)
  console.log("skipped: no Python with the module websockets; install python3-websockets, or pip install it");
const block = python === null ? describe.skip : describe;
let clients: PythonClients | null = null;
const run: PythonClients["run"] = (...client) => (clients ??= new PythonClients(python ?? "")).run(...client);
afterAll(async () => {
  await clients?.[Symbol.asyncDispose]();
});

const MIB = 1024 * 1024;

const echo = async (socket: ServerSocket): Promise<void> => {
  for await (const message of socket) await socket.send(message);
};

const transports = ["fast", "node"] as const;

block.each(transports)("a Python client on the %s transport", (transport) => {
  test("gets text, bytes and fragments back unchanged and in order", async () => {
    await using s = await serve((app) => app.websocket("/", echo), { transport });
    const steps = [
      ["text", "héllo \u{1F600}"],
      ["binary", "00ff"],
      ["text", ""],
      ["fragments", ["one ", "twö ", "three"]],
      ...Array.from({ length: 4 }, () => ["receive"] as const),
      ["close", 1000, "done"],
    ] as const;
    expect(await run(s.url, steps)).toEqual({
      protocol: null,
      extensions: null,
      results: [
        null,
        null,
        null,
        null,
        ["text", "héllo \u{1F600}"],
        ["binary", "00ff"],
        ["text", ""],
        ["text", "one twö three"],
        [1000, "done"],
      ],
    });
  });

  test.each([
    { server: true, client: true },
    { server: true, client: false },
    { server: false, client: true },
  ])(
    "receives 4 MiB of bytes and of text back, with compression of the server: $server, of the client: $client",
    async ({ server, client }) => {
      await using s = await serve(
        (app) => {
          app.enableWebSocket({ maxMessageBytes: 4 * MIB, deflate: server });
          app.websocket("/", echo);
        },
        { transport },
      );
      const steps = [
        ["echo", "binary", 4 * MIB],
        ["echo", "text", 4 * MIB],
        ["echo", "text", 1000],
        ["ping", "between"],
        ["echo", "text", 100_000],
      ] as const;
      const seen = await run(s.url, steps, { deflate: client });
      const both = "permessage-deflate; server_no_context_takeover; client_no_context_takeover";
      expect(seen).toMatchObject({
        extensions: server && client ? both : null,
        results: [true, true, true, "pong", true],
      });
    },
  );

  test("gets the server's close code and reason, and the server gets the client's", async () => {
    const ends: (CloseInfo | null)[] = [];
    await using s = await serve(
      (app) => {
        app.websocket("/server", (socket) => socket.close(4001, "so there"));
        app.websocket("/client", async (socket) => {
          expect(await socket.recv()).toBe(null);
          ends.push(socket.closed);
        });
        app.websocket("/throws", () => {
          throw new Error("secret");
        });
      },
      { transport },
    );
    expect(await run(`${s.url}/server`, [["closed"]])).toMatchObject({ results: [[4001, "so there"]] });
    expect(await run(`${s.url}/throws`, [["closed"]])).toMatchObject({ results: [[1011, "internal error"]] });
    for (const end of [
      [1000, ""],
      [4002, "byé"],
    ] as const) {
      expect(await run(`${s.url}/client`, [["close", ...end]])).toMatchObject({ results: [end] });
      await waitFor(() => ends.length > 0);
      expect(ends.splice(0)).toEqual([{ code: end[0], reason: end[1] }]);
    }
  });

  test("negotiates a common sub-protocol, or none", async () => {
    await using s = await serve(
      (app) => {
        app.websocket("/", { protocols: ["v1", "v2"] }, (socket) => socket.sendText(socket.protocol));
      },
      { transport },
    );
    expect(await run(s.url, [["receive"]], { protocols: ["v9", "v2"] })).toMatchObject({
      protocol: "v2",
      results: [["text", "v2"]],
    });
    expect(await run(s.url, [["receive"]], { protocols: ["v9"] })).toMatchObject({
      protocol: null,
      results: [["text", ""]],
    });
  });

  test("is refused with an HTTP reply before the upgrade", async () => {
    await using s = await serve(
      (app) => {
        app.websocket("/denied", { guards: [() => false] }, () => {});
        const unknown = (): never => {
          throw new UnauthorizedError("Who are you?");
        };
        app.websocket("/unknown", { guards: [unknown] }, () => {});
      },
      { transport },
    );
    const refused = [];
    for (const path of ["/denied", "/unknown", "/nowhere"]) refused.push(await run(`${s.url}${path}`, []));
    expect(refused).toEqual([{ refused: 403 }, { refused: 401 }, { refused: 404 }]);
  });
});

block("Python clients on both transports", () => {
  test("send pongs, so an idle connection stays open", async () => {
    const staysOpen = async (transport: (typeof transports)[number]): Promise<void> => {
      await using s = await serve(
        (app) => {
          app.enableWebSocket({ pingSecs: 1, timeoutSecs: 8 });
          app.websocket("/", async (socket) => {
            await delay(12_000); // longer than the timeout
            await socket.sendText(`open: ${socket.connected}`);
          });
        },
        { transport },
      );
      expect(await run(s.url, [["receive"], ["closed"]])).toMatchObject({
        results: [
          ["text", "open: true"],
          [1000, ""],
        ],
      });
    };
    await Promise.all(transports.map(staysOpen));
  });
});
