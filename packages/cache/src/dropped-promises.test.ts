import { App } from "@framework/core";
import { expect, test } from "@jest/globals";
import { caching, memoryStore } from "./index.ts";

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

test("a promise of invalidateCache that is not awaited causes no unhandled rejection", async () => {
  const fails = (): never => {
    throw new Error("away");
  };
  const store = Object.assign(memoryStore(), { drop: fails });
  const app = new (App.with(caching))().enableCaching({ store });
  const disabled = new (App.with(caching))();
  const unhandled = await unhandledDuring(async () => {
    void disabled.invalidateCache(["a"]);
    void app.invalidateCache(["a"]); // before the start
    await app.start({ log });
    void app.invalidateCache([""]);
    void app.invalidateCache(["a"]);
    await expect(app.invalidateCache(["a"])).rejects.toMatchObject({ code: "CACHE_STORE_UNAVAILABLE" });
    await app.stop();
  });
  expect(unhandled).toEqual([]);
});
