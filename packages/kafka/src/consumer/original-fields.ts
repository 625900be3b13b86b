import { isUtf8 } from "node:buffer";
import {
  newHeaders,
  type Original,
  type OutgoingMessage,
  type WireHeaders,
} from "@framework/messaging/adapter";
import type { IHeaders, KafkaMessage } from "kafkajs";

/** Key and headers of a message as they were sent, with what text cannot hold: bytes that are not UTF-8, capitals in names, several headers of one name. */
export class OriginalFields implements Original {
  readonly bytes: number;
  private readonly key: Buffer | null;
  private readonly headers: IHeaders;
  private readonly seen: WireHeaders;

  /** @param seen its headers as messaging has them */
  constructor({ key, headers = {} }: KafkaMessage, seen: WireHeaders) {
    this.key = key;
    this.headers = headers;
    this.seen = seen;
    this.bytes = lengthOf(key) + Object.keys(headers).reduce((sum, name) => sum + lengthOf(headers[name]), 0);
  }

  /** Key and headers of a copy: the original ones, but for what messaging has changed, added or removed. */
  copiedTo({ headers }: OutgoingMessage): { readonly key: Buffer | null; readonly headers: IHeaders } {
    const copied = Object.create(null) as IHeaders; // names come from outside
    for (const name in headers) if (headers[name] !== this.seen[name]) copied[name] = headers[name];
    for (const name of Object.keys(this.headers)) {
      const own = name.toLowerCase();
      const value = withoutNull(this.headers[name]);
      if (value !== undefined && headers[own] === this.seen[own]) copied[name] = value;
    }
    return { key: this.key, headers: copied };
  }
}

const lengthOf = (value: IHeaders[string] | null): number =>
  Array.isArray(value) ? value.reduce((sum, each) => sum + lengthOf(each), 0) : (value?.length ?? 0);

/** A value without `null`, which a header may have in Kafka: the driver reads it, and cannot write it. `undefined` if nothing is left. */
const withoutNull = (value: IHeaders[string] | null): IHeaders[string] => {
  if (!Array.isArray(value)) return value ?? undefined;
  const rest = value.filter((each: Buffer | string | null) => each !== null);
  return rest.length === 0 ? undefined : rest;
};

/** Key and headers of a message as text. */
export interface TextFields {
  readonly key: string | null;
  /** Of several with one name the last. */
  readonly headers: WireHeaders;
  /** Whether text does not hold all of them. */
  readonly isPartial: boolean;
}

/** Returns key and headers as text, that of bytes that are not UTF-8 as Latin-1: one character for each byte. */
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

/** Whether a text has all that its bytes have. Most have no U+FFFD, and are not looked at again. */
const isText = (value: Buffer | string, text: string): boolean =>
  typeof value === "string" || !text.includes("\uFFFD") || isUtf8(value);

const latin1Of = (value: Buffer | string): string =>
  typeof value === "string" ? value : value.toString("latin1");
