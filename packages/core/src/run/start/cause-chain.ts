/** Most errors of one chain that are shown. */
const MAX_CAUSES = 8;
/** Most errors that are named of one that holds several, such as those of each address of a host. */
const MAX_INNER = 8;

/** The stacks of an error and its causes, outermost first, at most 8; `null` when it is no error. */
export const causeChain = (error: unknown): string | null => {
  if (!Error.isError(error)) return null;
  const parts: string[] = [];
  let current: unknown = error;
  while (current !== undefined && current !== null && parts.length < MAX_CAUSES) {
    parts.push(`${parts.length === 0 ? "" : "caused by "}${stackOf(current)}${innerErrors(current)}`);
    current = Error.isError(current) ? current.cause : undefined;
  }
  if (current !== undefined && current !== null) parts.push("further causes are left out");
  return parts.join("\n");
};

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
