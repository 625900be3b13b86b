import { BodyStream } from "../exchange/payload.ts";
import type { Draining } from "../lifecycle/draining.ts";
import type { ByteChunks } from "./byte-stream.ts";

/** A body whose source may never end, such as an event stream: it ends cleanly when the app drains. */
export class EndlessBody extends BodyStream {
  private readonly bytes: ByteChunks;

  constructor(chunks: ByteChunks) {
    super(chunks);
    this.bytes = chunks;
  }

  /** Ends the body when this app drains. */
  endWith(draining: Draining): void {
    this.bytes.endWith(draining);
  }
}
