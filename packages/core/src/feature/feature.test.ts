import { expect, test } from "@jest/globals";
import { App, ConfigurationError } from "../index.ts";
import { configRecord, type ConfigRecord, type Feature, flag, integer } from "../feature.ts";

interface TaggingConfig {
  readonly tag: number;
  readonly loud: boolean;
}
const TaggingConfig: ConfigRecord<TaggingConfig> = configRecord("TaggingConfig", {
  tag: integer(1),
  loud: flag(false),
});

interface Tagging {
  enableTagging(config?: Partial<TaggingConfig>): this;
  checkTag?(): void;
}
const tagging: Feature<Tagging> = {
  name: "tagging",
  install: (host) => ({
    enableTagging(config) {
      const { tag } = host.configure(TaggingConfig, config);
      host.http.use("headers", async (request, next) => {
        const reply = await next(request);
        reply.setHeader("x-tag", String(tag));
        return reply;
      });
      return this;
    },
    checkTag: () => host.check(() => []),
  }),
};

interface Doubling {
  enableDoubling(): this;
}
const doubling: Feature<Doubling, Tagging> = {
  name: "doubling",
  requires: { members: ["enableTagging"], example: "App.with(tagging, doubling)" },
  install: (_host, needs) => ({
    enableDoubling() {
      needs.enableTagging({ tag: 2 });
      return this;
    },
  }),
};

const head = async (app: App, path = "/nowhere") =>
  (await app.fetch(new Request(`http://host.test${path}`))).headers;

test("a composed class has the feature's methods, which can be chained; its middleware sees even a 404", async () => {
  class TaggedApp extends App.with(tagging) {}
  const app = new TaggedApp().enableTagging({ tag: 7 }).addGuard(() => true);
  expect((await head(app)).get("x-tag")).toBe("7");
});

test("a feature without its enable call changes nothing", async () => {
  expect((await head(new (App.with(tagging))())).has("x-tag")).toBe(false);
});

test("composing does not change the base class, and a repeated feature counts once", () => {
  class TaggedApp extends App.with(tagging, tagging) {}
  expect(TaggedApp.features).toEqual([tagging]);
  expect(App.features).toEqual([]);
  expect("enableTagging" in new App()).toBe(false);
});

test("a feature receives the methods that it needs", async () => {
  const app = new (App.with(tagging, doubling))().enableDoubling();
  expect((await head(app)).get("x-tag")).toBe("2");
});

test("a host has only the members of its interface, whatever the names of the methods that its feature needs", () => {
  const seen: { host?: object; http?: object; needed?: readonly string[] } = {};
  const names = ["checks", "configure", "container", "figures", "registry"] as const;
  const naming: Feature<Record<(typeof names)[number], () => string>> = {
    name: "naming",
    install: () => ({
      checks: () => "own checks",
      configure: () => "own configure",
      container: () => "own container",
      figures: () => "own figures",
      registry: () => "own registry",
    }),
  };
  const needing: Feature<object, ReturnType<typeof naming.install>> = {
    name: "needing",
    install: (host, needs) => {
      seen.host = host;
      seen.http = host.http;
      seen.needed = names.map((name) => needs[name]());
      return {};
    },
  };
  expect(new (App.with(naming, needing))().figures()).toBe("own figures");
  expect(seen.needed).toEqual(names.map((name) => `own ${name}`));
  const groups = ["entries", "http", "insight", "life", "state"];
  const own = ["advise", "check", "configure", "problem", "warn"];
  expect(new Set(Reflect.ownKeys(seen.host ?? {}))).toEqual(new Set([...groups, ...own]));
  for (const part of [seen.host, seen.http]) {
    expect(Object.getPrototypeOf(part)).toBe(Object.prototype);
    expect(Object.isFrozen(part)).toBe(true);
    for (const name of ["container", "registry", "kernel"]) expect(part).not.toHaveProperty(name);
  }
});

test("a duplicate method name throws at construction", () => {
  const twin: Feature<Tagging> = {
    name: "twin",
    install: () => ({
      enableTagging() {
        return this;
      },
    }),
  };
  expect(() => new (App.with(tagging, twin))()).toThrow(
    "twin: the app already has a method named enableTagging",
  );
  const shadow: Feature<{ get(): void }> = { name: "shadow", install: () => ({ get() {} }) };
  expect(() => new (App.with(shadow))()).toThrow("shadow: the app already has a method named get");
});

test("start reports all configuration mistakes together", async () => {
  const app = new (App.with(tagging))();
  app.enableTagging({ tag: -1, loud: "yes", tga: 3 } as never).enableTagging();
  app.get("/a/{x}", () => null);
  app.get("/a/{y}", () => null);
  app.get("nope", () => null);
  app.onEvent("statup" as never, () => {});
  const error = await app.start().then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConfigurationError);
  const { problems } = error as ConfigurationError;
  expect(problems.map(({ code }) => code).sort()).toEqual([
    "CORE_BAD_CONFIG",
    "CORE_BAD_CONFIG",
    "CORE_BAD_CONFIG",
    "CORE_ENABLED_TWICE",
    "CORE_ROUTE_BAD_PATTERN",
    "CORE_ROUTE_DUPLICATE",
    "CORE_UNKNOWN_EVENT",
  ]);
  const text = (error as Error).message;
  expect(text).toContain('did you mean "tag"?');
  expect(text.match(/feature\.test\.ts:\d+:\d+/g)).toHaveLength(3);
});

test("nothing can be registered after start", async () => {
  const app = new (App.with(tagging))();
  await app.start();
  for (const [action, late] of [
    ["the route GET /x was registered", () => app.get("/x", () => null)],
    ["middleware was registered", () => app.use((request, next) => next(request))],
    ["a guard was registered", () => app.addGuard(() => true)],
    ["enableTagging was called", () => app.enableTagging()],
    ["a handler of onEvent was registered", () => app.onEvent("startup", () => {})],
    ["a handler of onEvent was registered", () => app.onEvent("strt" as never, () => {})],
    ["a blueprint was registered", () => app.registerBlueprint(5 as never)],
    ["an exception handler was registered", () => app.exceptionHandler(Error, () => null)],
    ["a singleton was registered", () => app.registerSingleton("x", 1)],
    ["a part of the feature tagging was registered", () => app.checkTag?.()],
  ] as const) {
    expect(late).toThrow(
      expect.objectContaining({
        code: "CORE_ALREADY_STARTED",
        message: `${action} after the app started; register everything before run, start and the first fetch`,
      }),
    );
  }
});

test("stages decide the order of middleware, not the order of features and enable calls", async () => {
  const stage = (name: "cache" | "etag" | "headers"): Feature<Record<string, () => unknown>> => ({
    name,
    install: (host) => ({
      [`on_${name}`]() {
        host.http.use(name, async (request, next) => {
          const reply = await next(request);
          reply.appendHeader("x-order", name);
          return reply;
        });
      },
    }),
  });
  const orders = [
    ["cache", "etag", "headers"],
    ["headers", "cache", "etag"],
  ] as const;
  for (const order of orders) {
    const [one, two, three] = order;
    const app = new (App.with(stage(one), stage(two), stage(three)))();
    for (const name of order) app[`on_${name}`]?.();
    app.get("/x", () => "x");
    expect((await head(app, "/x")).get("x-order")).toBe("cache, etag, headers");
  }
});

test("calling an enable method twice is a start error", async () => {
  interface Plain {
    enablePlain(): this;
  }
  const plain: Feature<Plain> = {
    name: "plain",
    install: (host) => ({
      enablePlain() {
        host.http.route("GET", "/plain", () => null);
        return this;
      },
    }),
  };
  const app = new (App.with(plain))().enablePlain().enablePlain();
  await expect(app.start()).rejects.toMatchObject({
    problems: [
      { code: "CORE_ENABLED_TWICE", message: "enablePlain was called twice; call it once, with all options" },
    ],
  });
});

test("a missing or misordered prerequisite is an error that shows the correct order", () => {
  const compose = App.with as unknown as (...features: object[]) => typeof App;
  for (const features of [[doubling], [doubling, tagging]])
    expect(() => new (compose.apply(App, features))()).toThrow(
      expect.objectContaining({
        code: "CORE_FEATURE_MISSING",
        message:
          "the feature doubling needs app.enableTagging from earlier features; list them in this order: class MyApp extends App.with(tagging, doubling) {}",
      }),
    );
});
