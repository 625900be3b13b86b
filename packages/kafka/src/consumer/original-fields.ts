import { isUtf8 } from "node:buffer";
import {
  newHeaders,
  type Original,
  type OutgoingMessage,
  type WireHeaders,
} from "@framework/messaging/adapter";
import type { IHeaders, KafkaMessage } from "kafkajs";

/** Original key and headers of a message that strings cannot represent: bytes that are not UTF-8, upper-case names, repeated names. */
export class OriginalFields implements Original {
  readonly bytes: number;
  private readonly key: Buffer | null;
  private readonly headers: IHeaders;
  private readonly seen: WireHeaders;

  /** @param seen the headers of the message as they were delivered, as strings */
  constructor({ key, headers = {} }: KafkaMessage, seen: WireHeaders) {
    this.key = key;
    this.headers = headers;
    this.seen = seen;
    this.bytes = lengthOf(key) + Object.keys(headers).reduce((sum, name) => sum + lengthOf(headers[name]), 0);
  }

  /** Returns key and headers of a copy: the original ones with the changes that messaging has made. */
  fieldsForCopy({ headers }: OutgoingMessage): { readonly key: Buffer | null; readonly headers: IHeaders } {
    const copy = Object.create(null) as IHeaders; // names are untrusted
    for (const name in headers) if (headers[name] !== this.seen[name]) copy[name] = headers[name];
    for (const name of Object.keys(this.headers)) {
      const own = name.toLowerCase();
      const value = withoutNull(this.headers[name]);
      if (value !== undefined && headers[own] === this.seen[own]) copy[name] = value;
    }
    return { key: this.key, headers: copy };
  }
}

const lengthOf = (value: IHeaders[string] | null): number =>
  Array.isArray(value) ? value.reduce((sum, each) => sum + lengthOf(each), 0) : (value?.length ?? 0);

/** Removes `null` values, which kafkajs can read but not write; `undefined` if no value remains. */
const withoutNull = (value: IHeaders[string] | null): IHeaders[string] => {
  if (!Array.isArray(value)) return value ?? undefined;
  const rest = value.filter((each: Buffer | string | null) => each !== null);
  return rest.length === 0 ? undefined : rest;
};

/** Key and headers of a message as strings. */
export interface TextFields {
  readonly key: string | null;
  /** The last of several headers with one name. */
  readonly headers: WireHeaders;
  /** Whether the strings lose part of the original: bytes, upper-case names or repeated headers. */
  readonly isPartial: boolean;
}

/** Converts key and headers to strings. Bytes that are not UTF-8 become Latin-1: one character for each byte. */
export const textFields = ({ key, headers = {} }: KafkaMessage): TextFields => {
  const found = newHeaders();
  const keyText = key === null ? null : key.toString();
  const isKeyText = key === null || isText(key, keyText ?? "");
  let isPartial = !isKeyText;
  for (const name of Object.keys(headers)) {
    const value = withoutNull(headers[name]);
    const last = Array.isArray(value) ? value.at(-1) : value;
    if (last === undefined) continue;
    const [own, text] = [name.toLowerCase(), last.toString()];
    const isWhole = isText(last, text);
    found[own] = isWhole ? text : latin1Of(last);
    isPartial ||= !isWhole || own !== name || Array.isArray(value);
  }
  return { key: isKeyText ? keyText : latin1Of(key), headers: found, isPartial };
};

/** Whether a string represents its bytes exactly. Without U+FFFD, the common case, the bytes need no check. */
const isText = (value: Buffer | string, text: string): boolean =>
  typeof value === "string" || !text.includes("\uFFFD") || isUtf8(value);

const latin1Of = (value: Buffer | string): string =>
  typeof value === "string" ? value : value.toString("latin1");
