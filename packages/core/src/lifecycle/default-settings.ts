import { LimitsConfig } from "../config/limits-config.ts";
import { TimeoutConfig } from "../config/timeout-config.ts";
import type { Problem } from "../errors/configuration-error.ts";
import { inProcessState } from "../shared-state/in-process-state.ts";
import type { AppSettings, Environment } from "./app-settings.ts";
import { consoleLogger } from "../log/console-logger.ts";
import { failsafeLog } from "../log/failsafe-log.ts";
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
    ...given,
    log: failsafeLog(given.log ?? redirectable(consoleLogger({ format: "text", write: toConsole }))),
    env,
  };
};

const toConsole = (line: string): void => console.error(line.trimEnd());

/** Returns what is wrong with the environment, which may come from a program without types or from a variable; `null` for a known one. */
export const environmentProblem = ({ env }: Pick<AppSettings, "env">): Problem | null => {
  if (environments.includes(env)) return null;
  const message = `env, or the variable FRAMEWORK_ENV, must be ${environments.join(" or ")}, not ${JSON.stringify(String(env).slice(0, 80))}`;
  return { code: "CORE_BAD_SETTING", message };
};

const environments: readonly Environment[] = ["development", "production"];

/** An unknown one is kept, so that the app does not start: in place of it, development would show stacks to clients. */
const defaultEnvironment = (): Environment => {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return (process?.env?.["FRAMEWORK_ENV"] || "development") as Environment; // checked at start
};
