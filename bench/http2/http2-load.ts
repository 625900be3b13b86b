import { type ClientHttp2Session, connect } from "node:http2";

/** GET requests over several connections, several at once on each. */
export class Http2Load implements Disposable {
  private readonly sessions: readonly ClientHttp2Session[];

  constructor(port: number, connections: number) {
    this.sessions = Array.from({ length: connections }, () => connect(`http://127.0.0.1:${port}`));
  }

  /** Body of the reply to one request. @throws for another status than 200 */
  get(path: string, at = 0): Promise<string> {
    const session = this.sessions[at % this.sessions.length];
    return new Promise((resolve, reject) => {
      const stream = session?.request({ ":path": path, accept: "application/json", "user-agent": "bench" });
      if (stream === undefined) return reject(new Error("there is no connection"));
      let text = "";
      stream.on("response", ({ ":status": status }) => {
        if (status !== 200) reject(new Error(`a request got ${status}`));
      });
      stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      stream.on("end", () => resolve(text)).on("error", reject);
    });
  }

  /** Makes requests, `atOnce` at a time. @throws when one fails or has another length */
  async run(path: string, requests: number, atOnce: number): Promise<void> {
    const wanted = await this.get(path);
    let left = requests;
    const lane = async (at: number): Promise<void> => {
      while (left-- > 0)
        if ((await this.get(path, at)).length !== wanted.length) throw new Error("a reply is another one");
    };
    await Promise.all(Array.from({ length: atOnce }, (_, at) => lane(at)));
  }

  [Symbol.dispose](): void {
    for (const session of this.sessions) session.destroy();
  }
}
