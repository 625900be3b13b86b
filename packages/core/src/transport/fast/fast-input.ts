import type { LimitsConfig } from "../../config/limits-config.ts";
import { isAuthority } from "../../http/authority.ts";
import { KnownHead } from "./fast-known-head.ts";
import { type FastHead, FOREIGN, INCOMPLETE, readFastHead } from "./fast-request-head.ts";

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
  foreign = false;
  /** Whether it has its head, and its body is waited for a little. */
  lacksBody = false;
  /** Whether the bytes are the beginning of a message, and how many reads it has taken. */
  partial = false;
  private reads = 0;
  /** The head of the request before; not of the first, behind which many connections only wait. */
  private known: KnownHead | null = null;
  private comesAgain = false;

  add(chunk: Buffer): void {
    this.bytes = this.bytes === null ? chunk : Buffer.concat([this.bytes.subarray(this.at), chunk]);
    this.at = 0;
    this.partial = false;
    this.lacksBody = false;
  }

  /** Drops everything. */
  clear(): void {
    this.bytes = null;
    this.foreign = false;
    this.lacksBody = false;
  }

  /** Whether there may be a whole message. */
  get servable(): boolean {
    return this.bytes !== null && !this.partial && !this.foreign;
  }

  /** Reads a chunk that is one whole message, with nothing in front of it; gives its fields, `null` where it is anything else. */
  takeWhole(chunk: Buffer, limits: LimitsConfig, head: FastHead): KnownHead | null {
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
    if (end === FOREIGN) this.foreign = true;
    else if (end === INCOMPLETE || end + head.bodyLength > bytes.length) {
      this.partial = true;
      this.foreign = ++this.reads > maxReads;
      this.lacksBody = end !== INCOMPLETE;
    } else return end;
    return -1;
  }

  /** The fields of the head at `at`, which was read; `null`, and the message foreign, when its Host is malformed. */
  takeHead(bytes: Buffer, head: FastHead): KnownHead | null {
    if (head.lineKnown && head.fieldsKnown) {
      this.known?.keepChunk(bytes, this.at, head);
      return this.known;
    }
    if (!head.lineKnown) head.target = bytes.toString("latin1", head.targetStart, head.targetEnd);
    if (head.fieldsKnown) {
      this.known?.setLine(bytes, this.at, head);
      return this.known;
    }
    const authority = this.readHost(bytes, head);
    if (authority === null) return null;
    const known = new KnownHead(bytes, this.at, head, authority);
    if (this.comesAgain) this.known = known;
    this.comesAgain = true;
    return known;
  }

  /** Keeps nothing for the next request: it does not come soon. */
  forget(): void {
    this.known = null;
    this.comesAgain = false;
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
    this.foreign = true;
    return null;
  }
}
