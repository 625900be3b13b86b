import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { App, Blueprint, Response } from "../index.ts";
import { jsonWriter } from "../response/json/json-writer.ts";

class Money {
  private readonly cents = (): number => 1;
  get amount(): number {
    return this.cents();
  }
}
const secrets = new WeakMap<object, number>();
class Hidden {
  get value(): number | undefined {
    return secrets.get(this);
  }
}
const then = { [String("then")]: () => {} };
class Empty {}
class Listed {
  readonly items = [1];
  *[Symbol.iterator](): Iterator<number> {
    yield* this.items;
  }
}

const start = async (env: "development" | "production", handler: () => unknown) => {
  const lines: string[] = [];
  const app = new App();
  app.get("/x", handler);
  const keep = (text: string) => void lines.push(text);
  await app.start({ env, log: { info() {}, warn: keep, error() {} } });
  return { lines, get: () => app.fetch(new Request("http://host.test/x")) };
};

const lostValues: readonly (readonly [string, unknown, string])[] = [
  ["a promise", Promise.resolve(1), "a promise"],
  ["a query that was not awaited", { ...then, rows: [1] }, "a function"],
  ["an instance with then", Object.assign(Object.create(then) as object, { a: 1 }), "a promise"],
  ["a Set", new Set([1]), "a Set"],
  ["a Map", new Map([[1, 2]]), "a Map"],
  ["an Error", new Error("no"), "an error"],
  ["an Error with members", Object.assign(new TypeError("no"), { code: "X" }), "an error"],
  ["a function", () => 1, "a function"],
  ["a class", Empty, "a function"],
  ["a symbol", Symbol("s"), "a symbol"],
  ["a RegExp", /x/, "a RegExp"],
  ["bytes", new Uint8Array(2), "a Uint8Array"],
  ["an ArrayBuffer", new ArrayBuffer(2), "an ArrayBuffer"],
  ["a WeakMap", new WeakMap(), "a WeakMap"],
  ["a Blob", new Blob(["x"]), "a Blob"],
  ["Headers", new Headers({ a: "b" }), "a Headers"],
  ["a form", new FormData(), "a FormData"],
  ["URL parameters", new URLSearchParams("a=b"), "a URLSearchParams"],
  ["a generator", [1].values(), "an Array Iterator"],
  ["a stream", new ReadableStream(), "a ReadableStream"],
  ["private members", new Hidden(), "an instance of a class with getters"],
  ["a member function of an instance", new Money(), "a function"],
];

test.each(lostValues)(
  "under debug, %s inside a reply is an error that names the path",
  async (_name, value, what) => {
    for (const reply of [
      { books: [1, { "a b": value }] },
      () => Response.json({ books: [1, { "a b": value }] }),
    ]) {
      const { get } = await start("development", () => (typeof reply === "function" ? reply() : reply));
      const response = await get();
      const { detail } = (await response.json()) as { detail: string };
      expect(response.status).toBe(500);
      expect(detail).toContain("a JSON reply of GET /x loses a value: $.books[1]");
      expect(detail).toContain(what);
    }
  },
);

test("in production the reply is sent, and one line of the log names route, path and value", async () => {
  const { get, lines } = await start("production", () => ({ tags: new Set(["a"]) }));
  expect(await (await get()).text()).toBe('{"tags":{}}');
  await get();
  expect(lines).toEqual([
    "a JSON reply of GET /x loses a value: $.tags is a Set, which JSON writes as {}; send [...set]",
  ]);
});

test("in production a later loss is found within a hundred replies", async () => {
  let count = 0;
  const { get, lines } = await start("production", () => (++count > 150 ? { at: /x/ } : { at: "x" }));
  for (let request = 0; request < 200; request++) await get();
  expect(lines).toHaveLength(1);
});

test("a reply that is itself an error or a promise is reported as $", async () => {
  const error = await start("development", () => new Error("oops"));
  expect(await (await error.get()).text()).toContain("$ is an error");
  const promise = await start("development", () => Response.json(Promise.resolve(1)));
  expect(await (await promise.get()).text()).toContain("$ is a promise");
});

test("under debug, replies of exception handlers are inspected too", async () => {
  const app = new App().exceptionHandler(Error, () => ({ causes: new Set([1]) }));
  app.get("/x", () => {
    throw new Error("x");
  });
  const lines: unknown[] = [];
  await app.start({
    log: { info() {}, warn() {}, error: (_text, fields) => void lines.push(fields?.["error"]) },
  });
  expect((await app.fetch(new Request("http://host.test/x"))).status).toBe(500);
  expect(String(lines[0])).toContain("$.causes is a Set");
});

test("values that JSON can express are not reported", async () => {
  const fine = [
    { toJSON: () => 1 },
    new Date(0),
    new URL("http://a.test"),
    Buffer.from("x"),
    new Empty(),
    new Listed(),
    Object.create(null) as object,
    [new String("x"), new Number(1), new Boolean(false)],
    { a: undefined, b: Number.NaN, c: null, d: [undefined] },
  ];
  for (const value of fine) {
    const { get } = await start("development", () => ({ value }));
    expect((await get()).status).toBe(200);
  }
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      const { get } = await start("development", () => ({ value }));
      expect((await get()).status).toBe(200);
    }),
    { numRuns: 30 },
  );
});

test("a getter or toJSON that throws on its second call does not fail the reply", async () => {
  let reads = 0;
  const readOnce = (): number => {
    if (reads++ % 2 === 1) throw new Error("read twice");
    return 1;
  };
  const getter = {
    get value(): number {
      return readOnce();
    },
  };
  for (const env of ["development", "production"] as const)
    for (const value of [getter, { toJSON: readOnce }]) {
      reads = 0;
      const { get } = await start(env, () => value);
      expect([env, Object.keys(value), (await get()).status]).toEqual([env, Object.keys(value), 200]);
    }
});

const appWith = async (debug: boolean, change: (app: App) => void) => {
  const lines: string[] = [];
  const app = new App();
  change(app);
  app.get("/x", () => "from the handler");
  const note = (text: string) => void lines.push(text);
  await app.start({ env: debug ? "development" : "production", log: { info() {}, warn: note, error() {} } });
  return { lines, get: (path = "/x") => app.fetch(new Request(`http://host.test${path}`)) };
};

const middlewares: Readonly<Record<string, (app: App) => unknown>> = {
  "a function": (app) =>
    app.use(function gate() {
      return Response.json({ until: new Set([1]) });
    }),
  "an async function": (app) => app.use(async () => Response.json({ until: new Set([1]) })),
  "an object": (app) => app.use({ handle: () => Response.json({ until: new Set([1]) }) }),
  "a middleware that replaces the handler's reply": (app) =>
    app.use(async (request, next) => (await next(request), Response.json({ until: new Set([1]) }))),
};

test.each(Object.entries(middlewares))("replies of middleware are inspected: %s", async (_name, add) => {
  const debug = await appWith(true, add);
  for (const path of ["/x", "/no-route"]) {
    const reply = await debug.get(path);
    expect([reply.status, await reply.text()]).toEqual([500, expect.stringContaining("$.until is a Set")]);
  }
  const production = await appWith(false, add);
  for (let count = 0; count < 3; count++) expect(await (await production.get()).text()).toBe('{"until":{}}');
  expect(production.lines).toEqual([
    expect.stringMatching(/^a JSON reply of (?:a|the) middleware.*loses a value: \$\.until is a Set/),
  ]);
});

test("replies of blueprint middleware are inspected, and a middleware that passes a reply on is not reported", async () => {
  const blueprint = new Blueprint("/b").use(() => Response.json({ until: new Set([1]) }));
  blueprint.get("/x", () => 1);
  const inBlueprint = await appWith(true, (app) => app.registerBlueprint(blueprint));
  expect((await inBlueprint.get("/b/x")).status).toBe(500);
  const passing = await appWith(false, (app) => {
    app.use((request, next) => next(request));
    app.get("/lost", () => ({ tags: new Set([1]) }));
  });
  await passing.get("/lost");
  expect(passing.lines).toEqual([expect.stringContaining("a JSON reply of GET /lost loses a value")]);
});

const eventsOf = async (debug: boolean, data: unknown) => {
  const app = await appWith(debug, (app) => {
    app.get("/events", () => Response.sse([{ data: { fine: 1 } }, { data }, { data }, "text"]));
  });
  return { ...app, read: async () => (await app.get("/events")).text() };
};

test.each([
  ["a promise", { user: Promise.resolve(1) }, "$.user is a promise"],
  ["a Set", { tags: new Set([1]) }, "$.tags is a Set"],
  ["an error", new Error("no"), "$ is an error"],
])(
  "under debug an event with %s ends the stream; in production it is sent and logged once",
  async (_name, data, what) => {
    const debug = await eventsOf(true, data);
    await expect(debug.read()).rejects.toThrow(`an event of GET /events loses a value: ${what}`);
    const production = await eventsOf(false, data);
    for (let count = 0; count < 3; count++) expect(await production.read()).toContain("data: text");
    expect(production.lines).toEqual([
      expect.stringContaining(`an event of GET /events loses a value: ${what}`),
    ]);
  },
);

test("events that JSON can express are not reported", async () => {
  const { read, lines } = await eventsOf(true, { at: new Date(0), list: [1, null], text: "x" });
  expect([(await read()).match(/^data:/gm)?.length, lines]).toEqual([4, []]);
});

test("an exact writer also rejects numbers that JSON writes as null", () => {
  const report = { debug: true, log: { warn() {} }, code: "X_LOST" };
  const values = [Number.NaN, { a: [1, -Infinity] }];
  const problems = ["$ is NaN, which JSON writes as null", "$.a[1] is -Infinity, which JSON writes as null"];
  for (const [at, value] of values.entries()) {
    expect(() => jsonWriter("a row", { ...report, exact: true })(value)).toThrow(problems[at]);
    expect(jsonWriter("a row", report)(value)).toBe(JSON.stringify(value));
  }
  expect(jsonWriter("a row", { ...report, exact: true })({ a: 0.1, b: null })).toBe('{"a":0.1,"b":null}');
});
