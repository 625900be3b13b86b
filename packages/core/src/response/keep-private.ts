import { parseCacheControl, privateField } from "../http/cache-control.ts";
import type { Context } from "../invocation/context.ts";
import { type Key, key } from "../invocation/key.ts";
import { SingleUse } from "../invocation/single-use.ts";
import type { Response } from "./response.ts";
import { addVary } from "./vary.ts";

/** Marks a reply as the same for every caller although the caller was identified; this prevents `private`, unless the request has `SingleUse`. */
export const SharedReply: Key<boolean> = key("shared_reply", false);

/** The members of a request that the rule reads. */
interface Caller {
  readonly context: Context;
  /** Names of the request fields that authentications read. */
  readonly credentialFields: readonly string[] | null;
  getHeader(name: string): string | null;
}

/**
 * Adds `private` to the `Cache-Control` of a reply that depends on its caller, and the fields that identified the caller to `Vary`. A 101 and a reply with
 * `no-store` (without `must-understand`) do not change, and neither does a reply with `public`, `s-maxage` or `SharedReply`, unless its request has
 * `SingleUse`.
 *
 * @returns the same reply
 */
export const keepPrivate = (reply: Response, request: Caller): Response => {
  const isSingleUse = request.context.get(SingleUse);
  if (reply.status === 101 || (reply.annotation(SharedReply) && !isSingleUse)) return reply;
  const field = reply.headers.get("cache-control");
  const directives = parseCacheControl(field);
  if (directives.has("no-store") && !directives.has("must-understand")) return reply;
  const isPublic = directives.has("public") || directives.has("s-maxage");
  if (isPublic && !isSingleUse) return reply;
  makePrivate(reply);
  varyByCaller(reply, request);
  return reply;
};

/** Makes a reply private, even if its `Cache-Control` has `public` or `s-maxage`. */
export const makePrivate = ({ headers }: Response): void => {
  const field = headers.get("cache-control");
  const directives = parseCacheControl(field);
  const isPrivate =
    directives.get("private") === "" && !directives.has("public") && !directives.has("s-maxage");
  if (!isPrivate) headers.set("cache-control", privateField(field));
};

const varyByCaller = ({ headers }: Response, request: Caller): void => {
  const names =
    request.credentialFields ??
    ["Authorization", "Cookie"].filter((name) => request.getHeader(name) !== null);
  if (names.length > 0) addVary(headers, ...names);
};
