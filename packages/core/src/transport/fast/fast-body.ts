import { bodyEnd, bodyUsed } from "../wire/body-iteration.ts";

/** The chunks of a body in memory: one chunk, or none for an empty body. */
export class FastBody implements AsyncIterableIterator<Uint8Array, undefined> {
  private rest: Uint8Array | null;
  private taken = false;

  constructor(bytes: Uint8Array) {
    this.rest = bytes.byteLength === 0 ? null : bytes;
  }

  /** @throws CORE_BODY_USED the second time */
  [Symbol.asyncIterator](): this {
    if (this.taken) throw bodyUsed();
    this.taken = true;
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const { rest } = this;
    this.rest = null;
    return Promise.resolve(rest === null ? bodyEnd : { done: false, value: rest });
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.rest = null;
    return Promise.resolve(bodyEnd);
  }
}
