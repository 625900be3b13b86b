import type { Call } from "./call.ts";
import { Connection, type Outcome } from "./connection.ts";

/** A request of a lane. */
export interface LaneRequest extends Call {
  /** When the client disconnects instead of waiting for the reply. */
  readonly leaves?: "sent" | "first byte";
}

/** Options of a lane. */
export interface LaneOptions {
  readonly port: number;
  /** The next request; null ends the lane. */
  readonly next: () => LaneRequest | null | Promise<LaneRequest | null>;
  /** A request is sent on this connection. */
  readonly sends?: (connection: Connection) => void;
  readonly seen: (outcome: Outcome, connection: Connection) => void;
}

/** One client in a closed loop: the next request is sent when the previous one has ended. */
export class Lane {
  private readonly options: LaneOptions;
  private connection: Connection | null = null;

  constructor(options: LaneOptions) {
    this.options = options;
  }

  /** Sends requests until `next` returns null. The connection stays open; a lost one is replaced for the next request, nothing is retried. */
  async run(): Promise<void> {
    const { port, next, sends, seen } = this.options;
    for (let request = await next(); request !== null; request = await next()) {
      const connection = this.connection?.usable === true ? this.connection : new Connection(port);
      this.connection = connection;
      sends?.(connection);
      const { leaves } = request;
      const outcome = leaves === undefined ? connection.exchange(request) : connection.leave(request, leaves);
      seen(await outcome, connection);
    }
  }

  close(): void {
    this.connection?.close();
    this.connection = null;
  }
}
