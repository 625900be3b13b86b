import { GrpcError } from "../status/grpc-error.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The body of a gRPC-Web reply: frames, pulled as fast as the client reads. */
export class WebReply {
  /** Resolves at the first message or the end: header fields are final then. */
  readonly begun: Promise<void>;
  /** The frames. */
  readonly body: ReadableStream<Uint8Array>;
  private readonly isText: boolean;
  private readonly abort: (reason: GrpcError) => void;
  private readonly begin: () => void;
  private controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  private resume: (() => void) | null = null;
  private isOver = false;

  constructor(isText: boolean, abort: (reason: GrpcError) => void) {
    this.isText = isText;
    this.abort = abort;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.begun = promise;
    this.begin = resolve;
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.controller = controller;
      },
      pull: () => this.wake(),
      cancel: () => this.cancelled(),
    });
  }

  /** Writes a message; resolves when the client can take more. */
  write(frame: Bytes): void | Promise<void> {
    if (this.isOver) return;
    this.send(frame);
    if ((this.controller?.desiredSize ?? 1) > 0) return;
    return new Promise((resolve) => {
      this.resume = resolve;
    });
  }

  /** Writes the last frame. */
  end(frame: Bytes): void {
    if (this.isOver) return this.begin();
    this.send(frame);
    this.isOver = true;
    this.controller?.close();
    this.wake();
  }

  /** Aborts the call, because the client has disconnected. */
  cancelled(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.abort(new GrpcError("CANCELLED", "The client cancelled the call"));
    this.wake();
    this.begin();
  }

  private send(frame: Bytes): void {
    this.controller?.enqueue(this.isText ? Buffer.from(Buffer.from(frame).toString("base64")) : frame);
    this.begin();
  }

  private wake(): void {
    const waiter = this.resume;
    this.resume = null;
    waiter?.();
  }
}
