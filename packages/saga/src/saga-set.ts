import type { ConfigInput, Clock } from "@framework/core/feature";
import { systemClock } from "@framework/core/feature";
import type { Logger, Problem } from "@framework/core";
import type { Kernel } from "@framework/durable/feature";
import type { AnySaga } from "./definition/definition.ts";
import { checkInjections } from "./start/check-injections.ts";
import { isSending, type MessageSender } from "./definition/send-work.ts";
import { SagaRegistry } from "./definition/registry.ts";
import { branchesOf } from "./definition/step.ts";
import { type Insight, noInsight } from "./insight/insight.ts";
import { GRACE_MS } from "./limits.ts";
import { LocalRunner } from "./local-runner.ts";
import { classifier } from "./run/failure-class.ts";
import { runInstance } from "./run/runner.ts";
import type { RunnerParts } from "./run/runner-parts.ts";
import { noScopes, type StepScopes } from "./run/step-calls.ts";
import { SagaConfig } from "./saga-config.ts";
import { SagaStore } from "./store/saga-store.ts";
import { SAGA_TABLES, sagaTables } from "./store/saga-tables.ts";
import { checkDefinitions } from "./start/check-definitions.ts";
import { Cancellations } from "./run-queue/cancellations.ts";
import { KernelRunQueue } from "./run-queue/kernel-run-queue.ts";

/** Dependencies of `SagaSet` and `EngineSet`. */
export interface SagaSetParts {
  readonly kernel: Kernel;
  readonly config?: ConfigInput<SagaConfig>;
  /** Called with each mistake in a definition, or in the options of an engine. */
  readonly problem: (problem: Problem) => void;
  readonly log?: () => Logger;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Returns the message sender; `null` if there is none. */
  readonly sender?: () => MessageSender | null;
  readonly insight?: Insight;
  /** Resolves the dependencies of steps. @default no dependencies */
  readonly scopes?: StepScopes;
}

/** The sagas of one app, or of a kernel without an app. */
export class SagaSet {
  readonly runner: LocalRunner;
  readonly registry: SagaRegistry = new SagaRegistry();
  readonly config: Readonly<SagaConfig>;
  private readonly parts: SagaSetParts;
  private readonly queue: KernelRunQueue;
  private readonly store: SagaStore;

  constructor(parts: SagaSetParts) {
    const { kernel, log = () => console, clock = systemClock } = parts;
    this.parts = parts;
    this.config = SagaConfig.of(parts.config);
    kernel.tables(SAGA_TABLES, sagaTables);
    this.store = new SagaStore({ db: () => kernel.db, now: () => kernel.now });
    const cancelledOf = (ids: readonly string[]): Promise<readonly string[]> => this.store.cancelledOf(ids);
    this.queue = new KernelRunQueue(kernel, new Cancellations({ kernel, clock, cancelledOf }), log);
    this.runner = new LocalRunner({
      store: this.store,
      queue: this.queue,
      registry: this.registry,
      transaction: (run) => kernel.transaction(run),
      trace: () => parts.insight?.trace(),
    });
  }

  define(definition: AnySaga): void {
    const { name, version } = definition;
    checkInjections(definition, this.parts.scopes ?? noScopes);
    const problems = [
      ...this.registry.add(definition),
      ...sendProblems(definition, this.parts.sender?.() ?? null),
    ];
    for (const problem of problems)
      this.parts.problem({
        code: "SAGA_BAD_DEFINITION",
        message: `saga ${name} version ${version}: ${problem}`,
      });
    if (problems.length > 0) return;
    const { workers, concurrency, stepTimeoutMs } = this.config;
    this.queue.open({
      name,
      version,
      concurrency: workers ? concurrency : 0,
      maxRunMs: maxRunMs(definition, stepTimeoutMs),
      run: (claim) => runInstance(this.runnerParts, definition, claim),
    });
  }

  /** Compares the definitions with the stored hashes of running instances, once the tables exist. @throws SAGA_CHANGED */
  async begin(): Promise<void> {
    await checkDefinitions(this.parts.kernel.db, this.registry.all());
  }

  private get runnerParts(): RunnerParts {
    const { kernel, log = () => console, clock = systemClock, random = Math.random } = this.parts;
    const { sender = () => null, insight = noInsight, scopes = noScopes } = this.parts;
    const { classify, ...limits } = this.config;
    return {
      store: this.store,
      transaction: (run) => kernel.transaction(run),
      clock,
      random,
      limits,
      classOf: classifier(classify, log),
      sender,
      scopes,
      insight,
      log,
    };
  }
}

/** Returns the maximum duration of a run: all steps, each with its time limit and grace period, and then their undos. */
const maxRunMs = ({ steps }: AnySaga, stepTimeoutMs: number): number => {
  const limits = steps.map((step) => branchesOf(step).map(({ timeoutMs }) => timeoutMs ?? stepTimeoutMs));
  return (
    2 *
    limits.reduce((sum, branches) => sum + (branches.length === 0 ? 0 : Math.max(...branches) + GRACE_MS), 0)
  );
};

/** Returns the problems of steps that send messages in an app without messaging. */
export const sendProblems = ({ steps }: AnySaga, sender: MessageSender | null): readonly string[] =>
  sender !== null
    ? []
    : steps
        .filter((step) => branchesOf(step).some(isSending))
        .map(({ name }) => `"${name}" sends messages, which needs the feature messaging before this one`);
