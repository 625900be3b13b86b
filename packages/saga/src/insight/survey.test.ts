import { virtualClock } from "@framework/core/testing";
import type { Database } from "@framework/database";
import { expect, test } from "@jest/globals";
import { SagaRegistry } from "../definition/registry.ts";
import { type InstanceCount, Survey } from "./survey.ts";

test("begin waits for the first count, so that the first health check has it", async () => {
  const count = Promise.withResolvers<readonly InstanceCount[]>();
  const db = { query: () => count.promise } as unknown as Database; // a query that is still pending
  const log = { info() {}, warn() {}, error() {} };
  const survey = new Survey({
    db: () => db,
    registry: new SagaRegistry(),
    clock: virtualClock(),
    log: () => log,
  });
  let hasBegun = false;
  const begun = survey.begin().then(() => (hasBegun = true));
  await Promise.resolve();
  expect(hasBegun).toBe(false);
  count.resolve([{ name: "order", version: 2, status: "ready", count: 1 }]);
  await begun;
  expect(survey.withoutCode).toEqual(["order version 2"]);
  await survey.end();
});
