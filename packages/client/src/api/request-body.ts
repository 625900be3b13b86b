import type { OutgoingBody } from "../http/outgoing-request.ts";
import { isJson } from "./json-type.ts";
import { multipartBody } from "./multipart-body.ts";
import type { OperationSpec } from "./operation.ts";
import { queryPairs, textOf } from "./serialise-parameter.ts";

/** Media type of forms with files. */
export const MULTIPART = "multipart/form-data";

/** Media type of forms without files. */
export const URLENCODED = "application/x-www-form-urlencoded";

/** Encodes the body of a call by its media type. The type of a multipart form includes its boundary. */
export const requestBody = (
  type: string,
  { parts = {}, styles = {} }: OperationSpec,
  value: unknown,
): OutgoingBody => {
  if (isJson(type)) return JSON.stringify(value);
  if (type === MULTIPART) return multipartBody(fieldsOf(value), parts);
  if (type === URLENCODED) return encodeForm(value, styles);
  return isBytes(value) ? value : textOf(value);
};

const isBytes = (
  value: unknown,
): value is Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> =>
  value instanceof Blob || value instanceof Uint8Array || value instanceof ReadableStream;

/** Returns the fields of a form: a list is several fields; `undefined` is omitted. */
const fieldsOf = (value: unknown): [string, unknown][] =>
  Object.entries(value as object)
    .flatMap(([name, each]): [string, unknown][] =>
      Array.isArray(each) ? each.map((item) => [name, item]) : [[name, each]],
    )
    .filter(([, each]) => each !== undefined);

/** Encodes a form. A field with a style is encoded like a query parameter, because `URLSearchParams` would also encode the delimiters of the style. */
const encodeForm = (value: unknown, styles: Readonly<Record<string, string>>): string =>
  Object.entries(value as object)
    .flatMap(([name, each]) => {
      const style = Object.hasOwn(styles, `body ${name}`) ? styles[`body ${name}`] : undefined;
      if (style !== undefined) return queryPairs(name, each, style).map((pair) => pair.join("="));
      return fieldsOf({ [name]: each }).map((field) => String(new URLSearchParams([texts(field)])));
    })
    .join("&");

const texts = ([name, value]: readonly [string, unknown]): [string, string] => [name, textOf(value)];
