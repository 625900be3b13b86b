import { circuitBreaker, CircuitBreakerConfig } from "@framework/breaker";
import { App } from "@framework/core";
import { virtualClock } from "@framework/core/testing";
import { rateLimit, RateLimitConfig } from "@framework/rate-limit";
import { expect, test } from "@jest/globals";
import { healthService } from "./builtin/health-service.ts";
import { aBook, all, catalog, failure, type GrpcApp, type ServedApp, serveApp } from "./grpc-app.test-kit.ts";
import { GrpcError, grpc } from "./index.ts";
import { framed } from "./raw-call.test-kit.ts";

const address = "127.0.0.1:0";

const clientOf = (served: ServedApp) => served.client(catalog);
type Client = ReturnType<typeof clientOf>;

const healthAsCatalog = healthService as unknown as typeof catalog;

test("a client over the app's rate limit gets RESOURCE_EXHAUSTED with the time to wait; HTTP requests count, health checks do not", async () => {
  const app = new (App.with(rateLimit, grpc))();
  app.enableRateLimit(RateLimitConfig.tokenBucket(3, 600)).enableGrpc({ address });
  app.addGrpcService(catalog, { GetBook: ({ id }) => aBook(id) });
  app.get("/", () => "ok");
  await using served = await serveApp(app as unknown as GrpcApp);
  const client = served.client(catalog);
  expect((await fetch(served.url)).status).toBe(200);
  await client.GetBook({ id: 1 });
  await client.GetBook({ id: 1 });
  const error = (await failure(client.GetBook({ id: 1 }))) as GrpcError;
  expect(error).toMatchObject({
    status: "RESOURCE_EXHAUSTED",
    message: expect.stringContaining("try again"),
  });
  const [detail] = error.details;
  expect(detail).toMatchObject({ kind: "retryInfo" });
  expect(detail?.kind === "retryInfo" && detail.delayMs).toBeGreaterThan(100_000);
  expect((await fetch(served.url)).status).toBe(429);
  const health = served.client(healthAsCatalog) as unknown as Record<
    "Check",
    (request: object) => Promise<unknown>
  >;
  expect(await health.Check({ service: "" })).toEqual({ status: "SERVING" });
});

test("callKey identifies callers of gRPC, and exemptPaths exempts gRPC methods", async () => {
  const app = new (App.with(rateLimit, grpc))();
  const config = RateLimitConfig.tokenBucket(1, 600, {
    callKey: ({ headers }) => headers.get("x-tenant"),
    exemptPaths: ["/books.v1.Catalog/ListBooks"],
  });
  app.enableRateLimit(config).enableGrpc({ address });
  app.addGrpcService(catalog, { GetBook: ({ id }) => aBook(id), ListBooks: () => [aBook(1)] });
  await using served = await serveApp(app as unknown as GrpcApp);
  const client = served.client(catalog);
  const from = (tenant: string) => client.GetBook({ id: 1 }, { metadata: { "x-tenant": tenant } });
  await from("north");
  await from("south");
  expect(await failure(from("north"))).toMatchObject({ status: "RESOURCE_EXHAUSTED" });
  for (let n = 0; n < 3; n++) expect(await all(client.ListBooks({ count: 1 }))).toHaveLength(1);
});

test.each([
  ["a stream that takes a minute", "100", (c: Client) => all(c.ListBooks({ count: 2 }))],
  [
    "a call whose deadline passes",
    "100",
    async (c: Client, isHandled: () => boolean) => {
      do await failure(c.GetBook({ id: 404 }, { timeoutMs: 50 }));
      while (!isHandled()); // the deadline can pass before the handler is called
    },
  ],
  ["a slow call", "90", (c: Client) => c.GetBook({ id: 1 })],
  ["a call that fails", "90", (c: Client) => failure(c.GetBook({ id: 500 }))],
])("the adaptive limit after %s is %s", async (_name, limit, call) => {
  let now = 0;
  const ticks: (() => void)[] = [];
  const everySecond = (run: () => void) => {
    ticks.push(run);
    return () => {};
  };
  const probes = { cpu: () => 0, memory: () => 0, now: () => now, everySecond };
  const app = new (App.with(rateLimit, grpc))();
  app.enableRateLimit(RateLimitConfig.adaptive(100, 60, { probes, minSamples: 1 })).enableGrpc({ address });
  const handled = Promise.withResolvers<void>();
  let isHandled = false;
  const handle = () => {
    isHandled = true;
    handled.resolve();
  };
  app.addGrpcService(catalog, {
    GetBook: async ({ id }, { signal }) => {
      if (id === 404 && !signal.aborted)
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      handle();
      if (id >= 400) throw new GrpcError("INTERNAL", "no database");
      now += 150;
      return aBook(id);
    },
    *ListBooks({ count }) {
      now += 60_000;
      handle();
      for (let id = 1; id <= count; id++) yield aBook(id);
    },
  });
  app.get("/", () => "ok");
  await using served = await serveApp(app as unknown as GrpcApp);
  await call(clientOf(served), () => isHandled);
  await handled.promise;
  await new Promise(setImmediate);
  for (const tick of ticks) tick();
  await new Promise(setImmediate);
  expect((await fetch(served.url)).headers.get("x-ratelimit-limit")).toBe(limit);
});

test("calls of a method that keeps failing are UNAVAILABLE without running its handler, until trial calls succeed", async () => {
  const clock = virtualClock();
  let calls = 0;
  let isUp = false;
  const app = new (App.with(circuitBreaker, grpc))();
  app.enableGrpc({ address, enableWeb: true });
  app.enableCircuitBreaker(
    CircuitBreakerConfig.of({ failureThreshold: 2, resetTimeout: 30, halfOpenTarget: 1, clock }),
  );
  app.addGrpcService(catalog, {
    GetBook: ({ id }) => {
      calls++;
      if (id === 404) throw new GrpcError("NOT_FOUND", "no book");
      if (!isUp) throw new GrpcError("UNAVAILABLE", "the stock is down");
      return aBook(id);
    },
    ListBooks: () => [aBook(1)],
  });
  await using served = await serveApp(app as unknown as GrpcApp);
  const client = served.client(catalog);
  for (let n = 0; n < 3; n++) await failure(client.GetBook({ id: 404 })); // a client error
  for (let n = 0; n < 2; n++) await failure(client.GetBook({ id: 1 }));
  calls = 0;
  const open = await failure(client.GetBook({ id: 1 }));
  expect(open).toMatchObject({
    status: "UNAVAILABLE",
    message: "Circuit open",
    details: [{ kind: "retryInfo", delayMs: 30_000 }],
  });
  const web = await fetch(new URL("/books.v1.Catalog/GetBook", served.url), {
    method: "POST",
    body: framed(Buffer.from([8, 1])),
    headers: { "content-type": "application/grpc-web+proto" },
  });
  expect(await web.text()).toContain("grpc-status: 14");
  expect(calls).toBe(0);
  expect(await all(client.ListBooks({ count: 1 }))).toHaveLength(1); // its own circuit
  isUp = true;
  await clock.advance(31_000);
  expect(await client.GetBook({ id: 1 })).toEqual(aBook(1));
  expect(app.circuits.list()).toContainEqual(
    expect.objectContaining({ name: "grpc books.v1.Catalog/GetBook", state: "closed" }),
  );
});

test("a call that reaches its method's limit counts as a failure while the handler still runs; a cancelled call does not", async () => {
  const app = new (App.with(circuitBreaker, grpc))();
  app.enableGrpc({ address }).enableCircuitBreaker({ failureThreshold: 1 });
  const begun = Promise.withResolvers<void>();
  app.addGrpcService(catalog, {
    GetBook: {
      timeoutSecs: 0.5,
      handle: () => {
        begun.resolve();
        return new Promise(() => {});
      },
    },
  });
  await using served = await serveApp(app as unknown as GrpcApp, { cluster: { shutdownTimeoutSecs: 1 } });
  const client = served.client(catalog);
  const controller = new AbortController();
  const cancelled = failure(client.GetBook({ id: 1 }, { signal: controller.signal }));
  await begun.promise;
  controller.abort();
  expect(await cancelled).toMatchObject({ status: "CANCELLED" });
  expect(await failure(client.GetBook({ id: 1 }, { timeoutMs: 60_000 }))).toMatchObject({
    status: "DEADLINE_EXCEEDED",
  });
  while (app.circuits.list()[0]?.state !== "open") await new Promise((resolve) => setImmediate(resolve));
  expect(await failure(client.GetBook({ id: 1 }))).toMatchObject({ message: "Circuit open" });
  await served.stop().catch(() => {});
});

test("the app's guards run before the guards of gRPC, except for open methods and the health service", async () => {
  const seen: string[] = [];
  const app = new (App.with(grpc))();
  app.enableGrpc({
    address,
    guards: [
      () => {
        seen.push("grpc");
        return true;
      },
    ],
  });
  app.addGuard(({ headers }) => headers.get("x-member") !== null || "members only");
  app.addGrpcService(catalog, {
    GetBook: ({ id }) => aBook(id),
    AddBooks: { open: true, handle: () => ({ added: 0 }) },
  });
  await using served = await serveApp(app as unknown as GrpcApp);
  const client = served.client(catalog);
  const refused = { status: "PERMISSION_DENIED", message: "members only" };
  expect(await failure(client.GetBook({ id: 1 }))).toMatchObject(refused);
  expect(seen).toEqual([]);
  expect(await client.GetBook({ id: 1 }, { metadata: { "x-member": "ada" } })).toEqual(aBook(1));
  expect(seen).toEqual(["grpc"]);
  expect(await client.AddBooks([])).toEqual({ added: 0 });
  const health = served.client(healthAsCatalog) as unknown as Record<
    "Check",
    (request: object) => Promise<unknown>
  >;
  expect(await health.Check({ service: "" })).toEqual({ status: "SERVING" });
});

test("a guard of the app that reads members of HTTP requests refuses gRPC calls and accepts gRPC-Web calls", async () => {
  const app = new (App.with(grpc))();
  app.enableGrpc({ address, enableWeb: true });
  app.addGuard(({ query }) => !query.has("bot"));
  app.addGrpcService(catalog, { GetBook: ({ id }) => aBook(id) });
  await using served = await serveApp(app as unknown as GrpcApp);
  expect(await failure(served.client(catalog).GetBook({ id: 1 }))).toMatchObject({
    status: "PERMISSION_DENIED",
  });
  const web = await fetch(new URL("/books.v1.Catalog/GetBook", served.url), {
    method: "POST",
    body: framed(Buffer.from([8, 1])),
    headers: { "content-type": "application/grpc-web+proto" },
  });
  expect(await web.text()).toContain("grpc-status: 0");
});
