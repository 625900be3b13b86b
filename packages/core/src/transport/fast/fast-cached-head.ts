import { FastFields } from "./fast-fields.ts";
import type { FastHead } from "./fast-head.ts";

/**
 * A validated head. A chunk that equals its chunk byte for byte needs no second parse under the same limits: many clients repeat a request.
 * `docs/memos.md` has what that saves.
 */
export class CachedHead extends FastFields {
  /** Value of Host. */
  readonly authority: string;
  private readonly method: string;
  private readonly target: string;
  /** `RequestSource.isPlain` */
  readonly isPlain: boolean;
  private readonly last: boolean;
  private readonly isJson: boolean;

  constructor(bytes: Buffer, head: FastHead, authority: string) {
    super(bytes, head.fieldsStart, head.fieldsEnd);
    this.authority = authority;
    this.method = head.method;
    this.target = head.target;
    this.isPlain = head.isPlain;
    this.last = head.last;
    this.isJson = head.isJson;
  }

  override get(lowerName: string): string | null {
    return this.isJson && lowerName === "content-type" ? "application/json" : super.get(lowerName);
  }

  /** Fills in `head` if a chunk equals the one that holds this head and nothing else; whether it does. */
  readChunk(bytes: Buffer, head: FastHead): boolean {
    if (bytes.length !== this.bytes.length || !this.bytes.equals(bytes)) return false;
    head.method = this.method;
    head.target = this.target;
    head.bodyStart = bytes.length;
    head.bodyLength = 0;
    head.last = this.last;
    return true;
  }
}
