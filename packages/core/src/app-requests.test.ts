import { expect, test } from "@jest/globals";
import { send, startQuietly } from "./app-requests.test-kit.ts";
import { App } from "./index.ts";

test("application state reaches handlers through request.app", async () => {
  const app = new App<{ greeting: string }>();
  app.state.greeting = "hello";
  app.get("/x", (request) => request.app.state.greeting);
  expect((await send(app, "/x")).text).toBe("hello");
});

test("context carries values from middleware to handlers", async () => {
  const app = new App().use((request, next) => {
    request.context.set("tenant", "acme");
    return next(request);
  });
  app.get("/x", (request) => request.context.get("tenant"));
  expect((await send(app, "/x")).text).toBe("acme");
});

test("the accessors of a body can be combined and repeated", async () => {
  const app = new App();
  app.post("/x", async (request) => {
    const bytes = await request.body();
    return [
      await request.text(),
      await request.json(),
      bytes.byteLength,
      await request.raw.text(),
      await request.json(),
    ];
  });
  const reply = await send(app, "/x", {
    method: "POST",
    body: '{"a":1}',
    headers: { "content-type": "application/json" },
  });
  expect(reply.json()).toEqual(['{"a":1}', { a: 1 }, 7, '{"a":1}', { a: 1 }]);
});

test("a body above the route's limit gets 413", async () => {
  const app = new App();
  app.post("/x", { maxBodyBytes: 10 }, async (request) => await request.text());
  expect((await send(app, "/x", { method: "POST", body: "1234567890" })).status).toBe(200);
  const reply = await send(app, "/x", { method: "POST", body: "12345678901" });
  expect(reply.json()).toEqual({
    error: "Payload Too Large",
    detail: "Request body is larger than the limit of 10B",
    status: 413,
  });
});

test("a handler that exceeds its timeout results in 504, and the signal of its request aborts", async () => {
  const app = new App();
  const aborted = Promise.withResolvers<string>();
  app.get("/x", { timeoutSecs: 0.01 }, (request) => {
    request.signal.addEventListener("abort", () => aborted.resolve((request.signal.reason as Error).name));
    return new Promise(() => {});
  });
  const reply = await send(app, "/x");
  expect(reply.json()).toMatchObject({ error: "Gateway Timeout", status: 504 });
  expect(await aborted.promise).toBe("HandlerTimeoutError");
});

test("deferred work runs after the reply, in order, and a failure does not stop the rest", async () => {
  const done: string[] = [];
  const app = new App();
  app.get("/x", (request) => {
    request.defer(() => void done.push("first"));
    request.defer(() => {
      throw new Error("second");
    });
    request.defer(async () => void done.push("third"));
    return done.length;
  });
  const lines = await startQuietly(app);
  expect((await send(app, "/x")).text).toBe("0");
  await app.stop();
  expect(done).toEqual(["first", "third"]);
  expect(lines).toContain("background task failed");
});

test("getContextString returns the fallback for a value that was set to undefined", async () => {
  const app = new App().use((request, next) => {
    request.setContext("tenant", undefined);
    return next(request);
  });
  app.get("/x", (request) => [
    request.getContextString("tenant"),
    request.getContextString("tenant", "none"),
  ]);
  expect((await send(app, "/x")).text).toBe('[null,"none"]');
});
