import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { Coalescing } from "./coalescing.ts";
import type { StoredReply } from "./store/cache-store.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Ends a call of a key with a result; returns a reference that does not keep it. */
const endCall = (coalescing: Coalescing, key: string): WeakRef<StoredReply> => {
  const entry = { kind: "reply", id: key } as StoredReply;
  coalescing.start(key).settle({ key, names: [], entry, outcome: "HIT" });
  return new WeakRef(entry);
};

test("the result of a call is kept only while a read of the store is pending that began before it", async () => {
  const coalescing = new Coalescing({ clock: virtualClock(), waitMs: 1000 });
  const startRead = () => {
    const found = Promise.withResolvers<{ readonly key: string }>();
    const newer = coalescing.duringRead(found.promise, (_found, result) => result?.entry.id);
    return async (key: string): Promise<string | undefined> => (found.resolve({ key }), newer);
  };
  const kept = async (result: WeakRef<StoredReply>): Promise<boolean> => {
    await new Promise((resolve) => setImmediate(resolve)); // a WeakRef keeps its target until then
    collectGarbage();
    return result.deref() !== undefined;
  };
  const endFirst = startRead();
  const first = endCall(coalescing, "a");
  const endSecond = startRead();
  const second = endCall(coalescing, "b");
  expect([await kept(first), await kept(second)]).toEqual([true, true]);
  expect(await endFirst("a")).toBe("a");
  expect([await kept(first), await kept(second)]).toEqual([false, true]);
  expect(await endSecond("b")).toBe("b");
  expect(await kept(second)).toBe(false);
});
