import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { expect, test } from "@jest/globals";
import { App } from "../app.ts";

test("every start and stop task publishes its phase, name, time and outcome", async () => {
  const times: unknown[] = [];
  const listen = (message: unknown): void => void times.push(message);
  subscribe("framework.life.task", listen);
  const app = new App();
  app.onEvent("startup", function connect() {});
  app.onEvent("shutdown", function disconnect() {
    throw new Error("already gone");
  });
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  await app.stop();
  unsubscribe("framework.life.task", listen);
  const durationMs: unknown = expect.any(Number);
  expect(times).toEqual([
    { phase: "startup", name: "connect", durationMs, failed: false },
    { phase: "shutdown", name: "disconnect", durationMs, failed: true },
  ]);
});
