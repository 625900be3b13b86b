import type { HttpMiddleware } from "@framework/core";
import type { FieldUse, HostHttp, ImpliedReply } from "@framework/core/feature";
import type { Commands } from "../commands/commands.ts";
import type { AnyOperation } from "../definitions/operation.ts";
import type { Queries } from "../queries/queries.ts";
import { addCommandRoute, commandReplies } from "./command-route.ts";
import { addQueryRoute, queryReplies } from "./query-route.ts";
import { endpointFields, replyHeaders } from "./used-fields.ts";

/** Dependencies of `Endpoints`. `commands`, `queries` and `statusPath` are called during requests. */
export interface EndpointsParts {
  readonly http: HostHttp<unknown>;
  readonly commands: () => Commands;
  readonly queries: () => Queries;
  /** Returns the path of the status route of queued commands. */
  readonly statusPath: () => string;
  /** Returns whether the app is composed with a cache. */
  readonly hasCache: () => boolean;
  /** Returns whether commands return tokens, and queries accept them; known once the app starts. */
  readonly hasTokens: () => boolean;
}

type RouteKey = Readonly<Record<"method" | "path", string>>;

/** The HTTP endpoints of an app's commands and queries. */
export class Endpoints {
  private readonly parts: EndpointsParts;
  /** Operations with endpoints, by method and path. */
  private readonly operations = new Map<string, AnyOperation>();

  constructor(parts: EndpointsParts) {
    this.parts = parts;
  }

  /** Adds the endpoint of an operation, if it has one. @param use middleware around it */
  add(operation: AnyOperation, use: readonly HttpMiddleware[]): void {
    const { http, commands, queries, statusPath, hasCache } = this.parts;
    if (operation.http === null) return;
    const { path } = operation.http;
    if (operation.kind === "command") {
      addCommandRoute(http, operation, { ...operation.http, use }, commands, statusPath);
      const { method = "POST" } = operation.http;
      this.operations.set(`${method} ${path}`, operation);
    } else {
      addQueryRoute(http, operation, { ...operation.http, use }, queries, hasCache());
      this.operations.set(`GET ${path}`, operation);
    }
  }

  /** Returns the implied replies of a route if it is an endpoint, for the API document. */
  repliesOf(route: RouteKey): readonly ImpliedReply[] {
    const operation = this.operationOf(route);
    if (operation === undefined || operation.http === null) return [];
    if (operation.kind === "query") return queryReplies;
    return commandReplies(operation, operation.http, replyHeaders(this.fieldsOf(route)));
  }

  /** Returns the header fields of a route if it is an endpoint. */
  fieldsOf(route: RouteKey): readonly FieldUse[] {
    const operation = this.operationOf(route);
    return operation === undefined ? [] : endpointFields(operation, this.parts.hasTokens());
  }

  private operationOf({ method, path }: RouteKey): AnyOperation | undefined {
    return this.operations.get(`${method} ${path}`);
  }
}
