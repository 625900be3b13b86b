import { once } from "node:events";
import { circuitBreaker } from "@framework/breaker";
import { App } from "@framework/core";
import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { aBook, all, catalog, failure, type GrpcApp, type ServedApp, serveApp } from "./grpc-app.test-kit.ts";
import { grpc, GrpcError } from "./index.ts";
import { framed, rawCall } from "./raw-call.test-kit.ts";

const circuitOf = (app: { circuits: { list(): readonly { name: string }[] } }, method: string) =>
  app.circuits.list().find(({ name }) => name === `grpc books.v1.Catalog/${method}`);

const message = framed(Buffer.from([8, 1]));

const sendWeb = async ({ url }: ServedApp): Promise<unknown> => {
  const reply = await fetch(new URL("/books.v1.Catalog/GetBook", url), {
    method: "POST",
    body: message,
    headers: { "content-type": "application/grpc-web+proto", "grpc-timeout": "60m" },
  });
  return { status: /grpc-status: (\d+)/.exec(await reply.text())?.[1] };
};

test.each([
  [
    "unary",
    "GetBook",
    ({ target }: ServedApp) => rawCall(target, { body: message, headers: { "grpc-timeout": "60m" } }),
  ],
  [
    "streaming",
    "ListBooks",
    (served: ServedApp) => failure(all(served.client(catalog).ListBooks({ count: 1 }, { timeoutMs: 60 }))),
  ],
  ["gRPC-Web", "GetBook", sendWeb],
])(
  "a %s call that ends at its client's deadline does not count as a failure",
  async (_name, method, call) => {
    const app = new (App.with(circuitBreaker, grpc))();
    app.enableGrpc({ address: "127.0.0.1:0", enableWeb: true }).enableCircuitBreaker({ failureThreshold: 1 });
    app.addGrpcService(catalog, {
      GetBook: async (_, { signal }) => {
        if (!signal.aborted) await once(signal, "abort");
        throw new Error("the query was cancelled");
      },
      async *ListBooks(_, { signal }) {
        if (!signal.aborted) await once(signal, "abort");
        yield* [];
      },
    });
    await using served = await serveApp(app as unknown as GrpcApp);
    for (let n = 0; n < 3; n++)
      expect(await call(served)).toMatchObject({ status: expect.stringMatching(/^(4|DEADLINE_EXCEEDED)$/) });
    expect(circuitOf(app, method)).toMatchObject({ state: "closed", failures: 0 });
  },
);

test.each([
  ["the limit of the method", "open", "60S", 30_000],
  ["the client's deadline", "closed", "10S", 10_000],
])("after a call that ends at %s the circuit is %s", async (_name, state, timeout, afterMs) => {
  const clock = virtualClock();
  const app = new (App.with(circuitBreaker, grpc))();
  app.enableGrpc({ address: "127.0.0.1:0", clock, maxCallSecs: 30 });
  app.enableCircuitBreaker({ failureThreshold: 1 });
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  app.addGrpcService(catalog, {
    GetBook: async (_, { signal }) => {
      begin();
      await once(signal, "abort");
      throw signal.reason;
    },
  });
  await using served = await serveApp(app as unknown as GrpcApp);
  const reply = rawCall(served.target, { body: message, headers: { "grpc-timeout": timeout } });
  await begun;
  await clock.advance(afterMs);
  expect(await reply).toMatchObject({ status: "4" });
  expect(circuitOf(app, "GetBook")).toMatchObject({ state });
});

test("a handler's DEADLINE_EXCEEDED at the client's deadline does not count, an earlier one does", async () => {
  const app = new (App.with(circuitBreaker, grpc))();
  const clock = virtualClock(); // no deadline passes before its handler is called
  app.enableGrpc({ address: "127.0.0.1:0", clock }).enableCircuitBreaker({ failureThreshold: 1 });
  app.addGrpcService(catalog, {
    GetBook: () => {
      throw new GrpcError("DEADLINE_EXCEEDED", "no-reply");
    },
  });
  await using served = await serveApp(app as unknown as GrpcApp);
  const send = (timeout: string) =>
    rawCall(served.target, { body: message, headers: { "grpc-timeout": timeout } });
  for (let n = 0; n < 2; n++) {
    const { fields } = await send("40m");
    expect(fields).toMatchObject({ "grpc-status": "4", "grpc-message": "no-reply" });
  }
  expect(circuitOf(app, "GetBook")).toMatchObject({ state: "closed", failures: 0 });
  await send("60S");
  expect(circuitOf(app, "GetBook")).toMatchObject({ state: "open" });
});

test("a trial call that ends at its client's deadline frees its slot and does not count", async () => {
  const clock = virtualClock();
  const app = new (App.with(circuitBreaker, grpc))();
  app.enableGrpc({ address: "127.0.0.1:0", clock });
  app.enableCircuitBreaker({ halfOpenTarget: 1, resetTimeout: 30, clock });
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  let isHanging = true;
  app.addGrpcService(catalog, {
    GetBook: async ({ id }, { signal }) => {
      begin();
      if (isHanging) await once(signal, "abort");
      return aBook(id);
    },
  });
  await using served = await serveApp(app as unknown as GrpcApp);
  await app.circuits.trip("grpc books.v1.Catalog/GetBook");
  await clock.advance(30_000);
  const send = () => rawCall(served.target, { body: message, headers: { "grpc-timeout": "10S" } });
  const trial = send();
  await begun;
  await clock.advance(10_000);
  expect(await trial).toMatchObject({ status: "4" });
  expect(circuitOf(app, "GetBook")).toMatchObject({ state: "half-open" });
  isHanging = false;
  expect(await send()).toMatchObject({ status: "0" });
  expect(circuitOf(app, "GetBook")).toMatchObject({ state: "closed" });
});
