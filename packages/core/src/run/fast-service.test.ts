import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";
import { expect, test } from "@jest/globals";
import { App } from "../index.ts";

const silent = { info() {}, warn() {}, error() {} };

test.each(["node", "fast"] as const)("serves an app over the %s transport", async (transport) => {
  const app = new App();
  app.get("/books/{id}", (request) => ({ id: request.params.id, ip: request.clientIp }));
  app.post("/echo", async (request) => request.json());
  app.get("/stream", async function* () {
    yield "one ";
    yield "two";
  });
  const running = await app.run({
    transport,
    port: 0,
    exitOnError: false,
    argv: [],
    environment: {},
    log: silent,
  });
  try {
    const fetchText = async (path: string, init?: RequestInit) =>
      (await fetch(running.url + path, init)).text();
    expect(await fetchText("/books/7")).toBe('{"id":"7","ip":"127.0.0.1"}');
    expect(await fetchText("/echo", { method: "POST", body: '{"a":"é"}' })).toBe('{"a":"é"}');
    expect(await fetchText("/stream")).toBe("one two");
    expect(await fetchText("/nowhere")).toContain("No route for GET /nowhere");
  } finally {
    await running.close();
  }
});

test.each(["node", "fast"] as const)(
  "middleware that reads `raw` of a TRACE request gets a 501 over the %s transport, because a web Request cannot have that method",
  async (transport) => {
    const app = new App().use((input, next) => {
      void input.raw;
      return next(input);
    });
    const running = await app.run({
      transport,
      port: 0,
      exitOnError: false,
      argv: [],
      environment: {},
      log: silent,
    });
    try {
      const sent = request(`${running.url}/x`, { method: "TRACE", agent: false }).end();
      const [reply] = (await once(sent, "response")) as [IncomingMessage];
      expect([reply.statusCode, await json(reply)]).toEqual([
        501,
        expect.objectContaining({ detail: "A web Request cannot have the method TRACE" }),
      ]);
    } finally {
      await running.close();
    }
  },
);

test.each([
  ["node", 1],
  ["fast", 0],
] as const)("with the %s transport, node:http receives %i ordinary requests", async (transport, expected) => {
  let requests = 0;
  const count = () => void requests++;
  const app = new App();
  app.get("/x", () => "x");
  const running = await app.run({
    transport,
    port: 0,
    exitOnError: false,
    argv: [],
    environment: {},
    log: silent,
  });
  subscribe("http.server.request.start", count);
  try {
    expect(await (await fetch(`${running.url}/x`)).text()).toBe("x");
  } finally {
    unsubscribe("http.server.request.start", count);
    await running.close();
  }
  expect(requests).toBe(expected);
});

test("rejects an unknown transport", async () => {
  const options = { port: 0, exitOnError: false, argv: [], environment: {}, log: silent } as const;
  await expect(new App().run({ ...options, transport: "quick" as never })).rejects.toThrow(
    "transport must be node or fast",
  );
});
