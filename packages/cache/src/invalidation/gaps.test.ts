import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { testClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { gate } from "../cached-app.test-kit.ts";
import { type CacheStore, caching, memoryStore } from "../index.ts";

/** Creates a connection to the other hosts, which a test can interrupt. */
const connection = () => {
  const state = { isConnected: true };
  const missedCallbacks: ((() => void) | undefined)[] = [];
  const feature: Feature = {
    name: "connection",
    install: (host) => {
      host.state.provideShared({
        values: (own) => ({
          ...own,
          isConnected: () => state.isConnected,
          subscribe: (channel, listener, options) => {
            missedCallbacks.push(options?.onMissed);
            return own.subscribe(channel, listener, options);
          },
        }),
      });
      return {};
    },
  };
  const lose = (): void => void (state.isConnected = false);
  const restore = (): void => {
    for (const report of missedCallbacks) report?.();
    state.isConnected = true;
  };
  return { feature, lose, restore };
};

const start = async (store?: CacheStore) => {
  const { feature, ...events } = connection();
  const app = new (App.with(feature, caching))().enableCaching(store === undefined ? {} : { store });
  let [version, callCount] = [0, 0];
  let held: PromiseWithResolvers<void> | null = null;
  app.get("/", { cache: { tags: ["a"] } }, async () => {
    callCount++;
    const seen = version;
    await held?.promise;
    return String(seen);
  });
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  const client = testClient(app);
  const get = async (path = "/"): Promise<string> => {
    const reply = await client.get(path);
    return `${reply.headers.get("x-cache")} ${reply.text}`;
  };
  return {
    ...events,
    get,
    calls: () => callCount,
    change: () => ++version,
    hold: () => (held = Promise.withResolvers<void>()),
  };
};

test("without a connection to the other hosts no stored reply is used, and nothing is stored", async () => {
  const { get, lose, restore, change } = await start();
  expect([await get(), await get()]).toEqual(["MISS 0", "HIT 0"]);
  lose();
  expect([await get(), change(), await get()]).toEqual(["MISS 0", 1, "MISS 1"]);
  restore();
  change();
  expect([await get(), await get()]).toEqual(["MISS 2", "HIT 2"]);
});

test("after a gap every stored reply is dropped, even without a request during the gap", async () => {
  const { get, lose, restore, change } = await start();
  await get();
  lose();
  change();
  restore();
  expect([await get(), await get()]).toEqual(["MISS 1", "HIT 1"]);
});

test("a reply whose computation began before a gap is not stored after it", async () => {
  const { get, lose, restore, change, hold, calls } = await start();
  const held = hold();
  const pendingReply = get();
  await waitFor(() => calls() === 1);
  lose();
  change();
  restore();
  held.resolve();
  expect(await pendingReply).toBe("MISS 0");
  expect(await get()).toBe("MISS 1");
});

test("a reply that is being written to a store of this worker during a gap is not used after it", async () => {
  const memory = memoryStore();
  const writing = gate();
  const slow: CacheStore = {
    shared: false,
    get: async (key) => memory.get(key),
    set: async (key, entry, options) => {
      await writing.opened;
      return memory.set(key, entry, options);
    },
    delete: async (key) => memory.delete(key),
    drop: async (tags) => memory.drop(tags),
  };
  const { get, lose, restore, change } = await start(slow);
  expect(await get()).toBe("MISS 0");
  lose();
  change();
  restore();
  writing.open();
  await new Promise((resolve) => setImmediate(resolve));
  expect([await get(), await get()]).toEqual(["MISS 1", "HIT 1"]);
});

test("replies of a store that all hosts share are used without a connection, but none is added", async () => {
  const memory = memoryStore();
  const shared: CacheStore = {
    shared: true,
    get: (key) => memory.get(key),
    set: (key, entry, options) => memory.set(key, entry, options),
    delete: (key) => memory.delete(key),
    drop: (tags) => memory.drop(tags),
  };
  const { get, lose, change } = await start(shared);
  expect([await get(), await get()]).toEqual(["MISS 0", "HIT 0"]);
  lose();
  change();
  expect(await get()).toBe("HIT 0");
  expect([await get("/?n=1"), await get("/?n=1")]).toEqual(["MISS 1", "MISS 1"]);
});
