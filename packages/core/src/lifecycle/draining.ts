import { HttpError } from "../errors/http-error.ts";

/** A body in transmission that can be ended cleanly before its source ends. */
export interface OpenStream {
  /** Ends the body now and closes its source. */
  return(): Promise<unknown>;
}

/** Ends endless work when an app drains: event streams, and handlers that wait for `signal`. */
export class Draining {
  private controller: AbortController | undefined;
  private hasBegun = false;
  private readonly streams: Set<OpenStream> = new Set();

  /** One signal for the whole app, created on first access. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.hasBegun) this.controller.abort(draining());
    }
    return this.controller.signal;
  }

  /** Registers a stream until `remove` is called; a stream that opens during the drain ends at once. */
  add(stream: OpenStream): void {
    if (this.hasBegun) end(stream);
    else this.streams.add(stream);
  }

  remove(stream: OpenStream): void {
    this.streams.delete(stream);
  }

  /** Ends all open streams, then aborts the signal: in this order, a source that throws because of the signal cannot fail its body. */
  begin(): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    for (const stream of this.streams) end(stream);
    this.streams.clear();
    this.controller?.abort(draining());
  }
}

const end = (stream: OpenStream): void => {
  stream.return().catch(() => {}); // the body ends cleanly even if closing its source fails
};

/** The abort reason of the signal; a handler that rethrows it replies 503. */
const draining = (): HttpError =>
  new HttpError(503, "The service is draining; try again", {
    headers: { "retry-after": "1" },
    retry_after: 1,
  });
