import { App } from "@framework/core";
import { database } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { openapi } from "@framework/openapi";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { newLog } from "../counters.test-kit.ts";
import { cqrs } from "../index.ts";
import { routeKeys } from "./idempotent-routes.test-kit.ts";

routeKeys(test, databaseInFile);

const newApp = () =>
  new (App.with(database, durable, cqrs, openapi))().enableDatabase({ url: "sqlite://:memory:" });

test("a wrong value, and a method that may be repeated anyway, are start errors", async () => {
  const app = newApp().enableCqrs();
  app.get("/get", { idempotency: "optional" }, () => 1);
  app.post("/post", { idempotency: "always" as never }, () => 1);
  const failure = app.start({ log: newLog() });
  await expect(failure).rejects.toThrow("is for POST and PATCH; a GET may be repeated without it");
  await expect(failure).rejects.toThrow('must be "required", "optional" or false');
});

test("without enableCqrs the option is a start error, unless it is false", async () => {
  const app = newApp();
  app.post("/off", { idempotency: false }, () => 1);
  await app.start({ log: newLog() });
  await app.stop();
  const other = newApp();
  other.post("/on", { idempotency: "optional" }, () => 1);
  await expect(other.start({ log: newLog() })).rejects.toThrow("enableCqrs");
});

test("the API document has the replies of the option", async () => {
  const app = newApp().enableCqrs().enableOpenapi();
  app.post("/on", { idempotency: "required" }, () => 1);
  app.post("/off", () => 1);
  await using client = testClient(app);
  const { paths } = (await client.get("/openapi.json")).json<{
    paths: Record<string, { post: { responses: Record<string, unknown> } }>;
  }>();
  expect(Object.keys(paths["/on"]?.post.responses ?? {})).toEqual(
    expect.arrayContaining(["400", "409", "422"]),
  );
  expect(Object.keys(paths["/off"]?.post.responses ?? {})).not.toContain("409");
});
