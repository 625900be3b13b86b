import { eventError } from "../errors/event-error.ts";
import type { Json } from "../events/json.ts";
import { decryptText, encryptText } from "./field-cipher.ts";
import type { SubjectKey } from "./subject-keys.ts";

/** Record of the encrypted fields of an event, in its metadata. */
export interface Seal {
  /** Id of the key. */
  readonly key: string;
  /** Names of the encrypted members of the data. */
  readonly fields: readonly string[];
}

/** Member of the metadata that stores the seal. */
export const SEAL = "$personal";

type Data = Readonly<Record<string, unknown>>;

/** Identifies an event. Encrypted values are bound to it. */
export interface EventRef {
  readonly tenant: string;
  readonly stream: string;
  readonly id: string;
}

const aadOf = ({ tenant, stream, id }: EventRef, field: string): string =>
  JSON.stringify([tenant, stream, id, field]);

/** Encrypts the fields that are not `undefined`. */
export const sealFields = (
  data: Data,
  names: readonly string[],
  { id: key, secret }: SubjectKey,
  event: EventRef,
): { readonly data: Data; readonly seal: Seal } => {
  const fields = names.filter((name) => data[name] !== undefined);
  const encrypted = fields.map((name) => [
    name,
    encryptText(JSON.stringify(data[name]), secret, aadOf(event, name)),
  ]);
  return { data: { ...data, ...Object.fromEntries(encrypted) }, seal: { key, fields } };
};

/** Decrypts fields, or replaces them with placeholders if there is no `secret`. @throws EVENTS_UNREADABLE for values that were changed or moved */
export const openFields = (
  data: Data,
  { fields }: Seal,
  secret: Uint8Array | undefined,
  event: EventRef,
  placeholders: Readonly<Record<string, Json | undefined>>,
): Data => {
  const opened: [string, unknown][] = fields.map((name) => [
    name,
    secret === undefined ? (placeholders[name] ?? null) : openField(data[name], secret, event, name),
  ]);
  return { ...data, ...Object.fromEntries(opened) };
};

const openField = (value: unknown, secret: Uint8Array, event: EventRef, name: string): unknown => {
  try {
    return JSON.parse(decryptText(String(value), secret, aadOf(event, name)));
  } catch (error) {
    throw eventError(
      "EVENTS_UNREADABLE",
      `the field ${name} of event ${event.id} in stream ${event.stream} cannot be decrypted: it was changed or moved`,
      error,
    );
  }
};
