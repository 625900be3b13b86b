/**
 * Returns what `check` says about a step whose outcome was unknown: its output, or `null` when it did not take effect.
 *
 * @param step the name of the step, for the error
 * @throws TypeError when it says neither
 */
export const checkedOutcome = (found: unknown, step: string): { readonly output: unknown } | null => {
  if (found === null) return null;
  if (typeof found === "object" && "output" in found) return found;
  throw new TypeError(
    `saga: \`check\` of the step "${step}" returns { output } if the step took effect, or null if it did not`,
  );
};
