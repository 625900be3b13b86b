import { LimitsConfig, type Logger, Response, TimeoutConfig } from "@framework/core";
import type { RequestSource } from "@framework/core/feature";
import {
  type Serve,
  type Transport,
  type TransportOptions,
  type VirtualClock,
  virtualClock,
} from "@framework/core/testing";
import { connectRaw, MAX_WAIT_MS, type RawClient, type RawClientOptions } from "./raw-client.ts";

/** Creates the transport under test. */
export interface MakeTransport {
  (options: TransportOptions): Transport;
  /** Certificate of a transport with TLS, for its clients. @default clients without TLS */
  readonly ca?: string;
}

/** Options of a test server. */
export interface ServerSetup {
  /** The app. @default `hello` */
  readonly serve?: Serve;
  readonly limits?: Partial<LimitsConfig>;
  readonly timeouts?: Partial<TimeoutConfig>;
  /** Idle time of connections during a drain, in milliseconds. @default 1000 */
  readonly drainIdleMs?: number;
  /** Whether the transport uses the system clock, for tests that block the process. @default false */
  readonly hasRealClock?: boolean;
}

/** A listening transport, with its clock and its log. */
export interface TestServer {
  readonly transport: Transport;
  readonly port: number;
  readonly clock: VirtualClock;
  /** Requests that reached the app. */
  readonly served: RequestSource[];
  /** Level and message of each log line. */
  readonly logged: string[];
  /** Connects a client, over TLS if the transport has it; it is destroyed at the end of the test. */
  connect(options?: RawClientOptions): Promise<RawClient>;
  /** Sends bytes on a new connection and returns everything received until the server closes. */
  exchange(bytes: string): Promise<string>;
}

/** The app of most tests: replies with the method, target and authority of a request and the length of its body. */
export const echo: Serve = async (source) => {
  let bytes = 0;
  for await (const chunk of source.chunks()) bytes += chunk.byteLength;
  return Response.json({ method: source.method, target: source.target, authority: source.authority, bytes });
};

/** The app of tests about heads: replies immediately and ignores the body. */
export const hello: Serve = () => Response.text("hello");

/** Runs a test with a new server, and closes everything afterwards. */
export const withServer = async (
  make: MakeTransport,
  { serve = hello, limits, timeouts, drainIdleMs = 1000, hasRealClock = false }: ServerSetup,
  run: (server: TestServer) => Promise<void>,
): Promise<void> => {
  const clock = virtualClock();
  const served: RequestSource[] = [];
  const logged: string[] = [];
  const note = (level: string) => (message: string) => void logged.push(`${level}: ${message}`);
  const log: Logger = { info: note("info"), warn: note("warn"), error: note("error") };
  const transport = make({
    serve: (source) => {
      served.push(source);
      return serve(source);
    },
    reject: ({ status, detail, error }) => Response.json({ error, detail, status }, { status }),
    limits: LimitsConfig.of(limits),
    timeouts: TimeoutConfig.of(timeouts),
    log,
    clock: hasRealClock ? undefined : clock,
    drainIdleMs,
  });
  const { port } = await transport.listen({ host: "127.0.0.1", port: 0 });
  const clients = new Set<RawClient>();
  const connect: TestServer["connect"] = async (options) => {
    const client = await connectRaw(port, { ca: make.ca, ...options });
    clients.add(client);
    client.socket.once("close", () => clients.delete(client)); // a fuzzer creates millions of them
    return client;
  };
  const exchange = async (bytes: string): Promise<string> => {
    const client = await connect();
    await client.send(bytes);
    return client.untilClosed();
  };
  try {
    await run({ transport, port, clock, served, logged, connect, exchange });
  } finally {
    for (const client of clients) client.destroy();
    const closed = transport.close(1000);
    await clock.advance(2000);
    await closed;
  }
};

/** Lets the sockets of this process deliver pending data. @param turns turns of the event loop. @default 2 */
export const turn = async (turns = 2): Promise<void> => {
  for (let left = turns; left > 0; left--) await new Promise<void>((resolve) => void setImmediate(resolve));
};

/** Waits until a condition holds. @throws an error with the description after a minute, which is generous for a slow machine */
export const eventually = async (condition: () => boolean, description: string): Promise<void> => {
  const end = performance.now() + MAX_WAIT_MS;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`never: ${description}`);
    await turn(1);
  }
};
