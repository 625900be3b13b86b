import type { Problem } from "@framework/core";
import type { Source } from "./sources/sources.ts";

/** Variables that `run` of core reads from the environment itself. */
const readByRun = ["HOST", "PORT", "FRAMEWORK_ENV", "FRAMEWORK_TRANSPORT"];

/** Reports variables of `run` that only a `.env` file sets, where they have no effect, unless they are settings of the program. */
export const runVariables = (
  sources: readonly Source[],
  known: ReadonlySet<string>,
  ignore: readonly string[],
): Problem[] => {
  const [environment, ...files] = sources;
  const wanted = readByRun.filter(
    (name) => !known.has(name) && !ignore.includes(name) && environment?.get(name) === undefined,
  );
  return files.flatMap((file) =>
    wanted
      .filter((name) => file.get(name) !== undefined)
      .map((name) => ({
        code: "CONFIG_NOT_FROM_FILE",
        message: `${name} (${file.place(name)}) has no effect: the app reads it from the environment only. Set it there, or list it in ignore`,
      })),
  );
};
