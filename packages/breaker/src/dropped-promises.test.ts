import { App } from "@framework/core";
import { expect, test } from "@jest/globals";
import { breaker, circuitBreaker } from "./index.ts";

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

test("a promise of trip or reset that is not awaited causes no unhandled rejection", async () => {
  const app = new (App.with(circuitBreaker))().enableCircuitBreaker();
  const unhandled = await unhandledDuring(async () => {
    void app.circuits.trip("unknown");
    void app.circuits.reset("unknown");
    await expect(app.circuits.trip("unknown")).rejects.toMatchObject({ code: "BREAKER_UNKNOWN_CIRCUIT" });
  });
  expect(unhandled).toEqual([]);
});

test("an asynchronous onTransition that rejects is logged, and causes no unhandled rejection", async () => {
  const onTransition = async (): Promise<void> => {
    throw new Error("listener");
  };
  const logged: string[] = [];
  const { error } = console;
  console.error = (message: unknown) => void logged.push(String(message));
  const unhandled = await unhandledDuring(async () => {
    const app = new (App.with(circuitBreaker))().enableCircuitBreaker({ onTransition });
    app.get("/", () => "");
    await app.start({ log: { info() {}, warn() {}, error: (message) => void logged.push(message) } });
    await app.circuits.trip("GET /");
    breaker({ onTransition }).trip();
    await app.stop();
  }).finally(() => (console.error = error));
  expect(unhandled).toEqual([]);
  expect(logged).toEqual(["onTransition of the circuit breaker failed", "onTransition of a breaker failed"]);
});
