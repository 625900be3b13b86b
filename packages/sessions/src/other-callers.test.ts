import { BasicAuth, User } from "@framework/auth";
import { App, Blueprint } from "@framework/core";
import { type Feature, mapAwaitable } from "@framework/core/feature";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { type Session, sessionOf, sessions } from "./index.ts";

type Change = (session: Session) => unknown;

const basic = { headers: { authorization: `Basic ${btoa("bob:password")}` } };

/** Returns the `User` of the context after a change of the session in a request that BasicAuth identified as bob's. */
const callerAfter = async (change: Change, login: string | null = null): Promise<unknown> => {
  const app = new (App.with(sessions))().enableSessions();
  app.post("/login/{user}", async (request) => {
    await sessionOf(request).login(request.params.user);
    return "in";
  });
  const admin = new Blueprint("/admin").use(new BasicAuth((name) => name === "bob"));
  admin.post("", async (request) => {
    await change(sessionOf(request));
    return [request.context.get(User) ?? null];
  });
  app.registerBlueprint(admin);
  await using client = testClient(app, { cookies: true });
  if (login !== null) await client.post(`/login/${login}`);
  return (await client.post("/admin", basic)).json();
};

test("the first value of a visitor's session does not change the caller of another authentication", async () => {
  expect(await callerAfter((session) => session.set("theme", "dark"))).toEqual(["bob"]);
});

test("a new id does not change the caller of another authentication", async () => {
  const regenerate: Change = (session) => session.regenerate();
  expect(await callerAfter(regenerate)).toEqual(["bob"]);
  expect(await callerAfter(regenerate, "ann")).toEqual(["bob"]);
});

test("a logout removes the session's user, but not the caller of another authentication", async () => {
  const destroy: Change = (session) => session.destroy();
  expect(await callerAfter(destroy)).toEqual(["bob"]);
  expect(await callerAfter(destroy, "ann")).toEqual(["bob"]);
  expect(await callerAfter(destroy, "bob")).toEqual([null]);
});

test("a login makes its user the caller", async () => {
  expect(await callerAfter((session) => session.login("ann"))).toEqual(["ann"]);
});

interface Repeating {
  enableRepeating(): this;
}

/** Calls `next` twice, and returns the second reply. */
const repeating: Feature<Repeating> = {
  name: "repeating",
  install: ({ http }) => ({
    enableRepeating() {
      http.use("rate-limit", (request, next) => mapAwaitable(next(request), () => next(request)));
      return this;
    },
  }),
};

test("if a middleware repeats a request, its second call does not have the user of the first call's login", async () => {
  const app = new (App.with(sessions, repeating))().enableSessions().enableRepeating();
  const callers: unknown[] = [];
  app.post("/login", async (request) => {
    callers.push(request.context.get(User) ?? null);
    await sessionOf(request).login("ann");
    return "in";
  });
  await using client = testClient(app);
  await client.post("/login");
  expect(callers).toEqual([null, null]);
});
