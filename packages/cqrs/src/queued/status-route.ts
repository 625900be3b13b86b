import { type HttpRequest, type Logger, NotFoundError, Response } from "@framework/core";
import type { HostHttp } from "@framework/core/feature";
import type { CommandQueue } from "./command-queue.ts";
import { commandAccess } from "./command-access.ts";

/** Dependencies of `addStatusRoute`. */
export interface StatusRouteParts {
  readonly http: HostHttp<unknown>;
  readonly path: string;
  readonly queue: () => CommandQueue;
  /** Whether the app is composed with a cache. */
  readonly hasCache: boolean;
  readonly log: () => Logger;
}

/**
 * Adds the status route of queued commands. It applies the middleware and guards of the command with the given id, and only the caller who enqueued the
 * command gets its status.
 */
export const addStatusRoute = ({ http, path, queue, hasCache, log }: StatusRouteParts): void => {
  const access = commandAccess(http, log);
  const handle = async (request: HttpRequest): Promise<Response> => {
    const found = await queue().find(request.params["id"] ?? "");
    if (found?.handled === undefined || found.handled === null) throw unknownCommand();
    return await access(request, found.handled, found.params, (caller) => {
      if (!found.isOwnedBy(caller)) throw unknownCommand();
      return Response.json(found.status).setHeader("cache-control", "no-store"); // the status changes, and is private to the caller
    });
  };
  http.route("GET", `${path}/{id}`, handle, {
    isProgramRoute: true,
    name: "CommandStatus",
    summary: "Get the status of a queued command",
    errors: [401, 403, 404],
    ...(hasCache && { cache: false }), // the replies are `no-store`, so cache lookups would be useless
  });
};

const unknownCommand = (): NotFoundError => new NotFoundError("There is no such command");
