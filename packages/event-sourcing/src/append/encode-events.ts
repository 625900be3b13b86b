import { randomUUID } from "node:crypto";
import { eventError } from "../errors/event-error.ts";
import { type EventMetadata, noMetadata } from "../events/event-metadata.ts";
import { MAX_EVENT_BYTES, MAX_METADATA_BYTES } from "../limits.ts";
import { checkName } from "../names/check-name.ts";
import { SEAL, sealFields } from "../personal-data/sealed-fields.ts";
import type { SubjectKeys } from "../personal-data/subject-keys.ts";
import type { CheckedEvent } from "./check-event.ts";

/** An event as it is stored. */
export interface EncodedEvent {
  readonly id: string;
  readonly type: string;
  readonly schemaVersion: number;
  /** JSON text. */
  readonly data: string;
  /** JSON text. */
  readonly metadata: string | null;
  /** Size of the data, in bytes of JSON. */
  readonly bytes: number;
  /** The data before encryption. */
  readonly value: unknown;
  /** The metadata as readers get it. */
  readonly ownMetadata: EventMetadata;
  /** Id of the key that encrypted personal data. */
  readonly key: string | null;
}

interface StreamRef {
  readonly tenant: string;
  readonly stream: string;
}

/** Encrypts personal data and encodes events as JSON. @throws EVENTS_TOO_LARGE, EVENTS_INVALID_DATA */
export const encodeEvents = (
  ref: StreamRef,
  events: readonly CheckedEvent[],
  keys: SubjectKeys,
): readonly EncodedEvent[] => events.map((event) => seal(event, ref, keys));

/** Returns the persons whose personal data the events have. @throws EVENTS_BAD_NAME */
export const subjectsOf = (events: readonly CheckedEvent[]): readonly string[] =>
  events.some(isPersonal) ? events.filter(isPersonal).map(subjectOf) : [];

type PersonalEvent = CheckedEvent & { readonly known: { readonly personal: object } };

const isPersonal = (event: CheckedEvent): event is PersonalEvent =>
  event.known !== null && event.known.personal !== null;

const subjectOf = ({ known, data }: PersonalEvent): string => {
  const subject = known.personal.subject(data as never); // the schema has checked the data
  checkName(`subject of an event of type ${known.type}`, subject);
  return subject;
};

const seal = (event: CheckedEvent, ref: StreamRef, keys: SubjectKeys): EncodedEvent => {
  const id = event.id ?? randomUUID();
  if (!isPersonal(event)) return encode(event, id);
  const key = keys.get(subjectOf(event));
  if (key === undefined) throw new Error("personal data has no key"); // never store it in plain text
  const { data } = event;
  if (typeof data !== "object" || data === null || Array.isArray(data))
    throw eventError(
      "EVENTS_INVALID_DATA",
      `the data of an event of type ${event.type} must be an object, because the type has personal fields`,
    );
  const { fields } = event.known.personal;
  const sealed = sealFields(data as Readonly<Record<string, unknown>>, fields, key, { ...ref, id });
  const { key: keyId, fields: names } = sealed.seal;
  const metadata = { ...event.metadata, [SEAL]: { key: keyId, fields: names } };
  const { metadata: ownMetadata } = event;
  return { ...encode({ ...event, data: sealed.data, metadata }, id), value: data, ownMetadata, key: keyId };
};

const encode = ({ type, known, data, metadata }: CheckedEvent, id: string): EncodedEvent => {
  const text = JSON.stringify(data);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_EVENT_BYTES)
    throw eventError(
      "EVENTS_TOO_LARGE",
      `an event of type ${type} has ${bytes} bytes, the limit is ${MAX_EVENT_BYTES}`,
    );
  return {
    id,
    type,
    schemaVersion: known?.version ?? 1,
    data: text,
    metadata: metadataText(metadata),
    bytes,
    value: data,
    ownMetadata: metadata,
    key: null,
  };
};

const metadataText = (metadata: CheckedEvent["metadata"]): string | null => {
  if (metadata === noMetadata) return null; // the usual case outside an app
  const text = JSON.stringify(metadata);
  if (text === "{}") return null;
  if (Buffer.byteLength(text) > MAX_METADATA_BYTES)
    throw eventError(
      "EVENTS_TOO_LARGE",
      `the metadata of an event is larger than ${MAX_METADATA_BYTES} bytes`,
    );
  return text;
};
