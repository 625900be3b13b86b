import type { ClusterConfig } from "../../config/cluster-config.ts";
import type { ConfigInput } from "../../config/config-record.ts";
import type { LimitsConfig } from "../../config/limits-config.ts";
import type { TimeoutConfig } from "../../config/timeout-config.ts";
import type { ListenerAddress } from "../../lifecycle/listener.ts";
import type { Environment } from "../../lifecycle/app-settings.ts";
import type { Logger } from "../../log/logger.ts";
import type { TlsConfig } from "./tls-config.ts";

/** The transports that `run` supports. */
export type TransportName = "node" | "fast";

/** Settings of `run`. A command-line flag overrides an environment variable, which overrides these options. */
export interface RunOptions {
  /**
   * Address or host name to listen on (`--host`, `HOST`). A container needs `HOST=0.0.0.0`: its loopback is unreachable from outside.
   * @default "127.0.0.1"
   */
  readonly host?: string | undefined;
  /** Port (`--port`, `PORT`), 0 for any free one, which `PORT` does not replace. @default 8000 */
  readonly port?: number | undefined;
  /**
   * Whether replies name similar routes (404) and rejecting guards and, in development, show messages and stack traces of unexpected errors (`--debug`,
   * `--no-debug`).
   * @default true in development, false in production
   */
  readonly debug?: boolean | undefined;
  /** `development` or `production` (`--env`, `FRAMEWORK_ENV`). @default "development" */
  readonly env?: Environment | undefined;
  /** Number of serving processes (`--workers`). @default the CPUs this process may use in production, 1 in development or with `debug` */
  readonly workers?: number | undefined;
  /** Restarts the program, with the port kept open, when a source or `.env` file below the working directory changes (`--reload`). @default false */
  readonly reload?: boolean | undefined;
  /** Logs requests (`--no-logs` disables it). @default the value of `debug` */
  readonly logs?: boolean | undefined;
  /** Limits of request heads, bodies and connections; SECURITY.md lists all fields. @default the defaults of LimitsConfig */
  readonly limits?: ConfigInput<LimitsConfig> | undefined;
  /** Timeouts of request heads, bodies, writes, idle connections and handlers, in seconds. @default the defaults of TimeoutConfig */
  readonly timeouts?: ConfigInput<TimeoutConfig> | undefined;
  /** Replacement of workers, drain and shutdown. @default the defaults of ClusterConfig */
  readonly cluster?: ConfigInput<ClusterConfig> | undefined;
  /** Enables HTTPS. @default none */
  readonly tls?: ConfigInput<TlsConfig> | undefined;
  /**
   * The HTTP implementation (`--transport`, `FRAMEWORK_TRANSPORT`). `fast` serves ordinary HTTP/1.1 requests itself, with less CPU time, and passes other
   * requests and TLS connections to `node:http`, which is loaded on first use. `node` serves everything over `node:http`, for tools that observe or patch that
   * module. Both pass the same conformance suite.
   * @default "fast"
   */
  readonly transport?: TransportName | undefined;
  /** Addresses or CIDR blocks of trusted proxies, whose `X-Forwarded-*` and `X-Real-IP` fields count. @default none */
  readonly trustedProxies?: readonly string[] | undefined;
  /** The command line. @default process.argv.slice(2) */
  readonly argv?: readonly string[] | undefined;
  /** The environment variables. @default process.env */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Destination of log lines. @default readable lines on a terminal in development, JSON lines otherwise */
  readonly log?: Logger | undefined;
  /**
   * Whether errors and signals end the process: a start error is printed and the process exits with 1; SIGTERM and SIGINT drain and exit with 0; an uncaught
   * error drains and exits with 1. `false` is for tests and embedding: `run` rejects with the start error, prints nothing and installs no process-wide handler,
   * and only `close()` stops the service.
   * @default true
   */
  readonly exitOnError?: boolean | undefined;
}

/** A running service. */
export interface Running {
  /** URL for clients on this machine, such as `http://127.0.0.1:8000`. */
  readonly url: string;
  /** The address or host name it listens on. */
  readonly host: string;
  /** The actual port, also when 0 was requested. */
  readonly port: number;
  /** The ports that features own. */
  readonly listeners: readonly ListenerAddress[];
  /**
   * Drains and stops the whole service, all workers included, and removes its signal handlers. The process continues; worker processes exit.
   * Resolves within `shutdownTimeoutSecs`. Further calls wait for the same drain.
   */
  readonly close: () => Promise<void>;
}
