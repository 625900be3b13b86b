import { App, CircuitOpenError } from "@framework/core";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { PermanentFailure } from "../errors/messaging-error.ts";
import { memoryBroker, messaging } from "../index.ts";

const quiet = { info() {}, warn() {}, error() {} };

const fail = (): never => {
  throw new Error("unreadable");
};

const unreadable = new Proxy({}, { get: fail, has: fail, getPrototypeOf: fail, ownKeys: fail });
const withMember = (target: object, name: string): unknown =>
  Object.defineProperty(target, name, { get: fail });

test.each<[string, unknown]>([
  ["a proxy", unreadable],
  ["an error as a proxy", new Proxy(new Error("closed"), { get: fail })],
  ["an error with an unreadable name", withMember(new Error("plain"), "name")],
  ["an error with an unreadable code", withMember(new Error("plain"), "code")],
  ["an error with an unreadable mark", withMember(new Error("plain"), "framework")],
  [
    "a permanent failure with an unreadable name",
    withMember(new PermanentFailure("MESSAGING_X", "no"), "name"),
  ],
  ["a CircuitOpenError with unreadable extras", withMember(new CircuitOpenError(1), "extras")],
])("a message whose handler throws %s is tried again, then becomes a dead letter", async (_case, value) => {
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker() });
  let tries = 0;
  const dead: string[] = [];
  app.messaging
    .subscribe("books", { group: "search", retry: { quickTries: 2, quickDelayMs: 1, delaysMs: [] } }, () => {
      tries++;
      throw value;
    })
    .subscribe("books.search.dlq", { group: "ops" }, ({ id }) => void dead.push(id));
  await app.start({ log: quiet });
  await app.messaging.send("books", { type: "t", id: "1" });
  await waitFor(() => dead.length === 1, { timeoutMs: 60_000 });
  expect([tries, dead]).toEqual([2, ["1"]]);
  await app.stop();
});
