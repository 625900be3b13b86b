import { App } from "@framework/core";
import { ApiKeyAuth, BasicAuth, JwtAuth } from "@framework/auth";
import { prometheus } from "@framework/metrics";
import { expect, test } from "@jest/globals";
import { deprecation } from "./index.ts";

class Api extends App.with(deprecation, prometheus) {}

const get = (app: App, path: string, headers: Record<string, string> = {}) =>
  app.fetch(new Request(`http://localhost${path}`, { headers }));

const countsOf = async (app: App): Promise<Record<string, number>> => {
  const text = await (await get(app, "/metrics")).text();
  const lines = text.matchAll(/^framework_deprecated_requests_total\{(.*)\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, labels = "", count]) => [labels, Number(count)]));
};

test("the metric names the API key, the user, or the token's client or subject; a rejected caller is anonymous", async () => {
  const app = new Api().enableDeprecation().enablePrometheus({ processMetrics: false });
  const jwt = new JwtAuth({ secret: "at least 32 bytes, out of the environment" });
  app.use(
    new ApiKeyAuth({ "key-of-billing": "billing" }, "x-key")
      .skipPath("/user")
      .skipPath("/token")
      .skipPath("/metrics")
      .skipPath("/open"),
  );
  app.use(
    new BasicAuth((name) => name === "ann")
      .skipPath("/key")
      .skipPath("/token")
      .skipPath("/metrics")
      .skipPath("/open"),
  );
  app.use(jwt.skipPath("/key").skipPath("/user").skipPath("/metrics").skipPath("/open"));
  for (const path of ["/key", "/user", "/token", "/open"])
    app.get(path, { deprecated: "2026-11-01" }, () => path);
  await app.start();
  await get(app, "/key", { "x-key": "key-of-billing" });
  await get(app, "/key", { "x-key": "key-of-billing" });
  await get(app, "/key", { "x-key": "guessed" });
  await get(app, "/user", { authorization: `Basic ${btoa("ann:secret")}` });
  await get(app, "/token", { authorization: `Bearer ${await jwt.createToken({ sub: "42" })}` });
  await get(app, "/token", {
    authorization: `Bearer ${await jwt.createToken({ sub: "42", client_id: "web" })}`,
  });
  await get(app, "/open");
  expect(await countsOf(app)).toEqual({
    'caller="key:billing",method="GET",path="/key"': 2,
    'caller="anonymous",method="GET",path="/key"': 1,
    'caller="user:ann",method="GET",path="/user"': 1,
    'caller="subject:42",method="GET",path="/token"': 1,
    'caller="client:web",method="GET",path="/token"': 1,
    'caller="anonymous",method="GET",path="/open"': 1,
  });
});

test("10,000 callers create at most maxCallers series and one more for each route, and every call is counted", async () => {
  const app = new Api()
    .enableDeprecation({ maxCallers: 20, callerOf: (request) => request.getHeader("x-caller") })
    .enablePrometheus({ processMetrics: false });
  app.get("/a", { deprecated: "2026-11-01" }, () => 1);
  app.get("/b/{id}", { sunset: "2026-11-01" }, () => 1);
  app.get("/current", () => 1);
  for (let call = 0; call < 10_000; call++)
    await get(app, call % 2 === 0 ? "/a" : `/b/${call}`, { "x-caller": `c${call}` });
  for (const path of ["/current", "/nowhere"]) await get(app, path, { "x-caller": "c0" });
  const counts = await countsOf(app);
  expect(Object.keys(counts).length).toBe(22);
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(10_000);
  expect(counts['caller="other",method="GET",path="/b/{id}"']).toBe(4990);
});

test("a callerOf that returns a promise is an error; undefined means an anonymous caller", async () => {
  for (const [name, status] of [
    [Promise.resolve("ann"), 500],
    [undefined, 200],
  ] as const) {
    const app = new Api().enableDeprecation({ callerOf: () => name as never });
    app.get("/a", { deprecated: "2026-11-01" }, () => 1);
    await app.start({ log: { info() {}, warn() {}, error() {} } });
    expect((await app.fetch(new Request("http://localhost/a"))).status).toBe(status);
  }
});

test("an empty name means an anonymous caller, and a long name is cut to whole characters", async () => {
  const app = new Api()
    .enableDeprecation({ callerOf: (request) => decodeURIComponent(request.getHeader("x-caller") ?? "") })
    .enablePrometheus({ processMetrics: false });
  app.get("/a", { deprecated: "2026-11-01" }, () => 1);
  await get(app, "/a");
  await get(app, "/a", { "x-caller": encodeURIComponent(`${"c".repeat(99)}😀`) });
  const samples = Object.keys(await countsOf(app));
  expect(samples).toEqual([
    'caller="anonymous",method="GET",path="/a"',
    `caller="${"c".repeat(99)}",method="GET",path="/a"`,
  ]);
});
