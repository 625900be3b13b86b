import type {
  Handler,
  HttpRequest,
  Logger,
  Middleware,
  Response,
  RouteInfo,
  RouteOptions,
} from "@framework/core";
import { awaitLateReply, BodyStream, type OptionCheck, type RouteOption } from "@framework/core/feature";
import { REPLAYED_FIELD } from "../http/reply-fields.ts";
import { keyMissing } from "../idempotency/key-errors.ts";
import { KEY_FIELD, keyOf } from "../idempotency/key-header.ts";
import { fingerprintOf, keyId } from "../idempotency/key-id.ts";
import type { KeyClaim, StoredResult } from "../idempotency/stored-results.ts";
import { isResult, replayedReply, toStoredResult } from "./stored-reply.ts";
import { bodyPieces } from "./body-pieces.ts";
import { usesTransaction } from "./request-transaction.ts";
import type { RequestTransactions } from "./request-transactions.ts";
import { type HeldKey, isHeld, type RouteClaims } from "./route-claims.ts";

/** Whether requests of a route must or may have the field `Idempotency-Key`. */
export type RouteIdempotency = "required" | "optional" | false;

/** The route option of the feature. */
export interface CqrsRouteOptions {
  /**
   * Makes POST and PATCH requests with the field `Idempotency-Key` idempotent: a repeated request gets the first reply. `"required"` refuses requests without a key.
   * Routes of other methods ignore the option of their blueprint; setting it on such a route is a start error.
   * @default false
   */
  readonly idempotency?: RouteIdempotency;
}

/** Checks a route's `idempotency` option. */
export const idempotencyProblem: OptionCheck<RouteIdempotency> = (value, { method, ownOptions }) => {
  if (value === false) return null;
  if (value !== "required" && value !== "optional") return 'must be "required", "optional" or false';
  const isOwn = (ownOptions as CqrsRouteOptions).idempotency !== undefined; // core's type lacks the options of features
  return takesKeys(method) || !isOwn
    ? null
    : `has no effect on ${method}, which is idempotent without a key: remove it`;
};

const takesKeys = (method: string): boolean => method === "POST" || method === "PATCH";

/** Returns the rule of a route; `false` for methods that are idempotent without a key, because the option may come from their blueprint. */
export type RuleOf = (route: Pick<RouteInfo, "method" | "options"> | null) => RouteIdempotency;

export const ruleOf =
  (option: RouteOption<RouteIdempotency>): RuleOf =>
  (route) =>
    route !== null && takesKeys(route.method) ? (option.of(route) ?? false) : false;

/** Dependencies of `idempotentRoutes`. */
export interface IdempotentRoutesParts {
  readonly ruleOf: RuleOf;
  readonly claims: RouteClaims;
  readonly transactions: RequestTransactions;
  readonly maxBytes: number;
  readonly callerOf: (request: HttpRequest) => string;
  readonly tenantOf: (request: HttpRequest) => string;
  readonly log: () => Logger;
}

/**
 * Answers repeated requests of routes with the option `idempotency` with the first reply (draft-ietf-httpapi-idempotency-key-header), and runs handlers that use
 * `RequestTransaction` in a transaction.
 */
export const idempotentRoutes = (parts: IdempotentRoutesParts): Middleware<HttpRequest, Response> => {
  const { ruleOf, transactions } = parts;
  const isInTransaction = memoByRoute(usesTransaction);
  return function idempotentRoutes(request, next) {
    const rule = ruleOf(request.endpoint);
    const inTransaction = request.endpoint !== null && isInTransaction(request.endpoint.options);
    if (rule === false && !inTransaction) return next(request);
    if (rule !== false && request.headers.get(KEY_FIELD) !== null) {
      const once = inTransaction ? handleInTransaction : handleWithLease;
      return once(parts, request, next);
    }
    if (rule === "required") throw keyMissing();
    return inTransaction ? transactions.handle(request, next) : next(request);
  };
};

type KeyedHandler = (
  parts: IdempotentRoutesParts,
  request: HttpRequest,
  next: Handler<HttpRequest, Response>,
) => Promise<Response>;

/** Stores key and reply in the handler's transaction. */
const handleInTransaction: KeyedHandler = async (parts, request, next) =>
  await parts.transactions.handleOnce(request, next, await claimOf(parts, request));

/** Leases the key while the handler runs, because its changes are not in the same transaction as the key. */
const handleWithLease: KeyedHandler = async (parts, request, next) => {
  const claimed = await parts.claims.claim(await claimOf(parts, request));
  if (!isHeld(claimed)) return replayedReply(claimed).setHeader(REPLAYED_FIELD, "true");
  const lateReply = awaitLateReply(request);
  const reply = await next(request);
  if (lateReply.promise === null) await settle(parts, claimed, reply);
  else void settleLate(parts, claimed, lateReply.promise);
  return reply;
};

/** After a 504, the handler continues, and holds the key until it ends. */
const settleLate = async (
  parts: IdempotentRoutesParts,
  held: HeldKey,
  promise: Promise<Response>,
): Promise<void> => {
  try {
    const reply = await promise;
    await settle(parts, held, reply);
    if (reply.payload instanceof BodyStream) await reply.payload.cancel();
  } catch (error) {
    parts.claims.abandon(held);
    parts
      .log()
      .warn("cqrs: the reply of a handler that ended after its time limit was not stored", { error });
  }
};

/** Caches a property of each route, by its options. */
const memoByRoute = (compute: (options: RouteOptions) => boolean): ((options: RouteOptions) => boolean) => {
  const known = new WeakMap<RouteOptions, boolean>();
  return (options) => {
    const value = known.get(options) ?? compute(options);
    known.set(options, value);
    return value;
  };
};

const claimOf = async (parts: IdempotentRoutesParts, request: HttpRequest): Promise<KeyClaim> => {
  const key = keyOf(request.headers) ?? ""; // checked by the caller
  const operation = request.name;
  const { path, query, contentType } = request;
  const target = JSON.stringify([path, [...query.entries()], contentType]);
  const pieces = bodyPieces(request.headers.get("content-type"), await request.body());
  const fingerprint = fingerprintOf(target, ...pieces);
  const scope = { tenant: parts.tenantOf(request), caller: parts.callerOf(request), operation, key };
  return { ...keyId(scope), operation, fingerprint };
};

/**
 * Stores the reply of a handler, or releases the key. If storing fails, the reply is sent anyway, and the key becomes free when its lease expires.
 *
 * @throws the error of a body that fails while it is read: there is no reply to send
 */
const settle = async (parts: IdempotentRoutesParts, held: HeldKey, reply: Response): Promise<void> => {
  const { claims, log } = parts;
  const result = isResult(reply) ? await readReply(parts, held, reply) : null;
  try {
    if (!isResult(reply)) return await claims.release(held);
    const isStored = await claims.complete(held, result);
    if (!isStored) log().warn("cqrs: a reply was not stored, because its idempotency key has another holder");
  } catch (error) {
    log().warn("cqrs: a reply could not be stored with its idempotency key", { error });
  }
};

const readReply = async (
  { claims, maxBytes }: IdempotentRoutesParts,
  held: HeldKey,
  reply: Response,
): Promise<StoredResult | null> => {
  try {
    return await toStoredResult(reply, maxBytes);
  } catch (error) {
    claims.abandon(held);
    throw error;
  }
};
