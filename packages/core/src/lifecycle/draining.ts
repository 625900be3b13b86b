import { HttpError } from "../errors/http-error.ts";

/** A body that is being sent and can be ended in order before its source is through. */
export interface OpenStream {
  /** Ends the body now and closes its source. */
  return(): Promise<unknown>;
}

/** The moment at which an app ends work that has no end of its own: event streams, and handlers that wait for `signal`. */
export class Draining {
  private controller: AbortController | undefined;
  private hasBegun = false;
  private readonly streams: Set<OpenStream> = new Set();

  /** One signal for the whole app, made when first asked for. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.hasBegun) this.controller.abort(draining());
    }
    return this.controller.signal;
  }

  /** Counts a stream in until `closed`; one that opens during the drain ends at once. */
  opened(stream: OpenStream): void {
    if (this.hasBegun) end(stream);
    else this.streams.add(stream);
  }

  closed(stream: OpenStream): void {
    this.streams.delete(stream);
  }

  /** Ends all open streams, then aborts the signal: a source that throws because of the signal no longer fails its body. */
  begin(): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    for (const stream of this.streams) end(stream);
    this.streams.clear();
    this.controller?.abort(draining());
  }
}

const end = (stream: OpenStream): void => {
  stream.return().catch(() => {}); // the body ends in order whatever its source says while it closes
};

/** The reason of the signal: a handler that lets it through answers 503. */
const draining = (): HttpError =>
  new HttpError(503, "The service is draining; try again", {
    headers: { "retry-after": "1" },
    retry_after: 1,
  });
