import { Lane, type LaneRequest } from "./lane.ts";
import { Tally } from "./tally.ts";

/** Keeps one request in flight per connection, and sends an exact number of requests. */
export class ClosedLoop {
  private readonly lanes: readonly Lane[];
  private tally = new Tally();
  private left = 0;
  private request: () => LaneRequest = () => ({ path: "/" });

  constructor(port: number, connections: number) {
    this.lanes = Array.from({ length: connections }, () => this.lane(port));
  }

  /** Sends `total` requests over the open connections and returns their outcomes. */
  async run(total: number, request: () => LaneRequest): Promise<Tally> {
    this.left = total;
    this.request = request;
    this.tally = new Tally();
    await Promise.all(this.lanes.map((lane) => lane.run()));
    return this.tally;
  }

  close(): void {
    for (const lane of this.lanes) lane.close();
  }

  private lane(port: number): Lane {
    const next = (): LaneRequest | null => (this.left-- > 0 ? this.request() : null);
    return new Lane({ port, next, onOutcome: (outcome) => this.tally.add(outcome) });
  }
}
