import type { LimitsConfig } from "../../config/limits-config.ts";
import { textAt } from "../../exchange/input-window.ts";
import { isAt, type Token, tokenOf } from "../../exchange/window-token.ts";
import { isAuthority } from "../../http/authority.ts";
import { CachedHead } from "./fast-cached-head.ts";
import type { FastHead } from "./fast-head.ts";
import { INCOMPLETE, readFastHead, UNSUPPORTED } from "./fast-request-head.ts";

/** Maximum number of reads of one message, because each read scans its head again. */
const MAX_READS = 8;

/** Maximum number of bytes of a cached chunk: a cached head retains its chunk. */
const MAX_CACHED_CHUNK = 2048;

/** Unserved input of one connection, and the cached head of its previous request. */
export class FastInput {
  /** Unserved bytes, from `at` on; `null` if there are none. */
  bytes: Buffer | null = null;
  /** Position of the next unread byte. */
  at = 0;
  /** Whether the message at `at` must be parsed by `node:http`. */
  unsupported = false;
  /** Whether the message has a complete head but an incomplete body, which gets a short grace period. */
  lacksBody = false;
  /** Whether the bytes are an incomplete message. */
  partial = false;
  /** Number of reads of the incomplete message. */
  private reads = 0;
  /** Head of the previous request, if its chunk held nothing else. */
  private cached: CachedHead | null = null;
  /** The last valid Host of the connection, and its token for comparison. */
  private authority = "";
  private host: Token | null = null;

  /** Adds received bytes. */
  add(chunk: Buffer): void {
    this.bytes = this.bytes === null ? chunk : Buffer.concat([this.bytes.subarray(this.at), chunk]);
    this.at = 0;
    this.partial = false;
    this.lacksBody = false;
  }

  /** Drops the unserved bytes. */
  clear(): void {
    this.bytes = null;
    this.unsupported = false;
    this.lacksBody = false;
  }

  /** Whether the bytes may contain a whole message. */
  get servable(): boolean {
    return this.bytes !== null && !this.partial && !this.unsupported;
  }

  /** Parses a chunk that is exactly one message, with no unserved bytes before it; `null` for any other chunk. */
  takeWhole(chunk: Buffer, limits: LimitsConfig, head: FastHead): CachedHead | null {
    const { cached } = this;
    this.at = 0;
    if (cached !== null && cached.readChunk(chunk, head)) return cached;
    const end = readFastHead(chunk, 0, limits, head);
    if (end < 0 || end + head.bodyLength !== chunk.length) return null;
    const fields = this.takeHead(chunk, head);
    this.cached = head.bodyLength === 0 && end <= MAX_CACHED_CHUNK ? fields : null;
    return fields;
  }

  /** Parses the head of the message at `at` and returns the end of the head; -1 if the message cannot be served now, for the reason in the flags. */
  readHead(bytes: Buffer, limits: LimitsConfig, head: FastHead): number {
    const end = readFastHead(bytes, this.at, limits, head);
    if (end === UNSUPPORTED) this.unsupported = true;
    else if (end === INCOMPLETE || end + head.bodyLength > bytes.length) {
      this.partial = true;
      this.unsupported = ++this.reads > MAX_READS;
      this.lacksBody = end !== INCOMPLETE;
    } else return end;
    return -1;
  }

  /** Fields of the head that was just parsed; `null` for a malformed Host, which makes the message unsupported. */
  takeHead(bytes: Buffer, head: FastHead): CachedHead | null {
    const authority = this.readHost(bytes, head);
    if (authority === null) return null;
    head.target = textAt(head.targetStart - this.at, head.targetEnd - this.at); // the window still contains the head
    return new CachedHead(bytes, head, authority);
  }

  /** Drops the cached head. Called on an idle connection, to free its memory. */
  dropCache(): void {
    this.cached = null;
  }

  /** Marks the bytes up to `end` as served. */
  take(end: number): void {
    this.reads = 0;
    this.at = end;
    if (this.bytes?.length === end) this.bytes = null;
  }

  private readHost(bytes: Buffer, { hostStart, hostEnd }: FastHead): string | null {
    const { host } = this;
    if (host !== null && hostEnd - hostStart === host.length && isAt(host, hostStart - this.at))
      return this.authority;
    const authority = bytes.toString("latin1", hostStart, hostEnd);
    if (!isAuthority(authority)) {
      this.unsupported = true;
      return null;
    }
    this.authority = authority;
    this.host = authority.length < 4 ? null : tokenOf(authority);
    return authority;
  }
}
