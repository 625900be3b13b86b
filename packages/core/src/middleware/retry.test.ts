import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { FrameworkError } from "../errors/framework-error.ts";
import { HttpError } from "../errors/http-error.ts";
import { type Handler, isPromise } from "./middleware.ts";
import { retry, type RetryOptions } from "./retry.ts";
import { retryDelayMs, retryPolicy } from "./retry-policy.ts";
import { instantClock } from "./instant-clock.test-kit.ts";
import { virtualClock } from "../runtime/virtual-clock.ts";

interface Reply {
  readonly status: number;
  readonly retryAfterMs?: number;
  readonly body?: { cancel(): Promise<void> };
}

const boom = new Error("boom");
const gone = new DOMException("gone", "AbortError");

/** A callee that returns the given replies in order and then repeats the last reply; errors are thrown. */
const returning = (...replies: readonly (Reply | Error)[]) => {
  let calls = 0;
  const next: Handler<string, Reply> = () => {
    const reply = replies[Math.min(calls++, replies.length - 1)];
    if (reply === undefined || "message" in reply) throw reply;
    return reply;
  };
  return { next, calls: () => calls };
};

const setUp = (options: RetryOptions<string, Reply> = {}) => {
  const clock = virtualClock();
  return { clock, withRetry: retry<string, Reply>({ clock, random: () => 0, ...options }) };
};

test("a first attempt that succeeds and a retry without delay stay synchronous", () => {
  const { withRetry } = setUp({ policy: { delayMs: 0 } });
  expect(withRetry("a", () => ({ status: 200 }))).toEqual({ status: 200 });
  const callee = returning({ status: 500 }, boom, { status: 201 });
  expect(withRetry("a", callee.next)).toEqual({ status: 201 });
  expect(callee.calls()).toBe(3);
});

test("delays grow, and the last output is returned after the last attempt", async () => {
  const { clock, withRetry } = setUp({ policy: { attempts: 3, delayMs: 100, factor: 4 } });
  const callee = returning({ status: 500 }, { status: 502 }, { status: 503 });
  const reply = withRetry("a", callee.next);
  await clock.advance(99);
  expect([isPromise(reply), callee.calls()]).toEqual([true, 1]);
  await clock.advance(1);
  expect(callee.calls()).toBe(2);
  await clock.advance(399);
  expect(callee.calls()).toBe(2);
  await clock.advance(1);
  expect([await reply, callee.calls(), clock.pending]).toEqual([{ status: 503 }, 3, 0]);
});

test("an error is retried and thrown after the last attempt; an AbortError is thrown at once", async () => {
  const { clock, withRetry } = setUp({ policy: { attempts: 2 } });
  const reply = Promise.resolve(withRetry("a", async () => Promise.reject(boom)));
  const thrown = reply.catch((error: unknown) => error);
  await clock.runAll();
  expect([await thrown, clock.now()]).toEqual([boom, 100]);
  const callee = returning(gone, { status: 200 });
  expect(() => withRetry("a", callee.next)).toThrow(gone);
});

test.each([
  ["a disconnected client", new HttpError(400, "gone", { code: "CORE_CLIENT_DISCONNECTED" })],
  ["a refused call", Object.assign(new FrameworkError("ANY", "no"), { isRefusal: true })],
])("an error of %s is thrown at once", (_case, error) => {
  const { withRetry } = setUp({ policy: { delayMs: 0 } });
  const callee = returning(error, { status: 200 });
  expect(() => withRetry("a", callee.next)).toThrow(error);
  expect(callee.calls()).toBe(1);
});

test("isFailure and isFailingError may depend on the input", () => {
  const { withRetry } = setUp({
    isFailure: ({ status }, input) => input === "GET" && status === 404,
    isFailingError: (_error, input) => input === "GET",
    policy: { delayMs: 0 },
  });
  expect(withRetry("GET", returning({ status: 404 }, boom, { status: 500 }).next)).toEqual({ status: 500 });
  expect(withRetry("POST", returning({ status: 404 }, { status: 200 }).next)).toEqual({ status: 404 });
  expect(() => withRetry("POST", returning(boom, { status: 200 }).next)).toThrow(boom);
});

test("retryAfterMs extends the delay; a value above maxDelayMs ends the attempts", async () => {
  const { clock, withRetry } = setUp({
    policy: { attempts: 5, delayMs: 100, maxDelayMs: 1000 },
    retryAfterMs: ({ retryAfterMs = null }) => retryAfterMs,
  });
  const reply = withRetry(
    "a",
    returning(
      { status: 503, retryAfterMs: 700 },
      { status: 503, retryAfterMs: 10 },
      { status: 503, retryAfterMs: 1001 },
    ).next,
  );
  await clock.runAll();
  expect(await reply).toMatchObject({ retryAfterMs: 1001 });
  expect(clock.now()).toBe(700 + 200);
});

test("fallback is called after the last attempt, with an output or an error", () => {
  const { withRetry } = setUp({
    policy: { attempts: 2, delayMs: 0 },
    fallback: (attempts, input, last) => ({
      status: "error" in last ? 599 : last.output.status + attempts + input.length,
    }),
  });
  expect(withRetry("abc", returning({ status: 500 }).next)).toEqual({ status: 505 });
  expect(withRetry("abc", returning(boom).next)).toEqual({ status: 599 });
});

test("an abort ends the delay at once, with the result of the last attempt", async () => {
  const { signal, abort } = (() => {
    const controller = new AbortController();
    return { signal: controller.signal, abort: () => controller.abort() };
  })();
  const { clock, withRetry } = setUp({ signal: () => signal });
  const callee = returning({ status: 503 }, { status: 200 });
  const reply = withRetry("a", callee.next);
  abort();
  expect(await reply).toEqual({ status: 503 });
  expect([clock.pending, callee.calls()]).toEqual([0, 1]);
  expect(await withRetry("a", callee.next)).toEqual({ status: 200 }); // an aborted signal does not prevent the first attempt
  expect(await withRetry("a", returning({ status: 500 }).next)).toEqual({ status: 500 });
});

test("the input's signal is observed by default", async () => {
  const clock = virtualClock();
  const controller = new AbortController();
  const withRetry = retry<{ signal: AbortSignal }, Reply>({ clock });
  const reply = withRetry({ signal: controller.signal }, () => ({ status: 500 }));
  controller.abort();
  expect(await reply).toEqual({ status: 500 });
});

test("an aborted signal also ends attempts without delay", async () => {
  const controller = new AbortController();
  const { withRetry } = setUp({ policy: { attempts: 9, delayMs: 0 }, signal: () => controller.signal });
  const callee = returning({ status: 500 }, boom);
  const reply = withRetry("a", (input) => {
    if (callee.calls() === 1) controller.abort();
    return callee.next(input);
  });
  await expect(reply).rejects.toBe(boom);
  expect(callee.calls()).toBe(2);
});

test("bodies of discarded outputs are cancelled, the body of the last output is not", async () => {
  const cancelled: number[] = [];
  const reply = (status: number): Reply => ({
    status,
    body: { cancel: async () => void cancelled.push(status) },
  });
  const { withRetry } = setUp({ policy: { attempts: 3, delayMs: 0 } });
  await withRetry("a", returning(reply(500), reply(502), reply(503)).next);
  expect(cancelled).toEqual([500, 502]);
});

test.each([
  [
    "throws",
    () => {
      throw new Error("discarded badly");
    },
  ],
  ["rejects", async () => Promise.reject(new Error("discarded badly"))],
])("an error of a discard that %s does not end the attempts", async (_how, discard) => {
  const { withRetry } = setUp({ policy: { attempts: 3, delayMs: 0 }, discard: discard as () => void });
  const reply = (status: number): Reply => ({ status });
  expect(await withRetry("a", returning(reply(500), reply(502), reply(200)).next)).toEqual({ status: 200 });
});

test("an invalid policy throws when the middleware is created", () => {
  expect(() => retry({ policy: { attempts: 0 } })).toThrow("RetryPolicy.attempts");
});

type Step = {
  readonly kind: "ok" | "failure" | "error" | "abort";
  readonly isLater: boolean;
  readonly requestedMs: number | null;
};

const steps = fc.array(
  fc.record<Step>({
    kind: fc.constantFrom("ok", "failure", "failure", "error", "error", "abort"),
    isLater: fc.boolean(),
    requestedMs: fc.option(fc.integer({ min: 0, max: 600 })),
  }),
  { minLength: 1, maxLength: 8 },
);

const policies = fc.record({
  attempts: fc.integer({ min: 1, max: 6 }),
  delayMs: fc.integer({ min: 0, max: 100 }),
  factor: fc.integer({ min: 1, max: 3 }),
  jitter: fc.constantFrom(0, 0.5, 1),
  maxDelayMs: fc.integer({ min: 0, max: 500 }),
});

/** A simple model: computes the calls and delays one after another. */
const expected = (all: readonly Step[], given: Parameters<typeof retryPolicy>[0]) => {
  const policy = retryPolicy(given);
  const delays: number[] = [];
  for (let number = 1; ; number++) {
    const { kind, requestedMs } = all[Math.min(number, all.length) - 1] as Step;
    const retryAfterMs = kind === "failure" ? (requestedMs ?? 0) : 0;
    const isOver =
      kind === "ok" || kind === "abort" || number === policy.attempts || retryAfterMs > policy.maxDelayMs;
    if (isOver) return { calls: number, delays, last: kind };
    const delayMs = Math.max(retryAfterMs, retryDelayMs(policy, number, 0.25));
    if (delayMs > 0) delays.push(delayMs);
  }
};

test("calls, delays and results match the model, for any callee and policy", async () => {
  await fc.assert(
    fc.asyncProperty(steps, policies, async (all, policy) => {
      const clock = instantClock();
      let calls = 0;
      const next = (): Step | Promise<Step> => {
        const step = all[Math.min(calls++, all.length - 1)] as Step;
        const settle = (): Step => {
          if (step.kind === "error") throw boom;
          if (step.kind === "abort") throw gone;
          return step;
        };
        return step.isLater ? Promise.resolve().then(settle) : settle();
      };
      const withRetry = retry<string, Step>({
        policy,
        clock,
        random: () => 0.25,
        isFailure: ({ kind }) => kind === "failure",
        retryAfterMs: ({ requestedMs }) => requestedMs,
      });
      const run = async () => (await withRetry("a", next)).kind;
      const last = await run().catch((error: unknown) => (error === boom ? "error" : "abort"));
      expect({ calls, delays: clock.delays, last }).toEqual(expected(all, policy));
    }),
    { numRuns: 500 },
  );
});

test("a retryAfterMs of NaN, such as from a Retry-After that is a date, keeps the delays of the policy", async () => {
  const clock = instantClock();
  const { withRetry } = setUp({ clock, retryAfterMs: () => Number("Mon, 30 Nov 2026 12:00:00 GMT") * 1000 });
  await withRetry("a", returning({ status: 503 }).next);
  expect(clock.delays).toEqual([100, 200]);
});

test("an unknown option, such as a field of the policy, throws when the middleware is created", () => {
  expect(() => retry({ attempts: 5 } as never)).toThrow(
    'the options object of retry has no field "attempts"',
  );
});
