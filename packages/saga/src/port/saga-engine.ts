import type { Logger, Problem } from "@framework/core";
import type { Kernel } from "@framework/durable/feature";
import type { AnySaga } from "../definition/definition.ts";
import type { SagaRegistry } from "../definition/registry.ts";
import type { MessageSender } from "../definition/send-work.ts";
import type { Insight } from "../insight/insight.ts";
import type { FailureClass } from "../run/failure-class.ts";
import type { RunLimits } from "../run/runner-parts.ts";
import type { StepScopes } from "../run/step-calls.ts";
import type { SagaRunner } from "./saga-runner.ts";

/** Dependencies of an engine. */
export interface EngineParts {
  /** The kernel of the app; its database is available after the start. */
  readonly kernel: Kernel;
  /** Definitions of this process; complete once the engine starts. */
  readonly registry: SagaRegistry;
  /** Limits of `enableSaga`. */
  readonly limits: RunLimits;
  /** Maximum number of concurrent attempts of one version in this process. */
  readonly concurrency: number;
  /** Whether this process runs sagas. */
  readonly workers: boolean;
  /** Resolves when the whole app has started; the engine must not run a step before. */
  readonly ready: Promise<void>;
  /** Retention of ended instances, in seconds. */
  readonly keepSecs: number;
  /** Classifies a failure: by the rule of the configuration, then by the rules of the package. */
  readonly classOf: (error: unknown) => FailureClass;
  /** Returns the app's message sender; `null` if there is none. */
  readonly sender: () => MessageSender | null;
  /** Resolves the dependencies of steps; pass it to `doStep`, `undoStep` and `checkStep`. */
  readonly scopes: StepScopes;
  /** Reports attempts to traces and metrics. */
  readonly insight: Insight;
  /** Returns the app's log. */
  readonly log: () => Logger;
}

/** An engine in one app. */
export interface OpenEngine {
  /** Starts, shows and changes instances. */
  readonly runner: SagaRunner;
  /** Connects to the engine, so that sagas can be started; the app's database is ready. An error, such as SAGA_CHANGED, keeps the app from starting. */
  start(): Promise<void>;
  /** Stops the work of this process; other processes continue. May be called more than once, and after a failed start. */
  stop(): Promise<void>;
}

/** An adapter to a workflow engine, for `SagaConfig.runner`. Its README must list unsupported features, and the start must reject them. */
export interface SagaEngine {
  /** Name of the engine, for messages. */
  readonly name: string;
  /** Returns mistakes in the engine's own options; with any, the app does not start. */
  configProblems(): readonly Problem[];
  /** Returns the parts of a definition that the engine does not support; with any, the app does not start. */
  problems(definition: AnySaga): readonly string[];
  /** Creates the engine of an app, before the app's start. */
  open(parts: EngineParts): OpenEngine;
}
