import { ClusterConfig } from "../../config/cluster-config.ts";
import { LimitsConfig } from "../../config/limits-config.ts";
import { TimeoutConfig } from "../../config/timeout-config.ts";
import { isOptions, describeValue } from "../../config/wrong-value.ts";
import type { Problem } from "../../errors/configuration-error.ts";
import type { AppSettings, Environment } from "../../lifecycle/app-settings.ts";
import { logProblems } from "../../lifecycle/default-settings.ts";
import { nearest } from "../../errors/nearest.ts";
import type { Flags } from "./flags.ts";
import type { RunOptions, TransportName } from "./run-options.ts";
import { settingWarnings } from "./setting-warnings.ts";
import { readTls, type TlsConfig } from "./tls-config.ts";

/** The source of a setting's value. */
type Source = "flag" | "run" | "environment" | "default";

/** The settings whose source the banner shows. */
export type SettingName = "host" | "port" | "env" | "debug" | "workers" | "reload" | "logs" | "transport";

/** The settings of `run` before anything starts; logger and shared state are added later. */
export interface RunSettings extends Omit<AppSettings, "shared" | "log"> {
  readonly host: string;
  readonly port: number;
  readonly reload: boolean;
  readonly cluster: ClusterConfig;
  readonly tls: TlsConfig | undefined;
  readonly transport: TransportName;
  readonly sources: Readonly<Record<SettingName, Source>>;
  /** One banner line for each setting of the program that a variable overrides. */
  readonly notes: readonly string[];
  /** Warnings about allowed but probably mistaken settings, for the banner. */
  readonly warnings: readonly Problem[];
}

/** Settings, or all mistakes in them. */
export interface ResolvedSettings {
  readonly settings: RunSettings;
  readonly problems: readonly Problem[];
}

/** Facts about the machine and the command line. */
export interface SettingInputs {
  readonly flags: Flags;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** CPUs that this process may use, within container limits. */
  readonly cpus: number;
  /** Whether the process runs in a container. @default false */
  readonly inContainer?: boolean;
}

/** Determines every setting: flag, else environment variable, else `run` argument, else default. */
export const resolveSettings = (
  given: RunOptions,
  { flags, environment, cpus, inContainer = false }: SettingInputs,
): ResolvedSettings => {
  const options: RunOptions = isOptions(given) ? given : {};
  const pick = picker(options, flags, environment);
  const problems = optionProblems(given);
  const check = <T>(
    chosen: ChosenSetting,
    fallback: T,
    wanted: string,
    isValid: (value: unknown) => boolean,
  ): T => {
    if (isValid(chosen.value)) return chosen.value as T;
    if (chosen.value !== undefined) problems.push(badSetting(chosen, wanted));
    return fallback;
  };

  const chosen = {
    host: pick("host", "HOST"),
    port: pick("port", "PORT", toNumber),
    env: pick("env", "FRAMEWORK_ENV"),
    debug: pick("debug"),
    workers: pick("workers"),
    reload: pick("reload"),
    logs: pick("logs"),
    transport: pick("transport", "FRAMEWORK_TRANSPORT"),
  } satisfies Record<SettingName, ChosenSetting>;

  const env = check<Environment>(chosen.env, "development", "development or production", isEnvironment);
  const debug = check(chosen.debug, env === "development", "true or false", isBoolean);
  const defaultWorkers = env === "production" && !debug ? cpus : 1;
  const reload = check(chosen.reload, false, "true or false", isBoolean);
  const workers = check(
    chosen.workers,
    defaultWorkers,
    "a whole number from 1 to 1024",
    wholeNumber(1, 1024),
  );
  const read = [
    LimitsConfig.read(options.limits),
    TimeoutConfig.read(options.timeouts),
    ClusterConfig.read(options.cluster),
  ] as const;
  const tls = readTls(options.tls);
  const messages = [...read, tls].flatMap((record) => record?.problems ?? []);
  problems.push(...messages.map((message) => ({ code: "CORE_BAD_CONFIG", message })));

  const settings: RunSettings = {
    host: check(chosen.host, "127.0.0.1", "an address or host name, without scheme and port", isHost),
    port: check(chosen.port, 8000, "a whole number from 0 to 65535", wholeNumber(0, 65_535)),
    env,
    debug,
    workers: reload ? 1 : workers,
    reload,
    logs: check(chosen.logs, debug, "true or false", isBoolean),
    quiet: chosen.logs.value === false,
    limits: read[0].value,
    timeouts: read[1].value,
    cluster: read[2].value,
    tls: tls?.value,
    transport: check<TransportName>(chosen.transport, "fast", "node or fast", isTransport),
    trustedProxies: readProxies(options, problems),
    sources: sourcesOf(chosen),
    notes: Object.values(chosen).flatMap(({ note }) => note ?? []),
    warnings: [],
  };
  const facts = {
    ...settings,
    inContainer,
    hostIsDefault: chosen.host.source === "default",
    workersIsDefault: chosen.workers.source === "default",
  };
  return { settings: { ...settings, warnings: settingWarnings(facts, workers) }, problems };
};

interface ChosenSetting {
  readonly name: string;
  readonly value: unknown;
  readonly source: Source;
  /** A line for the banner if a variable overrides the program's value. */
  readonly note?: string;
}

const picker =
  (options: RunOptions, flags: Flags, environment: SettingInputs["environment"]) =>
  (
    name: SettingName,
    variable?: string,
    parse: (text: string) => unknown = (text) => text,
  ): ChosenSetting => {
    if (flags[name] !== undefined) return { name: `--${name}`, value: flags[name], source: "flag" };
    const own = options[name];
    const text = variable === undefined ? undefined : environment[variable];
    if (variable === undefined || text === undefined || text === "" || isAnyPort(name, own))
      return { name, value: own, source: own === undefined ? "default" : "run" };
    const value = parse(text);
    const note =
      own === undefined || own === value
        ? {}
        : { note: `${variable}=${text} replaces ${name} ${describeValue(own)} of the program` };
    return { name: `the variable ${variable}`, value, source: "environment", ...note };
  };

/** Whether the program chose port 0, as tests and embedded programs do; PORT in the environment must not override it. */
const isAnyPort = (name: SettingName, own: unknown): boolean => name === "port" && own === 0;

const toNumber = (text: string): unknown => (/^\d{1,9}$/.test(text) ? Number(text) : text);

const isTransport = (value: unknown): boolean => value === "node" || value === "fast";
const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const isEnvironment = (value: unknown): boolean => value === "development" || value === "production";
const wholeNumber =
  (min: number, max: number) =>
  (value: unknown): boolean =>
    Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;
/** Whether a value is a host name or an address. A resolver's error for a URL, port or bracket would be unclear. */
const isHost = (value: unknown): boolean =>
  typeof value === "string" &&
  value.length <= 253 &&
  (/^[A-Za-z0-9._-]+$/.test(value) || /^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(%[A-Za-z0-9._-]+)?$/.test(value)) &&
  !/^[^:]+:\d+$/.test(value);

const badSetting = ({ name, value }: ChosenSetting, wanted: string): Problem => ({
  code: "CORE_BAD_SETTING",
  message: `${name} must be ${wanted}, not ${describeValue(value)}`,
});

const optionNames: readonly string[] = Object.keys({
  host: 0,
  port: 0,
  debug: 0,
  env: 0,
  workers: 0,
  reload: 0,
  logs: 0,
  limits: 0,
  timeouts: 0,
  cluster: 0,
  tls: 0,
  transport: 0,
  trustedProxies: 0,
  argv: 0,
  environment: 0,
  log: 0,
  exitOnError: 0,
} satisfies Record<keyof RunOptions, 0>);

/** Returns the mistakes that `resolveSettings` does not find when it reads the options. */
const optionProblems = (options: RunOptions): Problem[] =>
  isOptions(options)
    ? [...unknownOptions(options), ...logProblems(options), ...exitProblems(options)]
    : [
        {
          code: "CORE_BAD_SETTING",
          message: `run takes an object of options, such as { port: 8000 }, not ${describeValue(options)}`,
        },
      ];

const exitProblems = ({ exitOnError = true }: RunOptions): Problem[] =>
  isBoolean(exitOnError)
    ? []
    : [badSetting({ name: "exitOnError", value: exitOnError, source: "run" }, "true or false")];

const unknownOptions = (options: RunOptions): Problem[] =>
  Object.keys(options)
    .filter((key) => !optionNames.includes(key))
    .map((key) => {
      const [near] = nearest(key, optionNames, 1);
      const hint = near === undefined ? "" : `; did you mean "${near}"?`;
      return { code: "CORE_BAD_SETTING", message: `run has no option "${key}"${hint}` };
    });

const readProxies = ({ trustedProxies = [] }: RunOptions, problems: Problem[]): readonly string[] => {
  if (Array.isArray(trustedProxies) && trustedProxies.every((item) => typeof item === "string")) {
    return Object.freeze([...trustedProxies]);
  }
  problems.push({ code: "CORE_BAD_SETTING", message: "trustedProxies must be a list of addresses" });
  return [];
};

const sourcesOf = (chosen: Readonly<Record<SettingName, ChosenSetting>>): Record<SettingName, Source> => ({
  host: chosen.host.source,
  port: chosen.port.source,
  env: chosen.env.source,
  debug: chosen.debug.source,
  workers: chosen.workers.source,
  reload: chosen.reload.source,
  logs: chosen.logs.source,
  transport: chosen.transport.source,
});
