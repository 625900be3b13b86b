import { GrpcError } from "../status/grpc-error.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The body of a gRPC-Web reply: frames, pulled as fast as the client reads. */
export class WebReply {
  /** Resolves at the first frame or when the client disconnects: the response headers are then final. */
  readonly headersReady: Promise<void>;
  /** The frames. */
  readonly body: ReadableStream<Uint8Array>;
  private readonly isText: boolean;
  private readonly abort: (reason: GrpcError) => void;
  private readonly begin: () => void;
  private controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  private resume: (() => void) | null = null;
  private hasEnded = false;

  constructor(isText: boolean, abort: (reason: GrpcError) => void) {
    this.isText = isText;
    this.abort = abort;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.headersReady = promise;
    this.begin = resolve;
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.controller = controller;
      },
      pull: () => this.wake(),
      cancel: () => this.stop(),
    });
  }

  /** Writes a frame; a returned promise resolves when the client can receive more. */
  write(frame: Bytes): void | Promise<void> {
    if (this.hasEnded) return;
    this.send(frame);
    if ((this.controller?.desiredSize ?? 1) > 0) return;
    return new Promise((resolve) => {
      this.resume = resolve;
    });
  }

  /** Writes the last frame. */
  end(frame: Bytes): void {
    if (this.hasEnded) return this.begin();
    this.send(frame);
    this.hasEnded = true;
    this.controller?.close();
    this.wake();
  }

  /** Aborts the call and ends the body, because the client has disconnected. */
  cancel(): void {
    if (this.hasEnded) return;
    this.stop();
    this.controller?.close();
  }

  /** Aborts the call, because the body is not read. */
  private stop(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
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
