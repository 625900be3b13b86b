import type { OutgoingMessage, WireHeaders } from "@framework/messaging/adapter";
import { textOf } from "./field-values.ts";
import { isShort } from "./short-string.ts";

/** Internal headers: the key, unless an attribute has it, and the tries made so far. */
const KEY = "x-framework-key";
export const TRIES = "x-framework-tries";

/** Prefix of CloudEvents attributes in messaging, and in the AMQP binding of CloudEvents. */
export const PREFIX = "cloudevents_";
const WIRE_PREFIX = "cloudEvents_";
const partitionKey = `${PREFIX}partitionkey`;
/** Names of the key in events of other systems: the second prefix of the AMQP binding, and those of other bindings. */
const foreignKeys = ["cloudevents:", "ce_", "ce-"].map((prefix) => `${prefix}partitionkey`);

/** Headers that RabbitMQ adds. */
const SERVER_HEADER = /^x-(?:death|first-death-|last-death-|delivery-count|acquired-count|delivery-limit)/;

/** Converts headers for the server. Drops names that are too long for AMQP: lowercasing can lengthen a name of another system. */
export const toWire = ({ headers, key }: Pick<OutgoingMessage, "headers" | "key">, tries: number): object => {
  const wire: Record<string, string | number> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || !isShort(name)) continue;
    if (name === "content-type" && isShort(value)) continue; // sent as a property
    const given = name.startsWith(PREFIX) ? `${WIRE_PREFIX}${name.slice(PREFIX.length)}` : name;
    set(wire, given, value);
  }
  if (key !== null && headers[partitionKey] !== key) wire[KEY] = key;
  if (tries > 0) wire[TRIES] = tries;
  return wire;
};

/** Whether a header was added by RabbitMQ. */
export const isServerHeader = (name: string): boolean => SERVER_HEADER.test(name);

/** Reads the headers of a delivery: strings with lower-case names, the key, and the tries made so far. */
export const fromWire = (
  wire: Readonly<Record<string, unknown>>,
  contentType: string | undefined,
): { readonly headers: WireHeaders; readonly key: string | null; readonly tries: number } => {
  const headers = Object.create(null) as Record<string, string>;
  for (const name of Object.keys(wire)) {
    if (name === KEY || name === TRIES || isServerHeader(name)) continue;
    const value = textOf(wire[name]);
    if (value !== null) headers[name.toLowerCase()] = value;
  }
  if (contentType !== undefined) headers["content-type"] = contentType;
  const key =
    wire[KEY] ??
    headers[partitionKey] ??
    foreignKeys.map((name) => headers[name]).find((text) => text !== undefined);
  const tries = wire[TRIES];
  return {
    headers,
    key: typeof key === "string" ? key : null,
    tries: typeof tries === "number" && Number.isSafeInteger(tries) && tries > 0 ? tries : 0,
  };
};

/** Sets a property, also if it is named `__proto__`. */
const set = (wire: Record<string, string | number>, name: string, value: string): void => {
  if (name === "__proto__") Object.defineProperty(wire, name, { value, enumerable: true });
  else wire[name] = value;
};
