// Above 250 lines: every test replays a script from the same kind of records.
import { saga, SagaReject } from "@framework/saga";
import { type AnySaga, failureText } from "@framework/saga/feature";
import { expect, test } from "@jest/globals";
import { replay, type StepRecord } from "../view/replay.ts";
import type { EffectResult, AttemptResult, Effect, SagaInput, PlannedAttempt } from "./effect.ts";
import { Progress, type SagaStart } from "./progress.ts";
import { sagaScript } from "./saga-script.ts";

const start = (definition: AnySaga): SagaStart => ({
  key: "k",
  input: "null",
  hash: definition.hash,
  trace: null,
  limits: { maxRetries: 3, timeoutMs: 300_000, stepTimeoutMs: 30_000, undoTimeoutMs: 86_400_000 },
});

/** Runs a script without waiting, and records its effects. @param isLost whether the process of an effect is lost */
const recordsOf = (
  definition: AnySaga,
  inputs: (SagaInput | null)[] = [],
  isLost: (name: string) => boolean = () => false,
): readonly StepRecord[] => {
  const records: StepRecord[] = [];
  const add = (name: string, output: unknown): unknown => {
    records.push({ name, output, endedAt: records.length });
    return output;
  };
  const attempt = ({ name, branch, isUndo, attempt: number, mayHaveRun }: PlannedAttempt): AttemptResult => {
    if (isLost(name)) return { end: "lost", ms: 0 };
    try {
      const context = { outputs: {}, attempt: number, mayHaveRun } as never;
      const output = isUndo
        ? branch.undo?.(context, null as never, null as never)
        : branch.run(context, null as never);
      return { end: "done", output: JSON.stringify(output) ?? null, ms: 1 };
    } catch (error) {
      const end = SagaReject.is(error) ? "reject" : error instanceof TypeError ? "bug" : "transient";
      return {
        end,
        error: failureText(error),
        isOver: end !== "transient" || number >= 3,
        isUnknown: mayHaveRun && branch.check !== null,
        delayMs: 1,
        ms: 1,
      };
    }
  };
  const perform = (effect: Effect): EffectResult => {
    if (effect.kind === "now") return add(effect.name, 0) as number;
    if (effect.kind === "conditions")
      return add(effect.name, isLost(effect.name) ? { isLost: true } : { holds: true }) as EffectResult;
    if (effect.kind === "receive")
      return add("DBOS.recv", effect.until === 0 ? null : (inputs.shift() ?? null)) as EffectResult;
    return effect.attempts.map((planned) => add(planned.name, attempt(planned)) as AttemptResult);
  };
  const script = sagaScript(new Progress(definition, "id", start(definition), 0));
  for (let step = script.next(); step.done !== true;) {
    if (step.value.kind === "receive" && step.value.until === Infinity && inputs.length === 0) break;
    step = script.next(perform(step.value));
  }
  return records;
};

const stateAfter = (definition: AnySaga, records: readonly StepRecord[]): Progress =>
  replay(definition, { id: "id", start: start(definition), createdAt: 0, records });

const statusAfter = (definition: AnySaga, records: readonly StepRecord[]): string =>
  stateAfter(definition, records).saga.status;

const cases: readonly (readonly [string, AnySaga, SagaInput[], string])[] = [
  [
    "completed",
    saga("s", 1)
      .call("a", () => 1)
      .parallel("both", (branch) => ({ b: branch(() => 2), c: branch(() => 3) }))
      .waitFor("news")
      .sleep("1h")
      .when(
        () => true,
        (branch) => branch.call("d", () => 4),
      )
      .build(),
    [{ kind: "message", name: "news", data: "1" }],
    "completed",
  ],
  [
    "refused",
    saga("s", 1)
      .call("a", () => 1, { undo: () => {} })
      .call("b", () => {
        throw new SagaReject("no");
      })
      .build(),
    [],
    "compensated",
  ],
  [
    "cancelled in a wait",
    saga("s", 1)
      .call("a", () => 1, { undo: () => {} })
      .waitFor("news")
      .build(),
    [{ kind: "decision", verb: "cancel", reason: "why not", output: null, revision: 0 }],
    "compensated",
  ],
  [
    "paused by a bug",
    saga("s", 1)
      .call("a", () => {
        throw new TypeError("typo");
      })
      .build(),
    [],
    "paused",
  ],
];

test.each(cases)(
  "every replay of the records of a saga that is %s yields that status",
  (_, definition, inputs, end) => {
    const records = recordsOf(definition, [...inputs]);
    expect(statusAfter(definition, records)).toBe(end);
    expect(statusAfter(definition, records)).toBe(end);
  },
);

test.each(cases)(
  "each prefix of the records of a saga that is %s can be replayed, with a timeline that only grows",
  (_, definition, inputs) => {
    const records = recordsOf(definition, [...inputs]);
    let before = 0;
    for (let count = 0; count <= records.length; count++) {
      const part = records.slice(0, count);
      const { timeline } = replay(definition, {
        id: "id",
        start: start(definition),
        createdAt: 0,
        records: part,
      });
      expect(timeline.length).toBeGreaterThanOrEqual(before);
      before = timeline.length;
    }
  },
);

test("a decision about an earlier pause has no effect on a later one", () => {
  const definition = saga("s", 1)
    .call("a", () => {
      throw new TypeError("typo");
    })
    .build();
  const retry = { kind: "decision", verb: "retry", reason: "again", output: null } as const;
  const paused = replay(definition, {
    id: "id",
    start: start(definition),
    createdAt: 0,
    records: recordsOf(definition),
  }).saga;
  const records = recordsOf(definition, [
    { ...retry, revision: paused.revision },
    { ...retry, revision: paused.revision },
  ]);
  const { timeline } = replay(definition, { id: "id", start: start(definition), createdAt: 0, records });
  expect(timeline.map(({ event }) => event)).toEqual(["start", "pause", "retry", "pause"]);
});

const oneCall = saga("s", 1)
  .call("a", () => 1, { undo: () => {} })
  .build();
const decision = { kind: "decision", reason: "the test", output: null } as const;

test("ten processes that are lost in a row during an attempt pause the saga, and an operator's decision continues it", () => {
  let losses = 0;
  const loseTenTimes = (): boolean => ++losses <= 10;
  const records = recordsOf(oneCall, [], loseTenTimes);
  const { saga: paused, timeline } = stateAfter(oneCall, records);
  expect(paused).toMatchObject({ status: "paused", branches: [{ status: "started", attempts: 1 }] });
  expect(paused.error).toContain("SAGA_WORKERS_LOST");
  expect(timeline.map(({ event }) => event)).toEqual(["start", "pause"]);
  const { revision } = paused;
  const after = (verb: "retry" | "skip" | "settle" | "cancel"): string => {
    losses = 0;
    return statusAfter(oneCall, recordsOf(oneCall, [{ ...decision, verb, revision }], loseTenTimes));
  };
  expect([after("retry"), after("skip"), after("settle"), after("cancel")]).toEqual([
    "completed",
    "completed",
    "completed",
    "compensated",
  ]);
});

test("nine lost processes in each step do not pause a saga", () => {
  const definition = saga("s", 1)
    .call("a", () => 1)
    .call("b", () => 2)
    .build();
  const losses = new Map<string, number>();
  const loseNineTimes = (name: string): boolean => {
    const step = name.split(" ")[1] ?? "";
    const count = (losses.get(step) ?? 0) + 1;
    losses.set(step, count);
    return count <= 9;
  };
  expect(statusAfter(definition, recordsOf(definition, [], loseNineTimes))).toBe("completed");
});

test("a saga is stuck after ten processes are lost in an undo", () => {
  const definition = saga("s", 1)
    .call("a", () => 1, { undo: () => {} })
    .call("b", () => {
      throw new SagaReject("no");
    })
    .build();
  const records = recordsOf(definition, [], (name) => name.includes("undo"));
  expect(stateAfter(definition, records).saga).toMatchObject({ status: "stuck" });
});

test("ten processes that are lost during conditions pause the saga", () => {
  const definition = saga("s", 1)
    .when(
      () => true,
      (branch) => branch.call("a", () => 1),
    )
    .build();
  const records = recordsOf(definition, [], (name) => name.includes("conditions"));
  const { saga: paused } = stateAfter(definition, records);
  expect(paused).toMatchObject({ status: "paused" });
  expect(paused.error).toContain("SAGA_WORKERS_LOST");
});

test("whether an attempt took effect stays unknown until check returns, even after an operator's retry", () => {
  const seen: [number, boolean][] = [];
  const definition = saga("s", 1)
    .call(
      "a",
      (context) => {
        const { attempt, mayHaveRun } = context as typeof context & { readonly mayHaveRun: boolean };
        seen.push([attempt, mayHaveRun]);
        if (seen.length === 1) throw new Error("check did not answer");
        if (seen.length === 2) throw new TypeError("typo in check");
      },
      { check: () => null },
    )
    .build();
  const retry = { ...decision, verb: "retry", revision: 3 } as const;
  const records = recordsOf(definition, [null, retry], (name) => name === "1: a, attempt 1");
  expect(statusAfter(definition, records)).toBe("completed");
  expect(seen).toEqual([
    [1, true],
    [2, true],
    [1, true],
  ]);
});

test("an attempt that DBOS recorded as an error counts as a programming error, so that the instance can be shown", () => {
  const definition = saga("s", 1)
    .call("a", () => 1)
    .build();
  const records = recordsOf(definition).map((record) =>
    record.name.includes("a, attempt 1") ? { ...record, output: null } : record,
  );
  const { saga: paused } = stateAfter(definition, records);
  expect(paused).toMatchObject({ status: "paused", branches: [{ status: "failed" }] });
  expect(paused.error).toContain("recorded no result");
});

test("conditions that DBOS recorded as an error pause the saga", () => {
  const definition = saga("s", 1)
    .when(
      () => true,
      (branch) => branch.call("a", () => 1),
    )
    .build();
  const records = recordsOf(definition).map((record) =>
    record.name.includes("conditions") ? { ...record, output: null } : record,
  );
  expect(stateAfter(definition, records).saga).toMatchObject({ status: "paused" });
});
