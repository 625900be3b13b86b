import type { ConfigInput } from "@framework/core/feature";
import type { SagaEngine } from "@framework/saga";
import { DbosEngine } from "./engine/dbos-engine.ts";
import { DbosRunnerConfig } from "./dbos-runner-config.ts";

/**
 * Runs the sagas of an app on DBOS Transact: the value of `SagaConfig.runner`. One app of a process may have it, because DBOS exists once in a process.
 *
 * @throws CORE_BAD_CONFIG
 * @example
 * app.enableSaga({ runner: dbosRunner({ url: "postgres://localhost/books" }) });
 */
export const dbosRunner = (config: ConfigInput<DbosRunnerConfig>): SagaEngine => {
  const own = DbosRunnerConfig.of(config);
  return { name: "DBOS", problems: () => [], open: (parts) => new DbosEngine(parts, own) };
};
