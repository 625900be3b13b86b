// Programs with notifications, for the table of `outcomes.test-kit.ts`.
import { waitFor } from "@framework/testing";
import type { Database } from "./index.ts";
import { outcome, type Program } from "./program.test-kit.ts";

/** Sends a notification and resolves once its own listener has received it; listeners registered earlier have then also received it. */
const notifyAll = async (db: Database, payload: string): Promise<void> => {
  const seen: string[] = [];
  const stop = await db.listen("news", (each) => seen.push(each));
  await db.notify("news", payload);
  await waitFor(() => seen.includes(payload), { subject: "the notification" });
  await stop();
};

/** Programs with notifications. */
export const listening: Readonly<Record<string, Program>> = {
  "a listener that is added while the last listener of its channel stops gets notifications": {
    run: async (db) => {
      const seen: string[] = [];
      const stop = await db.listen("news", () => {});
      const ended = stop();
      await db.listen("news", (payload) => seen.push(payload));
      await ended;
      await db.notify("news", "one");
      await waitFor(() => seen.length > 0, { subject: "the notification" });
      return seen;
    },
    gives: ["one"],
  },
  "a listener that stops twice does not stop others": {
    run: async (db) => {
      const seen: string[] = [];
      const stop = await db.listen("news", () => {});
      await stop();
      await db.listen("news", (payload) => seen.push(payload));
      await stop();
      await db.notify("news", "one");
      await waitFor(() => seen.length > 0, { subject: "the notification" });
      return seen;
    },
    gives: ["one"],
  },
  "a listener whose signal aborts before it listens is refused, and gets nothing": {
    run: async (db) => {
      const stop = new AbortController();
      const { signal } = stop;
      const seen: string[] = [];
      const before = outcome(() => db.listen("news", (payload) => seen.push(payload), { signal }));
      stop.abort({ code: "GONE" });
      const after = outcome(() => db.listen("news", (payload) => seen.push(payload), { signal }));
      const codes = [await before, await after];
      await notifyAll(db, "one");
      return [...codes, ...seen];
    },
    gives: ["GONE", "GONE"],
  },
  "a listener whose signal has aborted gets no more notifications": {
    run: async (db) => {
      const stop = new AbortController();
      const seen: string[] = [];
      await db.listen("news", (payload) => seen.push(payload), { signal: stop.signal });
      await notifyAll(db, "one");
      stop.abort();
      await notifyAll(db, "two");
      return seen;
    },
    gives: ["one"],
  },
  "a listener that fails affects neither other listeners nor the process": {
    run: async (db) => {
      await db.listen("news", () => {
        throw new Error("thrown");
      });
      await db.listen("news", () => Promise.reject(new Error("rejected")));
      await notifyAll(db, "one");
      await notifyAll(db, "two");
      return "alive";
    },
    gives: "alive",
  },
};
