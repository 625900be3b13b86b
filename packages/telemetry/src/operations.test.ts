import { setImmediate as turn } from "node:timers/promises";
import { App } from "@framework/core";
import type { Feature, Host, OperationRole } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import type { ReceivedSpan } from "./otlp-decoder.test-kit.ts";
import { get, tracedService } from "./traced-app.test-kit.ts";
import { telemetry } from "./telemetry.ts";

interface Work {
  readonly kind: string;
  readonly role: OperationRole;
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly subject?: object;
}

interface Publisher {
  work<T>(work: Work, run: () => Promise<T>): Promise<T>;
  trace(): Readonly<Record<string, string>>;
}

/** Publishes operations like the features of the framework. */
const publisher: Feature<Publisher> = {
  name: "publisher",
  install(host: Host) {
    const runners = new Map<string, (work: Work, run: () => unknown) => unknown>();
    for (const [kind, role] of kinds) {
      const operations = host.insight.operation<Work>({
        kind,
        role,
        describe: ({ name, attributes = {}, subject }) => ({ name, attributes, ...(subject && { subject }) }),
      });
      runners.set(`${kind} ${role}`, (work, run) => operations.run(work, run));
    }
    return {
      work: async (work, run) => (await runners.get(`${work.kind} ${work.role}`)?.(work, run)) as never,
      trace: () => host.insight.currentTrace()?.headers() ?? {},
    };
  },
};
const kinds: readonly (readonly [string, OperationRole])[] = [
  ["db", "client"],
  ["message", "producer"],
  ["message", "consumer"],
  ["work", "consumer"],
  ["command", "internal"],
  ["saga", "internal"],
];

const newPublisherApp = () => new (App.with(telemetry, publisher))();
const findSpan = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan => {
  const span = spans.find((each) => each.name === name);
  if (span === undefined) throw new Error(`no span ${name} among ${spans.map((each) => each.name).join()}`);
  return span;
};

test("one trace spans a request, its command, statement and message, the message's consumer and its job", async () => {
  const app = newPublisherApp();
  await using service = await tracedService({}, { app });
  let sent: Readonly<Record<string, string>> = {};
  app.post("/orders", async () => {
    await app.work({ kind: "command", role: "internal", name: "PlaceOrder" }, async () => {
      await turn();
      await app.work(
        {
          kind: "db",
          role: "client",
          name: "INSERT",
          attributes: { "db.query.text": "INSERT INTO a VALUES ($1, 'ann''s canary')" },
        },
        async () => {},
      );
      await app.work({ kind: "message", role: "producer", name: "orders" }, async () => {
        sent = app.trace();
      });
    });
    return "placed";
  });
  await (await app.fetch(new Request("http://shop.test/orders", { method: "POST" }))).text();
  expect(app.trace()).toEqual({});
  const message = { headers: sent };
  await app.work({ kind: "message", role: "consumer", name: "orders", subject: message }, async () => {
    await app.work(
      { kind: "work", role: "consumer", name: "mails", subject: { headers: app.trace() } },
      turn,
    );
  });
  const { spans } = await service.finish();
  const [request, command, statement, send, process, job] = [
    "POST /orders",
    "command PlaceOrder",
    "INSERT",
    "send orders",
    "process orders",
    "work mails",
  ].map((name) => findSpan(spans, name)) as [
    ReceivedSpan,
    ReceivedSpan,
    ReceivedSpan,
    ReceivedSpan,
    ReceivedSpan,
    ReceivedSpan,
  ];
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  const chain = [request, command, statement, send, process, job];
  expect(chain.map(({ parentSpanId }) => parentSpanId)).toEqual([
    "",
    request.spanId,
    command.spanId,
    command.spanId,
    send.spanId,
    process.spanId,
  ]);
  expect(chain.map(({ kind }) => kind)).toEqual([
    "server",
    "internal",
    "client",
    "producer",
    "consumer",
    "consumer",
  ]);
  expect(statement.attributes["db.query.text"]).toBe("INSERT INTO a VALUES ($1, ?)");
  expect(process.attributes).toMatchObject({
    "messaging.operation.name": "process",
    "messaging.operation.type": "process",
  });
});

test("an error marks the span of its operation, and is rethrown", async () => {
  const app = newPublisherApp();
  await using service = await tracedService({}, { app });
  await app.start();
  const failed = app.work({ kind: "command", role: "internal", name: "Fail" }, async () => {
    throw new RangeError("password=canary is wrong");
  });
  await expect(failed).rejects.toThrow("canary");
  const span = findSpan((await service.finish()).spans, "command Fail");
  expect(span).toMatchObject({
    status: 2,
    statusMessage: "password=REDACTED is wrong",
    attributes: { "error.type": "RangeError" },
    events: [{ name: "exception" }],
  });
});

test("operations of an unsampled trace are unsampled, with their own span ids", async () => {
  const app = newPublisherApp();
  await using service = await tracedService({ samplingRate: 0 }, { app });
  app.get("/", async () => {
    const child = await app.work({ kind: "command", role: "internal", name: "Child" }, async () =>
      app.trace(),
    );
    const sends = [await send(), await send()];
    return { child, sends };
  });
  const send = () => app.work({ kind: "message", role: "producer", name: "orders" }, async () => app.trace());
  const reply = (await (await get(app, "/")).json()) as {
    child: Record<string, string>;
    sends: Record<string, string>[];
  };
  const ids = [reply.child, ...reply.sends].map(({ traceparent = "" }) => traceparent.split("-"));
  expect(new Set(ids.map(([, id]) => id)).size).toBe(1);
  expect(ids.map(([, , , flags]) => flags)).toEqual(["02", "02", "02"]);
  expect(new Set(ids.map(([, , span]) => span)).size).toBe(3);
  expect((await service.finish()).spans).toEqual([]);
});

test("a statement outside of a trace has no span", async () => {
  const app = newPublisherApp();
  await using service = await tracedService({}, { app });
  await app.start();
  await app.work({ kind: "db", role: "client", name: "SELECT" }, turn);
  expect((await service.finish()).spans).toEqual([]);
});

test("an attempt of a saga continues the trace that started the saga; within another trace it links to that trace", async () => {
  const app = newPublisherApp();
  await using service = await tracedService({}, { app });
  await app.start();
  const [traceId, spanId] = ["a".repeat(32), "b".repeat(16)];
  const attributes = { "saga.id": "7", "saga.started_by": `00-${traceId}-${spanId}-01` };
  await app.work({ kind: "saga", role: "internal", name: "order pay", attributes }, turn);
  await app.work({ kind: "command", role: "internal", name: "Outer" }, () =>
    app.work({ kind: "saga", role: "internal", name: "order ship", attributes }, turn),
  );
  const { spans } = await service.finish();
  expect(findSpan(spans, "saga order pay")).toMatchObject({
    traceId,
    parentSpanId: spanId,
    links: [],
    attributes: { "saga.id": "7" },
  });
  expect(findSpan(spans, "saga order pay").attributes["saga.started_by"]).toBeUndefined();
  expect(findSpan(spans, "saga order ship")).toMatchObject({
    parentSpanId: findSpan(spans, "command Outer").spanId,
    links: [{ traceId, spanId }],
  });
});

test("without telemetry enabled, there is no trace", async () => {
  const app = newPublisherApp();
  app.get("/", () => app.work({ kind: "command", role: "internal", name: "Any" }, async () => app.trace()));
  const reply = await get(app, "/", { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` });
  expect([await reply.json(), reply.headers.get("x-trace-id")]).toEqual([{}, null]);
  await app.stop();
});
