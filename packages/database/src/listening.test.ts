import { App } from "@framework/core";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { database, openDatabase } from "./index.ts";

test("an app logs the errors of listeners", async () => {
  const lines: unknown[] = [];
  const app = new (App.with(database))().enableDatabase({ url: "sqlite://:memory:" });
  const error = (message: string, fields: unknown): void => void lines.push([message, fields]);
  await app.start({ log: { info() {}, warn() {}, error } });
  const [thrown, rejected] = [new Error("thrown"), new Error("rejected")];
  await app.db.listen("news", () => {
    throw thrown;
  });
  await app.db.listen("news", () => Promise.reject(rejected));
  await app.db.notify("news");
  await waitFor(() => lines.length === 2);
  const line = (cause: Error) => ["a listener of notifications failed", { error: cause }];
  expect(lines).toEqual([line(thrown), line(rejected)]);
  await app.stop();
});

test("a listener that another one stops during a notification is not called", async () => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  const calls: string[] = [];
  const stops: (() => Promise<void>)[] = [];
  for (const name of ["first", "second"]) {
    const call = (): void => {
      calls.push(name);
      for (const stop of stops) void stop();
    };
    stops.push(await db.listen("news", call));
  }
  await db.notify("news");
  await db.notify("news");
  await new Promise((resolve) => setImmediate(resolve));
  expect(calls).toEqual(["first"]);
  await db.close();
});
