import { type App, RequestId } from "@framework/core";
import { Trace } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { loggedApp } from "./collected-log.test-kit.ts";
import { logOf } from "./index.ts";

const ids = { request_id: "id-1", trace_id: "a".repeat(32), span_id: "b".repeat(16) };

/** Replaces the features that give a request its ids. */
const withIds = <A extends App>(app: A): A => {
  app.use((request, next) => {
    request.context.set(RequestId, ids.request_id);
    request.context.set(Trace, { traceId: ids.trace_id, spanId: ids.span_id });
    return next(request);
  });
  return app;
};

/** The only line with this message. */
const lineOf = (text: string, message: string): string => {
  const lines = text.split("\n").filter((line) => line.includes(message));
  expect(lines).toHaveLength(1);
  return lines[0] ?? "";
};

const ask = async (app: App): Promise<void> => {
  await app.fetch(new Request("http://localhost/"));
  await app.stop();
};

for (const format of ["json", "text"] as const)
  test(`no field replaces the ids of a request's log (${format})`, async () => {
    const { app, text } = loggedApp({ format });
    withIds(app).get("/", (request) => {
      const forged = { request_id: "forged", trace_id: "forged", span_id: "forged", title: "Emma" };
      logOf(request).info("of the log", forged);
      logOf(request).child(forged).info("of a child", forged);
      return "written";
    });
    await ask(app);
    expect(text()).not.toContain("forged");
    for (const message of ["of the log", "of a child"]) {
      const line = lineOf(text(), message);
      for (const id of Object.values(ids)) expect(line.split(id)).toHaveLength(2);
      expect(line).toContain("Emma");
    }
  });

test("a field `err` is written like a field `error`: class, code, cause and errors, each once", async () => {
  class PaymentError extends Error {
    readonly code = "PAYMENT_REFUSED";
  }
  const { app, text } = loggedApp({});
  app.get("/", (request) => {
    const many = new AggregateError([new PaymentError("two")], "many", { cause: new TypeError("inner") });
    logOf(request).error("of the log", { err: many });
    logOf(request).child({ err: many }).error("of a child");
    return "written";
  });
  await ask(app);
  const err = {
    type: "AggregateError",
    name: "AggregateError",
    message: "many",
    stack: expect.any(String),
    cause: { type: "TypeError", name: "TypeError", message: "inner", stack: expect.any(String) },
    errors: [
      {
        type: "PaymentError",
        name: "Error",
        message: "two",
        code: "PAYMENT_REFUSED",
        stack: expect.any(String),
      },
    ],
  };
  for (const message of ["of the log", "of a child"]) {
    const line = JSON.parse(lineOf(text(), message)) as { readonly err: unknown };
    expect(line.err).toEqual(err);
  }
});

test("a field of a line replaces that of its log, and a child's field that of its parent: each name is written once", async () => {
  const { app, text } = loggedApp({});
  app.get("/", (request) => {
    const log = logOf(request).child({ book: 1, shelf: "a" }).child({ book: 2 });
    log.info("of the child", { copies: 3 });
    log.info("of the line", { book: 3, level: "forged", timestamp: "forged", message: "forged" });
    return "written";
  });
  await ask(app);
  const fieldsOf = (line: string): string =>
    line.replaceAll(/"(?:timestamp|request_id|trace_id|span_id)":"[^"]*",/g, "");
  expect(fieldsOf(lineOf(text(), "of the child"))).toBe(
    '{"level":"info","book":2,"shelf":"a","copies":3,"message":"of the child"}',
  );
  expect(fieldsOf(lineOf(text(), "of the line"))).toBe(
    '{"level":"info","book":3,"shelf":"a","message":"of the line"}',
  );
});

test("entries with the same name become a list, and files and buffers are written as their size", async () => {
  const { app, text } = loggedApp({});
  app.get("/", (request) => {
    const form = new FormData();
    for (const tag of ["a", "b"]) form.append("tag", tag);
    for (const secret of ["hunter2", "hunter2"]) form.append("password", secret);
    form.append("cover", new File(["hunter2"], "cover.png"));
    logOf(request).info("types", {
      form,
      query: new URLSearchParams("tag=a&tag=b&page=2"),
      map: new Map<unknown, unknown>([
        [1, "number"],
        ["1", "text"],
      ]),
      bytes: new ArrayBuffer(3),
      pattern: /^a+$/,
    });
    return "written";
  });
  await ask(app);
  expect(text()).not.toContain("hunter2");
  expect(JSON.parse(lineOf(text(), "types"))).toMatchObject({
    form: { tag: ["a", "b"], password: ["[redacted]", "[redacted]"], cover: "[7 bytes]" },
    query: { tag: ["a", "b"], page: "2" },
    map: { 1: ["number", "text"] },
    bytes: "[3 bytes]",
    pattern: "/^a+$/",
  });
});

test("an error passed as the fields becomes the field `error`", async () => {
  const { app, text } = loggedApp({});
  app.get("/", (request) => {
    logOf(request).error("failed", new RangeError("too far") as never);
    return "written";
  });
  await ask(app);
  expect(JSON.parse(lineOf(text(), "failed"))).toMatchObject({
    error: { type: "RangeError", message: "too far" },
  });
});

test("collections are written as their entries, without secrets; other objects as the result of `toJSON`", async () => {
  const { app, text } = loggedApp({});
  const self = { toJSON: () => self, kept: 1 };
  app.get("/", (request) => {
    logOf(request).info("types", {
      map: new Map<unknown, unknown>([
        ["password", "hunter2"],
        ["title", "Emma"],
        [7, new Map([["token", "hunter2"]])],
      ]),
      set: new Set(["a", { secret: "hunter2" }]),
      headers: new Headers({ authorization: "hunter2", accept: "text/html" }),
      query: new URLSearchParams("api_key=hunter2&page=2"),
      url: new URL("https://ada:hunter2@books.example/reset?code=hunter2"),
      amount: { toJSON: () => "12.50", digits: [1, 2, 5] },
      document: { toJSON: () => ({ id: 1, secret: "hunter2" }) },
      self,
      broken: {
        toJSON: () => {
          throw new Error("no JSON");
        },
      },
      many: new Set(Array.from({ length: 1000 }, (_, at) => at)),
    });
    return "written";
  });
  await ask(app);
  expect(text()).not.toContain("hunter2");
  const { many, ...line } = JSON.parse(lineOf(text(), "types")) as { readonly many: readonly number[] };
  expect(many).toHaveLength(64);
  expect(line).toMatchObject({
    map: { password: "[redacted]", title: "Emma", 7: { token: "[redacted]" } },
    set: ["a", { secret: "[redacted]" }],
    headers: { authorization: "[redacted]", accept: "text/html" },
    query: { api_key: "[redacted]", page: "2" },
    url: "https://[redacted]@books.example/reset?[redacted]",
    amount: "12.50",
    document: { id: 1, secret: "[redacted]" },
    self: { kept: 1 },
    broken: "[unreadable]",
  });
});

test("a credential after several spaces or a tab is redacted, even if the text is cut there", async () => {
  const { app, text } = loggedApp({});
  app.get("/", (request) => {
    logOf(request).info("Authorization: Bearer   Qabcdef123", {
      tab: "Basic\tQabcdef123",
      cut: `${"x".repeat(1015)} Bearer  Qabcdef123`,
    });
    return "written";
  });
  await ask(app);
  expect(lineOf(text(), "Authorization: Bearer [redacted]")).not.toContain("Q");
});
