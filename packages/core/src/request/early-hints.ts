import { FrameworkError } from "../errors/framework-error.ts";
import { headerName, headerValue } from "../response/header-rules.ts";

/** Header fields of a `103 Early Hints` reply, by name; several values become several lines. */
export type EarlyHints = Readonly<Record<string, string | readonly string[]>>;

/** Fields that belong to message framing or to the connection, which a hint must not contain. */
const forbiddenFields: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Converts fields to checked header lines. @throws CORE_BAD_HEADER */
export const hintLines = (fields: EarlyHints): string[] => {
  const lines: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    if (forbiddenFields.has(headerName(name)))
      throw new FrameworkError("CORE_BAD_HEADER", `the header ${name} cannot be an early hint`);
    for (const value of [field].flat()) lines.push(name, headerValue(name, value));
  }
  return lines;
};
