import { expect, test } from "@jest/globals";
import { App } from "../index.ts";
import type { Feature, FeatureListener, ListenerOptions } from "../feature.ts";

const closed = async () => ({ cut: 0 });
const raw = (name: string, port = 0): ListenerOptions => ({ name, port, accept() {}, close: closed });

const owning = (...options: readonly ListenerOptions[]) => {
  const listeners: FeatureListener[] = [];
  const feature: Feature = {
    name: "owner",
    install(host) {
      for (const each of options) listeners.push(host.life.listener(each));
      return {};
    },
  };
  return { app: new (App.with(feature))(), listeners };
};

test.each<[string, readonly ListenerOptions[], string]>([
  ["a malformed name", [raw("Admin Port")], "owner: a listener's name must be lower-case words with dashes"],
  ["two listeners with one name", [raw("admin"), raw("admin")], "owner: two listeners are named admin"],
  [
    "a port out of range",
    [raw("admin", 70_000)],
    "owner: the port of the listener admin must be an integer from 0 to 65535, not 70000",
  ],
  [
    "the seventeenth",
    Array.from({ length: 17 }, (_, n) => raw(`port${n}`)),
    "owner: an app has at most 16 listeners of features",
  ],
])("%s fails the start", async (_, options, message) => {
  await expect(owning(...options).app.start()).rejects.toThrow(`CORE_BAD_LISTENER: ${message}`);
});

test("an app without run opens no port", async () => {
  const { app, listeners } = owning(raw("admin"));
  await app.start();
  expect(listeners.map(({ address }) => address)).toEqual([null]);
  await app.stop();
});
