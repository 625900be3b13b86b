import type { LimitsConfig } from "../../config/limits-config.ts";
import { trimBlanks } from "../../http/field-grammar.ts";
import { type PartialHead, unreadableHead } from "../wire/refused-message.ts";

/** A method that is longer is not told. */
const maxMethod = 32;

const requestLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([\x21-\x7e]+)(?: HTTP\/\d\.\d)?$/;
const fieldLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e\x80-\xff]*)$/;

/**
 * What can be read of a head that `node:http` could not parse: the request line when it is plainly right, and the whole field lines behind it up to the
 * first that is odd. Of a line that is not whole, as it is too long, the target counts when its path is.
 *
 * It is for logs and for fields such as `Access-Control-Allow-Origin` only; nothing is served by it.
 *
 * @param bytes the beginning of the message; no more of it is looked at than the limits let a head be long
 */
export const readPartialHead = (bytes: Uint8Array, limits: LimitsConfig): PartialHead => {
  const length = Math.min(bytes.byteLength, limits.maxRequestLine + limits.maxHeaderSize);
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString("latin1").split("\r\n");
  const rest = lines.pop() ?? ""; // not whole, or empty
  if (lines[0] === "") lines.shift(); // one empty line may lead (RFC 9112 2.2)
  const [first = rest, ...others] = lines;
  const [, method = "", target = ""] = requestLine.exec(first) ?? [];
  if (method === "" || method.length > maxMethod) return unreadableHead;
  const query = target.indexOf("?");
  if (query !== -1) return { method, target: target.slice(0, query), fields: fieldsOf(others) };
  return { method, target: lines.length === 0 ? null : target, fields: fieldsOf(others) };
};

const fieldsOf = (lines: readonly string[]): string[] => {
  const fields: string[] = [];
  for (const line of lines) {
    const [, name, value] = fieldLine.exec(line) ?? [];
    if (name === undefined || value === undefined) break;
    fields.push(name, trimBlanks(value));
  }
  return fields;
};
