import {
  type AppSettings,
  LimitsConfig,
  type Running,
  type RunOptions,
  TimeoutConfig,
} from "@framework/core";
import { collectLogs } from "./collected-logs.ts";

/** The part of an application that clients use; every `App` has it. */
export interface AppUnderTest {
  /** Starts the app without a port. */
  start(settings?: Partial<AppSettings>): Promise<unknown>;
  /** Returns the reply to a web request. */
  fetch(request: Request): Promise<Response>;
  /** Drains and stops the app. */
  stop(): Promise<void>;
  /** Serves the app on a port. */
  run(options?: RunOptions): Promise<Running>;
}

/**
 * Settings of the application during a test, the same for all clients; the command line and the environment are not read.
 *
 * `env` defaults to `"development"`, `debug` to true there, and `logs` to `debug`; `logs: false` omits request lines, also of features. Log lines
 * are collected, not printed; `log` also gets the lines of the framework, and features then write to their usual output.
 */
export type ServeOptions = Pick<
  RunOptions,
  "env" | "debug" | "logs" | "log" | "limits" | "timeouts" | "trustedProxies" | "transport"
>;

/** Names of the app's options, which the app validates. */
export const serveOptions: readonly (keyof ServeOptions)[] = [
  "env",
  "debug",
  "logs",
  "log",
  "limits",
  "timeouts",
  "trustedProxies",
  "transport",
];

/** Returns the settings of an app that is called with `fetch`. */
export const toAppSettings = (options: ServeOptions): Partial<AppSettings> => {
  const { env, debug, logs, log, limits, timeouts, trustedProxies } = withDefaults(options);
  return {
    env,
    debug,
    logs: logs ?? debug,
    quiet: logs === false,
    log,
    limits: LimitsConfig.of(limits),
    timeouts: TimeoutConfig.of(timeouts),
    trustedProxies: trustedProxies ?? [],
  };
};

/** Returns the options of `run` for an app that listens in the test's process, on any free port. */
export const toRunOptions = (options: ServeOptions): RunOptions => ({
  ...withDefaults(options),
  host: "127.0.0.1",
  port: 0,
  workers: 1,
  reload: false,
  argv: [],
  environment: {},
  exitOnError: false,
});

/** Picks the options of `run`, because the same object also has options of the client. */
const withDefaults = (options: ServeOptions) => {
  const { env = "development", debug = env === "development", log = collectLogs().log } = options;
  const { logs, limits, timeouts, trustedProxies, transport } = options;
  return { env, debug, logs, log, limits, timeouts, trustedProxies, transport };
};
