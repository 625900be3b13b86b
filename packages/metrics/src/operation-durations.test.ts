import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { App } from "@framework/core";
import type { Feature, Operations } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { parseExposition } from "./exposition-parser.test-kit.ts";
import { prometheus } from "./index.ts";

/** A third-party feature, independent of metrics. */
const mailing: Feature<{ readonly mails: Operations<string> }> = {
  name: "mailing",
  install: ({ insight }) => ({
    mails: insight.operation<string>({ kind: "mail", role: "client", describe: (name) => ({ name }) }),
  }),
};

/** Counts outgoing calls as another listener of operations. */
const counting: Feature<{ callCount(): number }> = {
  name: "counting",
  install({ insight }) {
    let count = 0;
    insight.onOperation({ kinds: ["http.client"], start: () => null, end: () => void count++ });
    return { callCount: () => count };
  },
};

/** A server that replies with the status in the path. */
const statusServer = async () => {
  const server = createServer(({ url = "" }, reply) => void reply.writeHead(Number(url.slice(1))).end());
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
};

const scrape = async (app: App) =>
  parseExposition(await (await app.fetch(new Request("http://localhost/metrics"))).text());

test.each([
  ["before", App.with(mailing, prometheus)],
  ["after", App.with(prometheus, mailing)],
])("operations of a feature composed %s metrics are timed by name and outcome", async (_, Class) => {
  const app = new Class().enablePrometheus({ processMetrics: false, durationBuckets: [60] });
  void app.mails.run("welcome", () => "sent");
  void app.mails.run("welcome", () => "sent");
  expect(() =>
    app.mails.run("invoice", () => {
      throw new Error("no server");
    }),
  ).toThrow("no server");
  const parsed = await scrape(app);
  const count = (name: string, outcome: string): number | undefined =>
    parsed.value("framework_operation_duration_seconds_count", {
      kind: "mail",
      role: "client",
      name,
      outcome,
    });
  expect([count("welcome", "ok"), count("invoice", "error")]).toEqual([2, 1]);
  expect(
    parsed.value("framework_operation_duration_seconds_bucket", {
      kind: "mail",
      role: "client",
      name: "welcome",
      outcome: "ok",
      le: "60",
    }),
  ).toBe(2);
  await app.stop(); // otherwise this app would also record the calls of later tests
});

test("outgoing calls are timed by method and outcome while the app runs", async () => {
  await using server = await statusServer();
  const app = new (App.with(prometheus, counting))().enablePrometheus({ processMetrics: false });
  const call = async (path: string): Promise<void> => void (await (await fetch(server.url + path)).text());
  await call("/200");
  await app.start();
  for (const path of ["/200", "/200", "/404"]) await call(path);
  const refused = await statusServer();
  await refused[Symbol.asyncDispose]();
  await expect(fetch(refused.url)).rejects.toThrow("fetch failed");
  const parsed = await scrape(app);
  const count = (outcome: string): number | undefined =>
    parsed.value("framework_operation_duration_seconds_count", {
      kind: "http.client",
      role: "client",
      name: "GET",
      outcome,
    });
  expect([count("ok"), count("error")]).toEqual([2, 2]);
  expect(app.callCount()).toBe(4);
  await app.stop();
  await call("/200");
  expect(app.callCount()).toBe(4);
});

test("an outgoing call that several features observe is timed once", async () => {
  await using server = await statusServer();
  const observing: Feature<{ enableObserving(): unknown }> = {
    name: "observing",
    install: ({ insight, life }) => ({
      enableObserving: () =>
        life.onStart({ name: "observing", run: () => void insight.publishOutgoingCalls() }),
    }),
  };
  const app = new (App.with(prometheus, observing))().enablePrometheus({ processMetrics: false });
  app.enableObserving();
  await app.start();
  await (await fetch(`${server.url}/200`)).text();
  const parsed = await scrape(app);
  expect(
    parsed.value("framework_operation_duration_seconds_count", {
      kind: "http.client",
      role: "client",
      name: "GET",
      outcome: "ok",
    }),
  ).toBe(1);
  await app.stop();
});

test("requests are not shown as operations", async () => {
  const app = new (App.with(prometheus))().enablePrometheus({ processMetrics: false });
  app.get("/", () => "hello");
  await app.fetch(new Request("http://localhost/"));
  const { samples = [] } = (await scrape(app)).families.get("framework_operation_duration_seconds") ?? {};
  expect(samples).toEqual([]);
  await app.stop();
});

test("with operations: false, operations are neither observed nor shown", async () => {
  const app = new (App.with(mailing, prometheus))().enablePrometheus({ operations: false });
  expect(app.mails.isObserved).toBe(false);
  expect((await scrape(app)).families.has("framework_operation_duration_seconds")).toBe(false);
  await app.stop();
});
