import { MAX_INNER, memberOf, messageOf, textOf } from "./value-text.ts";

/** Maximum number of errors in a chain, the first included. */
const MAX_CAUSES = 8;
/** Maximum characters of a shown cause that is not an error. */
const MAX_VALUE = 1000;

/**
 * The stacks of an error and its causes, outermost first, at most 8; `null` for a value that is not an error. Never throws.
 *
 * @param heading text above the chain; if it ends with the error's message, the first stack omits that message. @default ""
 */
export const causeChain = (error: unknown, heading: string = ""): string | null => {
  if (!Error.isError(error)) return null;
  const parts = [withoutRepetition(stackOf(error), messageOf(error), heading) + innerErrors(error)];
  let current = memberOf(error, "cause");
  while (current !== undefined && current !== null && parts.length < MAX_CAUSES) {
    parts.push(`caused by ${stackOf(current)}${innerErrors(current)}`);
    current = Error.isError(current) ? memberOf(current, "cause") : undefined;
  }
  if (current !== undefined && current !== null) parts.push("further causes are left out");
  return parts.join("\n");
};

const withoutRepetition = (stack: string, message: string, heading: string): string =>
  message !== "" && heading.endsWith(message) ? stack.replace(`: ${message}`, () => "") : stack;

const stackOf = (value: unknown): string => {
  if (!Error.isError(value)) return truncate(textOf(value));
  const stack = memberOf(value, "stack");
  return typeof stack === "string" ? stack : headOf(value);
};

const headOf = (error: Error): string => `${textOf(memberOf(error, "name"))}: ${messageOf(error)}`;

const truncate = (text: string): string =>
  text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)} … (${text.length} characters)` : text;

/** The messages of the errors in an `AggregateError`, whose own message is often empty. */
const innerErrors = (value: unknown): string => {
  const errors = Error.isError(value) ? memberOf(value, "errors") : undefined;
  if (!Array.isArray(errors)) return "";
  const shown = errors
    .slice(0, MAX_INNER)
    .map((error: unknown) => `\n  - ${Error.isError(error) ? headOf(error) : truncate(textOf(error))}`);
  return shown.join("") + (errors.length > MAX_INNER ? `\n  - and ${errors.length - MAX_INNER} more` : "");
};
