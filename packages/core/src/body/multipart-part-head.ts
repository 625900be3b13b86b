import { PayloadTooLargeError, ValueError } from "../errors/http-errors.ts";
import { isToken } from "../http/token.ts";
import { utf8Length } from "../exchange/payload.ts";
import { parseContentType, requireUtf8 } from "./content-type.ts";
import { excerpt } from "../http/excerpt.ts";
import { trimBlanks } from "../http/field-grammar.ts";
import type { FileDescription } from "./uploaded-file.ts";

/** The parsed head of a part: a text field, or a file if it has a `filename`, even an empty one. */
export interface PartHead extends Omit<FileDescription, "filename"> {
  readonly filename: string | null;
}

// Sticky, and each character can match in one way only: linear time.
const PARAMETER = /;[ \t]*([!#$%&'*+.^_`|~\w-]+)=(?:"((?:[^"\\]|\\[^])*)"|([!#$%&'*+.^_`|~\w-]+))[ \t]*/gy;
const BROWSER_PARAMETER = /;[ \t]*([!#$%&'*+.^_`|~\w-]+)=(?:"([^"]*)"|([!#$%&'*+.^_`|~\w-]+))[ \t]*/gy;
const plainCodings: ReadonlySet<string> = new Set(["7bit", "8bit", "binary"]);

/**
 * Reads the head of a `multipart/form-data` part, from the end of its boundary line to the empty line (RFC 7578 4).
 *
 * Only `Content-Disposition`, `Content-Type` and `Content-Transfer-Encoding` are used. `filename*` is ignored (RFC 7578 4.2 forbids it). In
 * names `%22`, `%0D` and `%0A` are decoded, because HTML forms encode these three characters, and `\"` and `\\` in quotes, as Go and curl write them. Any other
 * backslash is kept, because browsers do not escape it.
 *
 * @throws ValueError 400 for a malformed head, PayloadTooLargeError 413 for a long name, UnsupportedMediaTypeError 415 for a text field whose charset
 * is not UTF-8
 */
export const parsePartHead = (text: string, maxNameBytes: number): PartHead => {
  const fields = fieldsOf(text);
  const disposition = parametersOf(fields.get("content-disposition"));
  const name = decodeEscapes(disposition.get("name"));
  if (name === null) throw malformed("it has no name");
  const given = decodeEscapes(disposition.get("filename"));
  const filename = given === null ? null : lastComponent(given);
  if (Math.max(utf8Length(name), utf8Length(filename ?? "")) > maxNameBytes) {
    throw new PayloadTooLargeError(maxNameBytes, "The name of a form part");
  }
  const coding = fields.get("content-transfer-encoding")?.toLowerCase() ?? "binary";
  if (!plainCodings.has(coding)) throw malformed(`the transfer encoding ${excerpt(coding)} is not supported`);
  const contentType = fields.get("content-type") ?? "text/plain";
  const type = parseContentType(contentType);
  if (filename === null) requireUtf8(type);
  return { name, filename, contentType };
};

const fieldsOf = (text: string): ReadonlyMap<string, string> => {
  const fields = new Map<string, string>();
  const [padding = "", ...lines] = text.split("\r\n");
  if (trimBlanks(padding) !== "") throw malformed("text follows its boundary");
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    const value = trimBlanks(line.slice(colon + 1));
    if (!isToken(name) || /[^\P{Cc}\t]/u.test(value)) throw malformed("a header field is not well-formed");
    if (fields.has(name)) throw malformed(`${excerpt(name)} is repeated`);
    fields.set(name, value);
  }
  return fields;
};

const parametersOf = (disposition = ""): ReadonlyMap<string, string> => {
  const type = /^form-data[ \t]*/i.exec(disposition)?.[0];
  if (type === undefined) throw malformed("it is not form-data");
  const rest = disposition.slice(type.length);
  const parameters =
    parametersBy(PARAMETER, rest, (quoted) => quoted.replaceAll(/\\(["\\])/g, "$1")) ??
    parametersBy(BROWSER_PARAMETER, rest, (quoted) => quoted); // from browsers, which do not escape a backslash at the end of a name
  if (parameters === null) throw malformed("its Content-Disposition is not well-formed");
  return parameters;
};

/** Parses the parameters; `null` unless the whole text matches the grammar. */
const parametersBy = (
  grammar: RegExp,
  text: string,
  unquoted: (quoted: string) => string,
): ReadonlyMap<string, string> | null => {
  const parameters = new Map<string, string>();
  let repeated: string | null = null;
  let read = 0;
  for (const [whole, name = "", quoted, token = ""] of text.matchAll(grammar)) {
    if (parameters.has(name.toLowerCase())) repeated = name;
    parameters.set(name.toLowerCase(), quoted === undefined ? token : unquoted(quoted));
    read += whole.length;
  }
  if (read !== text.length) return null;
  if (repeated !== null) throw malformed(`${excerpt(repeated)} is repeated`);
  return parameters;
};

const decodeEscapes = (value: string | undefined): string | null =>
  value === undefined
    ? null
    : value.replaceAll(/%(22|0D|0A)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

const lastComponent = (path: string): string => {
  if (/\p{Cc}/u.test(path)) throw malformed("its file name has control characters");
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return name === "." || name === ".." ? "" : name;
};

const malformed = (problem: string): ValueError => new ValueError(`A form part is malformed: ${problem}`);
