import { expect, test } from "@jest/globals";
import { App, type HttpRequest, type Middleware, Response } from "../index.ts";
import type { MiddlewareObject } from "../feature.ts";

const send = (app: App, path: string, init?: RequestInit) =>
  app.fetch(new Request(`http://host.test${path}`, init));

const tagging: Middleware<HttpRequest, Response> = async (request, next) => {
  const reply = await next(request);
  reply.setHeader("x-seen", `${request.route ?? "none"} ${reply.status}`);
  return reply;
};

test.each([
  ["/ok", "GET", 200, "/ok 200"],
  ["/fails", "GET", 500, "/fails 500"],
  ["/closed", "GET", 403, "/closed 403"],
  ["/nowhere", "GET", 404, "none 404"],
  ["/ok", "PUT", 405, "none 405"],
  ["/ok", "OPTIONS", 204, "none 204"],
  ["/%zz", "GET", 400, "none 400"],
])("middleware sees every reply: %s %s gets %i", async (path, method, status, seen) => {
  const app = new App().use(tagging);
  app.get("/ok", () => "ok");
  app.get("/fails", () => {
    throw new Error("failed");
  });
  app.get("/closed", { guards: [() => false] }, () => "never");
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  const reply = await send(app, path, { method });
  expect([reply.status, reply.headers.get("x-seen")]).toEqual([status, seen]);
});

test.each(["/nowhere", "/sent"])(
  "HEAD on an unmatched path gets the fields of GET, including its length: %s",
  async (path) => {
    const app = new App();
    app.post("/sent", () => null);
    const [get, head] = await Promise.all([send(app, path), send(app, path, { method: "HEAD" })]);
    expect([head.status, [...head.headers]]).toEqual([get.status, [...get.headers]]);
    expect(head.headers.has("content-length")).toBe(true);
  },
);

test("app.use keeps the order of calls and accepts objects with a handle method", async () => {
  const order: string[] = [];
  const object: MiddlewareObject<HttpRequest, Response> = {
    handle(request, next) {
      order.push("object");
      return next(request);
    },
  };
  const app = new App()
    .use((request, next) => {
      order.push("first");
      return next(request);
    })
    .use(object);
  app.get("/x", () => {
    order.push("handler");
    return "x";
  });
  await send(app, "/x");
  expect(order).toEqual(["first", "object", "handler"]);
});

test("an error of a middleware becomes a reply at its own level, and outer middleware sees the reply", async () => {
  const app = new App().use(tagging).use(() => {
    throw new Error("in the middle");
  });
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  expect((await send(app, "/x")).headers.get("x-seen")).toBe("none 500");
});

test("middleware may call next again", async () => {
  let calls = 0;
  const app = new App().use(async (request, next) => {
    const reply = await next(request);
    return reply.status === 503 ? next(request) : reply;
  });
  app.get("/x", () => (++calls === 1 ? new Response("again", { status: 503 }) : "done"));
  expect(await (await send(app, "/x")).text()).toBe("done");
});

test("middleware may reply without calling next", async () => {
  const app = new App().use(() => new Response("no", { status: 418 }));
  app.get("/x", () => "x");
  expect((await send(app, "/x")).status).toBe(418);
});

test("a synchronous chain returns its reply synchronously", async () => {
  const seen: boolean[] = [];
  const app = new App().use((request, next) => {
    const reply = next(request);
    seen.push(reply instanceof Promise);
    return reply;
  });
  app.get("/sync", () => "x");
  app.get("/async", async () => "x");
  await send(app, "/sync");
  await send(app, "/async");
  expect(seen).toEqual([false, true]);
});

test("guards run outermost first and stop at the first denial", async () => {
  const order: string[] = [];
  const app = new App().addGuard(() => void order.push("app"));
  app.get("/x", { guards: [() => "Members only", () => void order.push("never")] }, () => "x");
  const reply = await send(app, "/x");
  expect(await reply.json()).toEqual({ error: "Forbidden", detail: "Members only", status: 403 });
  expect(order).toEqual(["app"]);
});

test("app guards do not run for unmatched paths", async () => {
  expect(
    (
      await send(
        new App().addGuard(() => false),
        "/nowhere",
      )
    ).status,
  ).toBe(404);
});

test("logs writes one line per request, even for an unmatched path; without logs no line is written", async () => {
  const lines: string[] = [];
  const build = async (logs: boolean) => {
    const app = new App();
    app.get("/x", () => "x");
    await app.start({ logs, log: { info: (line) => void lines.push(line), warn() {}, error() {} } });
    return app;
  };
  const app = await build(true);
  await send(app, "/x?secret=1");
  await send(app, "/nowhere", { method: "POST" });
  await send(await build(false), "/x");
  expect(lines).toEqual([
    expect.stringMatching(/^GET \/x -> 200 \(\d+\.\d{3} ms\)$/),
    expect.stringMatching(/^POST \/nowhere -> 404 \(\d+\.\d{3} ms\)$/),
  ]);
});
