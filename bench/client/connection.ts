import { connect, type Socket } from "node:net";
import { MalformedReply, type Reply, ReplyReader } from "./reply-reader.ts";

/** How a request can end without a reply. */
export type FailureKind =
  /** Connection refused. */
  | "refused"
  /** Closed or reset before any byte of the reply, on a connection that had not answered yet. */
  | "reset, fresh connection"
  /** Closed or reset before any byte of the reply, on a connection that had answered before. */
  | "reset, reused connection"
  /** Closed or reset after a part of the reply. */
  | "reset within the reply"
  /** No byte for `SILENCE_MS`. */
  | "no answer"
  | "malformed reply";

/** How a request ended. */
export type Outcome =
  | { readonly kind: "reply"; readonly reply: Reply }
  | { readonly kind: FailureKind; readonly reason: string }
  /** The client disconnected on purpose. */
  | { readonly kind: "left" };

/** Milliseconds without a byte after which a request counts as unanswered. */
const SILENCE_MS = 60_000;

/** A keep-alive connection with at most one request in flight. Nothing is retried. */
export class Connection {
  /** Milliseconds of `performance.now()`. */
  readonly openedAt: number = performance.now();
  /** Replies so far. */
  answered = 0;
  private readonly socket: Socket;
  private readonly reader = new ReplyReader();
  private waiting: ((outcome: Outcome) => void) | null = null;
  private leavesAtFirstByte = false;
  private over = false;

  constructor(port: number, host = "127.0.0.1") {
    this.socket = connect({ port, host, noDelay: true });
    this.socket.setTimeout(SILENCE_MS, () => {
      if (this.waiting !== null) this.fail("no answer", `nothing for ${SILENCE_MS} ms`);
    });
    this.socket.setEncoding("latin1");
    this.socket.on("data", (piece) => this.read(String(piece)));
    this.socket.on("error", (error: NodeJS.ErrnoException) => this.lost(error.code ?? error.message));
    this.socket.on("end", () => this.lost("the server closed"));
    this.socket.on("close", () => this.lost("closed"));
  }

  /** Whether a further request may be sent. */
  get usable(): boolean {
    return !this.over;
  }

  /** Sends a request and waits for the end of it; never rejects. */
  exchange(bytes: string): Promise<Outcome> {
    return new Promise((resolve) => {
      this.waiting = resolve;
      if (this.over) this.lost("closed");
      else this.socket.write(bytes, "latin1");
    });
  }

  /** Sends a request and disconnects: once it is sent, or at the first byte of the reply. */
  leave(bytes: string, when: "sent" | "first byte"): Promise<Outcome> {
    this.leavesAtFirstByte = when === "first byte";
    const outcome = this.exchange(bytes);
    if (when === "sent") this.socket.write("", () => this.settle({ kind: "left" }));
    return outcome;
  }

  /** Closes it; a request in flight counts as left by the client. */
  close(): void {
    this.settle({ kind: "left" });
  }

  private read(piece: string): void {
    if (this.leavesAtFirstByte) return this.settle({ kind: "left" });
    let reply: Reply | null;
    try {
      reply = this.reader.push(piece);
    } catch (error) {
      if (error instanceof MalformedReply) return this.fail("malformed reply", error.message);
      throw error;
    }
    if (reply === null) return;
    this.answered++;
    const { waiting } = this;
    if (waiting === null) return this.fail("malformed reply", "an unexpected reply");
    this.waiting = null;
    if (reply.closes) this.end();
    waiting({ kind: "reply", reply });
  }

  private lost(reason: string): void {
    if (this.over && this.waiting === null) return;
    if (reason === "ECONNREFUSED") this.fail("refused", reason);
    else if (this.reader.hasBegun) this.fail("reset within the reply", reason);
    else this.fail(this.answered === 0 ? "reset, fresh connection" : "reset, reused connection", reason);
  }

  private fail(kind: FailureKind, reason: string): void {
    this.settle({ kind, reason });
  }

  private settle(outcome: Outcome): void {
    this.end();
    const { waiting } = this;
    this.waiting = null;
    waiting?.(outcome);
  }

  private end(): void {
    this.over = true;
    this.socket.destroy();
  }
}
