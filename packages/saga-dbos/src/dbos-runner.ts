import type { Problem } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import type { SagaEngine } from "@framework/saga";
import { DbosEngine } from "./engine/dbos-engine.ts";
import { DbosRunnerConfig } from "./dbos-runner-config.ts";

const noUrl: Problem = {
  code: "SAGA_DBOS_NO_URL",
  message: "saga-dbos: dbosRunner needs `url`, the URL of a PostgreSQL database",
};

/**
 * Returns an engine that runs the sagas of an app on DBOS Transact, for `SagaConfig.runner`. Only one app per process may use it, because DBOS is a singleton.
 *
 * @throws CORE_BAD_CONFIG
 * @example
 * app.enableSaga({ runner: dbosRunner({ url: "postgres://localhost/books" }) });
 */
export const dbosRunner = (config: ConfigInput<DbosRunnerConfig>): SagaEngine => {
  const own = DbosRunnerConfig.of(config);
  const { url } = own;
  return {
    name: "DBOS",
    configProblems: () => (url === undefined ? [noUrl] : []),
    problems: () => [],
    open: (parts) => new DbosEngine(parts, { ...own, url: url ?? "" }),
  };
};
