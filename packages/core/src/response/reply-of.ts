import { FrameworkError } from "../errors/framework-error.ts";
import { bytesOf, isBlob } from "./byte-stream.ts";
import { Response } from "./response.ts";
import { isStream } from "./response-body.ts";
import { maxHandlerFields } from "./response-headers.ts";
import { fromWebResponse, isWebResponse, networkError } from "./web-response.ts";

/**
 * The reply that a handler's return value means.
 *
 * A reply, ours or the web's, stays itself; a string is plain text; `null` and `undefined` are 204; streams, async iterables, blobs and bytes are
 * bodies; everything else is JSON.
 *
 * @throws CORE_BAD_REPLY for a symbol, a function, and what JSON cannot say; CORE_BODY_USED for a body that was read; CORE_BAD_HEADER for more than 100
 * header lines
 */
export const replyOf = (value: unknown): Response => {
  switch (typeof value) {
    case "object":
      return value === null ? Response.noContent() : ofObject(value);
    case "string":
      return Response.text(value);
    case "undefined":
      return Response.noContent();
    case "function":
    case "symbol":
      throw new FrameworkError("CORE_BAD_REPLY", `a handler cannot answer with a ${typeof value}`);
    default:
      return Response.json(value);
  }
};

const ofObject = (value: object): Response => {
  if (isPlain(value)) return Response.json(value);
  if (value instanceof Response) {
    if (value.status === 0) throw networkError();
    return withRoom(value);
  }
  if (Array.isArray(value)) return Response.json(value);
  if (isWebResponse(value)) return withRoom(fromWebResponse(value));
  if (isBlob(value) || bytesOf(value) !== null) return new Response(value as Blob | ArrayBuffer);
  if (isStream(value)) return Response.stream(value);
  if (isLostInJson(value)) {
    const what = "a Map, Set, generator or other iterable";
    throw new FrameworkError(
      "CORE_BAD_REPLY",
      `a handler answered with ${what}, which JSON would make {}; spread it into an array`,
    );
  }
  return Response.json(value);
};

/** What features add has to find room, or an app would break with the next one that is switched on. */
const withRoom = (reply: Response): Response => {
  const lines = reply.fields().length / 2;
  if (lines <= maxHandlerFields) return reply;
  const message = `a handler answered with ${lines} header lines; at most ${maxHandlerFields} leave features the room they need`;
  throw new FrameworkError("CORE_BAD_HEADER", message);
};

/** Iterables keep their items where JSON does not look, unless they say otherwise. */
const isLostInJson = (value: object): boolean => Symbol.iterator in value && !("toJSON" in value);

/** The common case, told in two looks that cost less than one at the prototype: an object literal, which may still be an async iterable by hand. */
const isPlain = (value: object): boolean => value.constructor === Object && !(Symbol.asyncIterator in value);
