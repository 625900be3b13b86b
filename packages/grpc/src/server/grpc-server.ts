import * as grpc from "@grpc/grpc-js";
import type { AppSettings, Awaitable } from "@framework/core";
import type { Host, Operations } from "@framework/core/feature";
import type { Readiness } from "../builtin/readiness.ts";
import type { BoundMethod } from "../call/bound-method.ts";
import { CallRunner } from "../call/call-runner.ts";
import type { RefusedCall } from "../call/call-operations.ts";
import type { GrpcCall } from "../call/grpc-call.ts";
import type { GrpcConfig } from "../config/grpc-config.ts";
import type { Certificates } from "../config/grpc-tls.ts";
import { WebEndpoint } from "../web/web-endpoint.ts";
import { grpcEntry } from "./grpc-entry.ts";
import { GrpcPort } from "./grpc-port.ts";
import { guardStreams } from "./guard-streams.ts";
import { NativeEndpoint } from "./native-endpoint.ts";
import { RefusedCalls } from "./refused-calls.ts";
import { limitResets } from "./reset-limits.ts";
import type { ResolvedServices } from "./resolve-services.ts";
import { TlsPort } from "./tls-port.ts";
import { UnaryEndpoint } from "./unary-endpoint.ts";
import { UnreadStreams } from "./unread-streams.ts";

/** Seconds within which a client must respond to a PING. */
const KEEPALIVE_TIMEOUT_SECS = 20;

/** Dependencies of a server. */
export interface GrpcServerParts {
  readonly config: GrpcConfig;
  readonly host: Host;
  readonly settings: AppSettings;
  readonly operations: Operations<GrpcCall>;
  /** Operations of calls that are refused because of their request headers. */
  readonly refusals: Operations<RefusedCall>;
  readonly resolved: ResolvedServices;
  /** The certificates that the configuration check loaded; `null` if it loaded none. */
  readonly certificates: Awaitable<Certificates> | null;
}

/** A started server: its services, and the endpoints to them. */
export interface GrpcServer {
  /** Connections of the gRPC port. */
  readonly port: GrpcPort;
  /** The TLS handshakes of the port; `null` for plain text. */
  readonly tls: TlsPort | null;
  readonly web: WebEndpoint;
  readonly runner: CallRunner;
  readonly readiness: Readiness;
  /** Ends the timers of the server. */
  readonly close: () => void;
  /** The methods by `service/method`. */
  readonly methods: ReadonlyMap<string, BoundMethod>;
}

/** Builds the endpoints of checked services, and loads the certificates. @throws GRPC_BAD_TLS */
export const startServer = async (parts: GrpcServerParts): Promise<GrpcServer> => {
  const { config, host, settings, operations, refusals } = parts;
  const { methods, readiness, clock } = parts.resolved;
  const { log, debug } = settings;
  const { state } = host;
  const isDebug = debug && settings.env !== "production";
  const protection = host.entries.protection(grpcEntry(methods));
  const runner = new CallRunner({
    state,
    log,
    debug: isDebug,
    clock,
    operations,
    middleware: config.use,
    protection,
  });
  const server = new grpc.Server({
    "grpc.max_receive_message_length": config.maxMessageSize,
    "grpc.max_send_message_length": -1, // handlers decide the size of their replies
    "grpc.max_concurrent_streams": config.concurrencyLimit,
    "grpc.keepalive_time_ms": config.keepaliveSecs * 1000,
    "grpc.keepalive_timeout_ms": KEEPALIVE_TIMEOUT_SECS * 1000,
    "grpc.enable_channelz": 0,
  });
  limitResets(server, config);
  const { draining } = host.life;
  const { maxMessageSize, maxMetadataBytes } = config;
  const unread = new UnreadStreams(clock);
  const endpoint = new NativeEndpoint({ grpc, runner, clock, draining, unread, maxMessageSize });
  const unary = new UnaryEndpoint({ runner, clock, draining, unread, maxMessageSize }, methods.values());
  for (const bound of methods.values()) endpoint.register(server, bound);
  const port = new GrpcPort(server, grpc.ServerCredentials.createInsecure(), runner);
  const refused = new RefusedCalls({ operations: refusals, methods, draining });
  guardStreams(server, { methods, maxMetadataBytes }, unary, refused, unread);
  const tls =
    config.tls === undefined
      ? null
      : await TlsPort.open(config.tls, parts.certificates ?? config.tls.load(), log, (socket) =>
          port.accept(socket),
        );
  tls?.watch(clock);
  const web = new WebEndpoint({ runner, clock, draining, maxMessageSize, maxMetadataBytes, debug: isDebug });
  const endWatch = unread.watch();
  const close = (): void => {
    endWatch();
    tls?.close();
  };
  return { port, tls, web, runner, readiness, close, methods };
};
