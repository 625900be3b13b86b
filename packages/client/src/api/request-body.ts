import type { OutgoingBody } from "../http/outgoing-request.ts";
import { textOf } from "./serialise-parameter.ts";

/** Converts the body of a call to one that can be sent, by its media type. */
export const requestBody = (type: string, value: unknown): OutgoingBody => {
  if (isJson(type)) return JSON.stringify(value);
  if (type === "multipart/form-data") return multipart(value);
  if (type === "application/x-www-form-urlencoded") return urlencoded(value);
  return isBytes(value) ? value : textOf(value);
};

/** Whether a media type is JSON. */
export const isJson = (type: string): boolean =>
  /^(?:application\/json|[\w!#$&^.+-]+\/[\w!#$&^.+-]+\+json)$/i.test(type);

const isBytes = (
  value: unknown,
): value is Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> =>
  value instanceof Blob || value instanceof Uint8Array || value instanceof ReadableStream;

/** A list as several fields; `undefined` is omitted. */
const fieldsOf = (value: unknown): [string, unknown][] =>
  Object.entries(value as object)
    .flatMap(([name, each]): [string, unknown][] =>
      Array.isArray(each) ? each.map((item) => [name, item]) : [[name, each]],
    )
    .filter(([, each]) => each !== undefined);

/** Files as they are, objects as JSON, everything else as text. */
const multipart = (value: unknown): FormData => {
  const form = new FormData();
  for (const [name, each] of fieldsOf(value))
    if (each instanceof Blob) form.append(name, each);
    else form.append(name, textOf(each));
  return form;
};

const urlencoded = (value: unknown): URLSearchParams =>
  new URLSearchParams(fieldsOf(value).map(([name, each]) => [name, textOf(each)]));
