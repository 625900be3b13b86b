import { App } from "@framework/core";
import type { Feature, TracedOperation } from "@framework/core/feature";
import { command, cqrs } from "@framework/cqrs";
import { database } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { eventSourcing } from "@framework/event-sourcing";
import { jobs } from "@framework/jobs";
import { prometheus } from "@framework/metrics";
import { openapi } from "@framework/openapi";
import { testClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { enableOperations, operationFeatures } from "./operations.test-kit.ts";

const quiet = { info() {}, warn() {}, error() {} };

/** Records every operation with its ancestors, such as `http POST /orders > command Order > db INSERT`. */
const recorder = (seen: string[]): Feature => ({
  name: "recording",
  install: ({ insight }) => {
    insight.onOperation({ start: (operation) => void seen.push(pathOf(operation)) });
    return {};
  },
});

const pathOf = ({ kind, name, parent }: TracedOperation): string =>
  `${parent === null ? "" : `${pathOf(parent)} > `}${kind} ${name}`;

test("a statement is a child of its command or query, which is a child of its request; a route's statement is a child of the request", async () => {
  const seen: string[] = [];
  const app = new (App.with(...operationFeatures, recorder(seen)))();
  enableOperations(app);
  await using client = testClient(app);
  expect((await client.post("/orders", { json: { book: "Emma" } })).status).toBe(201);
  expect((await client.get("/shelves/Emma")).json()).toEqual({ count: 1 });
  await client.post("/returns", { headers: { "idempotency-key": "k" } });
  const countWithin = (prefix: string) => seen.filter((path) => path.startsWith(prefix)).length;
  expect(countWithin("http POST /orders > command Order > db ")).toBeGreaterThan(2);
  expect(countWithin("http GET /shelves/{book} > query Shelf > db ")).toBe(1);
  expect(countWithin("http POST /returns > db ")).toBeGreaterThan(2);
});

test("one metrics page counts the commands, queries and statements of an app, and has the metrics of durable", async () => {
  const app = new (App.with(prometheus, ...operationFeatures))();
  app.enablePrometheus({ endpoint: "/metrics" });
  enableOperations(app);
  await using client = testClient(app);
  await client.post("/orders", { json: { book: "Emma" } });
  await client.post("/orders", { json: { book: 7 } });
  await client.get("/shelves/Emma");
  const { text } = await client.get("/metrics");
  const value = (name: string): number =>
    Number(
      text
        .split("\n")
        .find((line) => line.includes(name) && !line.startsWith("#"))
        ?.split(" ")
        .at(-1),
    );
  expect(value('cqrs_operations_total{operation="Order",outcome="success"}')).toBe(1);
  expect(value('cqrs_operations_total{operation="Order",outcome="rejection"}')).toBe(1);
  expect(value('cqrs_operations_total{operation="Shelf",outcome="success"}')).toBe(1);
  expect(value("database_statement_duration_seconds_count")).toBeGreaterThan(3);
  expect(text).toMatch(/^[a-z_]*durable_/m);
});

test("the API document has the endpoints of operations and the routes of the program", async () => {
  const app = new (App.with(openapi, ...operationFeatures))();
  app.enableOpenapi();
  enableOperations(app);
  await using client = testClient(app);
  const { paths } = (await client.get("/openapi.json")).json<{
    paths: Record<string, Record<string, unknown>>;
  }>();
  expect(Object.keys(paths).toSorted()).toEqual(["/orders", "/returns", "/shelves/{book}"]);
  expect(paths["/orders"]?.["post"]).toMatchObject({
    operationId: "Order",
    responses: { 201: expect.anything(), 422: expect.anything(), 504: expect.anything() },
  });
});

test("a drain waits for the command of a request and for a running job, and the database closes after both", async () => {
  await using storage = databaseInFile();
  const app = new (App.with(database, durable, cqrs, jobs))()
    .enableDatabase({ url: storage.url })
    .enableCqrs();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const started = new Set<string>();
  const Slow = command("Slow", { input: z.object({}), http: { path: "/slow" } });
  app.cqrs.handle(Slow, async (_input, { tx }) => {
    started.add("command");
    await gate.promise;
    await tx.fetchValue("SELECT 1");
    order.push("command");
  });
  const work = app.jobs.define("work", {}, async () => {
    started.add("job");
    await gate.promise;
    await app.db.fetchValue("SELECT 1");
    order.push("job");
  });
  app.onEvent("shutdown", async () => {
    await app.db.fetchValue("SELECT 1"); // still open
    order.push("shutdown");
  });
  const service = await app.run({ port: 0, logs: false, log: quiet, argv: [], exitOnError: false });
  await work.enqueue();
  await waitFor(() => started.has("job"), { subject: "the job", timeoutMs: 60_000 });
  const reply = fetch(new URL("/slow", service.url), {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json" },
  });
  await waitFor(() => started.has("command"), { subject: "the command", timeoutMs: 60_000 });
  const closed = service.close();
  expect(order).toEqual([]);
  gate.resolve();
  expect((await reply).status).toBe(204);
  await closed;
  expect([order.slice(0, 2).toSorted(), order[2]]).toEqual([["command", "job"], "shutdown"]);
  await expect(app.db.fetchValue("SELECT 1")).rejects.toMatchObject({ code: "DATABASE_CLOSED" });
}, 120_000);

test("configuration errors of several features are reported together at start", async () => {
  const app = new (App.with(database, durable, eventSourcing, cqrs, jobs))();
  const Missing = command("Missing", { input: z.object({}) });
  app.enableDurable({ leaseMs: 1 }).enableEventSourcing({ snapshotInterval: 0 });
  app.enableCqrs({ commandTimeoutMs: 0, operations: [Missing] });
  app.jobs.define("twice", {}, () => {});
  app.jobs.define("twice", {}, () => {});
  app.post("/pay", { idempotency: "sometimes" as never }, () => 1);
  const error = await app.start({ log: quiet }).then(
    () => "",
    ({ message }: Error) => message,
  );
  for (const part of [
    "DurableConfig.leaseMs must be",
    "EventSourcingConfig.snapshotInterval must be",
    "CqrsConfig.commandTimeoutMs must be",
    "CQRS_NO_HANDLER: command Missing",
    "DURABLE_NO_DATABASE",
    "twice",
    'must be "required", "optional" or false',
  ])
    expect(error).toContain(part);
});
