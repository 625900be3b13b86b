import * as grpc from "@grpc/grpc-js";

const PATH = "/bench.v1.Library/GetBook";
const identity = (bytes: Buffer): Buffer => bytes;

/** Outcome of one call: the bytes of its reply, or its status. */
type UnaryOutcome = Buffer | { readonly code: number; readonly details: string };

/** Encodes a request for an id below 128. */
const requestOf = (id: number): Buffer => (id === 0 ? Buffer.alloc(0) : Buffer.from([8, id]));

/** Makes unary calls over several connections. Does not encode or decode messages, so that the client costs little. */
export class UnaryLoad implements Disposable {
  private readonly clients: readonly grpc.Client[];

  constructor(port: number, connections: number) {
    this.clients = Array.from(
      { length: connections },
      () =>
        new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), {
          "grpc.use_local_subchannel_pool": 1, // otherwise equal clients share one connection
        }),
    );
  }

  call(id: number, at = 0): Promise<UnaryOutcome> {
    const client = this.clients[at % this.clients.length];
    return new Promise((resolve) => {
      client?.makeUnaryRequest(PATH, identity, identity, requestOf(id), (error, reply) => {
        resolve(error === null ? (reply ?? Buffer.alloc(0)) : { code: error.code, details: error.details });
      });
    });
  }

  /** Makes calls, `concurrency` of them concurrently. Returns the elapsed milliseconds. @throws when a call fails or its reply has a different length */
  async run(calls: number, concurrency: number): Promise<number> {
    const from = performance.now();
    const expected = await this.call(7);
    let left = calls;
    const lane = async (at: number): Promise<void> => {
      while (left-- > 0) {
        const outcome = await this.call(7, at);
        if (!Buffer.isBuffer(outcome) || outcome.length !== (expected as Buffer).length)
          throw new Error("a call failed, or its reply has a different length");
      }
    };
    await Promise.all(Array.from({ length: concurrency }, (_, at) => lane(at)));
    return performance.now() - from;
  }

  [Symbol.dispose](): void {
    for (const client of this.clients) client.close();
  }
}
