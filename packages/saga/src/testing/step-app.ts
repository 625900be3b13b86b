import { App, type Logger } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { scopesOf } from "../app-scopes.ts";
import type { AnySaga } from "../definition/definition.ts";
import { checkInjections } from "../start/check-injections.ts";
import { noScopes, type StepScopes } from "../run/step-calls.ts";

/** An app that only resolves the dependencies of steps. */
export interface StepApp {
  readonly scopes: StepScopes;
  stop(): Promise<void>;
}

const quiet: Logger = { info() {}, warn() {}, error() {} };

/** Starts an app for the steps of a saga. @throws ConfigurationError for dependencies that `provide` does not register */
export const startStepApp = async (
  definition: AnySaga,
  provide: ((app: App) => unknown) | undefined,
): Promise<StepApp> => {
  let scopes = noScopes;
  const steps: Feature<object> = {
    name: "steps",
    install(host) {
      scopes = scopesOf(host);
      return {};
    },
  };
  const app = new (App.with(steps))();
  await provide?.(app);
  checkInjections(definition, scopes);
  await app.start({ log: quiet });
  return { scopes, stop: () => app.stop() };
};
