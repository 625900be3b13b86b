import { once } from "node:events";
import { expect, test } from "@jest/globals";
import { App, ConfigurationError } from "@framework/core";
import { WebSocket } from "ws";
import { websocket } from "./index.ts";
import { collect, serve } from "./socket-app.test-kit.ts";

test("a route's limits override the app's for its own connections", async () => {
  await using s = await serve((app) => {
    app.websocket("/small", { limits: { maxMessageBytes: 10 } }, async (socket) => {
      for await (const message of socket) await socket.send(message);
    });
    app.websocket(
      "/large",
      { limits: { maxMessageBytes: 5000, maxFragments: undefined } },
      async (socket) => {
        for await (const message of socket) await socket.send(message);
      },
    );
    app.websocket("/app", async (socket) => {
      for await (const message of socket) await socket.send(message);
    });
    app.enableWebSocket({ maxMessageBytes: 100 });
  });
  for (const [path, limit] of [
    ["/small", 10],
    ["/large", 5000],
    ["/app", 100],
  ] as const) {
    const client = await s.open(path);
    const { texts, closed } = collect(client);
    client.send("x".repeat(limit));
    await once(client, "message");
    expect(texts).toEqual(["x".repeat(limit)]);
    client.send("x".repeat(limit + 1));
    expect((await closed)[0]).toBe(1009);
  }
});

test("a route's origins apply only to that route", async () => {
  await using s = await serve((app) => {
    app.websocket("/own", { limits: { origins: ["https://a.example"] } }, (socket) =>
      socket.sendText("hello"),
    );
    app.websocket("/app", (socket) => socket.sendText("hello"));
  });
  const headers = { origin: "https://a.example" };
  await s.open("/own", { headers });
  await expect(s.open("/app", { headers })).rejects.toThrow("403");
});

test("mistakes in a route's limits are reported at start", async () => {
  const app = new (App.with(websocket))();
  const limits = { maxMessageByte: 1, pingSecs: 3, timeoutSecs: 0 };
  app.websocket("/", { limits: limits as object }, () => {});
  const start = app.start();
  await expect(start).rejects.toThrow(ConfigurationError);
  await expect(start).rejects.toThrow(/maxMessageByte"[^]*pingSecs"[^]*WebSocketLimits\.timeoutSecs/);
});

test("a route with compression refuses window sizes that are not a number from 8 to 15 without leading zeros", async () => {
  await using s = await serve((app) => {
    app.websocket("/", { limits: { deflate: true } }, (socket) => socket.sendText("hello"));
    app.websocket("/plain", (socket) => socket.sendText("hello"));
  });
  const open = async (path: string, bits: string, name: string): Promise<string> => {
    const client = new WebSocket(`${s.url.replace("http", "ws")}${path}`, {
      perMessageDeflate: false,
      headers: { "sec-websocket-extensions": `permessage-deflate; ${name}=${bits}` },
    });
    const [event] = await Promise.race([
      once(client, "upgrade").then(() => ["101"]),
      once(client, "unexpected-response").then(([, reply]) => [
        String((reply as { statusCode: number }).statusCode),
      ]),
    ]);
    client.on("error", () => {});
    client.terminate();
    return event ?? "";
  };
  for (const name of ["client_max_window_bits", "server_max_window_bits"]) {
    for (const bits of ["010", "08", "1e1", "0xa", "+10", "10.0", "7", "16", '"010"', '"1e1"', "1_0", ""])
      expect([name, bits, await open("/", bits, name)]).toEqual([name, bits, "400"]);
    for (const bits of ["8", "9", "10", "15", '"12"'])
      expect([bits, await open("/", bits, name)]).toEqual([bits, "101"]);
  }
  expect(await open("/plain", "010", "client_max_window_bits")).toBe("101");
});

test("unknown or invalid options of a route, such as a misspelt `guards`, are reported at start", async () => {
  const app = new (App.with(websocket))();
  const options = { guard: [() => false], http: "hello", message: { type: "object" }, protocols: "v1" };
  app.websocket("/live", options as object, () => {});
  app.websocket("/numbers", { protocols: [1] } as object, () => {});
  app.websocket("/text", "hello" as never);
  app.websocket("/guard", (() => false) as never, () => {});
  app.websocket("/null", null as never, () => {});
  const start = app.start();
  await expect(start).rejects.toThrow(/WebSocket route \/live has no field "guard"; did you mean "guards"/);
  await expect(start).rejects.toThrow(
    /http must be a function[^]*message must be a schema that follows Standard Schema[^]*protocols must be a list/,
  );
  await expect(start).rejects.toThrow("WebSocket route /numbers: protocols must be a list of names");
  await expect(start).rejects.toThrow("the handler of the WebSocket route /text must be a function");
  for (const path of ["/guard", "/null"])
    await expect(start).rejects.toThrow(
      `the options of the WebSocket route ${path} must be an object, such as`,
    );
});

test("a timeout shorter than the ping interval is reported at start, for the app and for a route", async () => {
  const app = new (App.with(websocket))().enableWebSocket({ pingSecs: 60 });
  app.websocket("/app", () => {});
  app.websocket("/other", { limits: { maxFragments: 3 } }, () => {});
  app.websocket("/slow", { limits: { timeoutSecs: 61 } }, () => {});
  app.websocket("/fast", { limits: { timeoutSecs: 59 } }, () => {});
  await expect(app.start()).rejects.toMatchObject({
    problems: [
      {
        message: expect.stringContaining("WebSocketConfig: timeoutSecs must be above pingSecs (60), not 60"),
      },
      { message: expect.stringContaining("WebSocket route /fast: timeoutSecs must be above pingSecs (60)") },
    ],
  });
});
