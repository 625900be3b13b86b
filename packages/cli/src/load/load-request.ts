import { METHODS, validateHeaderName, validateHeaderValue } from "node:http";
import type { CommandInput } from "../frame/given.ts";
import { UsageError } from "../frame/usage-error.ts";

/** The request that is sent repeatedly. */
export interface LoadRequest {
  readonly method: string;
  readonly path: string;
  /** Values by name in lower case; several are sent as several fields. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | null;
}

/** Reads the request of a command line: its argument `path`, and the options `method`, `data` and `header`. @throws CLI_USAGE when it cannot be sent */
export const loadRequest = (given: CommandInput): LoadRequest => {
  const body = given.text("data") ?? null;
  return {
    method: methodOf(given.text("method")?.toUpperCase() ?? "GET"),
    path: pathOf(given.argument("path") ?? "/"),
    headers: {
      ...(body !== null && { "content-length": String(Buffer.byteLength(body)) }),
      ...valuesByName(given.texts("header").map(fieldOf)),
    },
    body,
  };
};

/** Returns the values of fields by name: one text, or a list if a name is repeated. */
const valuesByName = (
  fields: readonly (readonly [name: string, value: string])[],
): Readonly<Record<string, string | string[]>> => {
  const byName = new Map<string, string | string[]>();
  for (const [name, value] of fields) {
    const key = name.toLowerCase();
    const known = byName.get(key);
    byName.set(key, known === undefined ? value : [known, value].flat());
  }
  return Object.fromEntries(byName);
};

const methodOf = (method: string): string => {
  if (METHODS.includes(method) && method !== "CONNECT") return method; // CONNECT has no ordinary reply
  throw new UsageError(`${JSON.stringify(method)} is not a method that can be sent`);
};

/** Returns the path and query, percent-encoded where necessary. */
const pathOf = (path: string): string => {
  if (!path.startsWith("/")) throw new UsageError(`the path ${JSON.stringify(path)} does not start with "/"`);
  const { pathname, search } = new URL(`http://localhost${path}`);
  return pathname + search;
};

/** Parses a header field: `name: value`. */
const fieldOf = (field: string): [string, string] => {
  const colon = field.indexOf(":");
  if (colon < 1)
    throw new UsageError(`the header field ${JSON.stringify(field)} has no colon after its name`);
  const [name, value] = [field.slice(0, colon).trim(), field.slice(colon + 1).trim()];
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    throw new UsageError(`the header field ${JSON.stringify(field)} has an invalid character`);
  }
  return [name, value];
};
