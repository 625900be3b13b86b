import {
  type AppSettings,
  FrameworkError,
  type HttpRequest,
  NotFoundError,
  type Problem,
  type Response,
} from "@framework/core";
import type { Host, Operations } from "@framework/core/feature";
import { namesType } from "@framework/core/http";
import type { ExecutionResult, GraphQLError, GraphQLSchema } from "graphql";
import { Documents } from "./documents/documents.ts";
import { Executor } from "./execution/executor.ts";
import { graphqlOperation, type OperationToExecute } from "./execution/graphql-operations.ts";
import { errorPresenter } from "./execution/present-error.ts";
import { publishTraffic, type Traffic } from "./execution/traffic.ts";
import type { GraphQLConfig } from "./graphql-config.ts";
import { hasParts } from "./graphql-js/in-parts.ts";
import { HttpEndpoint } from "./http/http-endpoint.ts";
import { type BundleFile, bundleFiles } from "./page/bundle.ts";
import { createPage, filePath, sendFile, sendPage } from "./page/page.ts";
import { buildSchema, fieldsWithOptions } from "./schema/build-schema.ts";
import { admission, socketEntry } from "./sockets/admission.ts";
import { PROTOCOL, SocketEndpoint } from "./sockets/socket-endpoint.ts";
import type { SocketRoutes } from "./sockets/socket-routes.ts";

/** Served if the configuration has no `schema`: a schema needs at least one field. */
const EMPTY_SCHEMA = `type Query { "Always null: the service has no schema." _empty: Boolean }`;

/** State of a started app. */
interface RunningState {
  readonly http: HttpEndpoint;
  readonly sockets: SocketEndpoint;
  readonly playground: boolean;
}

/** The routes of one app: the endpoint over HTTP and WebSocket, and GraphiQL's page with its files. */
export class GraphqlEndpoint {
  private readonly host: Host;
  private readonly config: GraphQLConfig;
  private readonly routes: Partial<SocketRoutes>;
  private readonly traffic: Traffic;
  private readonly operations: Operations<OperationToExecute, ExecutionResult>;
  private readonly page: string;
  private started: RunningState | null = null;

  constructor(host: Host, config: GraphQLConfig, routes: Partial<SocketRoutes>) {
    this.host = host;
    this.config = config;
    this.routes = routes;
    this.traffic = publishTraffic(host.insight);
    this.operations = host.insight.operation(graphqlOperation);
    this.page = createPage(config.path);
  }

  register(): void {
    const { host, config } = this;
    const schema = this.readSchema();
    this.checkDocuments(schema);
    host.life.onStart({ name: "graphql", run: (settings) => this.start(schema, settings) });
    host.http.route("POST", config.path, (request) => this.running.http.post(request), {
      guards: config.guards,
      maxBodyBytes: config.maxBodyBytes,
    });
    this.registerGet(schema);
    if (config.playground !== false) this.registerFiles();
    host.insight.link("graphql", config.path);
  }

  private get running(): RunningState {
    if (this.started === null)
      throw new FrameworkError("CORE_NOT_STARTED", "graphql: the app has not started");
    return this.started;
  }

  private start(schema: GraphQLSchema, settings: AppSettings): void {
    const { host, traffic, operations } = this;
    const { env, debug, log } = settings;
    const { playground = env === "development", introspection = env === "development" } = this.config;
    const config = { ...this.config, introspection };
    const documents = new Documents(schema, config, traffic.recordRefusal);
    const present = errorPresenter(settings);
    const guardOptions = { explain: debug && env !== "production", log };
    const executor = new Executor({ schema, config, state: host.state, operations, traffic, guardOptions });
    const parts = { config, schema, documents, executor, present, log };
    const protection = host.entries.protection(socketEntry);
    const admit = admission({ protection, guards: config.guards, guardOptions });
    const sockets = new SocketEndpoint({ ...parts, admit, onRefused: traffic.recordRefusal });
    this.started = { http: new HttpEndpoint(parts), sockets, playground };
  }

  private get = (request: HttpRequest): Response | Promise<Response> => {
    const { http, playground } = this.running;
    const wantsPage = playground && namesType(request.getHeader("accept"), "text/html");
    return wantsPage ? sendPage(this.page) : http.get(request);
  };

  private registerGet(schema: GraphQLSchema): void {
    const { host, config, routes } = this;
    const { path, guards } = config;
    if (routes.websocket !== undefined) {
      const limits = { maxMessageBytes: config.maxBodyBytes };
      const options = { guards, protocols: [PROTOCOL], limits, http: this.get };
      routes.websocket(path, options, (socket, request) => this.running.sockets.serve(socket, request));
      return;
    }
    host.http.route("GET", path, this.get, { guards });
    if (schema.getSubscriptionType() == null) return;
    host.problem({
      code: "GRAPHQL_NO_SOCKETS",
      message: "graphql: the schema has subscriptions; compose websocket before graphql in App.with",
    });
  }

  private registerFiles(): void {
    const { host, config } = this;
    for (const file of Object.keys(bundleFiles) as BundleFile[]) {
      const serve = (request: HttpRequest): Promise<Response> => {
        if (!this.running.playground) throw new NotFoundError();
        return sendFile(request, file);
      };
      host.http.route("GET", filePath(config.path, file), serve, {
        guards: config.guards,
        exempt: ["limits"],
      });
    }
  }

  /** Builds the schema; its mistakes are reported at start, together with all others. */
  private readSchema(): GraphQLSchema {
    const { host, config } = this;
    if (config.schema === undefined) {
      host.warn({
        code: "GRAPHQL_NO_SCHEMA",
        message:
          "graphql: enableGraphql got no schema, so the endpoint serves an empty one; pass `schema`, as SDL or as a GraphQLSchema",
      });
    }
    if (config.incremental && !hasParts) {
      host.problem({
        code: "CORE_BAD_CONFIG",
        message: "GraphQLConfig.incremental needs graphql 17; install it, or omit `incremental`",
      });
    }
    try {
      const schema = buildSchema(config.schema ?? EMPTY_SCHEMA, config.resolvers, config.incremental);
      for (const [place, { inject }] of fieldsWithOptions(schema))
        if (inject !== undefined) host.state.inject(`field ${place}`, inject);
      return schema;
    } catch (error) {
      if (!FrameworkError.is(error)) throw error;
      host.problem({ code: error.code, message: error.message });
      return buildSchema(EMPTY_SCHEMA, {}, config.incremental);
    }
  }

  private checkDocuments(schema: GraphQLSchema): void {
    const { host, config } = this;
    const { documents } = config;
    if (documents === undefined && config.onlyDocuments)
      host.problem({
        code: "CORE_BAD_CONFIG",
        message: "GraphQLConfig.onlyDocuments refuses every operation without `documents`",
      });
    if (documents === undefined || typeof documents === "function") return;
    host.check((): readonly Problem[] => {
      const reader = new Documents(schema, { ...config, introspection: true });
      return Object.entries(documents).flatMap(([id, text]) => {
        const read = reader.read(text);
        if ("document" in read) return [];
        const messages = read.errors.map(({ message }: GraphQLError) => message).join("; ");
        return [
          { code: "GRAPHQL_BAD_DOCUMENT", message: `graphql: the document "${id}" is refused: ${messages}` },
        ];
      });
    });
  }
}
