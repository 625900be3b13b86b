import type { EventStore } from "@framework/event-sourcing";
import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { query } from "../index.ts";
import { Invalidations } from "./invalidations.ts";

/** A store with a view that lags at first, in which two events are appended as soon as a subscription exists. */
const laggingStore = (waits: string[]): EventStore => {
  let passEvents = (): void => {};
  const store = {
    position: async () => "0",
    projections: { status: async () => [] },
    async waitFor(position: string, { timeoutMs }: { readonly timeoutMs: number }) {
      passEvents();
      if (timeoutMs === 0) return false;
      waits.push(position);
      return true;
    },
    subscribe(_options: object, handler: (event: object) => void) {
      const { promise, resolve } = Promise.withResolvers<void>();
      passEvents = () => {
        passEvents = () => {};
        handler({ type: "Added", position: "1" });
        queueMicrotask(() => queueMicrotask(() => handler({ type: "Added", position: "2" })));
      };
      return { done: promise, stop: async () => resolve() };
    },
  };
  return store as never;
};

test("replies are dropped for events that are appended while views are found to lag at the start", async () => {
  const invalidatedBy = [{ type: "Added" }] as never;
  const Total = query("Total", {
    input: z.object({}),
    output: z.number(),
    cache: { invalidatedBy },
    http: { path: "/total" },
  });
  const waits: string[] = [];
  const invalidations = new Invalidations({
    queries: () => [Total],
    invalidate: async () => {},
    eventStore: () => store,
    clock: virtualClock(),
    log: () => ({ info() {}, warn() {}, error() {} }),
  });
  const store = laggingStore(waits);
  await invalidations.begin();
  await waitFor(() => waits.at(-1) === "2", { timeoutMs: 60_000 });
  await invalidations.end();
  expect(waits).toContain("0");
});
