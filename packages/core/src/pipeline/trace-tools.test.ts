import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { expect, test } from "@jest/globals";
import { App } from "../app.ts";
import type { Feature } from "../feature/feature.ts";
import type { RequestTrace } from "../insight/request-steps.ts";
import { explainedBy } from "../middleware/explained-by.ts";
import type { Middleware } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Response } from "../response/response.ts";

test("a tool that called traceRequests may subscribe after start; requests before or after its subscription have no trace", async () => {
  const watching: Feature<{ enableWatching(): unknown; stepsOf(path: string): readonly string[] }> = {
    name: "watching",
    install: ({ insight }) => ({
      enableWatching: () => insight.traceRequests(),
      stepsOf: (path) => insight.stepsOf({ method: "GET", path }).map(({ name }) => name),
    }),
  };
  const app = new (App.with(watching))();
  app.enableWatching();
  const replied: RequestTrace[] = [];
  const started: RequestTrace[] = [];
  const onReply = (message: unknown): void => void replied.push(message as RequestTrace);
  const onStart = (message: unknown): void => void started.push(message as RequestTrace);
  let release = (): void => {};
  const waiting = new Promise<void>((resolve) => (release = resolve));
  let arrive = (): void => {};
  const arrival = new Promise<void>((resolve) => (arrive = resolve));
  app.use(async function slow(request, next) {
    arrive();
    if (request.path === "/slow") await waiting;
    return next(request);
  });
  app.get("/slow", () => "slow");
  app.get("/fast", () => "fast");
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  subscribe("framework.request.answered", onReply);
  const slow = app.fetch(new Request("http://localhost/slow")); // begins before the tool subscribes, so it has no trace
  await arrival;
  subscribe("framework.request.steps", onStart);
  await app.fetch(new Request("http://localhost/fast"));
  release();
  await slow;
  unsubscribe("framework.request.steps", onStart);
  await app.fetch(new Request("http://localhost/fast"));
  unsubscribe("framework.request.answered", onReply);
  expect(started).toHaveLength(1);
  expect(replied).toEqual(started);
  expect(replied[0]?.steps.map(({ name, status }) => [name, status])).toEqual([
    ["slow", 200],
    ["handler", 200],
  ]);
  expect(app.stepsOf("/fast")).toEqual(["slow", "guard", "validation", "handler"]);
});

test("a trace that began while a tool listened is complete after the tool has unsubscribed", async () => {
  const watching: Feature<{ enableWatching(): unknown }> = {
    name: "watching",
    install: ({ insight }) => ({ enableWatching: () => insight.traceRequests() }),
  };
  const app = new (App.with(watching))();
  app.enableWatching();
  const traces: RequestTrace[] = [];
  const onStart = (message: unknown): void => {
    traces.push(message as RequestTrace);
    unsubscribe("framework.request.steps", onStart);
  };
  app.use(function outer(request, next) {
    return next(request);
  });
  app.get("/", function home() {
    return 1;
  });
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  subscribe("framework.request.steps", onStart);
  await app.fetch(new Request("http://localhost/"));
  await app.fetch(new Request("http://localhost/"));
  expect(traces.map(({ steps }) => steps.map(({ name }) => name))).toEqual([["outer", "home"]]);
});

test.each([
  [true, ["plain", "explaining", "plain"]],
  [false, ["plain", "plain", "plain"]],
])(
  "with debug %p, only a request that a tool traces runs the variant of a middleware that gives reasons",
  async (debug, expected) => {
    const calls: string[] = [];
    const watched: Feature = {
      name: "watched",
      install: ({ http, insight }) => {
        insight.traceRequests();
        const noting =
          (name: string): Middleware<HttpRequest, Response> =>
          (request, next) => {
            calls.push(name);
            return next(request);
          };
        http.use("session", explainedBy(noting("plain"), noting("explaining")));
        return {};
      },
    };
    const app = new (App.with(watched))();
    app.get("/", () => "home");
    await app.start({ debug, log: { info() {}, warn() {}, error() {} } });
    const ignore = (): void => {};
    await app.fetch(new Request("http://localhost/"));
    subscribe("framework.request.steps", ignore);
    await app.fetch(new Request("http://localhost/"));
    unsubscribe("framework.request.steps", ignore);
    await app.fetch(new Request("http://localhost/"));
    expect(calls).toEqual(expected);
  },
);
