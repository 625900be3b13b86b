import { inProcessState, virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { sharedSessionStore } from "../index.ts";

const start = 1_800_000_000_000;

test("a write whose process died between its two steps is completed by the next writer", async () => {
  const clock = virtualClock({ start });
  const { values } = inProcessState({ clock });
  let dies = false;
  const dying = sharedSessionStore({
    ...values,
    raise: (...args) => {
      if (dies) throw new Error("the process died");
      return values.raise(...args);
    },
  });
  const other = sharedSessionStore(values);
  await dying.write("a", "first", { version: 0, ttlMs: 60_000 });
  dies = true;
  await expect(async () => dying.write("a", "second", { version: 1, ttlMs: 60_000 })).rejects.toThrow("died");
  expect(await other.read("a")).toEqual({ version: 1, content: "first" });
  expect(await other.write("a", "third", { version: 1, ttlMs: 60_000 })).toBe(false);
  expect(await other.read("a")).toEqual({ version: 2, content: "second" });
  expect(await other.write("a", "third", { version: 2, ttlMs: 60_000 })).toBe(true);
});

test("an end of a version whose process died between its two steps is completed by the next writer", async () => {
  const { values } = inProcessState({ clock: virtualClock({ start }) });
  const dying = sharedSessionStore({
    ...values,
    raise: () => {
      throw new Error("the process died");
    },
  });
  const other = sharedSessionStore(values);
  await other.write("a", "first", { version: 0, ttlMs: 60_000 });
  await expect(async () => dying.end("a", 60_000, 1)).rejects.toThrow("died");
  expect(await other.write("a", "second", { version: 1, ttlMs: 60_000 })).toBe(false);
  expect(await other.read("a")).toBe("ended");
});

test("an end of a version that a writer completes meanwhile succeeds", async () => {
  const { values } = inProcessState({ clock: virtualClock({ start }) });
  const other = sharedSessionStore(values);
  await other.write("a", "first", { version: 0, ttlMs: 60_000 });
  const slow = sharedSessionStore({
    ...values,
    async set(...args) {
      const isSet = await values.set(...args);
      expect(await other.write("a", "second", { version: 1, ttlMs: 60_000 })).toBe(false);
      return isSet;
    },
  });
  expect(await slow.end("a", 60_000, 1)).toBe(true);
  expect(await other.read("a")).toBe("ended");
});

test("a write that other writers complete and replace meanwhile succeeds", async () => {
  const { values } = inProcessState({ clock: virtualClock({ start }) });
  const other = sharedSessionStore(values);
  await other.write("a", "first", { version: 0, ttlMs: 60_000 });
  let isSlow = true;
  const slow = sharedSessionStore({
    ...values,
    async set(...args) {
      const isSet = await values.set(...args);
      if (!isSlow) return isSet;
      isSlow = false;
      await other.write("a", "third", { version: 1, ttlMs: 60_000 });
      expect(await other.read("a")).toEqual({ version: 2, content: "second" });
      await other.end("a", 60_000, 2);
      return isSet;
    },
  });
  expect(await slow.write("a", "second", { version: 1, ttlMs: 60_000 })).toBe(true);
  expect(await other.read("a")).toBe("ended");
});

test("an end of a version that writers replace twice meanwhile fails", async () => {
  const { values } = inProcessState({ clock: virtualClock({ start }) });
  const other = sharedSessionStore(values);
  await other.write("a", "first", { version: 0, ttlMs: 60_000 });
  const slow = sharedSessionStore({
    ...values,
    async set(...args) {
      for (const version of [1, 2]) await other.write("a", version, { version, ttlMs: 60_000 });
      return values.set(...args);
    },
  });
  expect(await slow.end("a", 60_000, 1)).toBe(false);
  expect(await other.read("a")).toEqual({ version: 3, content: 2 });
});

test("a reader that is slower than the writers finds an entry, not a gap between two versions", async () => {
  const { values } = inProcessState({ clock: virtualClock({ start }) });
  const writer = sharedSessionStore(values);
  await writer.write("a", 0, { version: 0, ttlMs: 60_000 });
  let [version, writes] = [1, 3];
  const slow = sharedSessionStore({
    ...values,
    async get(key) {
      const value = await values.get(key);
      if (typeof value !== "number" || writes-- <= 0) return value;
      await writer.write("a", version, { version, ttlMs: 60_000 });
      version++;
      return value;
    },
  });
  expect(await slow.read("a")).toEqual({ version: 4, content: 3 });
});

test("the memory of a host refuses new sessions beyond its limit and keeps the existing ones", async () => {
  const { values } = inProcessState({ clock: virtualClock({ start }) });
  const store = sharedSessionStore(values, { maxSessions: 2 });
  for (const key of ["a", "b"]) await store.write(key, key, { version: 0, ttlMs: 60_000 });
  await expect(async () => store.write("c", "c", { version: 0, ttlMs: 60_000 })).rejects.toThrow(
    /sessions:live/,
  );
  expect(await store.write("a", "again", { version: 1, ttlMs: 60_000 })).toBe(true);
  expect(await store.read("b")).toEqual({ version: 1, content: "b" });
});
