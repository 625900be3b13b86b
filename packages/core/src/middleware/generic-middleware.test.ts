import { expect, test } from "@jest/globals";
import { App } from "../app.ts";
import { HttpError } from "../errors/http-error.ts";
import { Response } from "../response/response.ts";
import { compose } from "./middleware.ts";
import { retry } from "./retry.ts";
import { instantClock } from "./instant-clock.test-kit.ts";
import { virtualClock } from "../runtime/virtual-clock.ts";
import { timeout } from "./timeout.ts";

const send = (app: App, method = "GET") =>
  app.fetch(new Request("http://localhost/", { method, ...(method === "POST" && { body: "text" }) }));

test("retry of requests: the handler is called again and can read the body again", async () => {
  const app = new App().use(
    retry({
      policy: { attempts: 3, delayMs: 1 },
      clock: instantClock(),
      isFailure: ({ status }) => status >= 500,
    }),
  );
  const bodies: string[] = [];
  app.post("/", async (request) => {
    bodies.push(await request.text());
    if (bodies.length < 3) throw new HttpError(503, "not yet");
    return Response.text("done");
  });
  const reply = await send(app, "POST");
  expect([reply.status, await reply.text(), bodies]).toEqual([200, "done", ["text", "text", "text"]]);
});

test("retry of requests: the stream of a discarded reply is cancelled", async () => {
  let cancelled = 0;
  let calls = 0;
  const app = new App().use(retry({ policy: { attempts: 2, delayMs: 0 } }));
  app.get("/", () => {
    if (calls++ > 0) return "done";
    const body = new ReadableStream({ cancel: () => void cancelled++ });
    return new Response(body, { status: 503 });
  });
  expect(await (await send(app)).text()).toBe("done");
  expect(cancelled).toBe(1);
});

test("timeout of requests: a request with a slow handler gets 504, and its signal aborts", async () => {
  const clock = virtualClock();
  const app = new App().use(timeout({ timeoutMs: 200, clock }));
  let reason: unknown;
  const begun = Promise.withResolvers<void>();
  app.get("/", ({ signal }) => {
    signal.addEventListener("abort", () => (reason = signal.reason));
    begun.resolve();
    return new Promise(() => {});
  });
  const reply = send(app);
  await begun.promise;
  await clock.advance(200);
  expect((await reply).status).toBe(504);
  expect(reason).toMatchObject({ name: "HandlerTimeoutError" });
});

test("in one chain, each attempt has its own timeout", async () => {
  const clock = instantClock();
  let calls = 0;
  const call = compose<string, string>(
    [
      retry({ policy: { attempts: 3, delayMs: 0 }, isFailure: (output) => output === "late" }),
      timeout({ timeoutMs: 10, clock, fallback: () => "late" }),
    ],
    () => (++calls < 3 ? new Promise(() => {}) : "in time"),
    () => "error",
  );
  expect([await call("a"), calls, clock.delays]).toEqual(["in time", 3, [10, 10]]);
});
