import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { expect, test } from "@jest/globals";
import { App } from "../app.ts";
import { Blueprint } from "../blueprint.ts";
import type { Feature } from "../feature/feature.ts";
import type { Host } from "../feature/host.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Handler } from "../middleware/middleware.ts";
import type { RequestTrace } from "../insight/request-steps.ts";
import { Response } from "../response/response.ts";

interface Tea {
  enableTea(): this;
}

/** A feature whose step gives a reason after an await, before `next`. */
const tea: Feature<Tea> = {
  name: "tea",
  install: (host) => ({
    enableTea() {
      const { reasons } = host.insight;
      host.http.use("cache", async (request, next) => {
        await Promise.resolve();
        if (reasons.isObserved) reasons.give(request, "there is no tea");
        return next(request);
      });
      return this;
    },
  }),
};

const teaApp = () => {
  const app = new (App.with(tea))().enableTea();
  app.use(function greeting(request, next) {
    return request.path === "/greeted" ? Response.text("hello") : next(request);
  });
  const blueprint = new Blueprint("", {
    guards: [
      function friend() {
        return true;
      },
      { check: () => "not you" },
    ],
  });
  app.get("/books/{id}", function readBook() {
    return 1;
  });
  app.get("/greeted", () => 1);
  app.get("/broken", () => {
    throw new RangeError("too far");
  });
  blueprint.get("/mine", () => 1);
  app.registerBlueprint(blueprint);
  return app;
};

/** Calls an app while the channel has a subscriber; returns what each request published. */
const tracesOf = async (app: App, ...paths: readonly string[]): Promise<readonly RequestTrace[]> => {
  const traces: RequestTrace[] = [];
  const listen = (message: unknown): void => void traces.push(message as RequestTrace);
  subscribe("framework.request.steps", listen);
  try {
    await app.start({ log: { info() {}, warn() {}, error() {} } });
    for (const path of paths) await app.fetch(new Request(`http://localhost${path}`));
    return traces;
  } finally {
    unsubscribe("framework.request.steps", listen);
  }
};

test("a request publishes its chain and the steps that it reached, with reasons", async () => {
  const [trace] = await tracesOf(teaApp(), "/books/7");
  expect(
    trace?.chain.map(({ kind, name, feature, stage, absent }) => ({ kind, name, feature, stage, absent })),
  ).toEqual([
    { kind: "middleware", name: "greeting", feature: null, stage: "app" },
    { kind: "guard", name: "guard", feature: null, stage: null, absent: "the route has no guards" },
    { kind: "middleware", name: "tea", feature: "tea", stage: "cache" },
    {
      kind: "validation",
      name: "validation",
      feature: null,
      stage: null,
      absent: "the route has no schemas",
    },
    { kind: "handler", name: "readBook", feature: null, stage: null },
  ]);
  expect(
    trace?.steps.map(({ name, passedOn, status, reasons }) => [name, passedOn, status, reasons]),
  ).toEqual([
    ["greeting", true, 200, []],
    ["tea", true, 200, ["there is no tea"]],
    ["readBook", false, 200, []],
  ]);
  for (const { durationMs, innerMs } of trace?.steps ?? [])
    expect(durationMs).toBeGreaterThanOrEqual(innerMs);
});

test("inner steps are not reached if an outer one replies itself", async () => {
  const [trace] = await tracesOf(teaApp(), "/greeted");
  expect(trace?.steps.map(({ name, passedOn, status }) => [name, passedOn, status])).toEqual([
    ["greeting", false, 200],
  ]);
});

test("guards are separate steps, with the text of their refusal or error", async () => {
  const [refused, broken, unmatched] = await tracesOf(teaApp(), "/mine", "/broken", "/nowhere");
  expect(refused?.steps.map(({ kind, name, passedOn, error }) => [kind, name, passedOn, error])).toEqual([
    ["middleware", "greeting", true, null],
    ["guard", "friend", true, null],
    ["guard", "anonymous guard", false, "not you"],
  ]);
  expect(broken?.steps.at(-1)).toMatchObject({ kind: "handler", status: null, error: "too far" });
  expect(unmatched?.steps.at(-1)).toMatchObject({ kind: "handler", name: "no route" });
});

test("validation is a step before the handler", async () => {
  const app = new App();
  const schema = {
    "~standard": { version: 1 as const, vendor: "test", validate: () => ({ issues: [{ message: "no" }] }) },
  };
  app.get("/checked", { query: schema }, () => 1);
  const [trace] = await tracesOf(app, "/checked");
  expect(trace?.chain.map(({ kind }) => kind)).toEqual(["guard", "validation", "handler"]);
  expect(trace?.steps).toMatchObject([{ kind: "validation", passedOn: false, error: expect.any(String) }]);
});

test("the validation step names the inputs that matched; a mistake has its place and kind, not the schema's message, which may quote input", async () => {
  const app = new App();
  const schema = (issues?: readonly { message: string; path: string[] }[]) => ({
    "~standard": {
      version: 1 as const,
      vendor: "test",
      validate: (value: unknown) => (issues === undefined ? { value } : { issues }),
    },
  });
  app.get("/valid/{id}", { params: schema(), query: schema() }, () => 1);
  const quoting = Array.from({ length: 7 }, (_, at) => ({ message: "sesame is no word", path: [`w${at}`] }));
  app.get("/refused", { query: schema(quoting) }, () => 1);
  const [valid, refused] = await tracesOf(app, "/valid/7", "/refused?w0=sesame");
  expect(valid?.steps[0]?.reasons).toEqual(["params and query match their schemas"]);
  expect(refused?.steps[0]?.error).toMatch(/^query\.w0: invalid, received string; .* \(and 2 more\)$/);
  expect(JSON.stringify(refused?.steps)).not.toContain("sesame");
});

test("a middleware object of the program and the route of a feature can give reasons", async () => {
  const pot: Feature<{ enablePot(): unknown }> = {
    name: "pot",
    install: (host) => ({
      enablePot: () =>
        host.http.route("GET", "/pot", (request) => {
          host.insight.reasons.give(request, "short and stout");
          return 1;
        }),
    }),
  };
  let give: (request: object, reason: string) => void = () => {};
  const app = new (App.with(pot))();
  app.enablePot();
  app.use({
    install: (host: Host) => void ({ give } = host.insight.reasons),
    handle(request: HttpRequest, next: Handler<HttpRequest, Response>) {
      give(request, "known here");
      return next(request);
    },
  });
  app.use((request, next) => next(request));
  const [trace] = await tracesOf(app, "/pot");
  expect(trace?.steps.map(({ name, feature, reasons }) => [name, feature, reasons])).toEqual([
    ["middleware", null, ["known here"]],
    ["middleware", null, []],
    ["pot", "pot", ["short and stout"]],
  ]);
});

test("nothing is published without a subscriber at start, or without debug", async () => {
  const app = teaApp();
  await app.start();
  expect(await tracesOf(app, "/books/7")).toEqual([]);
  const traces: unknown[] = [];
  const listen = (message: unknown): void => void traces.push(message);
  subscribe("framework.request.steps", listen);
  const production = await teaApp().start({ env: "production", debug: false });
  await production.fetch(new Request("http://localhost/books/7"));
  unsubscribe("framework.request.steps", listen);
  expect(traces).toEqual([]);
});
