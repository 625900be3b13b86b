/** Maximum of errors shown of one chain. */
const MAX_CAUSES = 8;
/** Maximum of inner errors shown of one error, such as one for each address of a host. */
const MAX_INNER = 8;

/**
 * The stacks of an error and its causes, outermost first, at most 8; `null` for a value that is not an error.
 *
 * @param heading printed above; the first stack leaves out its message where the heading ends with it
 */
export const causeChain = (error: unknown, heading: string): string | null => {
  if (!Error.isError(error)) return null;
  const parts = [withoutRepetition(stackOf(error), error.message, heading) + innerErrors(error)];
  let current: unknown = error.cause;
  while (current !== undefined && current !== null && parts.length < MAX_CAUSES) {
    parts.push(`caused by ${stackOf(current)}${innerErrors(current)}`);
    current = Error.isError(current) ? current.cause : undefined;
  }
  if (current !== undefined && current !== null) parts.push("further causes are left out");
  return parts.join("\n");
};

const withoutRepetition = (stack: string, message: string, heading: string): string =>
  message !== "" && heading.endsWith(message) ? stack.replace(`: ${message}`, () => "") : stack;

const stackOf = (value: unknown): string => {
  if (!Error.isError(value)) return typeof value === "string" ? value : `a value of type ${typeof value}`;
  return value.stack ?? `${value.name}: ${value.message}`;
};

/** The errors of an `AggregateError`, whose own message is often empty. */
const innerErrors = (value: unknown): string => {
  const { errors } = value as { readonly errors?: unknown };
  if (!Array.isArray(errors)) return "";
  const shown = errors.slice(0, MAX_INNER).map((error: unknown) => `\n  - ${String(error)}`);
  return shown.join("") + (errors.length > MAX_INNER ? `\n  - and ${errors.length - MAX_INNER} more` : "");
};
