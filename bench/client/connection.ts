import { Agent, type ClientRequest, request as send } from "node:http";
import type { Socket } from "node:net";
import type { Call } from "./call.ts";
import { readReply, type Reply } from "./reply.ts";

/** Failure of a request. */
export type FailureKind =
  /** Connection refused. */
  | "refused"
  /** Closed or reset before any byte of the reply, on a connection without an earlier reply. */
  | "reset, fresh connection"
  /** Closed or reset before any byte of the reply, on a connection with an earlier reply. */
  | "reset, reused connection"
  /** Closed or reset after a part of the reply. */
  | "reset within the reply"
  /** No byte for `SILENCE_MS`. */
  | "no reply"
  | "malformed reply";

/** Outcome of a request. */
export type Outcome =
  | { readonly kind: "reply"; readonly reply: Reply }
  | { readonly kind: FailureKind; readonly reason: string }
  /** The client disconnected on purpose. */
  | { readonly kind: "disconnected" };

/** Milliseconds without a byte after which a request counts as unanswered. */
const SILENCE_MS = 60_000;

/** A keep-alive connection of `node:http` with at most one request in flight. Nothing is retried. */
export class Connection {
  /** Milliseconds of `performance.now()`. */
  readonly openedAt: number = performance.now();
  /** Replies so far. */
  replies = 0;
  private readonly port: number;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
  private socket: Socket | null = null;
  /** Bytes that the socket had received before the current request. */
  private before = 0;
  private settle: (outcome: Outcome) => void = () => {};
  private isClosed = false;

  constructor(port: number) {
    this.port = port;
  }

  /** Whether a further request may be sent. */
  get usable(): boolean {
    return !this.isClosed && this.socket?.destroyed !== true;
  }

  /** Sends a request and resolves with its outcome; never rejects. */
  exchange(call: Call): Promise<Outcome> {
    const { promise, request } = this.start(call);
    request.once("response", (message) => {
      readReply(message, this.before).then(
        (reply) => this.replied(reply),
        (error: NodeJS.ErrnoException) => this.failed(error),
      );
    });
    return promise;
  }

  /** Sends a request and disconnects, either once it is sent or at the start of the reply. */
  disconnect(call: Call, when: "sent" | "first byte"): Promise<Outcome> {
    const { promise, request } = this.start(call);
    request.once(when === "sent" ? "finish" : "response", () => this.close());
    return promise;
  }

  /** Closes the connection; the outcome of a request in flight is `disconnected`. */
  close(): void {
    this.end({ kind: "disconnected" });
  }

  private start({ path, body, fields }: Call): { promise: Promise<Outcome>; request: ClientRequest } {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.settle = resolve;
    const request = send({
      agent: this.agent,
      host: "127.0.0.1",
      port: this.port,
      method: body === undefined ? "GET" : "POST",
      path,
      headers: {
        Host: "bench",
        Accept: "*/*",
        ...(body !== undefined && { "Content-Type": "application/json", "Content-Length": body.length }),
        ...fields,
      },
      timeout: SILENCE_MS,
    });
    request.once("socket", (socket) => {
      this.socket = socket;
      this.before = socket.bytesRead;
    });
    request.once("timeout", () => this.end({ kind: "no reply", reason: `no byte for ${SILENCE_MS} ms` }));
    request.on("error", (error: NodeJS.ErrnoException) => this.failed(error));
    request.end(body);
    return { promise, request };
  }

  private replied(reply: Reply): void {
    this.replies++;
    if (reply.closes) this.end({ kind: "reply", reply });
    else this.settle({ kind: "reply", reply });
  }

  private failed({ code = "", message }: NodeJS.ErrnoException): void {
    this.end({ kind: this.kindOf(code), reason: code || message });
  }

  private kindOf(code: string): FailureKind {
    if (code === "ECONNREFUSED") return "refused";
    if (code.startsWith("HPE_")) return "malformed reply";
    if ((this.socket?.bytesRead ?? 0) > this.before) return "reset within the reply";
    return this.replies === 0 ? "reset, fresh connection" : "reset, reused connection";
  }

  /** Settles the request; later events, which closing the socket causes, have no effect. */
  private end(outcome: Outcome): void {
    this.isClosed = true;
    this.settle(outcome);
    this.socket?.destroy();
    this.agent.destroy();
  }
}
