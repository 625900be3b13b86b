import { FrameworkError } from "../errors/framework-error.ts";
import { markHandled } from "../middleware/mark-handled.ts";
import { isPromise } from "../middleware/middleware.ts";

const MAX_DEPTH = 500;

/**
 * Returns a value as an XML 1.0 document: members become elements, items of an array become `item` elements, everything else becomes escaped text.
 *
 * Characters that XML does not allow become `_` in names and U+FFFD in text. `toJSON` is called as by JSON; `undefined`, function and symbol members are skipped,
 * and `null` becomes an empty element.
 *
 * @throws CORE_BAD_REPLY for a cycle, for nesting deeper than 500, and for a promise
 */
export const toXmlText = (data: unknown, rootName = "root"): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${element(rootName, plain(data, ""), [])}`;

const element = (rawName: string, value: unknown, enclosing: object[]): string => {
  const name = elementName(rawName);
  const content = contentOf(value, enclosing);
  return content === "" ? `<${name}/>` : `<${name}>${content}</${name}>`;
};

/** The value under a key as JSON writes it: the result of its `toJSON`, if it has one. */
const plain = (value: unknown, key: string): unknown => {
  const toJSON = (value as { toJSON?: unknown } | null | undefined)?.toJSON;
  return typeof toJSON === "function" ? (toJSON.call(value, key) as unknown) : value;
};

const contentOf = (value: unknown, enclosing: object[]): string => {
  if (typeof value !== "object" || value === null) return isWritten(value) ? escapeXml(String(value)) : "";
  const problem = problemOf(value, enclosing);
  if (problem !== null)
    throw new FrameworkError("CORE_BAD_REPLY", `a reply cannot be written as XML: ${problem}`);
  enclosing.push(value);
  const content = Array.isArray(value)
    ? value.map((item, at) => element("item", plain(item, String(at)), enclosing)).join("")
    : Object.entries(value)
        .map(([key, member]) => [key, plain(member, key)] as const)
        .filter(([, member]) => member === null || isWritten(member))
        .map(([key, member]) => element(key, member, enclosing))
        .join("");
  enclosing.pop();
  return content;
};

const problemOf = (value: object, enclosing: readonly object[]): string | null => {
  if (enclosing.includes(value)) return "it contains itself";
  if (enclosing.length >= MAX_DEPTH) return `it is nested deeper than ${MAX_DEPTH}`;
  if (!isPromise(value)) return null;
  void markHandled(Promise.resolve(value)); // its rejection must not end the process
  return "it contains a promise; await it and pass its value";
};

const isWritten = (value: unknown): boolean =>
  value !== null && value !== undefined && typeof value !== "function" && typeof value !== "symbol";

/** Converts a name to one that every parser accepts: letters, digits, `_`, `-`, `.`; no leading digit, and not the reserved `xml`. */
const elementName = (name: string): string => {
  const replaced = name.replaceAll(/[^\p{L}\p{M}\p{Nd}_.-]/gu, "_");
  const letters = PLAIN_LETTERS.test(replaced) ? replaced : replaced.replaceAll(/[^\w.-]/g, "_");
  return /^[\p{L}_]/u.test(letters) && !/^xml/i.test(letters) ? letters : `_${letters}`;
};

/** Ranges that XML 1.0 allows completely: Latin, Greek, Cyrillic, Hebrew, Arabic … up to U+1FFF, and ideographs. */
const PLAIN_LETTERS = /^[\w.\-\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u037D\u037F-\u1FFF\u3001-\uD7FF]*$/;

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\r": "&#13;",
};

const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex -- the characters that XML 1.0 2.2 excludes
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, "\uFFFD")
    .replaceAll(/[&<>"'\r]/g, (character) => escapes[character] ?? character);
