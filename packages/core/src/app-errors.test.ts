import { expect, test } from "@jest/globals";
import { z } from "zod";
import { send, startQuietly } from "./app-requests.test-kit.ts";
import {
  App,
  CircuitOpenError,
  HttpError,
  NotFoundError,
  RateLimitError,
  Response,
  UnauthorizedError,
  ValueError,
} from "./index.ts";

test("production hides the error message even when debug is on", async () => {
  const app = new App();
  app.get("/x", () => {
    throw new Error("canary");
  });
  await app.start({ env: "production", debug: true, log: { info() {}, warn() {}, error() {} } });
  expect((await send(app, "/x")).text).not.toContain("canary");
});

test("development shows message, class and stack of an unexpected error", async () => {
  const app = new App();
  app.get("/x", () => {
    throw new TypeError("what happened");
  });
  await startQuietly(app);
  const body = (await send(app, "/x")).json() as { stack: string[] };
  expect(body).toMatchObject({ detail: "what happened", exception: "TypeError", status: 500 });
  expect(body.stack.join("\n")).toContain("app-errors.test.ts");
});

test("an HttpError becomes a reply with its header fields and extras; an extra cannot replace the status", async () => {
  const app = new App();
  app.get("/x", () => {
    throw new HttpError(409, "Taken already", { headers: { "x-why": "twice" }, holder: "me", status: 200 });
  });
  const reply = await send(app, "/x");
  expect(reply.json()).toEqual({ error: "Conflict", detail: "Taken already", status: 409, holder: "me" });
  expect(reply.headers.get("x-why")).toBe("twice");
});

test.each(["development", "production"] as const)(
  "an HttpError 500 shows text and extras in development only: %s",
  async (env) => {
    const app = new App();
    app.get("/x", () => {
      throw new HttpError(500, "the disk is full", { host: "db-7" });
    });
    await startQuietly(app, env);
    const hidden = { error: "Internal Server Error", detail: "An unexpected error occurred", status: 500 };
    const shown = { ...hidden, detail: "the disk is full", host: "db-7" };
    expect((await send(app, "/x")).json()).toEqual(env === "production" ? hidden : shown);
  },
);

test("an Accept of application/problem+json gets problem details, an Accept of */* plain JSON", async () => {
  const app = new App();
  const headers = { accept: "application/problem+json" };
  const reply = await send(app, "/nowhere", { headers });
  expect(reply.headers.get("content-type")).toBe("application/problem+json");
  expect(reply.json()).toMatchObject({
    error: "Not Found",
    title: "Not Found",
    type: "/errors/not-found",
    instance: "/nowhere",
    status: 404,
  });
  expect((await send(app, "/nowhere", { headers: { accept: "*/*" } })).headers.get("content-type")).toMatch(
    "application/json",
  );
});

test.each(["as listed", "reversed"])(
  "the exception handler of the nearest class is called: registered %s",
  async (order) => {
    class Missing extends NotFoundError {}
    const registrations = [
      (app: App) => app.exceptionHandler(Error, () => ({ by: "Error" })),
      (app: App) => app.exceptionHandler(NotFoundError, () => ({ by: "NotFoundError" })),
      (app: App) =>
        app.exceptionHandler(ValueError, (_request, error) =>
          Response.json({ error: "Invalid value", detail: error.detail }, { status: 400 }),
        ),
    ];
    const app = new App();
    for (const register of order === "reversed" ? registrations.toReversed() : registrations) register(app);
    app.get("/missing", () => {
      throw new Missing("gone");
    });
    app.get("/value", () => {
      throw new ValueError("not a number");
    });
    app.get("/other", () => {
      throw new RangeError("other");
    });
    app.get("/http", () => {
      throw new HttpError(418, "teapot");
    });
    expect(await send(app, "/missing")).toMatchObject({ status: 404, text: '{"by":"NotFoundError"}' });
    expect(await send(app, "/value")).toMatchObject({
      status: 400,
      text: '{"error":"Invalid value","detail":"not a number"}',
    });
    expect(await send(app, "/other")).toMatchObject({ status: 500, text: '{"by":"Error"}' });
    expect((await send(app, "/http")).json()).toMatchObject({ status: 418, detail: "teapot" });
    expect(await send(app, "/nowhere")).toMatchObject({ status: 404, text: '{"by":"NotFoundError"}' });
  },
);

test("an error that an exception handler turns into a 500 is logged, one with a 503 is not", async () => {
  const app = new App()
    .exceptionHandler(RangeError, () => Response.json({ error: "out of range" }, { status: 503 }))
    .exceptionHandler(Error, () => ({ error: "Internal server error" }));
  app.get("/bug", () => {
    throw new Error("a bug");
  });
  app.get("/expected", () => {
    throw new RangeError("expected");
  });
  const lines = await startQuietly(app, "production");
  expect([(await send(app, "/bug")).status, (await send(app, "/expected")).status]).toEqual([500, 503]);
  expect(lines.filter((line) => line.includes("failed"))).toEqual(["GET /bug failed: a bug"]);
});

test("a failing exception handler results in a plain 500 and a log line", async () => {
  const app = new App().exceptionHandler(Error, async () => {
    throw new Error("handler canary");
  });
  app.get("/x", () => {
    throw new Error("first");
  });
  const lines = await startQuietly(app, "production");
  const reply = await send(app, "/x");
  expect([reply.status, reply.text.includes("canary")]).toEqual([500, false]);
  expect(lines).toContain("an exception handler failed");
});

test.each([
  ["extras that JSON cannot represent", () => new NotFoundError("no book", { id: 12n })],
  [
    "a header value that HTTP does not allow",
    () => new HttpError(400, "no", { headers: { "x-name": "\u4e00" } }),
  ],
])("an error with %s results in a plain 500 that middleware sees, and a log line", async (_name, make) => {
  const seen: number[] = [];
  const app = new App().use(async (request, next) => {
    const reply = await next(request);
    seen.push(reply.status);
    return reply;
  });
  app.get("/x", () => {
    throw make();
  });
  const lines = await startQuietly(app, "production");
  const reply = await send(app, "/x");
  expect([reply.status, JSON.parse(reply.text), seen]).toEqual([
    500,
    { error: "Internal Server Error", detail: "An unexpected error occurred", status: 500 },
    [500],
  ]);
  expect(lines).toContain("the reply to an error cannot be written");
});

test("the handler of a class with its own Symbol.hasInstance, such as ZodError of zod, takes precedence over the handler of Error", async () => {
  const app = new App();
  app.exceptionHandler(Error, () => Response.text("any error", { status: 500 }));
  app.exceptionHandler(z.ZodError, (_request, { issues }) => Response.json(issues.length, { status: 422 }));
  app.get("/zod", () => z.object({ a: z.string(), b: z.string() }).parse({}));
  app.get("/other", () => {
    throw new Error("other");
  });
  await startQuietly(app);
  const replies = [await send(app, "/zod"), await send(app, "/other")];
  expect(replies.map(({ status, text }) => [status, text])).toEqual([
    [422, "2"],
    [500, "any error"],
  ]);
});

test.each([
  [
    "WWW-Authenticate",
    'Basic realm="Books"',
    (headers: Record<string, string>) => new UnauthorizedError(undefined, undefined, { headers }),
  ],
  ["Retry-After", "120", (headers: Record<string, string>) => new RateLimitError(5, undefined, { headers })],
  [
    "Retry-After",
    "120",
    (headers: Record<string, string>) => new CircuitOpenError(5, undefined, { headers }),
  ],
])(
  "an error's own %s replaces the default one, whatever the case of its name",
  async (name, value, create) => {
    const app = new App();
    app.get("/x", () => {
      throw create({ [name]: value });
    });
    await startQuietly(app);
    expect((await send(app, "/x")).headers.get(name)).toBe(value);
  },
);

test.each([Number.NaN, Infinity, undefined])(
  "Retry-After is a whole number of seconds even for %p",
  async (secs) => {
    const app = new App();
    app.get("/x", () => {
      throw new RateLimitError(secs as number);
    });
    await startQuietly(app);
    const reply = await send(app, "/x");
    expect([reply.headers.get("retry-after"), reply.json()]).toEqual([
      "1",
      expect.objectContaining({ retry_after: 1 }),
    ]);
  },
);
