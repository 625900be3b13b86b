import { type AppSettings, type Awaitable, FrameworkError, type Problem } from "@framework/core";
import {
  type HealthCheck,
  type Host,
  isPromise,
  type Operations,
  type SocketListener,
} from "@framework/core/feature";
import type { RefusedCall } from "./call/call-operations.ts";
import type { GrpcCall } from "./call/grpc-call.ts";
import { isServiceName } from "./service/grpc-service.ts";
import type { AnyHandler, AnyImplementation } from "./call/implementation.ts";
import { GrpcConfig } from "./config/grpc-config.ts";
import type { Certificates } from "./config/grpc-tls.ts";
import { badTls, checkCertificates } from "./server/tls-context.ts";
import { type AddedService, argumentProblem } from "./server/added-service.ts";
import { parseAddress } from "./config/grpc-address.ts";
import type { GrpcServer } from "./server/grpc-server.ts";
import { resolveServices, type ResolvedServices } from "./server/resolve-services.ts";
import { GrpcError } from "./status/grpc-error.ts";

/** Services of an app, and their server once the app has started. */
export class Services {
  /** The server; `null` before start. */
  started: GrpcServer | null = null;
  private readonly host: Host;
  private readonly operations: Operations<GrpcCall>;
  private readonly refusals: Operations<RefusedCall>;
  private readonly added: AddedService[] = [];
  /** Handlers of services without schemas, by the names of services. */
  private readonly handlers: Map<string, Record<string, AnyHandler>> = new Map();
  private config: GrpcConfig | null = null;
  /** The services resolved last, by `check` or `start`; `null` before. */
  private resolved: ResolvedServices | null = null;
  private certificates: Awaitable<Certificates> | null = null;
  private addWebRoute: (name: string) => void = () => {};

  constructor(host: Host, operations: Operations<GrpcCall>, refusals: Operations<RefusedCall>) {
    this.host = host;
    this.operations = operations;
    this.refusals = refusals;
  }

  /** @throws FrameworkError GRPC_NOT_STARTED */
  get server(): GrpcServer {
    if (this.started === null) throw new FrameworkError("GRPC_NOT_STARTED", "the app has not started");
    return this.started;
  }

  /** Adds a service. Arguments of wrong types are reported at start. @throws CORE_ALREADY_STARTED */
  add(service: AddedService): void {
    const mistake = argumentProblem(service);
    if (mistake !== null) return this.host.problem(mistake);
    const { name } = service.service;
    const { inject } = service.rules;
    if (inject !== undefined) this.host.state.inject(`gRPC service ${name}`, inject);
    this.host.check(() => (this.config === null ? [notEnabled(name)] : []));
    const isTaken = this.added.some((each) => each.service.name === name);
    this.added.push(service);
    // A malformed or taken name is reported at start; adding its route would report it twice.
    if (isServiceName(name) && !isTaken && this.config?.enableWeb === true) this.addWebRoute(name);
  }

  /** Returns the handlers of a service without schemas, creating the record; `grpcMethod` adds to it. */
  handlersOf(service: string): AnyImplementation {
    const present = this.handlers.get(service) ?? (Object.create(null) as Record<string, AnyHandler>); // `__proto__` is then a name like any other
    this.handlers.set(service, present);
    return present;
  }

  /** Adds the handler of a method of a service without schemas. @throws CORE_ALREADY_STARTED */
  addHandler(service: string, method: string, handler: AnyHandler): void {
    const handlers = this.handlers.get(service);
    this.host.check(() => (handlers === undefined ? [unknownService(service)] : []));
    if (handlers === undefined) return;
    if (Object.hasOwn(handlers, method)) this.host.problem(duplicateHandler(service, method));
    handlers[method] = handler;
  }

  /** Serves all services, added before or after this call. */
  enable(config: GrpcConfig, addWebRoute: (name: string) => void): void {
    this.config = config;
    this.addWebRoute = addWebRoute;
    if (!config.enableWeb) return;
    const names = new Set(this.added.map(({ service }) => service.name));
    for (const name of names) if (isServiceName(name)) addWebRoute(name);
  }

  /** Resolves the services, starts loading the certificates, and returns the mistakes in the services and in certificates that load synchronously. */
  check({ env }: AppSettings): readonly Problem[] {
    return [...this.resolve(env).problems, ...this.loadCertificates()];
  }

  private loadCertificates(): readonly Problem[] {
    const tls = this.config?.tls;
    if (tls === undefined || tls === null) return [];
    try {
      const loaded = tls.load();
      this.certificates = loaded;
      if (isPromise(loaded)) loaded.catch(() => {}); // `start` awaits it, and reports its error
      else checkCertificates(loaded, tls);
      return [];
    } catch (error) {
      const { code, message } = badTls(error);
      return [{ code, message }];
    }
  }

  /** Starts the server. Its module is loaded here, so an app without gRPC never loads it. */
  async start(settings: AppSettings): Promise<void> {
    const { host, operations, refusals, certificates } = this;
    const resolved = this.resolved ?? this.resolve(settings.env);
    const { startServer } = await import("./server/grpc-server.ts");
    const config = this.config ?? GrpcConfig.of();
    this.started = await startServer({
      config,
      host,
      settings,
      operations,
      refusals,
      resolved,
      certificates,
    });
  }

  private resolve(env: AppSettings["env"]): ResolvedServices {
    const { host, added, config } = this;
    const healthChecks = (): readonly HealthCheck[] => host.insight.healthChecks();
    this.resolved = resolveServices({ config: config ?? GrpcConfig.of(), env, added, healthChecks });
    return this.resolved;
  }

  /** Aborts calls that a drain did not end, and stops timers. */
  stop(): void {
    this.started?.runner.abortAll(new GrpcError("UNAVAILABLE", "The service is shutting down"));
    this.started?.close();
  }

  /** The listener of the gRPC port. */
  listener({ address }: GrpcConfig): SocketListener {
    const { host, port } = parseAddress(address) ?? { host: "::", port: 50_051 }; // never null: the configuration was checked
    return {
      name: "grpc",
      host,
      port,
      accept: (socket) => {
        const { tls, port: connections } = this.server;
        (tls ?? connections).accept(socket);
      },
      drain: () => {
        this.server.tls?.drain();
        this.server.port.drain();
      },
      close: (deadlineMs) => this.server.port.close(deadlineMs),
    };
  }

  /** Returns the current state, for the development pages and reports. */
  snapshot(): object {
    const { started } = this;
    return {
      services: this.added.map(({ service }) => service.name),
      connections: started?.port.size ?? 0,
      calls: started?.runner.size ?? 0,
    };
  }
}

const notEnabled = (name: string): Problem => ({
  code: "GRPC_NOT_ENABLED",
  message: `the service ${name} was added, but gRPC is not enabled; call enableGrpc()`,
});

const unknownService = (name: string): Problem => ({
  code: "GRPC_BAD_SERVICE",
  message: `grpcMethod: no service ${name} was added; call addGrpcService(${JSON.stringify(name)}, [methods]) first`,
});

const duplicateHandler = (service: string, method: string): Problem => ({
  code: "GRPC_BAD_SERVICE",
  message: `${service}/${method} has two handlers; keep one`,
});
