import { expect, test } from "@jest/globals";
import { App, Blueprint, dependency, type HttpMiddleware, retry, timeout } from "../index.ts";

/** An app as an untyped program sees it. */
type Untyped = Record<string, (...args: unknown[]) => unknown>;

const problemsOf = async (mistaken: (app: Untyped) => void): Promise<string[]> => {
  const app = new App();
  app.get("/twice", () => 1);
  app.get("/twice", () => 2);
  mistaken(app as unknown as Untyped);
  const error = await app
    .start({ log: { info() {}, warn() {}, error() {} } })
    .catch((thrown: unknown) => thrown);
  return (error as { problems: { code: string; message: string }[] }).problems
    .map(({ code, message }) => `${code}: ${message}`)
    .filter((problem) => !problem.includes("/twice"));
};

test.each<[string, (app: Untyped) => void, RegExp]>([
  ["use(5)", (app) => app["use"]?.(5), /^use takes a function or an object with handle; a class needs new$/],
  [
    "use(null)",
    (app) => app["use"]?.(null),
    /^use takes a function or an object with handle; a class needs new$/,
  ],
  [
    "use({})",
    (app) => app["use"]?.({}),
    /^use takes a function or an object with handle; a class needs new$/,
  ],
  [
    "use(Class)",
    (app) => app["use"]?.(class Auth {}),
    /^use takes a function or an object with handle; a class needs new$/,
  ],
  [
    "use(undefined)",
    (app) => app["use"]?.(undefined),
    /^use takes a function or an object with handle; a class needs new$/,
  ],
  [
    "exceptionHandler(fn)",
    (app) => app["exceptionHandler"]?.(() => 1),
    /^exceptionHandler takes a class of err/,
  ],
  [
    "exceptionHandler(Error)",
    (app) => app["exceptionHandler"]?.(Error),
    /^exceptionHandler takes a class of err/,
  ],
  [
    "exceptionHandler()",
    (app) => app["exceptionHandler"]?.(),
    /^exceptionHandler takes a class of errors and /,
  ],
  [
    "exceptionHandler(Class, fn)",
    (app) => app["exceptionHandler"]?.(class Books {}, () => 1),
    /^exceptionHandler takes a class of errors and a function, such as exceptionHandler\(NotFoundError, /,
  ],
  [
    "provide(token, 1)",
    (app) => app["provide"]?.(dependency("n"), 1),
    /^provide of "n" takes a function, or an /,
  ],
  [
    "provide(token, Class)",
    (app) => app["provide"]?.(dependency("n"), class Db {}),
    /^provide of "n" takes a function, or an object with create, .*; registerSingleton takes a finished value$/,
  ],
  [
    "onEvent without a handler",
    (app) => app["onEvent"]?.("startup"),
    /^onEvent\("startup", …\) takes a function /,
  ],
  [
    "onEvent with a misspelt option",
    (app) => app["onEvent"]?.("startup", () => {}, { onec: "service" }),
    /^the options object of onEvent has no field "onec"; did you mean "once"\?$/,
  ],
  [
    "onEvent with null for options",
    (app) => app["onEvent"]?.("startup", () => {}, null),
    /^onEvent\("startup", …\) takes an object of options as its third argument/,
  ],
  ["registerBlueprint({})", (app) => app["registerBlueprint"]?.({}), /^registerBlueprint takes a Blueprint$/],
  ["registerBlueprint()", (app) => app["registerBlueprint"]?.(), /^registerBlueprint takes a Blueprint$/],
  [
    "provide(string)",
    (app) => app["provide"]?.("p", () => 1),
    /^provide takes a token, .* got the string "p"; /,
  ],
  [
    "registerSingleton(5)",
    (app) => app["registerSingleton"]?.(5, 1),
    /^registerSingleton takes a name or a token, such as dependency\("db"\), but got number$/,
  ],
  [
    "registerSingleton(name, promise)",
    (app) => app["registerSingleton"]?.("pool", Promise.resolve(1)),
    /^registerSingleton takes a finished value, but the value of "pool" is a promise; await it first, or pass provide a function/,
  ],
  [
    "get(5)",
    (app) => app["get"]?.(5, () => 1),
    /^GET 5 \(at .*test\.ts:\d+:\d+\): the path must be a string/,
  ],
  [
    "guards: fn",
    (app) => app["get"]?.("/x", { guards: () => true }, () => 1),
    /^GET \/x \(at .*\): guards must be a list/,
  ],
  [
    "a middleware before the handler",
    (app) =>
      app["get"]?.(
        "/x",
        async () => new Response(null, { status: 401 }),
        () => 1,
      ),
    /^GET \/x \(at .*\): a route takes a path, an object of options and a handler; pass guards in/,
  ],
  [
    "middleware after the options",
    (app) =>
      app["post"]?.(
        "/x",
        {},
        () => 1,
        () => 2,
      ),
    /^POST \/x \(at .*\): a route takes a path, an object of options and a handler/,
  ],
  [
    "a middleware in route",
    (app) =>
      app["route"]?.(
        "/x",
        () => 1,
        () => 2,
      ),
    /^GET \/x \(at .*\): a route takes a path, an object of options and a handler/,
  ],
  ["a second middleware of use", (app) => app["use"]?.(() => 1, 5), /^use takes a function or an object/],
  [
    "use of a blueprint",
    (app) => {
      const blueprint = new Blueprint("/b").use(5 as unknown as HttpMiddleware);
      blueprint.get("/x", () => 1);
      app["registerBlueprint"]?.(blueprint);
    },
    /^GET \/b\/x \(at .*\): blueprint\.use takes a function/,
  ],
])("%s is a start error, listed with the others", async (_, mistaken, message) => {
  const [problem = "", ...others] = await problemsOf(mistaken);
  expect(others).toEqual([]);
  expect(problem).toMatch(/^CORE_BAD_ARGUMENT: /);
  expect(problem.replace("CORE_BAD_ARGUMENT: ", "")).toMatch(message);
});

test("null instead of options means no options", async () => {
  const app = new App();
  (app as unknown as Untyped)["get"]?.("/x", null, () => "x");
  app.provide(dependency<number>("n"), () => 1);
  expect(await (await app.fetch(new Request("http://host.test/x"))).text()).toBe("x");
  await app.stop();
});

test("run rejects a record that is not an object", async () => {
  const limits = null as unknown as object;
  await expect(new App().run({ limits, argv: [], exitOnError: false, port: 0 })).rejects.toMatchObject({
    problems: [
      { code: "CORE_BAD_CONFIG", message: "LimitsConfig must be an object with fields, but is null" },
    ],
  });
});

test("use and addGuard with several arguments use all of them", async () => {
  const seen: string[] = [];
  const app = new App();
  const untyped = app as unknown as Untyped;
  const note = (name: string) => (request: unknown, next: (request: unknown) => unknown) => {
    seen.push(name);
    return next(request);
  };
  untyped["use"]?.(note("one"), note("two"));
  untyped["addGuard"]?.(
    () => true,
    () => false,
  );
  untyped["get"]?.("/", () => "secret");
  expect((await app.fetch(new Request("http://test.local/"))).status).toBe(403);
  expect(seen).toEqual(["one", "two"]);
});

test("a blueprint rejects options that are not an object, and guards that are not a list", () => {
  const make = (options: unknown) => () => new Blueprint("/b", options as never);
  for (const options of [() => false, 5, [() => false], { guards: () => false }])
    expect(make(options)).toThrow(expect.objectContaining({ code: "CORE_BAD_ARGUMENT" }));
});

test.each([
  ["query: {}", { query: {} }, "query"],
  ["query: null", { query: null }, "query"],
  ["query: JSON Schema", { query: { type: "object", properties: {} } }, "query"],
  ["body: half a schema", { body: { "~standard": {} } }, "body"],
  ["responses", { responses: { 200: { type: "object" } } }, "responses: 200"],
])("%s is a start error that names the option and what to pass", async (_, options, name) => {
  const [problem = "", ...others] = await problemsOf((app) => app["post"]?.("/x", options, () => 1));
  expect(others).toEqual([]);
  expect(problem).toMatch(/^CORE_BAD_ROUTE: POST \/x \(at /);
  expect(problem).toContain(`: ${name} must be a schema that follows Standard Schema, such as z.object(`);
});

test.each(["name", "summary", "description"])(
  "a route's %s that is not a string is a start error",
  async (option) => {
    const [problem] = await problemsOf((app) => app["get"]?.("/x", { [option]: 5 }, () => 1));
    expect(problem).toMatch(new RegExp(`^CORE_BAD_ROUTE: GET /x .*: ${option} must be a string$`));
  },
);

test.each([
  [404n, "404n"],
  [Number.NaN, "NaN"],
  ["404", '"404"'],
])("errors: [%p] is a start error that shows the value", async (status, shown) => {
  const [problem] = await problemsOf((app) => app["get"]?.("/x", { errors: [status] }, () => 1));
  expect(problem).toContain(`: errors: ${shown} is not a status of an error that the framework knows`);
});

test.each([[null], [5], [{}], ["GET"], [[undefined]], [new Set(["GET"])]])(
  "methods: %p is a start error that says what to pass",
  async (methods) => {
    const [problem] = await problemsOf((app) => app["route"]?.("/x", { methods }, () => 1));
    expect(problem).toMatch(/^CORE_BAD_ROUTE: .*methods must be a list of some of GET, /);
  },
);

test.each<[object | null | number, RegExp]>([
  [null, /^start takes an object of settings, such as { env: "production" }, not null$/],
  [8000, /^start takes an object of settings, .* not 8000$/],
  [{ debgu: true }, /^the settings object of start has no field "debgu"; did you mean "debug"\?$/],
  [{ log: () => {} }, /^log must be an object with the functions info, warn and error, .*, not a function$/],
  [{ log: null }, /^log must be an object with the functions info, warn and error, .*, not null$/],
  [{ debug: "false" }, /^debug of start must be true or false, not "false"$/],
  [{ logs: 1 }, /^logs of start must be true or false, not 1$/],
  [{ workers: 0 }, /^workers of start must be a whole number above 0, not 0$/],
  [{ limits: null }, /^limits of start must be a record/],
  [{ timeouts: 5 }, /^timeouts of start must be a record/],
  [{ trustedProxies: "10.0.0.1" }, /^trustedProxies must be a list of addresses$/],
])(
  "start rejects the settings %j and reports them together with the app's mistakes",
  async (settings, message) => {
    const app = new App();
    app.get("5", () => 1);
    const error = await app.start(settings as never).catch((thrown: unknown) => thrown);
    const { problems } = error as { problems: { code: string; message: string }[] };
    expect(problems.map(({ code }) => code)).toEqual(["CORE_BAD_SETTING", "CORE_ROUTE_BAD_PATTERN"]);
    expect(problems[0]?.message).toMatch(message);
  },
);

test("run rejects a function as logger", async () => {
  const log = console.log as never;
  await expect(new App().run({ log, argv: [], exitOnError: false, port: 0 })).rejects.toMatchObject({
    problems: [
      { code: "CORE_BAD_SETTING", message: expect.stringContaining("such as console, not a function") },
    ],
  });
});

interface Composable {
  readonly name: string;
  with(feature: unknown): unknown;
}

test("App.with and Blueprint.with reject values that are not features", () => {
  for (const [value, shown] of [
    [undefined, "undefined; an import that does not exist"],
    [{}, "an object"],
    [() => 1, "a function"],
  ] as const)
    for (const Class of [App, Blueprint] as unknown as Composable[])
      expect(() => Class.with(value)).toThrow(
        expect.objectContaining({
          code: "CORE_BAD_ARGUMENT",
          message: expect.stringContaining(`${Class.name}.with(cors), but argument 1 is ${shown}`),
        }),
      );
});

test("registerBlueprint of a blueprint rejects a value that is not a Blueprint", () => {
  expect(() => new Blueprint("/b").registerBlueprint({} as never)).toThrow(
    expect.objectContaining({ code: "CORE_BAD_ARGUMENT", message: "registerBlueprint takes a Blueprint" }),
  );
});

test.each<[string, () => unknown, string]>([
  [
    "override(null)",
    () => new App().override(null as never, 1),
    "override: a dependency must be a token, such as",
  ],
  ["override({})", () => new App().override({} as never, 1), "not an object"],
  [
    "dependency(name, null)",
    () => dependency("d", null as never),
    "dependency takes a name and an object of opt",
  ],
  ["dependency(5)", () => dependency(5 as never), "dependency takes a name and an object of options"],
])("%s throws", (_call, make, message) => {
  expect(make).toThrow(
    expect.objectContaining({ code: "CORE_BAD_ARGUMENT", message: expect.stringContaining(message) }),
  );
});

test.each([null, 5, "1s"])("retry and timeout reject the options %j", (options) => {
  for (const make of [retry, timeout])
    expect(() => make(options as never)).toThrow(`${make.name} takes an object of options, not `);
});

test.each(["/x", null, undefined, {}, new URL("http://localhost/")])(
  "fetch rejects %p because it is not a Request",
  async (request) => {
    const app = new App();
    app.get("/x", () => 1);
    await expect(app.fetch(request as never)).rejects.toMatchObject({
      code: "CORE_BAD_ARGUMENT",
      message: expect.stringContaining("fetch takes a Request, such as "),
    });
    expect((await app.fetch(new Request("http://localhost/x"))).status).toBe(200);
  },
);

test.each([5, "--port 1", [5]])(
  "run rejects argv %j and reports it together with the app's mistakes",
  async (argv) => {
    const app = new App();
    app.get("x", () => 1);
    const error = await app
      .run({ argv: argv as never, exitOnError: false, port: 0 })
      .catch((thrown: unknown) => thrown);
    const { problems } = error as { problems: { message: string }[] };
    expect(problems.map(({ message }) => message.slice(0, 30))).toContain("argv must be a list of strings");
    expect(problems.length).toBe(2);
  },
);
