import { App, HttpError } from "@framework/core";
import type { Feature, Metric } from "@framework/core/feature";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { sessionOf, sessions } from "./index.ts";

let metrics: readonly Metric[] = [];
const reader: Feature<object> = {
  name: "reader",
  install(host) {
    host.life.onStart({ name: "reader", run: () => void (metrics = host.insight.metrics()) });
    return {};
  },
};

const makeApp = () => {
  const app = new (App.with(sessions, reader))().enableSessions();
  app.post("/note", (request) => void sessionOf(request).set("note", "x"));
  app.post("/login", (request) => sessionOf(request).login("ann"));
  app.delete("/session", (request) => sessionOf(request).destroy());
  app.post("/fails", (request) => {
    sessionOf(request).set("note", "x");
    throw new HttpError(500, "failed");
  });
  app.get("/", (request) => sessionOf(request).user ?? "nobody");
  return app;
};

const counts = (): Readonly<Record<string, number>> => {
  const samples = metrics.find(({ name }) => name === "sessions_total")?.read();
  if (!Array.isArray(samples)) throw new Error("sessions_total has no samples");
  return Object.fromEntries(samples.map(({ labels, value }) => [labels.event, value]));
};

test("started, rotated and destroyed sessions are counted; other requests are not", async () => {
  await using client = testClient(makeApp(), { cookies: true });
  await client.get("/");
  expect(counts()).toEqual({ created: 0, rotated: 0, destroyed: 0, refused: 0 });
  await client.post("/fails");
  await client.post("/note");
  await client.post("/note");
  expect(counts()).toEqual({ created: 1, rotated: 0, destroyed: 0, refused: 0 });
  await client.post("/login");
  await client.delete("/session");
  await client.delete("/session");
  expect(counts()).toEqual({ created: 1, rotated: 1, destroyed: 1, refused: 0 });
});

test("cookies without a session are counted in one series, regardless of the number of their ids", async () => {
  await using client = testClient(makeApp());
  for (let number = 0; number < 50; number++)
    await client.get("/", { headers: { cookie: `session_id=made-up-${number}` } });
  expect(counts()).toEqual({ created: 0, rotated: 0, destroyed: 0, refused: 50 });
});
