import { type ClientHttp2Session, connect } from "node:http2";
import type { Http2Ask, Http2Workload } from "./http2-workloads.ts";

/** What a request got, without the fields that change with time. */
export interface Http2Answer {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly length: string | undefined;
  readonly body: string;
}

/** Requests over several connections, several at once on each. */
export class Http2Load implements Disposable {
  private readonly sessions: readonly ClientHttp2Session[];

  constructor(port: number, connections: number) {
    this.sessions = Array.from({ length: connections }, () => connect(`http://127.0.0.1:${port}`));
  }

  /** @throws when the stream fails */
  ask({ fields, body }: Http2Ask, at = 0): Promise<Http2Answer> {
    const session = this.sessions[at % this.sessions.length];
    return new Promise((resolve, reject) => {
      const stream = session?.request(fields);
      if (stream === undefined) return reject(new Error("there is no connection"));
      let text = "";
      let answer: Omit<Http2Answer, "body"> | null = null;
      stream.on("response", (head) => {
        const { ":status": status, "content-type": type, "content-length": length } = head;
        answer = { status, type, length };
      });
      stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      stream.on("end", () =>
        answer === null ? reject(new Error("no reply")) : resolve({ ...answer, body: text }),
      );
      stream.on("error", reject);
      if (body !== undefined) stream.end(body);
    });
  }

  /** Makes requests, `atOnce` at a time. @throws when one gets another status than 200 */
  async run(workload: Http2Workload, requests: number, atOnce: number): Promise<void> {
    let next = 0;
    const lane = async (at: number): Promise<void> => {
      while (next < requests) {
        const { status } = await this.ask(workload.request(next++), at);
        if (status !== 200) throw new Error(`a request got ${status}`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, (_, at) => lane(at)));
  }

  /** Makes requests in waves: the next one begins after the last reply of the one before, so that the server gets as many at once whatever else the machine does. */
  async runInWaves(workload: Http2Workload, requests: number, atOnce: number): Promise<void> {
    for (let from = 0; from < requests; from += atOnce) {
      const wave = Array.from({ length: atOnce }, (_, at) => this.ask(workload.request(from + at), at));
      for (const { status } of await Promise.all(wave))
        if (status !== 200) throw new Error(`a request got ${status}`);
    }
  }

  [Symbol.dispose](): void {
    for (const session of this.sessions) session.destroy();
  }
}
