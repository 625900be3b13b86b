import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { App } from "@framework/core";
import type { Feature, RequestTrace } from "@framework/core/feature";
import { explainRequests } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { anyOf, ApiKeyAuth, BasicAuth } from "./index.ts";

test("an authentication reports the credential fields of a request and the result, never the credentials", async () => {
  const makeApp = () => {
    const app = new App();
    const keys = new ApiKeyAuth({ "planted-key-of-32-characters-0000": "planted-name" });
    app.use(
      anyOf(
        keys,
        new BasicAuth((user, password) => user === "ann" && password === "planted-password"),
      ).skipPath("/open"),
    );
    app.get("/mine", () => 1);
    app.get("/open", () => 2);
    return app;
  };
  const basic = (text: string) => ({ authorization: `Basic ${btoa(text)}` });
  const explained = await explainRequests(makeApp, [
    ["GET", "/open"],
    ["GET", "/mine"],
    ["GET", "/mine", { headers: basic("ann:planted-guess") }],
    ["GET", "/mine", { headers: { "x-api-key": "planted-key-of-32-characters-0000" } }],
  ]);
  expect(explained.map(({ reply, reasons }) => [reply.status, reasons(null)])).toEqual([
    [200, ["skipPath exempts the path"]],
    [401, ["the request does not have X-API-Key, Authorization"]],
    [401, ["the request has Authorization"]],
    [200, ["the request has X-API-Key", "the caller is authenticated"]],
  ]);
  const text = JSON.stringify(explained.map(({ steps }) => steps));
  expect([text.includes("planted"), text.includes(btoa("ann:planted-guess"))]).toEqual([false, false]);
});

/** Enables request tracing, as the dev page does. */
const tracing: Feature = {
  name: "tracing",
  install: ({ insight }) => {
    insight.traceRequests();
    return {};
  },
};

test("a tool that listens after the start, like the dev page, gets the reasons", async () => {
  const app = new (App.with(tracing))().use(new ApiKeyAuth({ "a-long-random-key": "billing" }));
  app.get("/", () => "hello");
  await app.start({ env: "development", debug: true, log: { info() {}, warn() {}, error() {} } });
  const traces: RequestTrace[] = [];
  const record = (trace: unknown): void => void traces.push(trace as RequestTrace);
  subscribe("framework.request.steps", record);
  await app.fetch(new Request("http://localhost/"));
  unsubscribe("framework.request.steps", record);
  await app.stop();
  const reasonsOf = (name: string | null): readonly string[] =>
    (traces[0]?.steps ?? []).filter(({ feature }) => feature === name).flatMap(({ reasons }) => reasons);
  expect(reasonsOf(null)).toEqual(["the request does not have X-API-Key"]);
});
