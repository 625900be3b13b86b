import { expect, test } from "@jest/globals";
import { App } from "../index.ts";
import { deliver, LazyPromise } from "./lazy-promise.ts";

type Outcome = readonly ["value" | "error", unknown];

const outcomeOf = (promise: PromiseLike<unknown>): PromiseLike<Outcome> =>
  promise.then(
    (value): Outcome => ["value", value],
    (error: unknown): Outcome => ["error", error],
  );

const delivered = (promise: Promise<unknown>): Promise<Outcome> =>
  new Promise((resolve) => {
    deliver(promise, {
      succeed: (value) => resolve(["value", value]),
      fail: (error) => resolve(["error", error]),
    });
  });

const promises = [() => Promise.resolve(1), () => Promise.reject(new Error("failed"))];
const conversions = [
  (value: number, input: string): number | Promise<number> => value + input.length,
  async (value: number, input: string): Promise<number> => value + input.length,
  (): number => {
    throw new Error("not converted");
  },
  async (): Promise<number> => {
    throw new Error("not converted later");
  },
];
const rescues = [
  null,
  (error: unknown, input: string): string => `${input}: ${String(error)}`,
  async (error: unknown, input: string): Promise<string> => `${input}: ${String(error)}`,
];

test("settles like a promise chain with the same conversions, however it is awaited", async () => {
  for (const promise of promises) {
    for (const convert of conversions) {
      for (const rescue of rescues) {
        const lazy = () => new LazyPromise<string, number, unknown>(promise(), "abc", convert, rescue);
        const chained = promise().then(
          (value) => convert(value, "abc"),
          rescue === null ? undefined : (error: unknown) => rescue(error, "abc"),
        );
        const expected = await outcomeOf(chained);
        expect(await outcomeOf(lazy())).toEqual(expected);
        expect(await delivered(lazy())).toEqual(expected);
        expect(await delivered(Promise.resolve(lazy()))).toEqual(expected);
        expect(await outcomeOf((async () => lazy())())).toEqual(expected);
        expect(await outcomeOf(Promise.resolve(lazy()))).toEqual(expected);
        let finallyCalls = 0;
        expect(await outcomeOf(lazy().finally(() => finallyCalls++))).toEqual(expected);
        expect(finallyCalls).toBe(1);
        const caught = await lazy().catch((error: unknown) => error);
        expect(caught).toEqual(expected[1]);
        for (const outerRescue of rescues) {
          const outer = () =>
            new LazyPromise<string, unknown, unknown>(lazy(), "x", (value) => [value], outerRescue);
          const outcome = await outcomeOf(
            chained.then((value) => [value], outerRescue && ((error: unknown) => outerRescue(error, "x"))),
          );
          expect(await outcomeOf(outer())).toEqual(outcome);
          expect(await delivered(outer())).toEqual(outcome);
        }
      }
    }
  }
});

test.each([0, 1])(
  "a handler may return a thenable whose `then` returns nothing, with %i middleware",
  async (count) => {
    const app = new App();
    for (let n = 0; n < count; n++) app.use((request, next) => next(request));
    app.get("/", () => ({
      // oxlint-disable-next-line unicorn/no-thenable -- the subject
      then(resolve: (value: unknown) => void): void {
        resolve({ a: 1 });
      },
    }));
    const reply = await app.fetch(new Request("http://host.test/"));
    expect([reply.status, await reply.json()]).toEqual([200, { a: 1 }]);
  },
);
