import { App } from "@framework/core";
import { User } from "@framework/core/feature";
import { explainRequests } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { deprecation } from "./index.ts";

test("reasons have the dates and the successor of a route, but not the caller", async () => {
  const makeApp = () => {
    const app = new (App.with(deprecation))().enableDeprecation();
    app.get("/old", { deprecated: "2026-11-01", sunset: "2027-11-01", successor: "/new" }, () => 1);
    app.get("/new", () => 2);
    app.use((request, next) => {
      if (request.getHeader("x-user") !== null) request.context.set(User, "planted");
      return next(request);
    });
    return app;
  };
  const explained = await explainRequests(makeApp, [
    ["GET", "/new"],
    ["GET", "/old"],
    ["GET", "/old", { headers: { "x-user": "planted" } }],
  ]);
  const dates = "deprecated from 2026-11-01, may end on 2027-11-01, replaced by /new";
  expect(explained.map(({ reasons }) => reasons("deprecation"))).toEqual([
    ["the route is not deprecated"],
    [dates, "counted for anonymous callers"],
    [dates, "counted for its caller"],
  ]);
  expect(JSON.stringify(explained.map(({ steps }) => steps))).not.toContain("planted");
});

test("a caller that is identified asynchronously, such as by a token, is not reported as anonymous", async () => {
  const explained = await explainRequests(() => {
    const app = new (App.with(deprecation))().enableDeprecation();
    app.get("/old", { deprecated: "2026-11-01" }, () => 1);
    app.use(async (request, next) => {
      await Promise.resolve();
      request.context.set(User, "ann");
      return next(request);
    });
    return app;
  }, [["GET", "/old"]]);
  expect(explained[0]?.reasons("deprecation")).toEqual([
    "deprecated from 2026-11-01",
    "counted for its caller",
  ]);
});

test.each([undefined, ""])(
  "a caller whose name is %j is counted as anonymous in the reasons too",
  async (name) => {
    const explained = await explainRequests(() => {
      const app = new (App.with(deprecation))().enableDeprecation({ callerOf: () => name as string });
      app.get("/old", { deprecated: "2026-11-01" }, () => 1);
      return app;
    }, [["GET", "/old"]]);
    expect(explained[0]?.reasons("deprecation")).toContain("counted for anonymous callers");
  },
);
