import * as grpc from "@grpc/grpc-js";
import { type AppSettings, ConfigurationError, type Problem } from "@framework/core";
import { type Clock, type Host, type Operations, systemClock } from "@framework/core/feature";
import { DescriptorIndex } from "../builtin/descriptor-index.ts";
import { healthImplementation, healthService } from "../builtin/health-service.ts";
import { Readiness } from "../builtin/readiness.ts";
import { reflectionImplementation, reflectionServices } from "../builtin/reflection-service.ts";
import type { BoundMethod } from "../call/bound-method.ts";
import { isServiceName } from "../service/grpc-service.ts";
import { CallRunner } from "../call/call-runner.ts";
import type { GrpcCall } from "../call/grpc-call.ts";
import type { GrpcConfig } from "../config/grpc-config.ts";
import { WebDoor } from "../web/web-door.ts";
import { type AddedService, bindMethods, implementationProblems, nameProblems } from "./added-service.ts";
import { grpcEntry } from "./grpc-entry.ts";
import { GrpcPort } from "./grpc-port.ts";
import { guardStreams } from "./guard-streams.ts";
import { NativeDoor } from "./native-door.ts";
import { TlsPort } from "./tls-port.ts";
import { UnaryDoor } from "./unary-door.ts";
import { UnreadStreams } from "./unread-streams.ts";

/** Seconds in which a probed connection must answer. */
const KEEPALIVE_ANSWER_SECS = 20;

/** Dependencies of a server. */
export interface GrpcServerParts {
  readonly config: GrpcConfig;
  readonly host: Host;
  readonly settings: AppSettings;
  readonly operations: Operations<GrpcCall>;
  readonly added: readonly AddedService[];
}

/** A started server: its services, and the doors to them. */
export interface GrpcServer {
  /** Connections of the gRPC port. */
  readonly port: GrpcPort;
  /** The handshakes of the port; `null` for plain text. */
  readonly tls: TlsPort | null;
  readonly web: WebDoor;
  readonly runner: CallRunner;
  readonly readiness: Readiness;
  /** Ends the timers of the server. */
  readonly close: () => void;
  /** The methods by `service/method`. */
  readonly methods: ReadonlyMap<string, BoundMethod>;
}

/** Resolves all services and builds the doors. @throws ConfigurationError with every mistake */
export const startServer = async (parts: GrpcServerParts): Promise<GrpcServer> => {
  const { config, host, settings, operations } = parts;
  const clock: Clock = config.clock ?? systemClock;
  const readiness = new Readiness(() => host.insight.healthChecks(), clock);
  const index = new DescriptorIndex();
  const methods = resolveAll(parts, index, readiness, clock);
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
    "grpc.max_send_message_length": -1, // replies are the program's
    "grpc.max_concurrent_streams": config.concurrencyLimit,
    "grpc.keepalive_time_ms": config.keepaliveSecs * 1000,
    "grpc.keepalive_timeout_ms": KEEPALIVE_ANSWER_SECS * 1000,
    "grpc.enable_channelz": 0,
  });
  const { draining } = host.life;
  const { maxMessageSize, maxMetadataBytes } = config;
  const unread = new UnreadStreams(clock);
  const door = new NativeDoor({ grpc, runner, clock, draining, unread });
  const unary = new UnaryDoor({ runner, clock, draining, unread, maxMessageSize }, methods.values());
  for (const bound of methods.values()) door.register(server, bound);
  const port = new GrpcPort(server, grpc.ServerCredentials.createInsecure(), runner);
  guardStreams(server, { methods, maxMetadataBytes }, unary);
  const tls =
    config.tls === undefined ? null : await TlsPort.open(config.tls, log, (socket) => port.accept(socket));
  tls?.watch(clock);
  const web = new WebDoor({ runner, clock, draining, maxMessageSize, maxMetadataBytes, debug: isDebug });
  const endWatch = unread.watch();
  const close = (): void => {
    endWatch();
    tls?.close();
  };
  return { port, tls, web, runner, readiness, close, methods };
};

const resolveAll = (
  { config, settings, added }: GrpcServerParts,
  index: DescriptorIndex,
  readiness: Readiness,
  clock: Clock,
): ReadonlyMap<string, BoundMethod> => {
  const names = (): readonly string[] => added.map(({ service }) => service.name);
  const health = {
    service: healthService,
    implementation: healthImplementation({ readiness, services: names, clock }),
    rules: {},
    isExempt: true, // as probes over HTTP
  };
  const listed = (): readonly string[] => all.map(({ service }) => service.name);
  const reflection = reflectionServices.map((service) => ({
    service,
    implementation: reflectionImplementation(index, listed),
    rules: {},
  }));
  const all: readonly AddedService[] = [...added, health, ...(config.reflection ? reflection : [])];
  const problems: Problem[] = [...nameProblems(all)];
  const methods = new Map<string, BoundMethod>();
  for (const each of all.filter(({ service }) => isServiceName(service.name))) {
    try {
      const isProgram = added.includes(each);
      const resolved = each.service.resolve({ recorded: isProgram && settings.env === "production" });
      for (const name of index.add(resolved.files)) problems.push(clash(each.service.name, name));
      problems.push(...implementationProblems(each, resolved.methods));
      for (const bound of bindMethods(each, resolved.methods, config)) methods.set(bound.name, bound);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  return methods;
};

const clash = (service: string, message: string): Problem => ({
  code: "GRPC_BAD_SERVICE",
  message: `${service}: another service of the package has a different message ${message}; give one of the schemas a \`title\`, or use two packages`,
});
