import { ConfigurationError, type Problem } from "@framework/core";

/** Runs two checks and returns their results. @throws ConfigurationError with the mistakes of both; any other error of a check */
export const checkTogether = <A, B>(one: () => A, other: () => B): readonly [A, B] => {
  const problems: Problem[] = [];
  const results = [one, other].map((check) => {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      problems.push(...error.problems);
      return null;
    }
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  return results as [A, B];
};
