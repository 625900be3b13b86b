import {
  type Awaitable,
  type InferOutput,
  type Injections,
  retryPolicy,
  type StandardSchema,
} from "@framework/core";
import { isPromise, messageOf, unknownFields } from "@framework/core/feature";
import type { SagaContext, StepContext } from "./context.ts";
import type { SagaDefinition } from "./definition.ts";
import { definitionHash } from "./definition-hash.ts";
import { definitionProblems } from "./definition-problems.ts";
import { type Duration, durationMs } from "./duration.ts";
import { sendWork } from "./send-work.ts";
import type { Branch, Condition, Step, Work } from "./step.ts";
import type {
  AttemptOptions,
  CallBranch,
  CallOptions,
  CallRun,
  MakeBranch,
  MessageToSend,
  TxOptions,
  TxRun,
  WaitOptions,
} from "./step-options.ts";
import type { StoredOutput } from "./stored.ts";

/** Steps and mistakes so far; shared with the builders of `when`. */
interface StepList {
  readonly steps: Step[];
  readonly problems: string[];
}

/** Returns an empty list of steps. */
export const newSteps = (): StepList => ({ steps: [], problems: [] });

interface BuilderParts {
  readonly name: string;
  readonly version: number;
  readonly schema: StandardSchema | undefined;
  readonly list: StepList;
  readonly conditions: readonly Condition[];
}

/** Adds the output of a step to the outputs. */
type WithOutput<Outputs, Name extends string, Out> = Outputs & {
  readonly [K in Name]: StoredOutput<Awaited<Out>>;
};

const DEFAULT_WAIT: Duration = "24h";

/** Adds the steps of a saga in order; each step gets the outputs of the previous ones. Created by `saga`. */
export class SagaBuilder<CallerInput, Input, Outputs> {
  private readonly parts: BuilderParts;

  constructor(parts: BuilderParts) {
    this.parts = parts;
  }

  /**
   * Adds work in the app's database. Its changes and the record of the step are one transaction, so they happen exactly once; the function may run again
   * after a conflict.
   */
  tx<const Name extends string, Out, const Inject extends Injections | undefined = undefined>(
    name: Name,
    run: TxRun<Input, Outputs, Out, Inject>,
    options: TxOptions<Input, Outputs, Awaited<Out>, Inject> = {},
  ): SagaBuilder<CallerInput, Input, WithOutput<Outputs, Name, Out>> {
    return this.add({ kind: "tx", name, branches: [this.branch(name, "", { ...options, run })] });
  }

  /** Adds work outside the database, which runs at least once: pass `context.idempotencyKey` on, so that a repeated attempt has no second effect. */
  call<const Name extends string, Out, const Inject extends Injections | undefined = undefined>(
    name: Name,
    run: CallRun<Input, Outputs, Out, Inject>,
    options: CallOptions<Input, Outputs, Awaited<Out>, Inject> = {},
  ): SagaBuilder<CallerInput, Input, WithOutput<Outputs, Name, Out>> {
    return this.add({ kind: "call", name, branches: [this.branch(name, "", { ...options, run })] });
  }

  /** Adds calls that run concurrently; the output has the output of each branch. Branches that have succeeded do not run again while others are retried. */
  parallel<const Name extends string, Outs extends Record<string, unknown>>(
    name: Name,
    branches: (branch: MakeBranch<Input, Outputs>) => { readonly [K in keyof Outs]: CallBranch<Outs[K]> },
  ): SagaBuilder<CallerInput, Input, WithOutput<Outputs, Name, Outs>> {
    const callBranches: Record<string, CallBranch<unknown>> = branches((run, options) => ({
      work: { ...options, run },
    }));
    return this.add({
      kind: "call",
      name,
      branches: Object.entries(callBranches).map(([branch, value]) =>
        this.branch(name, branch, (value as CallBranch<unknown> | undefined)?.work as AnyWork | undefined),
      ),
    });
  }

  /** Waits for a message from `deliver`, without holding a worker; a message that arrived earlier counts. The output is its data. */
  waitFor<const Name extends string, S extends StandardSchema | undefined = undefined>(
    name: Name,
    { timeout = DEFAULT_WAIT, schema }: WaitOptions<S> = {},
  ): SagaBuilder<
    CallerInput,
    Input,
    WithOutput<Outputs, Name, S extends StandardSchema ? InferOutput<S> : unknown>
  > {
    return this.add({ kind: "wait", name, timeoutMs: durationMs(timeout) ?? NaN, schema });
  }

  /** Waits for a duration, without holding a worker. */
  sleep(duration: Duration): SagaBuilder<CallerInput, Input, Outputs> {
    const name = `sleep-${this.parts.list.steps.length + 1}`;
    return this.add({ kind: "sleep", name, ms: durationMs(duration) ?? NaN });
  }

  /** Adds the point of no return: once it has passed, nothing is compensated. A later step whose attempts all fail pauses the saga for an operator. */
  pivot(): SagaBuilder<CallerInput, Input, Outputs> {
    return this.add({ kind: "pivot", name: "pivot" });
  }

  /** Sends messages through the app's `@framework/messaging`, in the transaction that records the step: they are sent if and only if the step is done. */
  send<const Name extends string>(
    name: Name,
    messages: (context: StepContext<Input, Outputs>) => Awaitable<MessageToSend | readonly MessageToSend[]>,
    options: AttemptOptions = {},
  ): SagaBuilder<CallerInput, Input, WithOutput<Outputs, Name, void>> {
    const run = sendWork(messages as never);
    return this.add({ kind: "tx", name, branches: [this.branch(name, "", { ...options, run })] });
  }

  /**
   * Adds steps that are skipped, with `undefined` as output, unless a condition holds when they are reached.
   *
   * @param condition a pure function, evaluated when each of the steps is reached
   */
  when<More>(
    condition: (context: SagaContext<Input, Outputs>) => boolean,
    build: (branch: SagaBuilder<CallerInput, Input, Outputs>) => SagaBuilder<CallerInput, Input, More>,
  ): SagaBuilder<CallerInput, Input, Outputs & Partial<Omit<More, keyof Outputs>>> {
    const { conditions, list } = this.parts;
    if (typeof condition !== "function" || typeof build !== "function")
      list.problems.push("when needs two functions: a condition, and one that adds the steps");
    else
      build(new SagaBuilder({ ...this.parts, conditions: [...conditions, checked(condition as Condition)] }));
    return this as never;
  }

  /** Builds the definition. Mistakes are reported together when the app starts. */
  build(): SagaDefinition<CallerInput, Outputs> {
    const { name, version, schema: input, list } = this.parts;
    const steps = Object.freeze([...list.steps]);
    const problems = [...list.problems, ...definitionProblems({ name, version, input, steps })];
    return Object.freeze({ name, version, input, hash: definitionHash(steps), steps, problems });
  }

  private add<Next>(step: UnconditionalStep): Next {
    const { list, conditions } = this.parts;
    list.steps.push({ ...step, conditions } as Step);
    return this as never;
  }

  /** @param options `undefined` for a branch that `branch` did not make */
  private branch(step: string, name: string, options: AnyWork = { run: undefined }): Branch {
    const { run, undo, check, onUnknown, retry, timeoutMs, inject } = options;
    const label = name === "" ? `"${step}"` : `"${step}" branch "${name}"`;
    this.parts.list.problems.push(...unknownFields(label, options, optionNames));
    return {
      name,
      run: run as Work["run"],
      undo: (undo as Work["undo"] | undefined) ?? null,
      check: (check as Work["check"] | undefined) ?? null,
      onUnknown: onUnknown ?? (check === undefined ? "retry" : "check"),
      retry: retry === undefined ? null : this.checkedRetry(step, retry),
      timeoutMs: timeoutMs ?? null,
      inject,
    };
  }

  private checkedRetry(step: string, retry: NonNullable<AttemptOptions["retry"]>): Work["retry"] {
    try {
      retryPolicy(retry);
      return retry;
    } catch (error) {
      this.parts.list.problems.push(`"${step}": ${messageOf(error)}`);
      return null;
    }
  }
}

/** Returns a condition that throws a TypeError instead of returning a promise, which would always count as true. */
const checked =
  (condition: Condition): Condition =>
  (context) => {
    const holds: unknown = condition(context);
    if (!isPromise(holds)) return Boolean(holds);
    holds.then(undefined, () => {}); // a rejection without a listener would end the process
    throw new TypeError("saga: a condition of `when` returned a promise; it must not be async");
  };

const optionNames: readonly (keyof AnyWork)[] = [
  "run",
  "undo",
  "check",
  "onUnknown",
  "retry",
  "timeoutMs",
  "inject",
];

type UnconditionalStep = Step extends infer S ? (S extends Step ? Omit<S, "conditions"> : never) : never;

interface AnyWork extends Omit<CallOptions<never, never, never>, "undo" | "check" | "inject"> {
  readonly run: unknown;
  readonly inject?: Injections | undefined;
  readonly undo?: unknown;
  readonly check?: unknown;
}
