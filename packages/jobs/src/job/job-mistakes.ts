import { ConfigurationError } from "@framework/core";
import { describeInvalid, isStandardSchema } from "@framework/core/feature";

/** Options of a queue that a job sets itself. */
const ownOptions = ["name", "kind", "handle", "onExhausted", "admission", "isPlain", "endsWithStop"];

const functions = ["key", "uniqueKey", "isRetryable"];

/** Checks the options of a job that its queue does not check. @throws ConfigurationError JOBS_BAD_JOB, all mistakes together */
export const checkJobOptions = (options: Readonly<Record<string, unknown>>): void => {
  const mistakes = ownOptions
    .filter((name) => options[name] !== undefined)
    .map((name) => `a job has no option "${name}"`);
  const { input } = options;
  if (input !== undefined && !isStandardSchema(input))
    mistakes.push("its input must be a schema that follows Standard Schema, such as z.object({ … }) of zod");
  for (const name of functions) {
    const value = options[name];
    if (value !== undefined && typeof value !== "function")
      mistakes.push(`its ${name} must be a function, not ${describeInvalid(value)}`);
  }
  if (mistakes.length > 0)
    throw new ConfigurationError(mistakes.map((message) => ({ code: "JOBS_BAD_JOB", message })));
};
