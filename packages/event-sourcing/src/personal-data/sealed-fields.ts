import { mistake } from "../errors/event-error.ts";
import type { Json } from "../events/json.ts";
import { decryptText, encryptText } from "./field-cipher.ts";
import type { SubjectKey } from "./subject-keys.ts";

/** Recorded in the metadata of an event with encrypted fields. */
export interface Seal {
  /** Id of the key. */
  readonly key: string;
  /** Names of the encrypted members of the data. */
  readonly fields: readonly string[];
}

/** Member of the metadata that has the seal. */
export const SEAL = "$personal";

type Data = Readonly<Record<string, unknown>>;

/** Identifies an event; encrypted values are bound to it. */
export interface EventPlace {
  readonly tenant: string;
  readonly stream: string;
  readonly id: string;
}

const placeOf = ({ tenant, stream, id }: EventPlace, field: string): string =>
  JSON.stringify([tenant, stream, id, field]);

/** Encrypts the fields that have a value. */
export const sealFields = (
  data: Data,
  names: readonly string[],
  { id: key, secret }: SubjectKey,
  event: EventPlace,
): { readonly data: Data; readonly seal: Seal } => {
  const fields = names.filter((name) => data[name] !== undefined);
  const encrypted = fields.map((name) => [
    name,
    encryptText(JSON.stringify(data[name]), secret, placeOf(event, name)),
  ]);
  return { data: { ...data, ...Object.fromEntries(encrypted) }, seal: { key, fields } };
};

/** Decrypts fields, or replaces them when the key was deleted. @throws EVENTS_UNREADABLE for values that were changed or moved */
export const openFields = (
  data: Data,
  { fields }: Seal,
  secret: Uint8Array | undefined,
  event: EventPlace,
  placeholders: Readonly<Record<string, Json | undefined>>,
): Data => {
  const opened: [string, unknown][] = fields.map((name) => [
    name,
    secret === undefined ? (placeholders[name] ?? null) : openField(data[name], secret, event, name),
  ]);
  return { ...data, ...Object.fromEntries(opened) };
};

const openField = (value: unknown, secret: Uint8Array, event: EventPlace, name: string): unknown => {
  try {
    return JSON.parse(decryptText(String(value), secret, placeOf(event, name)));
  } catch (error) {
    throw mistake(
      "EVENTS_UNREADABLE",
      `the field ${name} of event ${event.id} in stream ${event.stream} cannot be decrypted: it was changed or moved`,
      error,
    );
  }
};
