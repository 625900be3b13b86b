import type { Problem } from "@framework/core";
import type { Source } from "./sources/sources.ts";

/** Variables that `run` of core reads from the environment. */
const readByRun = ["HOST", "PORT", "FRAMEWORK_ENV", "FRAMEWORK_TRANSPORT"];

/** Reports variables of `run` that only a `.env` file sets, where they have no effect, except settings of the program and ignored names. */
export const runVariables = (
  sources: readonly Source[],
  known: ReadonlySet<string>,
  ignore: readonly string[],
): Problem[] => {
  const [environment, ...files] = sources;
  const unset = readByRun.filter(
    (name) => !known.has(name) && !ignore.includes(name) && environment?.get(name) === undefined,
  );
  return files.flatMap((file) =>
    unset
      .filter((name) => file.get(name) !== undefined)
      .map((name) => ({
        code: "CONFIG_NOT_FROM_FILE",
        message: `${name} (${file.location(name)}) has no effect: the app reads it from the environment only. Set it there, or list it in ignore`,
      })),
  );
};
