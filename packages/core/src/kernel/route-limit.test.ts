import { expect, test } from "@jest/globals";
import { App } from "../app.ts";
import { TimeoutConfig } from "../config/timeout-config.ts";
import { HandlerTimeoutError } from "../errors/http-errors.ts";
import type { HttpRequest } from "../request/http-request.ts";
import { Response } from "../response/response.ts";
import { virtualClock } from "../runtime/virtual-clock.ts";
import type { StandardSchema } from "../validation/standard-schema.ts";
import { RouteLimit } from "./route-limit.ts";

const URL_OF_ALL = "http://localhost/";
const never = new Promise<never>(() => {});
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

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

test("a guard that hangs is answered 504, and its request aborts", async () => {
  const reasons: unknown[] = [];
  const guard = ({ signal }: HttpRequest): Promise<boolean> => {
    signal.addEventListener("abort", () => reasons.push(signal.reason));
    return never;
  };
  for (const options of [{ timeoutSecs: 0.01 }, {}]) {
    const app = new App();
    app.get("/", { guards: [guard], ...options }, () => "x");
    await app.start({ timeouts: TimeoutConfig.of({ handlerSecs: 0.02 }) });
    expect((await app.fetch(new Request(URL_OF_ALL))).status).toBe(504);
  }
  expect(reasons).toEqual([expect.any(HandlerTimeoutError), expect.any(HandlerTimeoutError)]);
});

test("a handler is not called for a guard that passes too late, nor does a late refusal matter", async () => {
  const verdicts = [true, false];
  for (const verdict of verdicts) {
    const app = new App();
    let calls = 0;
    const late = Promise.withResolvers<boolean>();
    app.get("/", { guards: [() => late.promise], timeoutSecs: 0.01 }, () => `call ${++calls}`);
    expect((await app.fetch(new Request(URL_OF_ALL))).status).toBe(504);
    late.resolve(verdict);
    await turn();
    expect(calls).toBe(0);
  }
});

test("a body that does not arrive is answered 504 where the route has a schema for it", async () => {
  const app = new App();
  let calls = 0;
  const body = waitingFor(Promise.resolve());
  app.post("/", { body, timeoutSecs: 0.01 }, () => `call ${++calls}`);
  const stream = new ReadableStream({ pull: () => never });
  const request = new Request(URL_OF_ALL, {
    method: "POST",
    body: stream,
    headers: { "content-type": "application/json" },
    duplex: "half",
  } as RequestInit);
  expect((await app.fetch(request)).status).toBe(504);
  expect(calls).toBe(0);
});

test("a handler is not called for input that is valid too late", async () => {
  const app = new App();
  const gate = Promise.withResolvers<void>();
  let calls = 0;
  app.get("/", { query: waitingFor(gate.promise), timeoutSecs: 0.01 }, () => `call ${++calls}`);
  expect((await app.fetch(new Request(URL_OF_ALL))).status).toBe(504);
  gate.resolve();
  await turn();
  expect(calls).toBe(0);
  expect(await (await app.fetch(new Request(URL_OF_ALL))).text()).toBe("call 1");
});

test("guards and handler share the time, and synchronous guards set no timer", async () => {
  const clock = virtualClock();
  const request = { abort() {}, context: { get: () => null } } as unknown as HttpRequest;
  const late = { rescue: () => Response.text(""), accept: (reply: Response) => reply };
  const limit = new RouteLimit({ timeoutMs: 1000, late, clock });
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
