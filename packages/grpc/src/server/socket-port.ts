import type { Duplex } from "node:stream";

/** Result of a drain. */
export interface CloseResult {
  /** Number of calls that were aborted. */
  readonly cut: number;
}

/** The part of a listener that accepts connections. */
export interface SocketPort {
  accept(socket: Duplex): void;
  drain(): void;
  close(deadlineMs: number): Promise<CloseResult>;
}
