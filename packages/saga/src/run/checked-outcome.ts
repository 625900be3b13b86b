/**
 * Validates the result of `check` for a step with an unknown outcome: its output, or `null` if it did not take effect.
 *
 * @param step name of the step, for the error
 * @throws TypeError for any other value
 */
export const checkedOutcome = (found: unknown, step: string): { readonly output: unknown } | null => {
  if (found === null) return null;
  if (typeof found === "object" && "output" in found) return found;
  throw new TypeError(
    `saga: \`check\` of the step "${step}" must return { output } if the step took effect, or null if it did not`,
  );
};
