import { type ConfigInput, type Feature, markHandled } from "@framework/core/feature";
import type { DatabaseMethods } from "@framework/database";
import type { DurableMethods } from "@framework/durable";
import { kernelOf } from "@framework/durable/feature";
import { checkedCalls } from "./checked-calls.ts";
import type { AnySaga } from "./definition/definition.ts";
import type { SagaRunner } from "./port/saga-runner.ts";
import { type OtherFeatures, SagaApp } from "./saga-app.ts";
import type { SagaConfig } from "./saga-config.ts";

/** The methods that the feature adds to an app. */
export interface SagaMethods {
  /**
   * Enables sagas on the app's database.
   *
   * @throws CORE_BAD_CONFIG, SAGA_BAD_DEFINITION at start, together with all other configuration errors; SAGA_CHANGED once the tables are prepared
   */
  enableSaga(config?: ConfigInput<SagaConfig>): this;
  /** Sagas of the app. */
  readonly saga: Sagas;
}

/** Sagas of an app. */
export interface Sagas extends SagaRunner {
  /** Adds a saga, before the start. Every process of the app that defines it runs its instances, unless `SagaConfig.workers` is `false`. */
  define(definition: AnySaga): this;
}

/**
 * Sagas on the app's database: steps that survive crashes, compensation, retries, waits, and decisions of operators.
 *
 * @example
 * const app = new (App.with(database, durable, sagas))().enableDatabase().enableSaga();
 * app.saga.define(checkout);
 * const { id } = await app.saga.start(checkout, { book: "Emma" }, { key: "order-7" });
 */
export const sagas: Feature<SagaMethods, DatabaseMethods & DurableMethods> = {
  name: "saga",
  requires: { members: ["db", "durable"], example: "App.with(database, durable, sagas)" },
  install: (host, needs) => {
    const app = new SagaApp(host, kernelOf(needs), needs as OtherFeatures); // `needs` has the methods of all earlier features
    const methods = sagasOf(app);
    return {
      enableSaga(config) {
        app.enable(config);
        return this;
      },
      get saga() {
        return methods;
      },
    };
  },
};

const sagasOf = (app: SagaApp): Sagas => {
  const runner = async (): Promise<SagaRunner> => checkedCalls(app.running.runner);
  const forOperators = async (): Promise<SagaRunner> => checkedCalls(app.forOperators.runner);
  return {
    define(definition) {
      app.define(definition);
      return this;
    },
    start: (definition, input, options) =>
      markHandled(runner().then((own) => own.start(definition, input, options))),
    deliver: (definition, message, options) =>
      markHandled(runner().then((own) => own.deliver(definition, message, options))),
    get: (id) => markHandled(forOperators().then((own) => own.get(id))),
    list: (filter) => markHandled(forOperators().then((own) => own.list(filter))),
    timeline: (id) => markHandled(forOperators().then((own) => own.timeline(id))),
    cancel: (id, decision) => markHandled(forOperators().then((own) => own.cancel(id, decision))),
    retry: (id, decision) => markHandled(forOperators().then((own) => own.retry(id, decision))),
    skip: (id, decision) => markHandled(forOperators().then((own) => own.skip(id, decision))),
    settle: (id, decision) => markHandled(forOperators().then((own) => own.settle(id, decision))),
  };
};
