import { type ClientHttp2Session, connect } from "node:http2";
import type { Http2Request, Http2Workload } from "./http2-workloads.ts";

/** A reply, without the fields that change with time. */
export interface Http2Reply {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly length: string | undefined;
  readonly body: string;
}

/** Sends concurrent requests over several connections. */
export class Http2Load implements Disposable {
  private readonly sessions: readonly ClientHttp2Session[];

  constructor(port: number, connections: number) {
    this.sessions = Array.from({ length: connections }, () => connect(`http://127.0.0.1:${port}`));
  }

  /** Sends one request. @throws when the stream fails */
  send({ fields, body }: Http2Request, at = 0): Promise<Http2Reply> {
    const session = this.sessions[at % this.sessions.length];
    return new Promise((resolve, reject) => {
      const stream = session?.request(fields);
      if (stream === undefined) return reject(new Error("there is no connection"));
      let text = "";
      let received: Omit<Http2Reply, "body"> | null = null;
      stream.on("response", (head) => {
        const { ":status": status, "content-type": type, "content-length": length } = head;
        received = { status, type, length };
      });
      stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      stream.on("end", () =>
        received === null ? reject(new Error("no reply")) : resolve({ ...received, body: text }),
      );
      stream.on("error", reject);
      if (body !== undefined) stream.end(body);
    });
  }

  /** Sends requests, `concurrency` of them concurrently. @throws when one gets a status other than 200 */
  async run(workload: Http2Workload, requests: number, concurrency: number): Promise<void> {
    let next = 0;
    const lane = async (at: number): Promise<void> => {
      while (next < requests) {
        const { status } = await this.send(workload.request(next++), at);
        if (status !== 200) throw new Error(`the status must be 200, not ${status}`);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, (_, at) => lane(at)));
  }

  /** Sends requests in waves of `concurrency`. A wave starts after the last reply of the previous one, so that the concurrency does not depend on machine load. */
  async runInWaves(workload: Http2Workload, requests: number, concurrency: number): Promise<void> {
    for (let from = 0; from < requests; from += concurrency) {
      const wave = Array.from({ length: concurrency }, (_, at) => this.send(workload.request(from + at), at));
      for (const { status } of await Promise.all(wave))
        if (status !== 200) throw new Error(`the status must be 200, not ${status}`);
    }
  }

  [Symbol.dispose](): void {
    for (const session of this.sessions) session.destroy();
  }
}
