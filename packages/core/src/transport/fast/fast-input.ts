import type { LimitsConfig } from "../../config/limits-config.ts";
import { isAuthority } from "../../http/authority.ts";
import { CachedHead } from "./fast-cached-head.ts";
import { type FastHead, UNSUPPORTED, INCOMPLETE, readFastHead } from "./fast-request-head.ts";

/** Reads that a message may take: each one looks at its head again. */
const maxReads = 8;

/** Chunks up to this are kept for the head in them until the next request. */
const maxKeptChunk = 2048;

/** What arrived on a connection and is not served yet. */
export class FastInput {
  /** Bytes that are not served yet, from `at` on. */
  bytes: Buffer | null = null;
  at = 0;
  /** The message at `at` is for another transport. */
  unsupported = false;
  /** Whether it has its head, and its body is waited for a little. */
  lacksBody = false;
  /** Whether the bytes are the beginning of a message, and how many reads it has taken. */
  partial = false;
  private reads = 0;
  /** The head of the request before; not of the first, behind which many connections only wait. */
  private known: CachedHead | null = null;
  private sawHead = false;

  add(chunk: Buffer): void {
    this.bytes = this.bytes === null ? chunk : Buffer.concat([this.bytes.subarray(this.at), chunk]);
    this.at = 0;
    this.partial = false;
    this.lacksBody = false;
  }

  /** Drops everything. */
  clear(): void {
    this.bytes = null;
    this.unsupported = false;
    this.lacksBody = false;
  }

  /** Whether there may be a whole message. */
  get servable(): boolean {
    return this.bytes !== null && !this.partial && !this.unsupported;
  }

  /** Reads a chunk that is one whole message, with nothing in front of it; gives its fields, `null` where it is anything else. */
  takeWhole(chunk: Buffer, limits: LimitsConfig, head: FastHead): CachedHead | null {
    const { known } = this;
    this.at = 0;
    if (known !== null && known.readChunk(chunk, head)) return known;
    const end = readFastHead(chunk, 0, limits, head, known);
    if (end < 0 || end + head.bodyLength !== chunk.length) return null;
    const fields = this.takeHead(chunk, head);
    if (chunk.length > maxKeptChunk) this.known = null;
    return fields;
  }

  /** Reads the head of the message at `at`, and gives where it ends; -1 when there is none to serve, and what there is instead is noted. */
  readHead(bytes: Buffer, limits: LimitsConfig, head: FastHead): number {
    const end = readFastHead(bytes, this.at, limits, head, this.known);
    if (end === UNSUPPORTED) this.unsupported = true;
    else if (end === INCOMPLETE || end + head.bodyLength > bytes.length) {
      this.partial = true;
      this.unsupported = ++this.reads > maxReads;
      this.lacksBody = end !== INCOMPLETE;
    } else return end;
    return -1;
  }

  /** The fields of the head at `at`, which was read; `null`, and the message unsupported, when its Host is malformed. */
  takeHead(bytes: Buffer, head: FastHead): CachedHead | null {
    if (head.lineCached && head.fieldsCached) {
      this.known?.keepChunk(bytes, this.at, head);
      return this.known;
    }
    if (!head.lineCached) head.target = bytes.toString("latin1", head.targetStart, head.targetEnd);
    if (head.fieldsCached) {
      this.known?.setLine(bytes, this.at, head);
      return this.known;
    }
    const authority = this.readHost(bytes, head);
    if (authority === null) return null;
    const known = new CachedHead(bytes, this.at, head, authority);
    if (this.sawHead) this.known = known;
    this.sawHead = true;
    return known;
  }

  /** Keeps nothing for the next request: it does not come soon. */
  forget(): void {
    this.known = null;
    this.sawHead = false;
  }

  /** The message up to `end` is served. */
  take(end: number): void {
    this.reads = 0;
    this.at = end;
    if (this.bytes?.length !== end) return;
    this.bytes = null;
    if (end > maxKeptChunk) this.known = null;
  }

  private readHost(bytes: Buffer, { hostStart, hostEnd }: FastHead): string | null {
    const host = bytes.toString("latin1", hostStart, hostEnd);
    if (host === this.known?.authority || isAuthority(host)) return host;
    this.unsupported = true;
    return null;
  }
}
