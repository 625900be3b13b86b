import type { HttpMiddleware } from "@framework/core";
import type { HostHttp, ImpliedReply } from "@framework/core/feature";
import type { Commands } from "../commands/commands.ts";
import type { AnyOperation } from "../definitions/operation.ts";
import type { Queries } from "../queries/queries.ts";
import { addCommandRoute, commandReplies } from "./command-route.ts";
import { addQueryRoute, queryReplies } from "./query-route.ts";

/** Parts of `Endpoints`; the functions are called by requests. */
export interface EndpointsParts {
  readonly http: HostHttp<unknown>;
  readonly commands: () => Commands;
  readonly queries: () => Queries;
  /** Path of the status of queued commands. */
  readonly statusPath: () => string;
  /** Whether the app is composed with a cache. */
  readonly isCached: () => boolean;
}

/** The HTTP endpoints of an app's commands and queries. */
export class Endpoints {
  private readonly parts: EndpointsParts;
  /** Replies of the endpoints, by method and path. */
  private readonly replies = new Map<string, readonly ImpliedReply[]>();

  constructor(parts: EndpointsParts) {
    this.parts = parts;
  }

  /** Adds the endpoint of an operation, if it has one. @param use middleware around it */
  add(operation: AnyOperation, use: readonly HttpMiddleware[]): void {
    const { http, commands, queries, statusPath, isCached } = this.parts;
    if (operation.http === null) return;
    const { path } = operation.http;
    if (operation.kind === "command") {
      addCommandRoute(http, operation, { ...operation.http, use }, commands, statusPath);
      const { method = "POST" } = operation.http;
      this.replies.set(`${method} ${path}`, commandReplies(operation, operation.http));
    } else {
      addQueryRoute(http, operation, { ...operation.http, use }, queries, isCached());
      this.replies.set(`GET ${path}`, queryReplies);
    }
  }

  /** Returns the replies of a route that is an endpoint, for the API document. */
  repliesOf({ method, path }: { readonly method: string; readonly path: string }): readonly ImpliedReply[] {
    return this.replies.get(`${method} ${path}`) ?? [];
  }
}
