import type { HttpRequest, Injections, Problem, Response } from "@framework/core";
import type { ConfigInput, Feature, FeatureListener, Host } from "@framework/core/feature";
import { AppClients } from "./client/app-clients.ts";
import type { GrpcClientOptions } from "./client/client-config.ts";
import type { GrpcClient } from "./client/grpc-client.ts";
import { refusedCall, servedCall } from "./call/call-operations.ts";
import type { GrpcService, MethodShapes } from "./service/grpc-service.ts";
import type {
  AnyHandler,
  AnyImplementation,
  MethodHandler,
  ServiceImplementation,
  ServiceOptions,
} from "./call/implementation.ts";
import { structService, type StructShape } from "./definitions/struct-service.ts";
import { GrpcConfig } from "./config/grpc-config.ts";
import { Services } from "./services.ts";
import { webFieldUses } from "./web/web-field-uses.ts";

/** The methods that the feature adds to an app. */
export interface Grpc {
  /** Serves the added services over gRPC on a separate port, with the health service. @throws CORE_BAD_CONFIG, GRPC_… at start, together with all other configuration errors */
  enableGrpc(config?: ConfigInput<GrpcConfig>): this;
  /** Adds a service with its handlers. Calls of a method without a handler fail with UNIMPLEMENTED. @param options apply to all its methods */
  addGrpcService<Methods extends MethodShapes, const Inject extends Injections | undefined = undefined>(
    service: GrpcService<Methods>,
    implementation: NoInfer<ServiceImplementation<Methods, Inject>>,
    options?: ServiceOptions<Inject>,
  ): this;
  /** Adds a service of unary methods without schemas: messages are plain objects (`google.protobuf.Struct`), handlers are added by `grpcMethod`. */
  addGrpcService(name: string, methods?: readonly string[]): this;
  /** Adds the handler of a method of a service without schemas. @throws GRPC_BAD_SERVICE at start for an unknown service or method, or a second handler */
  grpcMethod(service: string, method: string, handler: MethodHandler<StructShape>): this;
  /**
   * Returns a typed client of another service, like `grpcClient`: its calls are operations of the app, carry the current trace, and it closes when the app
   * has stopped.
   */
  grpcClient<Methods extends MethodShapes>(
    service: GrpcService<Methods>,
    target: string,
    options?: GrpcClientOptions,
  ): GrpcClient<Methods>;
  /** Address of the gRPC port; `null` before the listening phase, and without `run`. */
  readonly grpcAddress: { readonly host: string; readonly port: number } | null;
}

/**
 * Adds gRPC services to an app: with a `.proto` or from schemas, all four kinds of calls, the health service, reflection and gRPC-Web.
 *
 * @example
 * const app = new (App.with(grpc))().enableGrpc({ address: "127.0.0.1:50051" });
 * app.addGrpcService(catalog, { GetBook: ({ id }) => books.get(id) });
 */
export const grpc: Feature<Grpc> = {
  name: "grpc",
  install: (host) => {
    const services = new Services(
      host,
      host.insight.operation(servedCall),
      host.insight.operation(refusedCall),
    );
    let listener: FeatureListener | null = null;
    const clients = new AppClients(host);
    return {
      enableGrpc(config) {
        listener = begin(host, services, host.configure(GrpcConfig, config));
        return this;
      },
      addGrpcService(service: GrpcService | string, ...rest: readonly unknown[]) {
        if (typeof service === "string") {
          const methods = (rest[0] ?? []) as readonly string[];
          if (!Array.isArray(methods)) host.problem(badMethods(service));
          else
            services.add({
              service: structService(service, methods),
              implementation: services.handlersOf(service),
              rules: {},
            });
        } else {
          const [implementation, rules = {}] = rest as readonly [
            AnyImplementation,
            ServiceOptions<Injections | undefined>?,
          ];
          services.add({ service, implementation, rules });
        }
        return this;
      },
      grpcMethod(service, method, handler) {
        services.addHandler(service, method, handler as AnyHandler);
        return this;
      },
      grpcClient: (service, target, options) => clients.open(service, target, options),
      get grpcAddress() {
        return listener?.address ?? null;
      },
    };
  },
};

const badMethods = (service: string): Problem => ({
  code: "GRPC_BAD_SERVICE",
  message: `addGrpcService(${JSON.stringify(service)}, …) takes a list of method names, such as ["Find"]; grpcMethod takes their handlers`,
});

const begin = (host: Host, services: Services, config: GrpcConfig): FeatureListener => {
  if (config.auth !== undefined) host.life.install(config.auth);
  host.check((settings) => services.check(settings));
  host.life.onStart({ name: "grpc", run: (settings) => services.start(settings) });
  host.life.onListening(() => services.server.readiness.markListening());
  host.life.onDrain(() => services.server.readiness.drain(), { probed: true });
  host.life.onStop({ name: "grpc", run: () => services.stop() });
  if (config.enableWeb) host.http.usesFields(webFieldUses);
  services.enable(config, (name) => addWebRoute(host, services, name, config));
  host.insight.metric({
    name: "grpc_connections",
    help: "Open connections of the gRPC port.",
    type: "gauge",
    read: () => services.started?.port.size ?? 0,
  });
  host.insight.metric({
    name: "grpc_calls_in_progress",
    help: "gRPC calls in progress, gRPC-Web included.",
    type: "gauge",
    read: () => services.started?.runner.size ?? 0,
  });
  host.insight.expose("grpc", () => services.snapshot());
  return host.life.listener(services.listener(config));
};

/** Bytes of a framed message in Base64, which takes four bytes for three. */
const webBytes = (messageBytes: number): number => Math.ceil((messageBytes + 5) / 3) * 4;

const addWebRoute = (host: Host, services: Services, name: string, { maxMessageSize }: GrpcConfig): void => {
  const serve = (request: HttpRequest<{ readonly method: string }>): Promise<Response> => {
    const method = `${name}/${request.params.method}`;
    const { web, methods } = services.server;
    return web.serve(request as HttpRequest, method, methods.get(method) ?? null);
  };
  host.http.route(
    "POST",
    `/${name}/{method}`,
    (request) => serve(request as HttpRequest<{ readonly method: string }>),
    {
      maxBodyBytes: webBytes(maxMessageSize),
    },
  );
};
