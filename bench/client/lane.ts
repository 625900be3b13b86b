import type { Call } from "./call.ts";
import { Connection, type Outcome } from "./connection.ts";

/** A request of a lane. */
export interface LaneRequest extends Call {
  /** When the client disconnects. @default it waits for the reply */
  readonly disconnects?: "sent" | "first byte";
}

/** Options of a lane. */
export interface LaneOptions {
  readonly port: number;
  /** The next request; null ends the lane. */
  readonly next: () => LaneRequest | null | Promise<LaneRequest | null>;
  /** Called before a request is sent on this connection. */
  readonly onSend?: (connection: Connection) => void;
  readonly onOutcome: (outcome: Outcome, connection: Connection) => void;
}

/** One client in a closed loop: the next request is sent when the previous one has ended. */
export class Lane {
  private readonly options: LaneOptions;
  private connection: Connection | null = null;

  constructor(options: LaneOptions) {
    this.options = options;
  }

  /** Sends requests until `next` returns null. Keeps the connection open and replaces a lost one for the next request; retries nothing. */
  async run(): Promise<void> {
    const { port, next, onSend, onOutcome } = this.options;
    for (let request = await next(); request !== null; request = await next()) {
      const connection = this.connection?.usable === true ? this.connection : new Connection(port);
      this.connection = connection;
      onSend?.(connection);
      const { disconnects } = request;
      const outcome =
        disconnects === undefined
          ? connection.exchange(request)
          : connection.disconnect(request, disconnects);
      onOutcome(await outcome, connection);
    }
  }

  close(): void {
    this.connection?.close();
    this.connection = null;
  }
}
