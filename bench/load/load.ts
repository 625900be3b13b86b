import { LoadConnection } from "./load-connection.ts";
import type { Shot } from "./shot.ts";

/** Result of a run. */
export interface LoadResult {
  /** Milliseconds from the first request to the last reply. */
  readonly ms: number;
  /** Milliseconds from the write of each shot to its last byte, ascending. */
  readonly latencies: Float64Array;
}

/** Maximum milliseconds of a run. */
const RUN_TIMEOUT_MS = 300_000;

/** Concurrently opened connections; fewer than a server's accept backlog. */
const BATCH = 128;

/** Keeps one shot in flight per connection, and sends an exact number of requests. */
export class Load {
  private readonly port: number;
  private connections: LoadConnection[] = [];
  private latencies = new Float64Array(0);
  private ended = 0;
  /** Number of shots to send. */
  private unsent = 0;
  private turn = 0;
  private settle: { resolve(): void; reject(error: Error): void } | null = null;

  constructor(port: number) {
    this.port = port;
  }

  /**
   * Sends `requests` requests over `connections` connections. Opens missing and closed connections first, and sends one request on each before
   * the run begins.
   *
   * @throws when one request fails
   */
  async run(
    shot: Shot,
    connections: number,
    requests: number,
    beforeRun?: () => Promise<void>,
  ): Promise<LoadResult> {
    await this.open(shot, connections);
    await beforeRun?.();
    const shots = Math.max(Math.round(requests / shot.depth), connections);
    return this.fire(this.connections, shot, shots);
  }

  close(): void {
    for (const connection of this.connections) connection.close();
    this.connections = [];
  }

  private async open(shot: Shot, count: number): Promise<void> {
    const kept = this.connections.filter((connection) => connection.usable);
    for (const connection of kept.splice(count)) connection.close();
    this.connections = kept;
    while (kept.length < count) {
      const length = Math.min(BATCH, count - kept.length);
      const opened = Array.from({ length }, () => new LoadConnection(this.port, this));
      kept.push(...opened);
      await this.fire(opened, shot, length);
    }
  }

  private async fire(connections: readonly LoadConnection[], shot: Shot, shots: number): Promise<LoadResult> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.settle = { resolve, reject };
    this.latencies = new Float64Array(shots);
    this.ended = 0;
    this.unsent = shots - connections.length;
    const timer = setTimeout(
      () => reject(new Error(`the run did not end within ${RUN_TIMEOUT_MS} ms`)),
      RUN_TIMEOUT_MS,
    );
    const start = performance.now();
    for (const connection of connections) connection.fire(shot);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.settle = null;
    }
    return { ms: performance.now() - start, latencies: this.latencies.sort() };
  }

  /** Called by the connections. */
  bytesOf({ bytes, variants }: Shot): Buffer {
    return variants?.[this.turn++ % variants.length] ?? bytes;
  }

  /** Called by the connections. */
  onReplies(connection: LoadConnection): boolean {
    this.latencies[this.ended++] = performance.now() - connection.sentAt;
    if (this.ended === this.latencies.length) this.settle?.resolve();
    return this.unsent-- > 0;
  }

  /** Called by the connections. */
  replace(connection: LoadConnection, shot: Shot): void {
    connection.close();
    const replacement = new LoadConnection(this.port, this);
    this.connections = this.connections.map((other) => (other === connection ? replacement : other));
    replacement.fire(shot);
  }

  /** Called by the connections. */
  onError(error: Error): void {
    this.settle?.reject(error);
  }
}
