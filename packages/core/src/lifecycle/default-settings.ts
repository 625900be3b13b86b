import { givenFields } from "../config/given-fields.ts";
import { LimitsConfig } from "../config/limits-config.ts";
import { TimeoutConfig } from "../config/timeout-config.ts";
import { unknownFields } from "../config/config-record.ts";
import { isOptions, describeValue } from "../config/wrong-value.ts";
import type { Problem } from "../errors/configuration-error.ts";
import { inProcessState } from "../shared-state/in-process-state.ts";
import type { AppSettings, Environment } from "./app-settings.ts";
import { consoleLogger } from "../log/console-logger.ts";
import { failsafeLog } from "../log/failsafe-log.ts";
import { redirectable } from "../log/redirectable.ts";

/** Settings of an app that is started without `run`: one process, `FRAMEWORK_ENV` or development, debug only in development. */
export const defaultSettings = (settings: Partial<AppSettings> = {}): AppSettings => {
  const given = isOptions(settings) ? settings : {};
  const env = given.env ?? defaultEnvironment();
  const log = failsafeLog(given.log ?? redirectable(consoleLogger({ format: "text", write: toConsole })));
  return {
    ...given,
    env,
    debug: given.debug ?? env === "development",
    logs: given.logs ?? false,
    workers: given.workers ?? 1,
    shared: given.shared ?? inProcessState({ log }),
    limits: { ...LimitsConfig.of(), ...(isOptions(given.limits) && givenFields(given.limits)) },
    timeouts: { ...TimeoutConfig.of(), ...(isOptions(given.timeouts) && givenFields(given.timeouts)) },
    trustedProxies: isTexts(given.trustedProxies) ? given.trustedProxies : [],
    log,
  };
};

const settingNames: readonly string[] = Object.keys({
  env: 0,
  debug: 0,
  logs: 0,
  quiet: 0,
  workers: 0,
  limits: 0,
  timeouts: 0,
  trustedProxies: 0,
  shared: 0,
  own: 0,
  log: 0,
} satisfies Record<keyof AppSettings, 0>);

/** Returns the mistakes in the settings of `start` that would otherwise have no effect or fail only on use. */
export const startProblems = (settings: Partial<AppSettings> = {}): Problem[] => {
  const messages = isOptions(settings)
    ? unknownFields("the settings object of start", settings, settingNames)
    : [`start takes an object of settings, such as { env: "production" }, not ${describeValue(settings)}`];
  return [
    ...[...messages, ...wrongTypes(Object(settings) as Partial<Settings>)].map((message) => ({
      code: "CORE_BAD_SETTING",
      message,
    })),
    ...recordProblems(Object(settings) as Partial<Settings>),
    ...logProblems(settings),
  ];
};

const wrongTypes = (settings: Partial<Settings>): string[] => {
  const { limits = {}, timeouts = {}, trustedProxies = [], workers = 1 } = settings;
  const wrong = (["debug", "logs", "quiet"] as const).filter(
    (name) => settings[name] !== undefined && typeof settings[name] !== "boolean",
  );
  return [
    ...wrong.map((name) => `${name} of start must be true or false, not ${describeValue(settings[name])}`),
    ...(Number.isSafeInteger(workers) && Number(workers) > 0
      ? []
      : [`workers of start must be a whole number above 0, not ${describeValue(workers)}`]),
    ...(isOptions(limits) ? [] : ["limits of start must be a record, such as LimitsConfig.of()"]),
    ...(isOptions(timeouts) ? [] : ["timeouts of start must be a record, such as TimeoutConfig.of()"]),
    ...(isTexts(trustedProxies) ? [] : ["trustedProxies must be a list of addresses"]),
    ...(["shared", "own"] as const)
      .filter((name) => settings[name] !== undefined && !isSharedState(settings[name]))
      .map(
        (name) =>
          `${name} of start must be a shared state, such as inProcessState(), not ${describeValue(settings[name])}`,
      ),
  ];
};

/** Returns the mistakes in the fields of the records. */
const recordProblems = ({ limits, timeouts }: Partial<Settings>): Problem[] =>
  [
    ...(isOptions(limits) ? LimitsConfig.read({ ...limits }).problems : []),
    ...(isOptions(timeouts) ? TimeoutConfig.read({ ...timeouts }).problems : []),
  ].map((message) => ({ code: "CORE_BAD_CONFIG", message }));

/** Settings of an untyped program. */
type Settings = Readonly<Record<keyof AppSettings, unknown>>;

const isSharedState = (value: unknown): boolean =>
  ["values", "permits", "totals"].every((port) => isOptions(Object(value)[port]));

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

/** Returns a problem if `log` is given and is not a logger. */
export const logProblems = (settings: { readonly log?: unknown }): Problem[] => {
  const log: unknown = settings?.log; // `null` is reported already
  if (log === undefined || levels.every((level) => typeof Object(log)[level] === "function")) return [];
  const message = `log must be an object with the functions info, warn and error, such as console, not ${describeValue(log)}`;
  return [{ code: "CORE_BAD_SETTING", message }];
};

const levels = ["info", "warn", "error"] as const;

const toConsole = (line: string): void => console.error(line.trimEnd());

/** Returns the problem of an unknown environment, which may come from an untyped program or from FRAMEWORK_ENV. */
export const environmentProblems = ({ env }: Pick<AppSettings, "env">): readonly Problem[] => {
  if (environments.includes(env)) return [];
  const message = `env, or the variable FRAMEWORK_ENV, must be ${environments.join(" or ")}, not ${describeValue(env)}`;
  return [{ code: "CORE_BAD_SETTING", message }];
};

const environments: readonly Environment[] = ["development", "production"];

/**
 * Returns the environment from FRAMEWORK_ENV. An unknown value is returned as well, so that the start fails: a fallback to development would show stack traces to
 * clients.
 */
const defaultEnvironment = (): Environment => {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return (process?.env?.["FRAMEWORK_ENV"] || "development") as Environment; // checked at start
};
