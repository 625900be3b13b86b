import type { OutgoingMessage, WireHeaders } from "@framework/messaging/adapter";
import { textOf } from "./field-values.ts";
import { isShort } from "./short-string.ts";

/** Own headers, which programs do not see: the key where no attribute has it, and tries made before. */
const KEY = "x-framework-key";
export const TRIES = "x-framework-tries";

/** Attributes of CloudEvents, as messaging names them, and as the AMQP binding of CloudEvents does. */
export const PREFIX = "cloudevents_";
const WIRE_PREFIX = "cloudEvents_";
const partitionKey = `${PREFIX}partitionkey`;

/** Headers that RabbitMQ adds on the way. */
const SERVER_HEADER = /^x-(?:death|first-death-|last-death-|delivery-count|acquired-count|delivery-limit)/;

/** Headers for the server. A name that is too long for AMQP is left out: one of another system may have become so in lower case. */
export const toWire = ({ headers, key }: Pick<OutgoingMessage, "headers" | "key">, tries: number): object => {
  const wire: Record<string, string | number> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || !isShort(name)) continue;
    if (name === "content-type" && isShort(value)) continue; // it is a property
    const given = name.startsWith(PREFIX) ? `${WIRE_PREFIX}${name.slice(PREFIX.length)}` : name;
    set(wire, given, value);
  }
  if (key !== null && headers[partitionKey] !== key) wire[KEY] = key;
  if (tries > 0) wire[TRIES] = tries;
  return wire;
};

/** Whether RabbitMQ has added a header on the way. */
export const isOfServer = (name: string): boolean => SERVER_HEADER.test(name);

/** What is in the headers of a delivery: text under lower-case names, the key, and the tries made before. */
export const fromWire = (
  wire: Readonly<Record<string, unknown>>,
  contentType: string | undefined,
): { readonly headers: WireHeaders; readonly key: string | null; readonly tries: number } => {
  const headers = Object.create(null) as Record<string, string>;
  for (const name of Object.keys(wire)) {
    if (name === KEY || name === TRIES || isOfServer(name)) continue;
    const value = textOf(wire[name]);
    if (value !== null) headers[name.toLowerCase()] = value;
  }
  if (contentType !== undefined) headers["content-type"] = contentType;
  const key = wire[KEY] ?? headers[partitionKey];
  const tries = wire[TRIES];
  return {
    headers,
    key: typeof key === "string" ? key : null,
    tries: typeof tries === "number" && Number.isSafeInteger(tries) && tries > 0 ? tries : 0,
  };
};

/** Sets a member whatever its name: `__proto__` is one like others. */
const set = (wire: Record<string, string | number>, name: string, value: string): void => {
  if (name === "__proto__") Object.defineProperty(wire, name, { value, enumerable: true });
  else wire[name] = value;
};
