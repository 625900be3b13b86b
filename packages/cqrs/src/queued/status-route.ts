import { type HttpRequest, type Logger, NotFoundError, Response } from "@framework/core";
import type { HostHttp } from "@framework/core/feature";
import type { CommandQueue } from "./command-queue.ts";
import { passesLikeCommand } from "./passes-like-command.ts";

/** Parts of `addStatusRoute`. */
export interface StatusRouteParts {
  readonly http: HostHttp<unknown>;
  readonly path: string;
  readonly queue: () => CommandQueue;
  /** Whether the app is composed with a cache. */
  readonly isCached: boolean;
  readonly log: () => Logger;
}

/**
 * Adds the route that shows the status of a queued command. It has the middleware and the guards of the command that the id names, and only the caller who
 * sent the command sees the status.
 */
export const addStatusRoute = ({ http, path, queue, isCached, log }: StatusRouteParts): void => {
  const pass = passesLikeCommand(http, log);
  const handle = async (request: HttpRequest): Promise<Response> => {
    const found = await queue().find(request.params["id"] ?? "");
    if (found?.handled === undefined || found.handled === null) throw unknownCommand();
    return await pass(request, found.handled, found.params, (caller) => {
      if (!found.isOf(caller)) throw unknownCommand();
      return Response.json(found.status).setHeader("cache-control", "no-store"); // it changes, and is its caller's
    });
  };
  http.route("GET", `${path}/{id}`, handle, {
    ofProgram: true,
    name: "CommandStatus",
    summary: "The status of a queued command",
    errors: [401, 403, 404],
    ...(isCached && { cache: false }), // without the option, the cache would store any reply to a GET
  });
};

const unknownCommand = (): NotFoundError => new NotFoundError("There is no such command");
