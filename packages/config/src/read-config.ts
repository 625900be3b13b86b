import { ConfigurationError, type Problem } from "@framework/core";
import { describeInvalid, isPlainObject, messageOf, unknownFields } from "@framework/core/feature";
import {
  buildRecord,
  type ConfigOf,
  type ConfigShape,
  entryProblems,
  settingsOf,
  shapeProblems,
} from "./config-shape.ts";
import { rememberSources } from "./config-sources.ts";
import { nearMisses } from "./near-misses.ts";
import { readSetting, refusedMark, refusedField } from "./read-setting.ts";
import { runVariables } from "./run-variables.ts";
import { envFileSources, environmentSource, type Source, type Variables } from "./sources/sources.ts";

/** Options of `readConfig`. */
export interface ReadConfigOptions<S extends ConfigShape> {
  /** The environment. @default process.env */
  readonly env?: Variables;
  /** Folder of `.env` files, `null` to read none. @default the working directory; none if `env` is given, which isolates tests */
  readonly folder?: string | null;
  /** The mode in `.env.<mode>`. @default `FRAMEWORK_ENV` of the environment, else "development" */
  readonly mode?: string;
  /**
   * Checks of several settings together: each returns a problem with its remedy, or `null`.
   * A check is skipped if it reads an invalid setting. The first error that a check throws is the `cause` of the ConfigurationError.
   */
  readonly checks?: readonly ((config: ConfigOf<S>) => string | null)[];
  /** Variables that are not reported: those of other programs whose names are close to a setting's, or those of `run` in `.env` files. @default [] */
  readonly ignore?: readonly string[];
}

/**
 * Reads the environment and `.env` files as one typed, deeply frozen record.
 *
 * The first source that sets a variable takes precedence: the environment, `.env.local`, `.env.<mode>`, `.env`, the default. An empty variable counts
 * as not set. `NAME_FILE` names a file that holds the value. Nothing is written to `process.env`.
 *
 * @throws ConfigurationError with every problem (`CONFIG_…`)
 *
 * @example
 * const config = readConfig({ port: integer("PORT", { default: 8000, min: 1, max: 65535 }), token: secret("TOKEN") });
 */
export const readConfig = <const S extends ConfigShape>(
  shape: S,
  options: ReadConfigOptions<S> = {},
): ConfigOf<S> => {
  const isShape = isPlainObject(shape);
  const settings = isShape ? settingsOf(shape) : [];
  const problems = [...entryProblems(shape), ...optionProblems(options), ...shapeProblems(settings)];
  if (!isShape) throw new ConfigurationError(problems);
  const sources = sourcesOf(options, problems);
  const readings = settings.map((setting) => readSetting(setting, sources, problems));
  const known = new Set(settings.flatMap(({ name }) => [name, `${name}_FILE`]));
  const unset = readings.filter(({ isSet }) => !isSet).map(({ source }) => source.name);
  const { ignore = [] } = options;
  problems.push(...runVariables(sources, known, ignore), ...nearMisses(sources, known, unset, ignore));
  const fields = new Map(settings.map((setting, index) => [setting, readings[index]?.field ?? refusedField]));
  const config = buildRecord(shape, (setting) => fields.get(setting) ?? refusedField) as ConfigOf<S>;
  const thrown: unknown[] = [];
  problems.push(...failedChecks(config, options.checks ?? [], thrown));
  const [cause] = thrown;
  if (problems.length > 0)
    throw new ConfigurationError(problems, thrown.length === 0 ? undefined : { cause });
  rememberSources(
    config,
    readings.map(({ source }) => source),
  );
  return config;
};

const optionNames = Object.keys({
  env: 0,
  folder: 0,
  mode: 0,
  checks: 0,
  ignore: 0,
} satisfies Record<keyof ReadConfigOptions<ConfigShape>, 0>);

const optionProblems = (options: object): Problem[] =>
  unknownFields("the options object of readConfig", options, optionNames).map((message) => ({
    code: "CONFIG_BAD_SETTING",
    message,
  }));

const sourcesOf = (
  { env = process.env, folder, mode }: Pick<ReadConfigOptions<ConfigShape>, "env" | "folder" | "mode">,
  problems: Problem[],
): Source[] => {
  const environment = environmentSource(env, folder ?? process.cwd());
  const envFolder = folder === undefined && env === process.env ? process.cwd() : folder;
  if (envFolder === undefined || envFolder === null) return [environment];
  const chosen = mode ?? environment.get("FRAMEWORK_ENV") ?? "development";
  return [environment, ...envFileSources(envFolder, chosen, problems)];
};

/** Returns the problem that a check has returned, or the mistake in its result: checks of untyped programs may return nothing, or a value other than a string. */
const resultProblem = ({ name }: { readonly name: string }, result: unknown): string | null => {
  if (typeof result === "string") return result;
  if (result === null || result === undefined) return null;
  return `${name || "a check"} must return a problem as a string, or null, not ${describeInvalid(result)}`;
};

/** Runs the checks; one that reads an invalid setting is skipped, because that setting's problem is already reported. */
const failedChecks = <S extends ConfigShape>(
  config: ConfigOf<S>,
  checks: readonly ((config: ConfigOf<S>) => string | null)[],
  thrown: unknown[],
): Problem[] =>
  checks.flatMap((check) => {
    try {
      const message = resultProblem(check, check(config));
      return message === null ? [] : [{ code: "CONFIG_CHECK", message }];
    } catch (error) {
      if (error === refusedMark) return [];
      thrown.push(error);
      return [{ code: "CONFIG_CHECK", message: `${check.name || "a check"} threw: ${messageOf(error)}` }];
    }
  });
