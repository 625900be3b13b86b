import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { explainRequests } from "./index.ts";

const doorman: Feature<{ enableDoorman(): unknown }> = {
  name: "doorman",
  install: ({ http, insight: { reasons } }) => ({
    enableDoorman: () =>
      http.use("headers", (request, next) => {
        if (reasons.isObserved) reasons.give(request, `${request.path} is on the list`);
        return next(request);
      }),
  }),
};

test("each request has its reply, its steps and the reasons of a feature", async () => {
  const makeApp = () => {
    const app = new (App.with(doorman))();
    app.enableDoorman();
    app.get("/bar", () => "come in");
    return app;
  };
  const [bar, attic] = await explainRequests(makeApp, [
    ["GET", "/bar"],
    ["GET", "/attic"],
  ]);
  expect([bar?.reply.status, bar?.reasons("doorman")]).toEqual([200, ["/bar is on the list"]]);
  expect(bar?.steps.map(({ kind, name }) => [kind, name])).toEqual([
    ["middleware", "doorman"],
    ["handler", "handler"],
  ]);
  expect([attic?.reply.status, attic?.reasons("doorman")]).toEqual([404, ["/attic is on the list"]]);
  expect(attic?.reasons(null)).toEqual([]);
});

test("a request that core refuses before its first step has no steps, not those of the request before it", async () => {
  const makeApp = () => {
    const app = new (App.with(doorman))();
    app.enableDoorman();
    app.get("/bar", () => "come in");
    return app;
  };
  const [bar, malformed] = await explainRequests(makeApp, [
    ["GET", "/bar"],
    ["GET", "/%zz"],
  ]);
  expect(bar?.reasons("doorman")).toEqual(["/bar is on the list"]);
  expect([malformed?.reply.status, malformed?.steps, malformed?.reasons("doorman")]).toEqual([400, [], []]);
});
