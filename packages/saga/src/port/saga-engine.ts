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

/** What an engine gets of the app. */
export interface EngineParts {
  /** The app's durable work and, from the start on, its database. */
  readonly kernel: Kernel;
  /** Definitions of this process; complete when the engine starts. */
  readonly registry: SagaRegistry;
  /** Limits of `enableSaga`. */
  readonly limits: RunLimits;
  /** Attempts of one version that run in this process at a time. */
  readonly concurrency: number;
  /** Whether this process runs sagas. */
  readonly workers: boolean;
  /** Resolves when the whole app is up; run no step before. */
  readonly ready: Promise<void>;
  /** How long ended instances are kept, in seconds. */
  readonly keepSecs: number;
  /** Returns the class of a failure: by the rules of the configuration, then by those of the package. */
  readonly classOf: (error: unknown) => FailureClass;
  /** Returns what sends the app's messages; `null` without messaging. */
  readonly sender: () => MessageSender | null;
  /** Where the functions of steps find their dependencies: `doStep`, `undoStep` and `askStep` call them so. */
  readonly scopes: StepScopes;
  /** Observes attempts, for traces and metrics. */
  readonly insight: Insight;
  /** Returns the app's log. */
  readonly log: () => Logger;
}

/** An engine in one app. */
export interface OpenEngine {
  /** Starts, shows and changes instances. */
  readonly runner: SagaRunner;
  /** Begins to run sagas; the app's database is ready. @throws what keeps the app from starting, such as SAGA_CHANGED */
  start(): Promise<void>;
  /** Ends the work of this process; other processes go on. */
  stop(): Promise<void>;
}

/** An adapter to a workflow engine, for `SagaConfig.runner`. Its package says in a table what it cannot do, and refuses that at start. */
export interface SagaEngine {
  /** Name of the engine, for messages. */
  readonly name: string;
  /** Returns mistakes in the engine's own options; the app does not start then. */
  configProblems(): readonly Problem[];
  /** Returns what the engine cannot do of a definition; the app does not start then. */
  problems(definition: AnySaga): readonly string[];
  /** Connects the engine with an app, before the app's start. */
  open(parts: EngineParts): OpenEngine;
}
