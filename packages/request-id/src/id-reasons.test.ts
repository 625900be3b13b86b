import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { App } from "@framework/core";
import type { Feature, RequestTrace } from "@framework/core/feature";
import { explainRequests } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { requestId } from "./index.ts";

const reasonsOf = async (headers: Record<string, string>, keepIncoming = true) => {
  const makeApp = () => new (App.with(requestId))().enableRequestId({ keepIncoming });
  const [explained] = await explainRequests(makeApp, [["GET", "/", { headers }]]);
  return explained?.reasons("request-id");
};

test("the reason states whether the id is new or kept, and why", async () => {
  expect(await reasonsOf({})).toEqual(["a new id: the request has no X-Request-ID"]);
  expect(await reasonsOf({ "x-request-id": "order-7" })).toEqual(["the id of X-Request-ID is kept"]);
  expect(await reasonsOf({ "x-request-id": "a b" })).toEqual(["a new id: X-Request-ID is not safe to log"]);
  expect(await reasonsOf({ "x-request-id": "order-7" }, false)).toEqual(["a new id: keepIncoming is false"]);
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
  const app = new (App.with(tracing, requestId))().enableRequestId();
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
  expect(reasonsOf("request-id")).toEqual(["a new id: the request has no X-Request-ID"]);
});
