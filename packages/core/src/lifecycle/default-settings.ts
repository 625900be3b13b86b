import { LimitsConfig } from "../config/limits-config.ts";
import { TimeoutConfig } from "../config/timeout-config.ts";
import { inProcessState } from "../shared-state/in-process-state.ts";
import type { AppSettings, Environment } from "./app-settings.ts";
import { consoleLogger } from "../log/console-logger.ts";
import { redirectable } from "../log/redirectable.ts";

/** Settings of an app that is started without `run`: one process, `FRAMEWORK_ENV` or development, debug by the environment. */
export const defaultSettings = (given: Partial<AppSettings> = {}): AppSettings => {
  const env = given.env ?? defaultEnvironment();
  return {
    debug: env === "development",
    logs: false,
    workers: 1,
    limits: LimitsConfig.of(),
    timeouts: TimeoutConfig.of(),
    trustedProxies: [],
    shared: inProcessState(),
    log: redirectable(consoleLogger({ format: "text", write: (line) => console.error(line.trimEnd()) })),
    ...given,
    env,
  };
};

const defaultEnvironment = (): Environment => {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.["FRAMEWORK_ENV"] === "production" ? "production" : "development";
};
