import { FrameworkError } from "../errors/framework-error.ts";
import { bytesOf, isBlob } from "./byte-stream.ts";
import { markOwn, ownReply, Response } from "./response.ts";
import { isStream } from "./response-body.ts";
import { MAX_HANDLER_FIELDS } from "./response-headers.ts";
import { fromWebResponse, isWebResponse, networkError } from "./web-response.ts";

/**
 * Converts a handler's return value to a reply that features may change.
 *
 * A `Response` of the framework is copied, one of the web is converted; a string is plain text; `null` and `undefined` are 204; streams, async iterables,
 * blobs and bytes are bodies; every other value is JSON.
 *
 * @throws CORE_BAD_REPLY for a symbol, a function, a value that JSON cannot express, a synchronous iterable other than a list, and `Response.error()`;
 * CORE_BODY_USED for a body that was read; CORE_BAD_HEADER for more than 100 header lines
 */
export const replyOf = (value: unknown): Response => {
  switch (typeof value) {
    case "object":
      return value === null ? markOwn(Response.noContent()) : ofObject(value);
    case "string":
      return markOwn(Response.text(value));
    case "undefined":
      return markOwn(Response.noContent());
    case "function":
    case "symbol":
      throw new FrameworkError("CORE_BAD_REPLY", `a handler cannot return a ${typeof value}`);
    default:
      return markOwn(Response.json(value));
  }
};

const ofObject = (value: object): Response => {
  if (isPlain(value)) return markOwn(Response.json(value));
  if (value instanceof Response) {
    if (value.status === 0) throw networkError();
    return withRoom(ownReply(value));
  }
  if (Array.isArray(value)) return markOwn(Response.json(value));
  if (isWebResponse(value)) return withRoom(markOwn(fromWebResponse(value)));
  if (isBlob(value) || bytesOf(value) !== null) return markOwn(new Response(value as Blob | ArrayBuffer));
  if (isStream(value)) return markOwn(Response.stream(value));
  if (isLostInJson(value)) {
    const kinds = "a Map, Set, generator or other iterable";
    throw new FrameworkError(
      "CORE_BAD_REPLY",
      `a handler returned ${kinds}, which JSON would turn into {}; spread it into an array`,
    );
  }
  return markOwn(Response.json(value));
};

/**
 * Leaves room for the fields of features: otherwise an app could fail when another feature is enabled.
 *
 * @param creator creator of the reply, such as `a handler`
 * @throws CORE_BAD_HEADER
 */
export const withRoom = (reply: Response, creator = "a handler"): Response => {
  const lines = reply.fields().length / 2;
  if (lines <= MAX_HANDLER_FIELDS) return reply;
  const message = `${creator} returned a reply with ${lines} header lines; the maximum is ${MAX_HANDLER_FIELDS}, so that features can add theirs`;
  throw new FrameworkError("CORE_BAD_HEADER", message);
};

/** Whether JSON would lose the items of a value: an iterable without `toJSON`. */
const isLostInJson = (value: object): boolean => Symbol.iterator in value && !("toJSON" in value);

/** Whether a value is an object literal, the common case: two property reads, which cost less than `getPrototypeOf`. */
const isPlain = (value: object): boolean => value.constructor === Object && !(Symbol.asyncIterator in value);
