import type { LimitsConfig } from "../../config/limits-config.ts";
import { trimBlanks } from "../../http/field-grammar.ts";
import { type PartialHead, unreadableHead } from "../wire/refused-message.ts";

/** Maximum length of a reported method. */
const MAX_METHOD = 32;

const REQUEST_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([\x21-\x7e]+)(?: HTTP\/\d\.\d)?$/;
const FIELD_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e\x80-\xff]*)$/;

/**
 * Returns the readable parts of a head that `node:http` could not parse: a valid request line, and the complete field lines after it up to the first malformed
 * line. The target is reported without its query; if the request line is incomplete, for example because it is too long, only if the path is complete.
 *
 * Only for logs and for reply fields such as `Access-Control-Allow-Origin`; no request is served from it.
 *
 * @param bytes the start of the message; at most the maximum length of a head is read
 */
export const readPartialHead = (bytes: Uint8Array, limits: LimitsConfig): PartialHead => {
  const length = Math.min(bytes.byteLength, limits.maxRequestLine + limits.maxHeaderBytes);
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString("latin1").split("\r\n");
  const rest = lines.pop() ?? ""; // incomplete, or empty
  if (lines[0] === "") lines.shift(); // one empty line may lead (RFC 9112 2.2)
  const [first = rest, ...others] = lines;
  const [, method = "", target = ""] = REQUEST_LINE.exec(first) ?? [];
  if (method === "" || method.length > MAX_METHOD) return unreadableHead;
  const query = target.indexOf("?");
  if (query !== -1) return { method, target: target.slice(0, query), fields: fieldsOf(others) };
  return { method, target: lines.length === 0 ? null : target, fields: fieldsOf(others) };
};

const fieldsOf = (lines: readonly string[]): string[] => {
  const fields: string[] = [];
  for (const line of lines) {
    const [, name, value] = FIELD_LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) break;
    fields.push(name, trimBlanks(value));
  }
  return fields;
};
