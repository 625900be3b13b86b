import { BodyStream } from "../exchange/payload.ts";
import type { Draining } from "../lifecycle/draining.ts";
import type { ByteChunks } from "./byte-stream.ts";

/** A body without an end of its own, such as an event stream: it ends in order when the app drains. */
export class EndlessBody extends BodyStream {
  private readonly bytes: ByteChunks;

  constructor(chunks: ByteChunks) {
    super(chunks);
    this.bytes = chunks;
  }

  /** Ends the body with the drain of this app. */
  endWith(draining: Draining): void {
    this.bytes.endWith(draining);
  }
}
