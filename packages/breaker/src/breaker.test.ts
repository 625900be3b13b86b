import { CircuitOpenError, HttpError } from "@framework/core";
import { compose, isPromise } from "@framework/core/feature";
import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { breaker, type BreakerOptions, type CircuitTransition } from "./index.ts";

interface Reply {
  readonly status: number;
}

/** Creates a breaker that opens at the second failure, on a virtual clock. */
const around = (options: BreakerOptions<string, Reply> = {}) => {
  const clock = virtualClock();
  const guard = breaker<string, Reply>({
    failureThreshold: 2,
    resetTimeout: 10,
    clock,
    ...options,
  });
  const answer = (status: number) => guard("input", () => ({ status }));
  return { clock, guard, answer };
};

test("outputs with a failure code open the circuit, and then the callee is not called", () => {
  const { guard, answer } = around();
  expect(
    [answer(500), answer(200), answer(503), answer(502)].map((reply) => (reply as Reply).status),
  ).toEqual([500, 200, 503, 502]);
  expect(guard.state).toBe("open");
  const rejection = (): unknown => {
    try {
      return guard("input", () => ({ status: 200 }));
    } catch (error) {
      return error;
    }
  };
  expect(rejection()).toBeInstanceOf(CircuitOpenError);
  expect(rejection()).toMatchObject({ status: 503, code: "BREAKER_OPEN", extras: { retry_after: 10 } });
});

test("errors count and pass through, thrown or rejected; an AbortError does not count", async () => {
  const { guard } = around();
  const boom = new Error("boom");
  const aborted = new DOMException("gone", "AbortError");
  await expect(guard("a", () => Promise.reject(boom))).rejects.toBe(boom);
  await expect(guard("a", () => Promise.reject(aborted))).rejects.toBe(aborted);
  expect(guard.state).toBe("closed");
  const fail = () => {
    throw boom;
  };
  expect(() => guard("a", fail)).toThrow(boom);
  expect(guard.state).toBe("open");
});

test.each([
  ["no reason", "closed", undefined],
  ["an error as the reason", "closed", new Error("the user pressed stop")],
  ["a disconnected client", "closed", new HttpError(400, "gone", { code: "CORE_CLIENT_DISCONNECTED" })],
  ["a timeout of a signal", "open", new DOMException("late", "TimeoutError")],
  ["a timeout of the framework", "open", new HttpError(504, "late")],
])("after an abort of the input with %s the circuit is %s", async (_case, state, reason) => {
  const guard = breaker<{ readonly signal: AbortSignal }, Reply>({ failureThreshold: 1 });
  const caller = new AbortController();
  const { signal } = caller;
  const call = guard(
    { signal },
    () =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  );
  caller.abort(reason);
  await expect(call).rejects.toBe(signal.reason);
  expect(guard.state).toBe(state);
});

test("the error of a disconnected client does not count for an input without a signal", async () => {
  const { guard } = around({ failureThreshold: 1 });
  const gone = new HttpError(400, "gone", { code: "CORE_CLIENT_DISCONNECTED" });
  await expect(guard("a", () => Promise.reject(gone))).rejects.toBe(gone);
  expect(guard.state).toBe("closed");
});

test("isFailure, isFailingError and fallback replace the defaults", () => {
  const guard = breaker<number, string>({
    failureThreshold: 1,
    isFailure: (output) => output === "bad",
    isFailingError: (error) => error instanceof TypeError,
    fallback: (retryAfterSecs, input) => `${input} waits ${retryAfterSecs} s`,
  });
  const fail = () => {
    throw new RangeError("no");
  };
  expect(() => guard(1, fail)).toThrow("no");
  expect(guard.state).toBe("closed");
  expect([guard(2, () => "bad"), guard(3, () => "good")]).toEqual(["bad", "3 waits 30 s"]);
});

test.each<[string, BreakerOptions<string, Reply>, () => Reply]>([
  [
    "isFailure",
    {
      isFailure: () => {
        throw new TypeError("no receipt");
      },
    },
    () => ({ status: 200 }),
  ],
  [
    "isFailingError",
    {
      isFailingError: () => {
        throw new TypeError("no receipt");
      },
    },
    () => {
      throw new Error("down");
    },
  ],
])(
  "a trial whose %s throws does not count, and frees its slot for the next trial",
  async (_, options, next) => {
    const { clock, guard } = around({ halfOpenTarget: 1, ...options });
    guard.trip();
    await clock.advance(10_000);
    for (let trial = 0; trial < 2; trial++) expect(() => guard("input", next)).toThrow("no receipt");
    await expect((async () => guard("input", async () => next()))()).rejects.toThrow("no receipt");
    expect(() => guard("input", next)).toThrow("no receipt");
  },
);

test("isFailure may depend on the input", () => {
  const guard = breaker<string, Reply>({
    failureThreshold: 1,
    isFailure: ({ status }, input) => input === "write" && status === 409,
    isFailingError: (_error, input) => input === "write",
  });
  const fail = () => {
    throw new Error("no");
  };
  void guard("read", () => ({ status: 409 }));
  expect(() => guard("read", fail)).toThrow("no");
  expect(guard.state).toBe("closed");
  void guard("write", () => ({ status: 409 }));
  expect(guard.state).toBe("open");
  guard.reset();
  expect(() => guard("write", fail)).toThrow("no");
  expect(guard.state).toBe("open");
});

test("a synchronous callee stays synchronous in every state", async () => {
  const { clock, guard, answer } = around({ halfOpenTarget: 1 });
  const seen = [answer(500), answer(500)];
  await clock.advance(10_000);
  seen.push(answer(200));
  expect([seen.some(isPromise), guard.state]).toEqual([false, "closed"]);
});

test("in a chain, a rejection becomes an output like other errors", async () => {
  const { guard } = around({ failureThreshold: 1 });
  const call = compose<string, Reply>(
    [guard],
    () => ({ status: 500 }),
    () => ({ status: 599 }),
  );
  expect([await call("a"), await call("b")]).toEqual([{ status: 500 }, { status: 599 }]);
});

test("trip and reset change the state, and each transition has the breaker's name", async () => {
  const seen: CircuitTransition[] = [];
  const { guard, answer, clock } = around({
    name: "payments",
    onTransition: (change) => void seen.push(change),
  });
  guard.trip();
  expect(() => answer(200)).toThrow("Circuit open");
  guard.reset();
  expect(answer(200)).toEqual({ status: 200 });
  guard.trip();
  await clock.advance(10_000);
  expect(guard.state).toBe("half-open");
  guard.reset();
  expect(seen.map(({ name, from, to }) => `${name}: ${from} > ${to}`)).toEqual([
    "payments: closed > open",
    "payments: open > closed",
    "payments: closed > open",
    "payments: open > half-open",
    "payments: half-open > closed",
  ]);
});

test("by default a breaker opens after 5 failures for 30 s and closes after 3 successes", async () => {
  const clock = virtualClock();
  const guard = breaker<null, Reply>({ clock });
  const answer = (status: number) => guard(null, () => ({ status }));
  for (const status of [500, 502, 503, 504]) void answer(status);
  expect(guard.state).toBe("closed");
  void answer(500);
  await clock.advance(29_999);
  expect(guard.state).toBe("open");
  await clock.advance(1);
  for (let time = 0; time < 2; time++) void answer(200);
  expect(guard.state).toBe("half-open");
  void answer(501);
  expect(guard.state).toBe("closed");
});

test("one error lists every mistake", () => {
  const make = () => breaker({ failureThreshold: 0, failureTreshold: 1 } as never);
  expect(make).toThrow("CircuitBreakerConfig.failureThreshold must");
  expect(make).toThrow('did you mean "failureThreshold"');
});
