import type { ClusterConfig } from "../../config/cluster-config.ts";
import type { ConfigInput } from "../../config/config-record.ts";
import type { LimitsConfig } from "../../config/limits-config.ts";
import type { TimeoutConfig } from "../../config/timeout-config.ts";
import type { ListenerAddress } from "../../lifecycle/listener.ts";
import type { Environment } from "../../lifecycle/app-settings.ts";
import type { Logger } from "../../log/logger.ts";
import type { TlsConfig } from "./tls-config.ts";

/** The transports that `run` can serve over. */
export type TransportName = "node" | "fast";

/** How a program wants to be served; a command-line flag wins over each, an environment variable only over a default. */
export interface RunOptions {
  /** Address or host name to listen on (`--host`, `HOST`). @default "127.0.0.1" */
  readonly host?: string | undefined;
  /** Port, 0 for any free one (`--port`, `PORT`). @default 8000 */
  readonly port?: number | undefined;
  /** `--debug`, `--no-debug`. @default true in development, false in production */
  readonly debug?: boolean | undefined;
  /** `--env`, `FRAMEWORK_ENV`. @default "development" */
  readonly env?: Environment | undefined;
  /** Number of serving processes (`--workers`). @default the CPUs this process may use in production, 1 in debug */
  readonly workers?: number | undefined;
  /** Starts the program anew, port held, when a source file below the working directory changes (`--reload`). @default false */
  readonly reload?: boolean | undefined;
  /** Writes request lines (`--no-logs`). @default the value of `debug` */
  readonly logs?: boolean | undefined;
  readonly limits?: ConfigInput<LimitsConfig> | undefined;
  readonly timeouts?: ConfigInput<TimeoutConfig> | undefined;
  readonly cluster?: ConfigInput<ClusterConfig> | undefined;
  /** With it the service speaks HTTPS. @default none */
  readonly tls?: ConfigInput<TlsConfig> | undefined;
  /**
   * What speaks HTTP: `fast` answers ordinary HTTP/1.1 requests by itself, for less CPU, and leaves all others, and TLS, to `node:http`,
   * which it loads when the first one comes; `node` leaves all to `node:http`, for tools that watch or patch that module. Both pass one conformance suite.
   * @default "fast"
   */
  readonly transport?: TransportName | undefined;
  /** Addresses or CIDR blocks of proxies whose `X-Forwarded-*` and `X-Real-IP` fields are believed. @default none */
  readonly trustedProxies?: readonly string[] | undefined;
  /** The command line. @default process.argv.slice(2) */
  readonly argv?: readonly string[] | undefined;
  /** The environment variables. @default process.env */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Where the framework writes. @default readable lines on a terminal in development, JSON lines otherwise */
  readonly log?: Logger | undefined;
  /**
   * Whether errors end the process. Then a start error is printed and exits with 1, SIGTERM and SIGINT drain and exit with 0,
   * and an uncaught error drains and exits with 1. `false`, for tests and embedding: `run` rejects with the start error, prints
   * nothing, installs no process-wide handler, and only `close()` stops the service.
   * @default true
   */
  readonly exitOnError?: boolean | undefined;
}

/** A service that listens. */
export interface Running {
  /** Where a client on this machine reaches it, such as `http://127.0.0.1:8000`. */
  readonly url: string;
  readonly host: string;
  /** The port it really has, also when 0 was asked for. */
  readonly port: number;
  /** The ports that features own. */
  readonly listeners: readonly ListenerAddress[];
  /**
   * Drains and stops the whole service, all workers included, and takes its signal handlers away; the process lives on.
   * Resolves at the latest after `shutdownTimeoutSecs`. Calling it again waits for the same drain.
   */
  readonly close: () => Promise<void>;
}
