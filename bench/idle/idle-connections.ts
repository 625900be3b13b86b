import { Peer } from "../soak/peer.ts";
import { get } from "../client/call.ts";

/** Concurrently opened connections; more would overflow the accept backlog. */
const CONCURRENCY = 500;

/** Many idle connections, each after one request. */
export class IdleConnections {
  private readonly peers: Peer[] = [];
  private readonly replyLengths = new Map<Peer, number>();
  /** Longest time from a reply to the close of its connection, in milliseconds. */
  longestMs = 0;

  /** Opens connections and sends one request on each; returns the number of replies. */
  async connect(port: number, count: number): Promise<number> {
    let replyCount = 0;
    const one = async (): Promise<void> => {
      while (this.peers.length < count) {
        const peer = new Peer(port);
        this.peers.push(peer);
        peer.send(get("/books"));
        const ended = await peer.until((received) => received.endsWith("}"), 60_000);
        this.replyLengths.set(peer, peer.bytes);
        const idleSince = performance.now();
        peer.socket.once("end", () => {
          this.longestMs = Math.max(this.longestMs, performance.now() - idleSince);
        });
        if (ended === "done" && peer.received.startsWith("HTTP/1.1 200 ")) replyCount++;
      }
    };
    await Promise.all(Array.from({ length: Math.min(CONCURRENCY, count) }, one));
    return replyCount;
  }

  /** Number of connections that the server has not closed. */
  get openCount(): number {
    return this.peers.filter(({ closed }) => !closed).length;
  }

  /** Number of connections that received bytes after their reply. */
  get countWithExtraBytes(): number {
    return this.peers.filter((peer) => peer.bytes !== this.replyLengths.get(peer)).length;
  }

  close(): void {
    for (const peer of this.peers) peer.close();
  }
}
