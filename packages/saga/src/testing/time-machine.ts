import { type App, FrameworkError } from "@framework/core";
import { type Database, openDatabase } from "@framework/database";
import type { TableClock } from "@framework/durable/testing";
import { notADefinition } from "../checked-calls.ts";
import type { AnySaga, SagaDefinition } from "../definition/definition.ts";
import { type Duration, durationMs } from "../definition/duration.ts";
import type { MessageSender } from "../definition/send-work.ts";
import { badValue } from "../errors/saga-errors.ts";
import type { Insight } from "../insight/insight.ts";
import { type DeliveryResult, type SagaMessage } from "../messages/deliver.ts";
import type { SagaInfo, TimelineEntry } from "../operate/saga-info.ts";
import { stepLabel } from "../run/saga-run.ts";
import type { RunLimits } from "../run/runner-parts.ts";
import type { StepScopes } from "../run/step-calls.ts";
import { undoPlan } from "../run/undo-plan.ts";
import { startStepApp } from "./step-app.ts";
import { ManualWorker, prepareDatabase } from "./manual-worker.ts";

/** Options of a time machine. */
export interface TimeMachineOptions {
  /** Limits, as in `SagaConfig`. @default the defaults of `SagaConfig` */
  readonly limits?: Partial<RunLimits>;
  /** Message sender. @default none */
  readonly sender?: MessageSender | null;
  /** Creates the tables that the steps use, in the empty database. @default none */
  readonly prepare?: ((db: Database) => Promise<unknown>) | undefined;
  /** Registers the dependencies of the steps on the machine's own app; may return a promise. @default none */
  readonly provide?: ((app: App) => unknown) | undefined;
}

/** Internal options. */
export interface MachineOptions extends Omit<TimeMachineOptions, "provide"> {
  /** Resolves the dependencies of steps. */
  readonly scopes?: StepScopes | undefined;
}

/** Simulated loss of a worker. */
export interface LostAfter {
  /**
   * Number of the attempt after which the worker is lost. Counts from 1, over all attempts of this run, at steps and undos. Of an attempt at a call, neither
   * its effect nor its failure is recorded; an attempt at a `tx` step has been committed, or rolled back if it failed.
   */
  readonly crashAfter?: number;
}

/** One saga on an in-memory database, whose time and crashes a test controls. */
export interface TimeMachine<Input> extends AsyncDisposable {
  /** Starts the instance. */
  start(input: Input, key?: string): Promise<void>;
  /** Runs until nothing is due, or until the worker is lost; the next call resumes with a new worker. Concurrent calls run one after the other. Returns whether the worker was lost. */
  run(lost?: LostAfter): Promise<boolean>;
  /** Advances the time. Does not run the saga. @throws SAGA_BAD_VALUE for a value that is not a duration */
  advance(duration: Duration): Promise<void>;
  /** Delivers a message to the instance. */
  deliver(message: Omit<SagaMessage, "key">): Promise<DeliveryResult>;
  /** Cancels the instance. */
  cancel(): Promise<void>;
  /** Returns the instance with its steps. */
  info(): Promise<SagaInfo>;
  /** Returns the timeline of the instance. */
  timeline(): Promise<readonly TimelineEntry[]>;
  /** Returns the steps that a cancellation would undo now, in order, with `/` and the branch if there is one. */
  plan(): Promise<readonly string[]>;
  /** Restarts the saga with the same input, on a new database at the initial time. */
  replay(): Promise<void>;
}

/**
 * Creates a time machine for one saga, for deterministic tests: the test advances the time, and can simulate the loss of the worker after any attempt.
 *
 * @example
 * await using machine = await timeMachine(checkout);
 * await machine.start({ book: "Emma" });
 * await machine.run({ crashAfter: 2 });
 * console.log(await machine.plan());
 * await machine.run();
 *
 * @throws SAGA_BAD_DEFINITION for a definition with mistakes
 */
export const timeMachine = async <Input>(
  definition: SagaDefinition<Input>,
  { provide, ...options }: TimeMachineOptions = {},
): Promise<TimeMachine<Input>> => {
  checkDefinition(definition);
  const { scopes, stop } = await startStepApp(definition, provide);
  try {
    const machine = await openMachine(definition, { ...options, scopes });
    const close = async (): Promise<void> => {
      try {
        await machine[Symbol.asyncDispose]();
      } finally {
        await stop();
      }
    };
    return { ...machine, [Symbol.asyncDispose]: close };
  } catch (error) {
    await stop();
    throw error;
  }
};

const checkDefinition = (definition: AnySaga): void => {
  const invalid = notADefinition(definition, "timeMachine");
  if (invalid !== null) throw new FrameworkError(invalid.code, invalid.message);
  const { name, version, problems } = definition;
  if (problems.length === 0) return;
  const message = `saga ${name} version ${version}: ${problems.join("; ")}`;
  throw new FrameworkError("SAGA_BAD_DEFINITION", message);
};

/** Creates a time machine whose steps get their dependencies from an existing app. */
export const openMachine = async <Input>(
  definition: SagaDefinition<Input>,
  options: MachineOptions,
): Promise<TimeMachine<Input>> => {
  let storage = await openStorage(options);
  let last: Promise<unknown> = Promise.resolve();
  /** Runs calls one at a time: two concurrent runs would call the same step. */
  const inOrder = <T>(call: () => Promise<T>): Promise<T> => {
    const result = last.then(call);
    last = result.catch(() => {}); // the caller gets the error
    return result;
  };
  let started: { readonly id: string; readonly input: Input; readonly key: string } | null = null;
  const instance = (): NonNullable<typeof started> => {
    if (started === null) throw new Error("start the saga first");
    return started;
  };
  const worker = (crashAfter = Infinity): ManualWorker =>
    new ManualWorker(storage.db, storage.time, [definition], {
      ...options,
      insight: crashingInsight(crashAfter),
    });
  const start = async (input: Input, key = "key"): Promise<void> => {
    started = { ...(await worker().runner.start(definition, input, { key })), input, key };
  };
  return {
    start,
    run: ({ crashAfter } = {}) => inOrder(() => runUntilLost(worker(crashAfter))),
    advance: async (duration) => await storage.time.advance(checkedDuration(duration)),
    deliver: (message) => worker().runner.deliver(definition, { ...message, key: instance().key }),
    cancel: async () => void (await worker().runner.cancel(instance().id, { reason: "the test" })),
    info: () => infoOf(worker(), instance().id),
    timeline: () => worker().runner.timeline(instance().id),
    plan: () => planOf(worker(), storage.db, definition, instance().id),
    replay: () =>
      inOrder(async () => {
        const { input, key } = instance();
        const next = await openStorage(options);
        await storage.db.close();
        storage = next;
        await start(input, key);
      }),
    [Symbol.asyncDispose]: () => storage.db.close(), // does not wait for a step that may never end
  };
};

const checkedDuration = (duration: Duration): number => {
  const ms = durationMs(duration);
  if (ms !== null) return ms;
  throw badValue(
    `${JSON.stringify(duration)} is not a duration: milliseconds, or a whole number with a unit, such as "30s" or "24h"`,
  );
};

const openStorage = async ({
  prepare,
}: MachineOptions): Promise<{ readonly db: Database; readonly time: TableClock }> => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  try {
    await prepare?.(db);
    return { db, time: await prepareDatabase(db) };
  } catch (error) {
    await db.close();
    throw error;
  }
};

/** Returns the error of a lost worker, which is not recorded as a failed attempt. */
const workerLost = (): Error => Object.assign(new Error("the worker is lost"), { code: "DURABLE_LOST" });

/** Simulates the loss of the worker after a number of attempts. */
const crashingInsight = (crashAfter: number): Insight => {
  let attempts = 0;
  return {
    operations: {
      run: async (input, work) => {
        const [end] = await Promise.allSettled([Promise.try(() => work(input))]);
        if (++attempts >= crashAfter) throw workerLost();
        if (end.status === "rejected") throw end.reason;
        return end.value;
      },
    },
    countAttempt() {},
    trace: () => undefined,
  };
};

const runUntilLost = async (worker: ManualWorker): Promise<boolean> => {
  try {
    await worker.runAll();
    return false;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === "DURABLE_LOST") return true;
    throw error;
  }
};

const infoOf = async ({ runner }: ManualWorker, id: string): Promise<SagaInfo> => {
  const info = await runner.get(id);
  if (info === null) throw new Error("the saga no longer exists");
  return info;
};

const planOf = async (
  { store }: ManualWorker,
  db: Database,
  definition: AnySaga,
  id: string,
): Promise<readonly string[]> => {
  const saga = await store.load(db, id);
  return saga === null ? [] : undoPlan(definition, saga).map(({ step, branch }) => stepLabel(step, branch));
};
