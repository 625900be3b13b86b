// Handling of each kind of failure, with a worker that the test drives.
import { FrameworkError } from "@framework/core";
import { expect, test } from "@jest/globals";
import { failureClass, saga, SagaReject } from "./index.ts";
import { because, bench, lost } from "./bench.test-kit.ts";

test("transient errors are retried as often as the configuration says, with growing delays, then the saga is undone", async () => {
  const calls: number[] = [];
  const undone: unknown[] = [];
  const definition = saga("s", 1)
    .call(
      "flaky",
      ({ attempt }) => {
        calls.push(attempt);
        throw new Error("503");
      },
      { undo: (_, output) => void undone.push(output) },
    )
    .build();
  await using own = await bench(definition, { maxRetries: 2 });
  const id = await own.start();
  await own.worker.runAll();
  expect(calls).toEqual([1]);
  await own.pass(1000);
  expect(calls).toEqual([1, 2]);
  await own.pass(1000);
  expect(calls).toEqual([1, 2]);
  await own.pass(1000);
  expect(calls).toEqual([1, 2, 3]);
  const info = await own.info(id);
  expect([info.status, info.error?.message, undone]).toEqual(["compensated", "503", [undefined]]);
});

test("the retry policy of a step takes precedence, and a saga continues when the step recovers", async () => {
  const definition = saga("s", 1)
    .tx(
      "flaky",
      ({ attempt }) => {
        if (attempt < 5) throw new Error("later");
        return attempt;
      },
      { retry: { attempts: 9, delayMs: 0 } },
    )
    .build();
  await using own = await bench(definition, { maxRetries: 0 });
  const id = await own.start();
  await own.worker.runAll();
  expect(await own.info(id)).toMatchObject({ status: "completed", steps: [{ attempts: 5, output: 5 }] });
});

const createRevokedProxy = (): unknown => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

test.each<readonly [string, () => unknown, string]>([
  [
    "an error whose message is not a string",
    () => Object.assign(new Error(), { message: { busy: true } }),
    '{"busy":true}',
  ],
  [
    "an error whose message cannot be converted to a string",
    () => Object.assign(new Error(), { message: Object.create(null) }),
    "{}",
  ],
  [
    "an error whose code is an object",
    () => Object.assign(new Error("no"), { code: Object.create(null) }),
    "no",
  ],
  [
    "an error whose code cannot be read",
    () =>
      Object.defineProperty(new Error("no"), "code", {
        get() {
          throw new Error("getter");
        },
      }),
    "no",
  ],
  [
    "a proxy whose get trap throws",
    () =>
      new Proxy(
        {},
        {
          get() {
            throw new Error("trap");
          },
        },
      ),
    expect.any(String) as unknown as string,
  ],
  ["a revoked proxy", createRevokedProxy, expect.any(String) as unknown as string],
  ["undefined", () => undefined, "undefined"],
  ["null", () => null, "null"],
])(
  "%s that a step throws counts as an attempt, like any other error",
  async (_what, createError, message) => {
    const fails = (): never => {
      throw createError();
    };
    const retry = { attempts: 2, delayMs: 0 };
    for (const definition of [
      saga("s", 1).call("flaky", fails, { retry }).build(),
      saga("s", 1).tx("flaky", fails, { retry }).build(),
    ]) {
      await using own = await bench(definition);
      const id = await own.start();
      await own.worker.runAll();
      expect(await own.info(id)).toMatchObject({
        status: "compensated",
        error: { message },
        steps: [{ attempts: 2 }],
      });
      const again = (await own.worker.runner.timeline(id)).filter(({ event }) => event === "again");
      expect(again).toMatchObject([{ step: "flaky", note: message }]);
    }
  },
);

test("a programming error pauses the saga and undoes nothing; after the repair it continues", async () => {
  let isBroken = true;
  let undos = 0;
  const definition = saga("s", 1)
    .call("paid", () => 1, { undo: () => void undos++ })
    .call("typo", () => {
      if (isBroken) throw new TypeError("x is not a function");
    })
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.pass(5000);
  expect([(await own.info(id)).status, undos]).toEqual(["paused", 0]);
  isBroken = false;
  expect(await own.worker.runner.retry(id, because)).toBe(true);
  await own.worker.runAll();
  expect((await own.info(id)).status).toBe("completed");
  expect((await own.worker.runner.timeline(id)).map(({ event }) => event)).toContain("retry");
});

test("an output that cannot be stored is a programming error", async () => {
  const definition = saga("s", 1)
    .call("big", () => "x".repeat(1_100_000))
    .tx("odd", () => 1n)
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.worker.runAll();
  expect(await own.info(id)).toMatchObject({ status: "paused", error: { code: "SAGA_BAD_VALUE" } });
  await own.worker.runner.skip(id, because);
  await own.worker.runAll();
  expect(await own.info(id)).toMatchObject({
    status: "paused",
    position: 1,
    error: { code: "SAGA_BAD_VALUE" },
  });
});

test("only the failed branches of a parallel step are repeated", async () => {
  const ran: string[] = [];
  const run =
    (name: string, failures: number) =>
    ({ attempt }: { readonly attempt: number }) => {
      ran.push(`${name} ${attempt}`);
      if (attempt <= failures) throw new Error("later");
      return name;
    };
  const definition = saga("s", 1)
    .parallel("all", (branch) => ({ a: branch(run("a", 0)), b: branch(run("b", 2)), c: branch(run("c", 1)) }))
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.pass(5000);
  expect(ran).toEqual(["a 1", "b 1", "c 1", "b 2", "c 2", "b 3"]);
  expect((await own.info(id)).status).toBe("completed");
});

test.each([
  [new SagaReject("no"), "reject"],
  [new TypeError("x is undefined"), "bug"],
  [
    new TypeError("fetch failed", { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) }),
    "transient",
  ],
  [new RangeError("x"), "bug"],
  [Object.assign(new Error("1 MiB"), { code: "MESSAGING_TOO_LARGE" }), "bug"],
  [Object.assign(new Error("n is missing"), { code: "EVENTS_INVALID_DATA" }), "bug"],
  [Object.assign(new Error("evolve threw; the events are stored"), { code: "EVENTS_EVOLVE_FAILED" }), "bug"],
  [Object.assign(new Error("evolve returned a promise"), { code: "EVENTS_BAD_DECIDER" }), "bug"],
  [new Error("503"), "transient"],
  ["text", "transient"],
  [Object.assign(new Error("gone"), { name: "DatabaseUnavailableError" }), "machinery"],
  [Object.assign(new Error("?"), { name: "CommitUnknownError" }), "machinery"],
  [lost(), "machinery"],
  [Object.assign(new Error("stop"), { name: "AbortError" }), "transient"],
])("%s is classified as %s", (error, kind) => {
  expect(failureClass(error)).toBe(kind);
});

test("a step's retry policy takes the omitted fields from the configuration", async () => {
  let attempts = 0;
  const definition = saga("s", 1)
    .call(
      "flaky",
      () => {
        attempts++;
        throw new Error("down");
      },
      { retry: { jitter: 0 } },
    )
    .build();
  await using own = await bench(definition, { maxRetries: 4 });
  await own.start();
  await own.worker.runAll();
  await own.time.advance(900);
  await own.worker.runAll();
  expect(attempts).toBe(1); // the first delay is 1 s
  await own.pass(30_000);
  expect(attempts).toBe(5);
});

test.each(["DURABLE_BAD_WORK", "JOBS_BAD_INPUT", "MESSAGING_BAD_MESSAGE"])(
  "%s, for work or a message that a step adds, is a programming error: the saga is paused, and nothing is undone",
  async (code) => {
    let undos = 0;
    const definition = saga("s", 1)
      .call("paid", () => 1, { undo: () => void undos++ })
      .tx("announce", () => {
        throw new FrameworkError(code, "not JSON");
      })
      .build();
    await using own = await bench(definition);
    const id = await own.start();
    await own.pass(30_000);
    expect([(await own.info(id)).status, undos]).toEqual(["paused", 0]);
  },
);
