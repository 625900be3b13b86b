import { FrameworkError } from "@framework/core";
import { type ConfigInput, type Host, systemClock } from "@framework/core/feature";
import type { Kernel } from "@framework/durable/feature";
import { adminRoutes } from "./admin/admin-routes.ts";
import { sagaPanel } from "./admin/saga-panel.ts";
import { timeMachinePanel } from "./admin/time-machine-panel.ts";
import { scopesOf } from "./app-scopes.ts";
import { notADefinition } from "./checked-calls.ts";
import type { AnySaga } from "./definition/definition.ts";
import type { MessageSender } from "./definition/send-work.ts";
import { reportSagas } from "./insight/report.ts";
import { Survey } from "./insight/survey.ts";
import { Sweep } from "./insight/sweep.ts";
import { SagaConfig } from "./saga-config.ts";
import { EngineSet } from "./engine-set.ts";
import { SagaSet, type SagaSetParts } from "./saga-set.ts";

/** Methods of optional features, present if they are composed before this one. */
export interface OtherFeatures {
  /** The method of `@framework/messaging`. */
  readonly messaging?: MessageSender;
}

const NOT_ENABLED = "saga: sagas are not enabled; call enableSaga()";

/** The sagas of an app. `define` and `enable` may be called in any order, before the start. */
export class SagaApp {
  private readonly host: Host;
  private readonly kernel: Kernel;
  private readonly needs: OtherFeatures;
  private readonly defined: AnySaga[] = [];
  private built: SagaSet | EngineSet | null = null;

  /** @param needs the methods of all earlier features */
  constructor(host: Host, kernel: Kernel, needs: OtherFeatures) {
    this.host = host;
    this.kernel = kernel;
    this.needs = needs;
    host.check(() =>
      this.built === null && this.defined.length > 0
        ? [{ code: "SAGA_NOT_ENABLED", message: NOT_ENABLED }]
        : [],
    );
  }

  enable(input: ConfigInput<SagaConfig> | undefined): void {
    const { host, kernel, needs } = this;
    const config = host.configure(SagaConfig, input);
    const log = () => host.life.settings.log;
    kernel.use("enableSaga");
    const parts: SagaSetParts = {
      kernel,
      config,
      log,
      problem: (problem) => host.problem(problem),
      sender: () => needs.messaging ?? null,
      scopes: scopesOf(host),
      insight: {
        get operations() {
          return insight.operations;
        },
        countAttempt: (saga, end) => insight.countAttempt(saga, end),
        trace: () => insight.trace(),
      },
    };
    const { runner: engine } = config;
    const set = engine === undefined ? new SagaSet(parts) : new EngineSet(engine, parts);
    const survey = new Survey({ db: () => kernel.db, registry: set.registry, clock: systemClock, log });
    const insight = reportSagas(host.insight, survey);
    host.life.onStart({ name: "saga", run: () => set.begin() });
    if (set instanceof EngineSet) this.scheduleEngine(set);
    else this.scheduleUpkeep(survey, config.keepSecs);
    if (config.admin !== undefined) adminRoutes(host, config.admin, () => set.runner);
    const { panel, close } = timeMachinePanel(() => set.registry.all(), {
      prepare: config.prepareTimeMachine,
      scopes: parts.scopes,
    });
    host.insight.panel(sagaPanel(() => set.runner)).panel(panel);
    host.life.onStop({ name: "saga", run: close });
    this.built = set;
    for (const definition of this.defined) set.define(definition);
  }

  /** Runs steps from the listening phase to the drain. A start that fails before the listening phase only stops the engine. */
  private scheduleEngine(set: EngineSet): void {
    const { life } = this.host;
    life.onListening({ name: "saga", run: () => set.listen() });
    life.onDrain(() => set.end());
    life.onStop({ name: "saga", run: () => set.end() });
  }

  /** Counts unfinished instances and removes ended ones in the app's database; other engines have their own storage. */
  private scheduleUpkeep(survey: Survey, keepSecs: number): void {
    const { host, kernel } = this;
    const sweep = new Sweep({ kernel, keepSecs, clock: systemClock, log: () => host.life.settings.log });
    host.life.onListening({ name: "saga", run: () => (sweep.begin(), survey.begin()) });
    host.life.onDrain(async () => void (await Promise.all([survey.end(), sweep.end()])));
  }

  define(definition: AnySaga): void {
    this.host.check(() => []); // throws after the start
    const problem = notADefinition(definition);
    if (problem !== null) return this.host.problem(problem);
    this.defined.push(definition);
    this.built?.define(definition);
  }

  /** @throws SAGA_NOT_ENABLED; CORE_NOT_STARTED before the app's start */
  get running(): SagaSet | EngineSet {
    const { forOperators } = this;
    void this.host.life.settings;
    return forOperators;
  }

  /** The sagas for reads and decisions of operators, which need only the database and so also work on an app that is not started. @throws SAGA_NOT_ENABLED */
  get forOperators(): SagaSet | EngineSet {
    if (this.built === null) throw new FrameworkError("SAGA_NOT_ENABLED", NOT_ENABLED);
    return this.built;
  }
}
