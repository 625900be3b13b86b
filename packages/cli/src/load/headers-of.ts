import { UsageError } from "../frame/usage-error.ts";

/** Reads header fields of a command line: `name: value`. @throws CLI_USAGE */
export const headersOf = (fields: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    fields.map((field): [string, string] => {
      const colon = field.indexOf(":");
      if (colon < 1)
        throw new UsageError(`the header field ${JSON.stringify(field)} has no colon after its name`);
      return [field.slice(0, colon).trim(), field.slice(colon + 1).trim()];
    }),
  );
