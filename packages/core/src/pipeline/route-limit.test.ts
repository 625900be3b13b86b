import { expect, test } from "@jest/globals";
import { App } from "../app.ts";
import { TimeoutConfig } from "../config/timeout-config.ts";
import { HandlerTimeoutError } from "../errors/http-errors.ts";
import type { HttpRequest } from "../request/http-request.ts";
import { Response } from "../response/response.ts";
import { virtualClock } from "../runtime/virtual-clock.ts";
import type { StandardSchema } from "../validation/standard-schema.ts";
import { RouteLimit } from "./route-limit.ts";

const TEST_URL = "http://localhost/";
const never = new Promise<never>(() => {});
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A schema whose validation waits. */
const waitingFor = (gate: Promise<void>): StandardSchema<unknown> => ({
  "~standard": {
    version: 1,
    vendor: "test",
    async validate(value) {
      await gate;
      return { value };
    },
  },
});

test("a request whose guard hangs gets 504, and its signal aborts", async () => {
  const reasons: unknown[] = [];
  const guard = ({ signal }: HttpRequest): Promise<boolean> => {
    signal.addEventListener("abort", () => reasons.push(signal.reason));
    return never;
  };
  for (const options of [{ timeoutSecs: 0.01 }, {}]) {
    const app = new App();
    app.get("/", { guards: [guard], ...options }, () => "x");
    await app.start({ timeouts: TimeoutConfig.of({ handlerSecs: 0.02 }) });
    expect((await app.fetch(new Request(TEST_URL))).status).toBe(504);
  }
  expect(reasons).toEqual([expect.any(HandlerTimeoutError), expect.any(HandlerTimeoutError)]);
});

test("if a guard passes after the limit, the handler is not called; a refusal after the limit has no effect", async () => {
  const verdicts = [true, false];
  for (const verdict of verdicts) {
    const app = new App();
    let calls = 0;
    const late = Promise.withResolvers<boolean>();
    app.get("/", { guards: [() => late.promise], timeoutSecs: 0.01 }, () => `call ${++calls}`);
    expect((await app.fetch(new Request(TEST_URL))).status).toBe(504);
    late.resolve(verdict);
    await nextTurn();
    expect(calls).toBe(0);
  }
});

/** A request with the first half of a JSON body, whose rest arrives when `rest` resolves. */
const uploadRequest = (rest: Promise<void>): Request => {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('{"a"');
    await rest;
    yield Buffer.from(":1}");
  }
  return new Request(TEST_URL, {
    method: "POST",
    body: ReadableStream.from(body()),
    headers: { "content-type": "application/json" },
    duplex: "half",
  } as RequestInit);
};

test("a request whose body does not arrive gets 408 if the route has a schema for it", async () => {
  const app = new App();
  let calls = 0;
  const body = waitingFor(Promise.resolve());
  app.post("/", { body, timeoutSecs: 0.5 }, () => `call ${++calls}`); // even a busy machine begins the read within half of the limit
  expect((await app.fetch(uploadRequest(never))).status).toBe(408);
  expect(calls).toBe(0);
});

/** A limit of one second of a virtual clock, without receivers of late replies. */
const limitOfOneSecond = () => {
  const clock = virtualClock();
  const converters = { rescue: () => Response.text(""), accept: (reply: Response) => reply };
  return { clock, limit: new RouteLimit({ timeoutMs: 1000, converters, clock }) };
};

/** An app whose handler may take one second of a virtual clock. `begun` resolves when the handler calls `begin`. */
const limitedApp = (handle: (request: HttpRequest, begin: () => void) => Promise<unknown>) => {
  const { clock, limit } = limitOfOneSecond();
  const begun = Promise.withResolvers<void>();
  const app = new App();
  const handler = limit.around(async (request) => Response.json(await handle(request, begun.resolve)));
  app.post("/", (request) => handler(request));
  return { app, clock, begun: begun.promise };
};

test.each([
  ["json()", (request: HttpRequest) => request.json()],
  ["stream()", (request: HttpRequest) => request.stream().pipeTo(new WritableStream())],
])(
  "a request whose handler waits for its body in %s gets 408, and its signal aborts",
  async (_name, read) => {
    const reason = Promise.withResolvers<unknown>();
    const { app, clock, begun } = limitedApp(async (request, begin) => {
      request.signal.addEventListener("abort", () => reason.resolve(request.signal.reason));
      const reading = read(request);
      await nextTurn(); // the first half has arrived
      begin();
      return reading;
    });
    const reply = app.fetch(uploadRequest(never));
    await begun;
    await clock.advance(1000);
    const { status, headers } = await reply;
    expect([status, headers.get("connection"), await (await reply).json()]).toEqual([
      408,
      "close",
      { error: "Request Timeout", detail: "The request body took too long to arrive", status: 408 },
    ]);
    expect(await reason.promise).toMatchObject({ status: 408 });
  },
);

test.each([
  [501, 408],
  [500, 504],
])("a request whose handler hangs after a wait of %i of 1000 ms for its body gets %i", async (ms, status) => {
  const rest = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  const { app, clock, begun } = limitedApp(async (request, begin) => {
    const reading = request.json();
    begin();
    await reading;
    read.resolve();
    return never;
  });
  const reply = app.fetch(uploadRequest(rest.promise));
  await begun;
  await clock.advance(ms);
  rest.resolve();
  await read.promise;
  await clock.advance(1000 - ms);
  expect((await reply).status).toBe(status);
});

test("a request whose handler hangs before it reads the body gets 504", async () => {
  const app = new App();
  app.post("/", { timeoutSecs: 0.01 }, () => never);
  expect((await app.fetch(uploadRequest(never))).status).toBe(504);
});

test("a handler is not called for input that is validated after the limit", async () => {
  const app = new App();
  const gate = Promise.withResolvers<void>();
  let calls = 0;
  app.get("/", { query: waitingFor(gate.promise), timeoutSecs: 0.01 }, () => `call ${++calls}`);
  expect((await app.fetch(new Request(TEST_URL))).status).toBe(504);
  gate.resolve();
  await nextTurn();
  expect(calls).toBe(0);
  expect(await (await app.fetch(new Request(TEST_URL))).text()).toBe("call 1");
});

test("guards and handler share the limit, and a synchronous handler sets no timer", async () => {
  const { clock, limit } = limitOfOneSecond();
  const request = {
    abort() {},
    context: { get: () => null },
    bodySource: { bodyLength: 0 },
  } as unknown as HttpRequest;
  const guard = Promise.withResolvers<void>();
  const passed = limit.waitFor(request, guard.promise);
  await clock.advance(700);
  guard.resolve();
  await passed;
  const reply = Promise.resolve(limit.around(() => never)(request)).catch((error: unknown) => error);
  await clock.advance(299);
  expect(clock.pending).toBe(1);
  await clock.advance(1);
  expect(await reply).toMatchObject({ status: 504, message: expect.stringContaining("1 s") });
  expect(await limit.around(() => Response.text("x"))(request)).toBeInstanceOf(Response);
  expect(clock.pending).toBe(0);
});
