import { FrameworkError } from "../errors/framework-error.ts";
import { plainType } from "../http/media-type.ts";
import type { AppSettings } from "../lifecycle/app-settings.ts";
import { type Awaitable, type Handler, isPromise, mapAwaitable } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import { toJsonText } from "../response/json/json-text.ts";
import { payloadBytes } from "../response/readable-stream.ts";
import type { Response } from "../response/response.ts";
import { WebBody } from "../response/web-response.ts";
import type { ResponseSchemas, RouteDefinition } from "../routes/route.ts";
import type { StandardSchema } from "../validation/standard-schema.ts";
import { resultOf } from "../validation/validate.ts";
import { isSameJson, removedMembers, repeatsNames, roundsNumbers } from "./json-difference.ts";

const ROUNDED =
  "it has members to remove and a number with more digits than a double holds, such as an integer beyond 2^53; send that number as a string";

/**
 * Replaces a route's JSON replies by the output of the schema for their status, so members that the schema does not list never reach a client.
 *
 * The schema validates the value that a client would parse from the reply's text. A reply that equals the output is sent byte for byte, and so are replies of
 * other types, replies with a status that has no schema, and streams.
 *
 * @throws CORE_REPLY_MISMATCH for a reply that its schema rejects, that is not JSON, or whose numbers would change
 */
export const filterReply = (
  route: RouteDefinition,
  handle: Handler<HttpRequest, Response>,
  { debug, log }: Pick<AppSettings, "debug" | "log">,
): Handler<HttpRequest, Response> => {
  const { responses = {} } = route.options;
  const name = `${route.method} ${route.path}`;
  const warned = new Set<number>();
  const warnRemoved = (status: number, members: readonly string[]): void => {
    if (members.length === 0 || warned.has(status)) return;
    warned.add(status);
    log.warn(
      `${name}: the schema for status ${status} does not list ${members.join(", ")}; omitted from the reply`,
    );
  };
  const fit = (schema: StandardSchema, reply: Response, text: string): Awaitable<Response> => {
    const refuse = (problem: string): never => {
      const message = `${name} replied ${reply.status} with a body that does not match its schema: ${problem}`;
      throw new FrameworkError("CORE_REPLY_MISMATCH", message);
    };
    const value = parse(text) ?? refuse("it is not JSON");
    return mapAwaitable(resultOf(schema, value.json, "response"), ({ issues, output }) => {
      if (issues.length > 0) refuse(issues.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; "));
      const send = (payload: string): Response => {
        reply.payload = payload;
        return reply;
      };
      const written = toJsonText(output);
      if (written === text) return send(text);
      const original: unknown = JSON.parse(text); // parsed again, because a schema may change its input in place
      if (isSameJson(original, output) && !repeatsNames(text, original)) return send(text);
      if (roundsNumbers(text)) refuse(ROUNDED);
      if (debug) warnRemoved(reply.status, removedMembers(original, output));
      return send(written);
    });
  };
  const filter = (reply: Response): Awaitable<Response> => {
    const schema = schemaOf(responses, reply.status);
    if (schema === undefined || !isJson(reply)) return reply;
    const text = textOf(reply);
    if (text === null) return reply;
    return isPromise(text) ? text.then((whole) => fit(schema, reply, whole)) : fit(schema, reply, text);
  };
  return (request) => {
    const reply = handle(request);
    return isPromise(reply) ? reply.then(filter) : filter(reply);
  };
};

/** Returns the schema of a status: its own, else the schema of its class, such as `2XX`, else `default`. */
const schemaOf = (schemas: ResponseSchemas, status: number): StandardSchema | undefined =>
  schemas[status] ?? schemas[`${Math.trunc(status / 100)}XX` as "2XX"] ?? schemas.default;

/** Whether a client may read the body as JSON: also with malformed parameters, because an unfiltered reply could have secret members. */
const isJson = ({ contentType }: Response): boolean =>
  contentType === "application/json" || (contentType !== null && isJsonName(plainType(contentType)));

const isJsonName = (type: string): boolean => type === "application/json" || type.endsWith("+json");

/** The text of a reply that is in memory, or a web `Response`; `null` for a stream. */
const textOf = ({ payload }: Response): Awaitable<string> | null => {
  if (typeof payload === "string") return payload;
  if (payload instanceof Uint8Array) return new TextDecoder().decode(payload);
  return payload instanceof WebBody
    ? payloadBytes(payload).then((bytes) => new TextDecoder().decode(bytes))
    : null;
};

const parse = (text: string): { readonly json: unknown } | null => {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return null; // the caller refuses the reply
  }
};
