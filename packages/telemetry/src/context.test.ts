import { AsyncLocalStorage } from "node:async_hooks";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import { context, propagation, trace } from "@opentelemetry/api";
import { NotFoundError, Response as Reply } from "@framework/core";
import { socketClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { get, tracedService } from "./traced-app.test-kit.ts";

const traceId = (): string => trace.getSpan(context.active())?.spanContext().traceId ?? "none";

test("1,000 concurrent requests keep their own traces across awaits, timers and streams", async () => {
  await using service = await tracedService({ samplingRate: 0.5 });
  const { app } = service;
  app.get("/{n}", async ({ params }) => {
    const seen = [traceId()];
    await turn();
    seen.push(traceId());
    await wait(Number(params.n) % 5);
    seen.push(traceId());
    const chunks = async function* () {
      yield seen.join(" ");
      await turn();
      yield ` ${traceId()}`;
    };
    return Reply.stream(chunks());
  });
  const ids = Array.from({ length: 1000 }, (_, n) => (n + 1).toString(16).padStart(32, "0"));
  const replies = await Promise.all(
    ids.map(async (id, n) =>
      (await get(app, `/${n}`, { traceparent: `00-${id}-00000000000000aa-01` })).text(),
    ),
  );
  expect(replies).toEqual(ids.map((id) => Array.from({ length: 4 }, () => id).join(" ")));
  const { spans } = await service.finish();
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set(ids));
});

test.each(["app.fetch", "a socket"])(
  "the exception handler of an async error has the trace of its request, over %s",
  async (entry) => {
    await using service = await tracedService();
    const app = service.app.exceptionHandler(NotFoundError, () => [traceId()]);
    app.get("/", async () => {
      await turn();
      throw new NotFoundError("no such book");
    });
    const ids = Array.from({ length: 20 }, (_, n) => (n + 1).toString(16).padStart(32, "0"));
    const parents = ids.map((id) => ({ traceparent: `00-${id}-00000000000000aa-01` }));
    await using client = socketClient(app);
    const seen = parents.map(async (headers): Promise<unknown> =>
      entry === "app.fetch"
        ? (await get(app, "/", headers)).json()
        : (await client.get("/", { headers })).json(),
    );
    expect(await Promise.all(seen)).toEqual(ids.map((id) => [id]));
  },
);

test("a span that the program creates through the API is a child of the request's span", async () => {
  await using service = await tracedService();
  const { app } = service;
  app.get("/", async () => {
    const tracer = trace.getTracer("shop");
    return tracer.startActiveSpan("price", async (span) => {
      await turn();
      span.end();
      return "cheap";
    });
  });
  await get(app, "/");
  const { spans } = await service.finish();
  const [price, request] = spans;
  expect(spans).toHaveLength(2);
  expect(price).toMatchObject({ name: "price", parentSpanId: request?.spanId, traceId: request?.traceId });
});

test("baggage of the caller is readable, and invalid members are omitted", async () => {
  await using service = await tracedService();
  service.app.get("/", () =>
    propagation
      .getBaggage(context.active())
      ?.getAllEntries()
      .map(([key, { value }]) => [key, value]),
  );
  const reply = await get(service.app, "/", { baggage: "tenant=north%20west;p=1, bad key=1,=2,plan=%zz" });
  expect(await reply.json()).toEqual([["tenant", "north west"]]);
});

test("outside of requests there is no trace, and after the stop the API records no spans", async () => {
  const service = await tracedService();
  service.app.get("/", () => traceId());
  expect(traceId()).toBe("none");
  expect(await (await get(service.app, "/")).text()).toHaveLength(32);
  expect(traceId()).toBe("none");
  await service[Symbol.asyncDispose]();
  expect(trace.getTracer("shop").startSpan("nothing").isRecording()).toBe(false);
});

test("an AsyncLocalStorage value set around app.fetch is available in the handler, even after an await", async () => {
  const stored = new AsyncLocalStorage<string>();
  await using service = await tracedService();
  service.app.get("/", async () => {
    const before = stored.getStore();
    await turn();
    return [before, stored.getStore()];
  });
  const reply = await stored.run("call", () => get(service.app, "/"));
  expect(await reply.json()).toEqual(["call", "call"]);
});

test("requests of one connection, sampled or not, have their own traces, and the client's code has none", async () => {
  await using service = await tracedService();
  service.app.get("/", async () => {
    const before = traceId();
    await turn();
    return [before, traceId()];
  });
  service.app.get("/now", () => [traceId()]);
  await using client = socketClient(service.app);
  for (const [path, flags, count] of [
    ["/", "01", 2],
    ["/now", "00", 1],
    ["/", "00", 2],
    ["/now", "01", 1],
  ] as const) {
    const id = crypto.randomUUID().replaceAll("-", "");
    const headers = { traceparent: `00-${id}-b7ad6b7169203331-${flags}` };
    expect((await client.get(path, { headers })).json()).toEqual(Array.from({ length: count }, () => id));
    expect(traceId()).toBe("none");
  }
});

test("pipelined requests each have their own trace, and an excluded request has none", async () => {
  await using service = await tracedService({ excludedPaths: ["/quiet"] });
  for (const path of ["/", "/quiet"]) service.app.get(path, () => traceId());
  await using client = socketClient(service.app);
  const { port } = new URL(await client.url("/"));
  const ids = ["01", "00", "01"].map((flags) => [crypto.randomUUID().replaceAll("-", ""), flags] as const);
  const heads = ids.flatMap(([id, flags]) => [
    `GET / HTTP/1.1\r\nHost: x\r\nTraceparent: 00-${id}-b7ad6b7169203331-${flags}\r\n\r\n`,
    "GET /quiet HTTP/1.1\r\nHost: x\r\n\r\n",
  ]);
  const socket = connect(Number(port), "127.0.0.1");
  socket.end(heads.join(""));
  const replies = await text(socket);
  expect(replies.match(/^(?:[\da-f]{32}|none)(?=HTTP|$)/gm)).toEqual(ids.flatMap(([id]) => [id, "none"]));
});
