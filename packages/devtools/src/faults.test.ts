import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { App } from "@framework/core";
import type { Feature, Operations } from "@framework/core/feature";
import { panelContract, panelProbe } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { call, devApp, open, panelNamed, requestTo, serve } from "./dev-app.test-kit.ts";
import { devtools } from "./devtools.ts";
import type { FaultRule } from "./faults/fault-rule.ts";
import { FaultInjector } from "./faults/fault-injector.ts";

/** A dependency whose calls are operations. */
const wine: Feature<{ enableWine(): { pour(glass: string): Promise<string>; poured: string[] } }> = {
  name: "wine",
  install: (host) => ({
    enableWine() {
      const calls: Operations<string> = host.insight.operation({
        kind: "wine",
        role: "client",
        describe: (glass) => ({ name: glass }),
      });
      const poured: string[] = [];
      return {
        poured,
        pour: async (glass) =>
          await calls.run(glass, () => {
            poured.push(glass);
            return `${glass} is full`;
          }),
      };
    },
  }),
};

const faulty = (...faults: readonly FaultRule[]) => {
  const app = new (App.with(devtools, wine))().enableDevtools({ faults });
  const cellar = app.enableWine();
  app.get("/books/{id}", () => ({ title: "Emma", text: "x".repeat(100) }));
  app.get("/authors", () => "hello");
  const get = (path: string) => app.fetch(new Request(`http://localhost${path}`));
  return { app, cellar, get };
};

panelContract(test, async () => {
  const app = new (App.with(devtools, panelProbe))().enableDevtools({
    faults: [{ on: "route", fault: "error" }],
  });
  await app.start();
  return { panel: app.panel("faults"), close: () => app.stop() };
});

test("an invalid fault is refused at start; the message names each entry and field", async () => {
  const faults = [
    { on: "route", fault: "latncy" },
    { on: "route", fault: "error" },
    { on: "dependency", fault: "slow-body", ms: "20", probabilty: 1 },
    { on: "routes", status: 200.5 },
    null,
  ] as unknown as FaultRule[];
  await expect(faulty(...faults).app.start()).rejects.toThrow(
    [
      "DevtoolsConfig.faults must be a list of at most 100 faults: faults[0].fault must be one of latency, error, slow-body; did you mean latency?",
      "faults[2].probabilty is unknown; did you mean probability?",
      "faults[2].fault must be one of latency, error, dead, duplicate",
      "faults[2].ms must be a number from 0 to 60000",
      'faults[3].on must be "route" or "dependency"',
      "faults[3].status must be an integer from 400 to 599",
      "faults[4] must be an object with on and fault",
    ].join(", "),
  );
});

test("a rule makes its routes fail with its status", async () => {
  const { get } = faulty({ on: "route", name: "GET /books/*", fault: "error", status: 502 });
  const failed = await get("/books/1");
  expect(failed.status).toBe(502);
  expect(await failed.json()).toMatchObject({ detail: "Injected fault: error 502" });
  expect((await get("/authors")).status).toBe(200);
  expect((await get("/nowhere")).status).toBe(404);
});

test("latency waits before the handler", async () => {
  const { get } = faulty({ on: "route", name: "GET /authors", fault: "latency", ms: 50 });
  const since = performance.now();
  expect(await (await get("/authors")).text()).toBe("hello");
  expect(performance.now() - since).toBeGreaterThanOrEqual(49);
});

test("a slow body is sent completely in ten parts, with its length", async () => {
  const { get } = faulty({ on: "route", name: "GET /books/{id}", fault: "slow-body", ms: 5 });
  const reply = await get("/books/1");
  const chunks = [];
  for await (const chunk of reply.body ?? []) chunks.push(chunk as Uint8Array);
  expect(chunks).toHaveLength(10);
  expect(JSON.parse(Buffer.concat(chunks).toString())).toMatchObject({ title: "Emma" });
});

test("faults make dependencies fail, fail slowly or do their work twice, selected by kind or by name", async () => {
  const failing = faulty({ on: "dependency", name: "wine red", fault: "error" });
  await failing.app.start();
  await expect(failing.cellar.pour("red")).rejects.toMatchObject({ status: 503, code: "DEVTOOLS_FAULT" });
  expect(await failing.cellar.pour("white")).toBe("white is full");
  expect(failing.cellar.poured).toEqual(["white"]);

  const dead = faulty({ on: "dependency", name: "wine", fault: "dead", ms: 20, status: 504 });
  await dead.app.start();
  const since = performance.now();
  await expect(dead.cellar.pour("red")).rejects.toMatchObject({ status: 504 });
  expect(performance.now() - since).toBeGreaterThanOrEqual(19);
  expect(dead.cellar.poured).toEqual([]);

  const doubled = faulty({ on: "dependency", name: "*", fault: "duplicate" });
  await doubled.app.start();
  expect(await doubled.cellar.pour("red")).toBe("red is full");
  expect(doubled.cellar.poured).toEqual(["red", "red"]);
});

test("outgoing HTTP calls are unaffected by faults of dependencies", async () => {
  const server = createServer((_request, reply) => void reply.end("there")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const publishing: Feature<{ publishCalls(): () => void }> = {
    name: "publishing",
    install: ({ insight }) => ({ publishCalls: () => insight.publishOutgoingCalls() }),
  };
  const app = new (App.with(devtools, publishing))();
  app.enableDevtools({ faults: [{ on: "dependency", name: "*", fault: "error" }] });
  const errors: string[] = [];
  await app.start({ log: { info() {}, warn() {}, error: (message) => void errors.push(message) } });
  const end = app.publishCalls();
  const { port } = server.address() as AddressInfo;
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("there");
  expect(errors).toEqual([]);
  end();
  await app.stop();
  server.closeAllConnections();
  await once(server.close(), "close");
});

test("the same seed fails the same calls, and another seed fails other calls", async () => {
  const outcomes = async (seed: number): Promise<string> => {
    const app = new (App.with(devtools))().enableDevtools({
      seed,
      faults: [{ on: "route", fault: "error", probability: 0.5 }],
    });
    app.get("/", () => "hello");
    let statuses = "";
    for (let n = 0; n < 40; n++)
      statuses += (await app.fetch(new Request("http://localhost/"))).status === 200 ? "." : "x";
    return statuses;
  };
  const first = await outcomes(7);
  expect(first).toMatch(/x.*\..*x/);
  expect(await outcomes(7)).toBe(first);
  expect(await outcomes(8)).not.toBe(first);
});

test("operations have a listener only while there are rules for dependencies", () => {
  const listeners = new Set<object>();
  const insight = {
    onOperation: (listener: object) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    reasons: { isObserved: false, give: () => {} },
  };
  const faults = new FaultInjector(insight, { seed: 1, pause: async () => {} });
  faults.set([{ on: "route", fault: "error" }]);
  expect(listeners.size).toBe(0);
  faults.set([{ on: "dependency", fault: "error" }]);
  faults.set([{ on: "dependency", fault: "latency" }]);
  expect(listeners.size).toBe(1);
  faults.set([]);
  expect(listeners.size).toBe(0);
});

test("invalid rules are reported at start", async () => {
  for (const wrong of [
    { on: "route", fault: "dead" },
    { on: "route", fault: "duplicate" },
    { on: "dependency", fault: "slow-body" },
    { on: "moon", fault: "error" },
    { on: "__proto__", fault: "error" },
    { on: "route", fault: "error", probability: 2 },
    { on: "route", fault: "latency", ms: 60_001 },
    { on: "route", fault: "error", status: 200 },
    { on: "route", fault: "error", route: "/books" },
  ]) {
    const { app } = faulty(wrong as FaultRule);
    await expect(app.start()).rejects.toThrow("DevtoolsConfig.faults must be a list of at most 100 faults");
  }
});

test("faults are added and removed on the page, and the steps of a request name them", async () => {
  const app = devApp();
  app.get("/books", () => "hello");
  await using service = await serve(app);
  await using page = await open(service);
  const act = { do: "act", panel: "faults", row: null } as const;
  const texts = { on: "route", name: "GET /books", fault: "error", probability: "1", ms: "0", status: "507" };
  expect(await call(service, { ...act, action: "add", texts: { ...texts, fault: "dead" } })).toMatchObject({
    ok: false,
  });
  expect(await call(service, { ...act, action: "add", texts })).toEqual({
    ok: true,
    message: "The fault error is active",
  });
  expect((await fetch(`${service.running.url}/books`)).status).toBe(507);
  const { entry } = await page.received(requestTo("/books"));
  expect(entry.steps.find(({ name }) => name === "devtools")?.reasons).toContain("injected fault: error 507");
  const changed = (
    message: Parameters<typeof isPanel>[0],
  ): message is Extract<typeof message, { type: "panel" }> =>
    isPanel(message) && message.panel.content.rows[0]?.cells.at(-1) === 1;
  const isPanel = panelNamed("faults");
  expect((await page.received(changed)).panel.content.rows[0]?.cells).toEqual([
    "GET /books",
    "route",
    "error",
    1,
    0,
    507,
    1,
  ]);
  await call(service, { ...act, action: "remove", row: "0", texts: {} });
  expect((await fetch(`${service.running.url}/books`)).status).toBe(200);
  await call(service, { ...act, action: "add", texts });
  await call(service, { ...act, action: "clear", texts: {} });
  expect((await fetch(`${service.running.url}/books`)).status).toBe(200);
});

test("an empty field of a fault gets its default, and the error of an invalid field names it", async () => {
  const app = devApp();
  app.get("/books", () => "hello");
  await using service = await serve(app);
  await using page = await open(service);
  const add = { do: "act", panel: "faults", row: null, action: "add" } as const;
  const texts = { on: "route", name: "", fault: "error", probability: " ", ms: "", status: "" };
  expect(await call(service, { ...add, texts: { ...texts, probability: "2", status: "9" } })).toMatchObject({
    ok: false,
    message:
      "The fault is invalid: probability must be a number from 0 to 1, status must be an integer from 400 to 599",
  });
  expect(await call(service, { ...add, texts })).toMatchObject({ ok: true });
  expect((await fetch(`${service.running.url}/books`)).status).toBe(503);
  const isAdded = (
    message: Parameters<typeof isPanel>[0],
  ): message is Extract<typeof message, { type: "panel" }> =>
    isPanel(message) && message.panel.content.rows.length === 1;
  const isPanel = panelNamed("faults");
  const { panel } = await page.received(isAdded);
  expect(panel.content.rows[0]?.cells.slice(0, 6)).toEqual(["*", "route", "error", 1, 1000, 503]);
});
