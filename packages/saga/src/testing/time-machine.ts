import type { App } from "@framework/core";
import { type Database, openDatabase } from "@framework/database";
import type { TableClock } from "@framework/durable/testing";
import type { AnySaga, SagaDefinition } from "../definition/definition.ts";
import { type Duration, durationMs } from "../definition/duration.ts";
import type { MessageSender } from "../definition/send-work.ts";
import type { Insight } from "../insight/insight.ts";
import { type Delivered, type SagaMessage } from "../messages/deliver.ts";
import type { SagaInfo, TimelineEntry } from "../operate/saga-info.ts";
import { placeOf } from "../run/saga-run.ts";
import type { RunLimits } from "../run/runner-parts.ts";
import type { StepScopes } from "../run/step-calls.ts";
import { undoPlan } from "../run/undo-plan.ts";
import { startStepApp } from "./step-app.ts";
import { HandWorker, prepareDatabase } from "./hand-worker.ts";

/** Options of a time machine. */
export interface TimeMachineOptions {
  /** Limits, as in `SagaConfig`. @default those of the configuration */
  readonly limits?: Partial<RunLimits>;
  /** What sends messages. @default none */
  readonly sender?: MessageSender | null;
  /** Creates the tables that the steps use, in the empty database. @default none */
  readonly prepare?: ((db: Database) => Promise<unknown>) | undefined;
  /** Registers the dependencies of the steps, on an app of the machine's own. @default none */
  readonly provide?: ((app: App) => unknown) | undefined;
}

/** Options inside of the package. */
export interface MachineOptions extends Omit<TimeMachineOptions, "provide"> {
  /** Where the steps find their dependencies. */
  readonly scopes?: StepScopes | undefined;
}

/** Where a worker is lost. */
export interface LostAfter {
  /** Number of the attempt, from 1, over all steps and undos of this run, that takes effect and is not recorded. */
  readonly crashAfter?: number;
}

/** One saga on a database in memory, whose time and crashes a test decides. */
export interface TimeMachine<Input> extends AsyncDisposable {
  /** Starts the instance. */
  start(input: Input, key?: string): Promise<void>;
  /** Runs until nothing is due, or until the worker is lost. The next call is another worker, which resumes. Returns whether the worker was lost. */
  run(lost?: LostAfter): Promise<boolean>;
  /** Lets time pass. It does not run what is due then. */
  advance(duration: Duration): Promise<void>;
  /** Delivers a message to the instance. */
  deliver(message: Omit<SagaMessage, "key">): Promise<Delivered>;
  /** Cancels the instance. */
  cancel(): Promise<void>;
  /** The instance with what its steps did. */
  info(): Promise<SagaInfo>;
  /** What happened so far. */
  timeline(): Promise<readonly TimelineEntry[]>;
  /** What would be undone now, in order: names of steps, with `/` and the branch. */
  plan(): Promise<readonly string[]>;
  /** Starts anew with the same input, in an empty database at the first time. */
  replay(): Promise<void>;
}

/**
 * Creates a time machine for one saga: its worker can be lost after any step, time passes when the test says so, and nothing is random.
 *
 * @example
 * await using machine = await timeMachine(checkout);
 * await machine.start({ book: "Emma" });
 * await machine.run({ crashAfter: 2 });
 * console.log(await machine.plan());
 * await machine.run();
 */
export const timeMachine = async <Input>(
  definition: SagaDefinition<Input>,
  { provide, ...options }: TimeMachineOptions = {},
): Promise<TimeMachine<Input>> => {
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

/** Creates a time machine whose steps find their dependencies in an app that is there. */
export const openMachine = async <Input>(
  definition: SagaDefinition<Input>,
  options: MachineOptions,
): Promise<TimeMachine<Input>> => {
  let place = await openPlace(options);
  let started: { readonly id: string; readonly input: Input; readonly key: string } | null = null;
  const instance = (): NonNullable<typeof started> => {
    if (started === null) throw new Error("start the saga first");
    return started;
  };
  const worker = (crashAfter = Infinity): HandWorker =>
    new HandWorker(place.db, place.time, [definition], { ...options, insight: losing(crashAfter) });
  const start = async (input: Input, key = "key"): Promise<void> => {
    started = { ...(await worker().runner.start(definition, input, { key })), input, key };
  };
  return {
    start,
    run: ({ crashAfter } = {}) => runUntilLost(worker(crashAfter)),
    advance: (duration) => place.time.advance(durationMs(duration) ?? 0),
    deliver: (message) => worker().runner.deliver(definition, { ...message, key: instance().key }),
    cancel: async () => void (await worker().runner.cancel(instance().id, { reason: "the test" })),
    info: () => infoOf(worker(), instance().id),
    timeline: () => worker().runner.timeline(instance().id),
    plan: () => planOf(worker(), place.db, definition, instance().id),
    async replay() {
      const { input, key } = instance();
      await place.db.close();
      place = await openPlace(options);
      await start(input, key);
    },
    [Symbol.asyncDispose]: () => place.db.close(),
  };
};

const openPlace = async ({
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

/** An error as the machinery has it when a worker is lost: it is never recorded. */
const workerLost = (): Error => Object.assign(new Error("the worker is lost"), { code: "DURABLE_LOST" });

/** Loses the worker when the given number of attempts have taken effect. */
const losing = (crashAfter: number): Insight => {
  let attempts = 0;
  return {
    operations: {
      run: async (input, work) => {
        const output = await work(input);
        if (++attempts >= crashAfter) throw workerLost();
        return output;
      },
    },
    ended() {},
    trace: () => undefined,
  };
};

const runUntilLost = async (worker: HandWorker): Promise<boolean> => {
  try {
    await worker.runAll();
    return false;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === "DURABLE_LOST") return true;
    throw error;
  }
};

const infoOf = async ({ runner }: HandWorker, id: string): Promise<SagaInfo> => {
  const info = await runner.get(id);
  if (info === null) throw new Error("the saga is not there any more");
  return info;
};

const planOf = async (
  { store }: HandWorker,
  db: Database,
  definition: AnySaga,
  id: string,
): Promise<readonly string[]> => {
  const saga = await store.load(db, id);
  return saga === null ? [] : undoPlan(definition, saga).map(({ step, branch }) => placeOf(step, branch));
};
