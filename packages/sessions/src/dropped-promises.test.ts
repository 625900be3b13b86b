import { App } from "@framework/core";
import { expect, test } from "@jest/globals";
import { sessionOf, sessions } from "./index.ts";

const log = { info() {}, warn() {}, error() {} };

/** Returns the reasons of unhandled rejections during a run. */
const unhandledDuring = async (run: () => Promise<void>): Promise<unknown[]> => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  try {
    await run();
    await new Promise((resolve) => setImmediate(resolve)); // Node reports unhandled rejections after the microtask queue is empty
    return unhandled;
  } finally {
    process.off("unhandledRejection", note);
  }
};

test("a promise of login or destroyAll that is not awaited causes no unhandled rejection", async () => {
  const fails = (): never => {
    throw new Error("away");
  };
  const store = { read: () => null, write: fails, end: fails, number: fails, raise: fails };
  const app = new (App.with(sessions))().enableSessions({ store });
  app.get("/{user}", (request) => {
    void sessionOf(request).login(request.params.user === "none" ? "" : "ann");
    return "left early";
  });
  const unhandled = await unhandledDuring(async () => {
    await expect(app.sessions.destroyAll("ann")).rejects.toMatchObject({ code: "SESSIONS_NOT_STARTED" });
    void app.sessions.destroyAll("ann");
    await app.start({ log });
    for (const user of ["ann", "none"]) await app.fetch(new Request(`http://localhost/${user}`));
    void app.sessions.destroyAll("ann");
    await expect(app.sessions.destroyAll("ann")).rejects.toMatchObject({ code: "SESSIONS_UNAVAILABLE" });
    await app.stop();
  });
  expect(unhandled).toEqual([]);
});
