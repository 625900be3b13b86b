import { checkInjections } from "./start/check-injections.ts";
import type { AnySaga } from "./definition/definition.ts";
import { SagaRegistry } from "./definition/registry.ts";
import { noInsight } from "./insight/insight.ts";
import type { OpenEngine, SagaEngine } from "./port/saga-engine.ts";
import type { SagaRunner } from "./port/saga-runner.ts";
import { classifier } from "./run/failure-class.ts";
import { noScopes } from "./run/step-calls.ts";
import { SagaConfig } from "./saga-config.ts";
import { sendProblems, type SagaSetParts } from "./saga-set.ts";

/** The sagas of an app that another engine runs. */
export class EngineSet {
  readonly config: Readonly<SagaConfig>;
  private readonly parts: SagaSetParts;
  private readonly engine: SagaEngine;
  readonly registry: SagaRegistry = new SagaRegistry();
  private readonly open: OpenEngine;
  private readonly appReady = Promise.withResolvers<void>();

  constructor(engine: SagaEngine, parts: SagaSetParts) {
    const {
      kernel,
      log = () => console,
      sender = () => null,
      insight = noInsight,
      scopes = noScopes,
    } = parts;
    this.parts = parts;
    this.engine = engine;
    this.config = SagaConfig.of(parts.config);
    for (const problem of engine.configProblems()) parts.problem(problem);
    const { classify, maxRetries, timeoutMs, stepTimeoutMs, undoTimeoutMs, concurrency, workers, keepSecs } =
      this.config;
    this.open = engine.open({
      kernel,
      registry: this.registry,
      limits: { maxRetries, timeoutMs, stepTimeoutMs, undoTimeoutMs },
      concurrency,
      workers,
      ready: this.appReady.promise,
      keepSecs,
      classOf: classifier(classify, log),
      sender,
      scopes,
      insight,
      log,
    });
  }

  get runner(): SagaRunner {
    return this.open.runner;
  }

  define(definition: AnySaga): void {
    const { name, version } = definition;
    checkInjections(definition, this.parts.scopes ?? noScopes);
    const problems = [
      ...this.registry.add(definition),
      ...this.engine.problems(definition),
      ...sendProblems(definition, this.parts.sender?.() ?? null),
    ];
    for (const problem of problems)
      this.parts.problem({
        code: "SAGA_BAD_DEFINITION",
        message: `saga ${name} version ${version} on ${this.engine.name}: ${problem}`,
      });
  }

  begin(): Promise<void> {
    return this.open.start();
  }

  /** Allows steps to run, once the whole app has started. */
  listen(): void {
    this.appReady.resolve();
  }

  end(): Promise<void> {
    return this.open.stop();
  }
}
