import { expect, test } from "@jest/globals";
import { HandlerTimeoutError } from "../errors/http-errors.ts";
import { isPromise } from "./middleware.ts";
import { timeout } from "./timeout.ts";
import { virtualClock } from "../runtime/virtual-clock.ts";

test("synchronous work stays synchronous and sets no timer", () => {
  const clock = virtualClock();
  expect(timeout<string, number>({ clock })("abc", ({ length }) => length)).toBe(3);
  expect(clock.pending).toBe(0);
});

test("timely work returns its output or error and clears the timer", async () => {
  const clock = virtualClock();
  const withTimeout = timeout<string, number>({ timeoutMs: 50, clock });
  const output = withTimeout("abc", async ({ length }) => length);
  expect([isPromise(output), clock.pending]).toEqual([true, 1]);
  expect([await output, clock.pending]).toEqual([3, 0]);
  const boom = new Error("boom");
  await expect(withTimeout("abc", async () => Promise.reject(boom))).rejects.toBe(boom);
  expect(clock.pending).toBe(0);
});

test("late work fails with a HandlerTimeoutError, which also aborts its input", async () => {
  const clock = virtualClock();
  const reasons: Error[] = [];
  const withTimeout = timeout<{ abort(reason: Error): void }, number>({ timeoutMs: 1500, clock });
  const output = withTimeout({ abort: (reason) => void reasons.push(reason) }, () => new Promise(() => {}));
  const thrown = Promise.resolve(output).catch((error: unknown) => error);
  await clock.advance(1499);
  expect(reasons).toEqual([]);
  await clock.advance(1);
  expect(await thrown).toBeInstanceOf(HandlerTimeoutError);
  expect(await thrown).toMatchObject({ status: 504, message: expect.stringContaining("1.5 s") });
  expect(reasons).toEqual([await thrown]);
});

test("fallback replaces the output of late work, synchronously or asynchronously", async () => {
  for (const fallback of [(ms: number, input: string) => `${input} ${ms}`, async () => "a 30000"]) {
    const clock = virtualClock();
    const output = timeout<string, string>({ clock, fallback })("a", () => new Promise(() => {}));
    await clock.runAll();
    expect(await output).toBe("a 30000");
  }
});

test("a late output is discarded and its body cancelled; a late error is ignored", async () => {
  const clock = virtualClock();
  const withTimeout = timeout<string, { body: object }>({ clock, fallback: () => ({ body: {} }) });
  const late = Promise.withResolvers<{ body: object }>();
  const failing = Promise.withResolvers<never>();
  const outputs = [withTimeout("a", () => late.promise), withTimeout("b", () => failing.promise)] as const;
  await clock.runAll();
  let cancelled = 0;
  late.resolve({
    body: {
      cancel: () => {
        cancelled++;
        throw new Error("cancelled badly");
      },
    },
  });
  failing.reject(new Error("late"));
  expect([await outputs[0], await outputs[1]]).toEqual([{ body: {} }, { body: {} }]);
  expect(cancelled).toBe(1);
});

test.each([
  [
    "throws",
    () => {
      throw new Error("discarded badly");
    },
  ],
  ["rejects", async () => Promise.reject(new Error("discarded badly"))],
])("an error of a discard that %s is ignored", async (_how, discard) => {
  const unhandled: unknown[] = [];
  const record = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", record);
  try {
    const clock = virtualClock();
    const late = Promise.withResolvers<string>();
    const options = { clock, fallback: () => "late", discard: discard as () => void };
    const output = timeout<string, string>(options)("a", () => late.promise);
    await clock.runAll();
    late.resolve("x");
    expect(await output).toBe("late");
    await new Promise((resolve) => setImmediate(resolve)); // Node reports unhandled rejections at the end of a turn
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", record);
  }
});

test("an error that abort throws rejects the call, with and without a fallback", async () => {
  for (const fallback of [undefined, () => "late", async () => Promise.reject(new Error("fallback"))]) {
    const clock = virtualClock();
    const abort = () => {
      throw new RangeError("aborted badly");
    };
    const options = { clock, abort, ...(fallback && { fallback }) };
    const output = timeout<string, string>(options)("a", () => new Promise(() => {}));
    const thrown = Promise.resolve(output).catch((error: unknown) => error);
    await clock.runAll();
    expect(await thrown).toBeInstanceOf(RangeError);
  }
});

test("the output of the fallback is discarded if abort throws", async () => {
  const clock = virtualClock();
  const discarded: string[] = [];
  const abort = () => {
    throw new RangeError("aborted badly");
  };
  const options = {
    clock,
    abort,
    fallback: () => "late",
    discard: (text: string) => void discarded.push(text),
  };
  const output = Promise.resolve(timeout<string, string>(options)("a", () => new Promise(() => {})));
  const thrown = output.catch((error: unknown) => error);
  await clock.runAll();
  expect(await thrown).toBeInstanceOf(RangeError);
  expect(discarded).toEqual(["late"]);
});

test("an error that fallback throws rejects the call", async () => {
  const clock = virtualClock();
  const fallback = () => {
    throw new RangeError("too slow");
  };
  const output = timeout<string, string>({ clock, fallback })("a", () => new Promise(() => {}));
  const thrown = Promise.resolve(output).catch((error: unknown) => error);
  await clock.runAll();
  expect(await thrown).toBeInstanceOf(RangeError);
});

test("an invalid timeoutMs throws when the middleware is created", () => {
  expect(() => timeout({ timeoutMs: 0 })).toThrow("TimeoutOptions.timeoutMs");
  expect(() => timeout({ timeoutMs: 2 ** 31 })).toThrow("TimeoutOptions.timeoutMs");
});

test("an unknown option throws when the middleware is created", () => {
  expect(() => timeout({ timeoutSecs: 5 } as never)).toThrow(
    'the options object of timeout has no field "timeoutSecs"; did you mean "timeoutMs"?',
  );
});
