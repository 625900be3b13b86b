import { expect, test } from "@jest/globals";
import { App, HttpError, Response, UnauthorizedError, ValueError } from "../index.ts";
import type { Logger } from "../log/logger.ts";
import { consoleLogger } from "../log/console-logger.ts";

/** Throws the value in a synchronous and in an asynchronous handler. Returns the status of each reply. */
const statusesOf = async (thrown: unknown, log: Logger) => {
  const app = new App();
  app.get("/x", () => {
    throw thrown;
  });
  app.get("/later", async () => {
    throw thrown;
  });
  await app.start({ env: "development", log });
  const getStatus = async (path: string) => (await app.fetch(new Request(`http://host.test${path}`))).status;
  const statuses = [await getStatus("/x"), await getStatus("/later")];
  await app.stop();
  return statuses;
};

test("an error whose message is not a string is a 500 with a line in the log", async () => {
  for (const message of [{ code: 7 }, Object.create(null), Symbol("s")]) {
    const lines: string[] = [];
    const log = consoleLogger({ format: "text", write: (line) => void lines.push(line) });
    expect(await statusesOf(Object.assign(new Error("x"), { message }), log)).toEqual([500, 500]);
    expect(lines.filter((line) => line.includes("GET /x failed: "))).toHaveLength(1);
  }
});

test("an error with a status above 500 whose detail differs from its message is logged as a warning", async () => {
  class StockError extends HttpError {
    override readonly detail: string = "A service failed";
  }
  for (const [status, lines] of [
    [499, []],
    [502, ["GET /x failed: no route to stock.internal", "GET /later failed: no route to stock.internal"]],
  ] as const) {
    const seen: string[] = [];
    const log = { info() {}, warn: (text: string) => void seen.push(text), error() {} };
    const error = new StockError(status, "no route to stock.internal");
    expect(await statusesOf(error, log)).toEqual([status, status]);
    expect(seen.filter((line) => line.includes("stock.internal"))).toEqual(lines);
  }
});

test("with debug the reply shows a message and name that are not strings", async () => {
  const app = new App();
  app.get("/x", () => {
    throw Object.assign(new Error("x"), { message: Object.create(null), name: { kind: "odd" } });
  });
  await app.start({ env: "development", debug: true, log: { info() {}, warn() {}, error() {} } });
  const reply = await app.fetch(new Request("http://host.test/x"));
  expect(await reply.json()).toMatchObject({ detail: "{}", exception: '{"kind":"odd"}' });
  await app.stop();
});

test("a logger that throws does not prevent the reply", async () => {
  const fail = () => {
    throw new Error("disk full");
  };
  const written: string[] = [];
  const { error } = console;
  console.error = (...parts: unknown[]) => void written.push(parts.join(" "));
  try {
    expect(await statusesOf(new Error("bug"), { info: fail, warn: fail, error: fail })).toEqual([500, 500]);
  } finally {
    console.error = error;
  }
  expect(written.join()).toMatch(/the logger failed.*disk full.*GET \/x failed: bug/);
});

const failingApp = (reply: (error: HttpError) => unknown): App => {
  const app = new App().exceptionHandler(HttpError, (_request, error) => reply(error));
  app.get("/x", () => "x");
  app.get("/secret", () => {
    throw new UnauthorizedError();
  });
  app.get("/bare", () => {
    throw new HttpError(401, "who?");
  });
  app.get("/busy", () => {
    throw new HttpError(503, "later", { headers: { "retry-after": "9" } });
  });
  return app;
};

const fieldOf = async (app: App, line: string, field: string) => {
  const [method = "", path = ""] = line.split(" ");
  const reply = await app.fetch(new Request(`http://host.test${path}`, { method }));
  return `${reply.status} ${reply.headers.get(field)}`;
};

test.each([
  ["a value", ({ status }: HttpError) => ({ mine: status })],
  ["a Response", ({ status }: HttpError) => Response.json({ mine: status }, { status })],
  ["a web Response", ({ status }: HttpError) => globalThis.Response.json({ mine: status }, { status })],
])("%s of an exception handler gets the header fields of the error", async (_, reply) => {
  const app = failingApp(reply);
  expect([
    await fieldOf(app, "DELETE /x", "allow"),
    await fieldOf(app, "GET /secret", "www-authenticate"),
    await fieldOf(app, "GET /bare", "www-authenticate"),
    await fieldOf(app, "GET /busy", "retry-after"),
  ]).toEqual([
    "405 GET, HEAD, OPTIONS",
    '401 Bearer realm="Restricted"',
    '401 Bearer realm="Restricted"',
    "503 9",
  ]);
  await app.stop();
});

test("a Response of an exception handler keeps its own fields, and gets no fields of the error if its status differs", async () => {
  const own = failingApp(() => Response.json({}, { status: 503, headers: { "retry-after": "1" } }));
  expect(await fieldOf(own, "GET /busy", "retry-after")).toBe("503 1");
  expect(await fieldOf(own, "DELETE /x", "allow")).toBe("503 null");
  await own.stop();
});

test("an exception handler may return a thenable whose then returns nothing", async () => {
  const app = new App();
  app.exceptionHandler(ValueError, () => ({
    // oxlint-disable-next-line unicorn/no-thenable -- the subject
    then(resolve: (value: unknown) => void): void {
      resolve({ error: "later" });
    },
  }));
  app.get("/", () => {
    throw new ValueError("bad");
  });
  const reply = await app.fetch(new Request("http://host.test/"));
  expect([reply.status, await reply.json()]).toEqual([400, { error: "later" }]);
});
