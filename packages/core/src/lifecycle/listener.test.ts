import { expect, test } from "@jest/globals";
import { App } from "../index.ts";
import type { Feature, FeatureListener, ListenerOptions } from "../feature.ts";

const close = async () => ({ cut: 0 });
const optionsOf = (name: string, port = 0): ListenerOptions => ({ name, port, accept() {}, close });

const appWithListeners = (...options: readonly ListenerOptions[]) => {
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
  [
    "a malformed name",
    [optionsOf("Admin Port")],
    "owner: a listener's name must be lower-case words with dashes",
  ],
  [
    "a name that is not a string",
    [optionsOf(8n as never)],
    "owner: a listener's name must be lower-case words with dashes, at most 40 characters, not 8n",
  ],
  [
    "two listeners with one name",
    [optionsOf("admin"), optionsOf("admin")],
    "owner: two listeners are named admin",
  ],
  [
    "a port out of range",
    [optionsOf("admin", 70_000)],
    "owner: the port of the listener admin must be an integer from 0 to 65535, not 70000",
  ],
  [
    "a host that is not a text",
    [{ ...optionsOf("admin"), host: 5 as never }],
    "owner: the host of the listener admin must be an address or host name, not 5",
  ],
  [
    "an unknown environment, in which the port would never open,",
    [{ ...optionsOf("admin"), env: "prod" as never }],
    'owner: the env of the listener admin must be development or production, not "prod"',
  ],
  [
    "a seventeenth listener",
    Array.from({ length: 17 }, (_, n) => optionsOf(`port${n}`)),
    "owner: an app has at most 16 listeners of features",
  ],
])("%s fails the start", async (_, options, message) => {
  await expect(appWithListeners(...options).app.start()).rejects.toThrow(`CORE_BAD_LISTENER: ${message}`);
});

test("an app that starts without `run` does not open the ports of its listeners", async () => {
  const { app, listeners } = appWithListeners(optionsOf("admin"));
  await app.start();
  expect(listeners.map(({ address }) => address)).toEqual([null]);
  await app.stop();
});
