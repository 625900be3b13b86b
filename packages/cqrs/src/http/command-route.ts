import { type HttpRequest, Response } from "@framework/core";
import type { HostHttp, ImpliedReply } from "@framework/core/feature";
import type { Commands, ExecuteOptions } from "../commands/commands.ts";
import type { AnyCommand } from "../definitions/command.ts";
import type { CommandEndpoint } from "../definitions/endpoint.ts";
import { keyOf } from "../idempotency/key-header.ts";
import { keyReplies, retryAfter } from "./key-replies.ts";
import { REPLAYED_FIELD, TOKEN_FIELD } from "./reply-fields.ts";
import { MAX_QUEUED_BYTES } from "../limits.ts";
import type { CallRequest } from "../pipeline/call-options.ts";
import { documentedSchema, hasMembers } from "./documented-schema.ts";
import { endpointOptions, type EndpointWithMiddleware } from "./endpoint-options.ts";
import { refuseFiles } from "./form-files.ts";
import { pathNames, withParams } from "./path-names.ts";
import { type QueuedBody, queuedBody } from "./queued-body.ts";

/** Adds the HTTP endpoint of a command. */
export const addCommandRoute = (
  http: HostHttp<unknown>,
  command: AnyCommand,
  endpoint: EndpointWithMiddleware<CommandEndpoint>,
  commands: () => Commands,
  statusPath: () => string,
): void => {
  const { path, method = "POST" } = endpoint;
  const isQueued = command.mode === "queued";
  const names = pathNames(path);
  const status = endpoint.status ?? (command.output === null ? 204 : 200);
  const sourceOf = (member: string | number | undefined): string =>
    names.has(String(member)) ? "params" : "body";
  const inputOf = ({ input, params }: HttpRequest): unknown => withParams(input.body, params);
  const optionsOf = (request: HttpRequest): ExecuteOptions & CallRequest => {
    const key = keyOf(request.headers);
    if (isQueued || key !== null) refuseFiles(request.input.body);
    const own = key === null ? {} : { idempotencyKey: key };
    return { from: request, skipGuards: true, sourceOf, ...own }; // the route runs the guards
  };
  const queue = async (request: HttpRequest): Promise<Response> => {
    const { id, isReplay } = await commands().enqueue(command, inputOf(request), optionsOf(request));
    const location = `${statusPath()}/${id}`;
    const body: QueuedBody = { id, status_url: location };
    const reply = Response.json(body, { status: 202 }).setHeader("location", location);
    return isReplay ? reply.setHeader(REPLAYED_FIELD, "true") : reply;
  };
  const handle = async (request: HttpRequest): Promise<Response> => {
    const { value, token, isReplay } = await commands().execute(
      command,
      inputOf(request),
      optionsOf(request),
    );
    const reply = value === undefined ? new Response(null, { status }) : Response.json(value, { status });
    if (token !== null) reply.setHeader(TOKEN_FIELD, token);
    return isReplay ? reply.setHeader(REPLAYED_FIELD, "true") : reply;
  };
  const inBody = (name: string): boolean => !names.has(name);
  const hasBody = names.size === 0 || hasMembers(command.input, inBody);
  http.route(method, path, isQueued ? queue : handle, {
    ...(isQueued && { maxBodyBytes: MAX_QUEUED_BYTES }),
    ...endpointOptions(command, endpoint),
    ...(hasBody && { body: documentedSchema(command.input, names.size === 0 ? null : inBody) }),
    ...(names.size > 0 && { params: documentedSchema(command.input, (name) => names.has(name)) }),
    ...(isQueued && { responses: { 202: queuedBody } }),
    ...(command.output !== null &&
      !isQueued && { responses: { [status]: documentedSchema(command.output) } }),
  });
};

/** Implied replies of the endpoint of a command, for the API document. @param headers headers of successful replies */
export const commandReplies = (
  command: AnyCommand,
  endpoint: CommandEndpoint,
  headers: ImpliedReply["headers"] & object,
): readonly ImpliedReply[] => [
  ...(command.mode === "queued" ? [queuedReply] : []),
  ...(command.output === null && command.mode === "direct"
    ? [{ status: endpoint.status ?? 204, description: "Done.", headers, byHandler: true }]
    : []),
  { status: 422, description: "The input does not match the schema." },
  {
    status: 503,
    description:
      "The service is busy, or it is unknown whether the command was committed: `outcome` is `unknown`.",
    headers: retryAfter,
  },
  { status: 504, description: "The command took too long; `outcome` says whether it was rolled back." },
  ...keyReplies(command.idempotency === "none" ? false : command.idempotency),
];

/** Describes the 202 that the route lists. */
const queuedReply: ImpliedReply = {
  status: 202,
  description: "Accepted: the status is at the URL of `Location`.",
  byHandler: true,
};
