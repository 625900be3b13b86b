import { type HttpRequest, NotFoundError } from "@framework/core";
import type { HostHttp } from "@framework/core/feature";
import type { CommandQueue } from "./command-queue.ts";
import type { CommandStatus } from "./command-status.ts";

/** Adds the route that shows the status of queued commands to their callers. */
export const addStatusRoute = (http: HostHttp<unknown>, path: string, queue: () => CommandQueue): void => {
  const handle = async (request: HttpRequest): Promise<CommandStatus> => {
    const status = await queue().status(request.params["id"] ?? "", request);
    if (status === null) throw new NotFoundError("There is no such command");
    return status;
  };
  http.route("GET", `${path}/{id}`, handle, {
    ofProgram: true,
    name: "CommandStatus",
    summary: "The status of a queued command",
    errors: [404],
  });
};
