import type { LimitsConfig } from "../config/limits-config.ts";
import { isAuthority } from "./authority.ts";
import { type FastHead, FOREIGN, INCOMPLETE, readFastHead } from "./fast-request-head.ts";

/** Reads that a message may take: each one looks at its head again. */
const maxReads = 8;

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
  /** The Host of the request before, which is known to be well-formed. */
  private host: string | null = null;

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

  /** Reads the head of the message at `at`, and gives where it ends; -1 when there is none to serve, and what there is instead is noted. */
  readHead(bytes: Buffer, limits: LimitsConfig, head: FastHead): number {
    const end = readFastHead(bytes, this.at, limits, head);
    if (end === FOREIGN) this.foreign = true;
    else if (end === INCOMPLETE || end + head.bodyLength > bytes.length) {
      this.partial = true;
      this.foreign = ++this.reads > maxReads;
      this.lacksBody = end !== INCOMPLETE;
    } else return end;
    return -1;
  }

  /** The Host of a head that was read; `null`, and the message foreign, when it is malformed. */
  readHost(bytes: Buffer, { hostStart, hostEnd }: FastHead): string | null {
    if (this.isKnownHost(bytes, hostStart, hostEnd)) return this.host;
    const host = bytes.toString("latin1", hostStart, hostEnd);
    if (isAuthority(host)) return (this.host = host);
    this.foreign = true;
    return null;
  }

  /** The message up to `end` is served. */
  take(end: number): void {
    this.reads = 0;
    this.at = end;
    if (this.bytes?.length === end) this.bytes = null;
  }

  private isKnownHost(bytes: Buffer, start: number, end: number): boolean {
    const { host } = this;
    if (host === null || host.length !== end - start) return false;
    for (let index = 0; index < host.length; index++) {
      if (bytes[start + index] !== host.charCodeAt(index)) return false;
    }
    return true;
  }
}
