/** The fields of an entry that this adapter reads; `CacheEntry` of `@framework/cache` has them. */
export interface StoredEntry {
  /** The kind of entry. */
  readonly kind: string;
  /** Changes with the entry. */
  readonly id: string;
  /** The whole body; `null` if there is none. */
  readonly body?: string | Uint8Array | null;
}

/** An entry as stored in Redis. */
export interface SerializedEntry {
  /** The body's type (`-` none, `t` text, `b` bytes), followed by the JSON of all other fields. */
  readonly metadata: string;
  readonly body: Buffer;
}

/** Serializes an entry. */
export const serializeEntry = (entry: StoredEntry): SerializedEntry => {
  const { body = null, ...fields } = entry;
  const json = JSON.stringify(fields);
  if (body === null) return { metadata: `-${json}`, body: Buffer.alloc(0) };
  if (typeof body === "string") return { metadata: `t${json}`, body: Buffer.from(body) };
  return { metadata: `b${json}`, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) };
};

/** Deserializes an entry; one that is not a reply has no `body` field. */
export const deserializeEntry = <Entry extends StoredEntry>(metadata: Buffer, body: Buffer): Entry => {
  const type = metadata[0];
  const fields = JSON.parse(metadata.toString("utf8", 1)) as Entry;
  if (fields.kind !== "reply") return fields;
  return {
    ...fields,
    body: type === noBody ? null : type === textBody ? body.toString("utf8") : new Uint8Array(body),
  };
};

const noBody = "-".charCodeAt(0);
const textBody = "t".charCodeAt(0);
