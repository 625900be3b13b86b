/** What a cache stores, as far as this adapter looks into it: `CacheEntry` of `@framework/cache` is one. */
export interface StoredEntry {
  readonly kind: string;
  readonly id: string;
  readonly body?: string | Uint8Array | null;
}

/** An entry as Redis keeps it. */
export interface WrittenEntry {
  /** JSON of everything but the body, with its form in front: `-` none, `t` text, `b` bytes. */
  readonly description: string;
  readonly body: Buffer;
}

/** Takes an entry apart. */
export const writtenEntry = (entry: StoredEntry): WrittenEntry => {
  const { body = null, ...rest } = entry;
  const json = JSON.stringify(rest);
  if (body === null) return { description: `-${json}`, body: Buffer.alloc(0) };
  if (typeof body === "string") return { description: `t${json}`, body: Buffer.from(body) };
  return { description: `b${json}`, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) };
};

/** Puts it together again; what is not there in an entry without a body stays away. */
export const readEntryOf = <Entry extends StoredEntry>(description: Buffer, body: Buffer): Entry => {
  const form = description[0];
  const rest = JSON.parse(description.toString("utf8", 1)) as Entry;
  if (rest.kind !== "reply") return rest;
  return {
    ...rest,
    body: form === NONE ? null : form === TEXT ? body.toString("utf8") : new Uint8Array(body),
  };
};

const NONE = "-".charCodeAt(0);
const TEXT = "t".charCodeAt(0);
