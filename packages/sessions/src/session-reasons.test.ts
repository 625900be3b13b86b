import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { App, HttpError } from "@framework/core";
import type { Feature, RequestTrace } from "@framework/core/feature";
import { explainRequests } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { sessionOf, sessions } from "./index.ts";

const makeApp = () => {
  const app = new (App.with(sessions))().enableSessions({ skipPaths: ["/static"] });
  app.get("/", (request) => sessionOf(request).user ?? "nobody");
  app.get("/static/a", () => "a");
  app.post("/note", (request) => void sessionOf(request).set("note", "planted note"));
  app.post("/login", (request) => sessionOf(request).login("planted user"));
  app.post("/fails", (request) => {
    sessionOf(request).set("note", "lost");
    throw new HttpError(500, "failed");
  });
  app.delete("/session", (request) => sessionOf(request).destroy());
  return app;
};

test("the events of a session are reported in order, without ids, users and data", async () => {
  const explained = await explainRequests(
    makeApp,
    [
      ["GET", "/static/a"],
      ["GET", "/"],
      ["POST", "/note"],
      ["GET", "/"],
      ["POST", "/login"],
      ["POST", "/note"],
      ["POST", "/fails"],
      ["DELETE", "/session"],
    ],
    { cookies: true },
  );
  const anonymous = "the cookie's session is alive, without a login";
  const known = "the cookie's session is alive, with a login";
  expect(explained.map(({ reasons }) => reasons("sessions"))).toEqual([
    ["skipPaths exempts the path: the request has no session"],
    ["the request has no session cookie", "no session starts"],
    ["the request has no session cookie", "a session starts"],
    [anonymous, "the data of the session is unchanged"],
    [anonymous, "the session gets a new id"],
    [known, "the data of the session changed"],
    [known, "a reply of 500 saves nothing"],
    [known, "the session ends: its cookie is removed"],
  ]);
  const ids = explained.flatMap(({ reply }) => reply.cookies.get("session_id")?.value || []);
  expect(ids).toHaveLength(2);
  const steps = JSON.stringify(explained.map((each) => each.steps));
  for (const secret of ["planted", ...ids]) expect(steps).not.toContain(secret);
});

test("a cookie without a session is reported, without its value", async () => {
  const [explained] = await explainRequests(makeApp, [
    ["GET", "/", { headers: { cookie: "session_id=planted" } }],
  ]);
  expect(explained?.reasons("sessions")[0]).toBe(
    "the cookie has no live session: the session expired, was ended, or never existed",
  );
  expect(JSON.stringify(explained?.steps)).not.toContain("planted");
});

test("the authentication by sessions reports whether the session has a user", async () => {
  const protectedApp = () => {
    const app = new (App.with(sessions))().enableSessions();
    app.post("/login", (request) => sessionOf(request).login("ann"));
    app.use({
      install: (host) => app.sessions.auth.install(host),
      handle: (request, next) =>
        request.path === "/login" ? next(request) : app.sessions.auth.handle(request, next),
    });
    app.get("/mine", () => 1);
    return app;
  };
  const explained = await explainRequests(
    protectedApp,
    [
      ["GET", "/mine"],
      ["POST", "/login"],
      ["GET", "/mine"],
    ],
    { cookies: true },
  );
  expect(explained.map(({ reply, reasons }) => [reply.status, reasons(null)])).toEqual([
    [401, ["the request's session has no user"]],
    [204, []],
    [200, ["the request's session has a user"]],
  ]);
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
  const app = new (App.with(tracing, sessions))().enableSessions();
  app.use(app.sessions.auth);
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
  expect(reasonsOf("sessions")).toContain("the request has no session cookie");
  expect(reasonsOf(null)).toEqual(["the request's session has no user"]);
});
