import {
  type Awaitable,
  type Endpoint,
  type Handler,
  HttpError,
  type HttpRequest,
  type Middleware,
  type Response,
} from "@framework/core";
import {
  coversPath,
  isPromise,
  keepPrivate,
  makePrivate,
  mapAwaitable,
  SharedReply,
} from "@framework/core/feature";
import { replyFromEntry } from "./reply-from-entry.ts";
import type { RequestState } from "./route/request-state.ts";
import { parseCacheControl } from "@framework/core/http";
import { keyOf, variantKey } from "./cache-key.ts";
import type { CacheParts } from "./cache-parts.ts";
import type { StoredReply } from "./store/cache-store.ts";
import type { SharedOutcome, SharedResult } from "./coalescing.ts";
import { hasIdentity } from "./rules/identity.ts";
import { lookUp, type Lookup } from "./lookup.ts";
import { explainBypass, explainKey, explainStored } from "./lookup-reasons.ts";
import { Origin } from "./origin.ts";
import { planOf, type RoutePlan } from "./route/route-plan.ts";
import { mark, type Outcome, type Status, statusText } from "./cache-status.ts";

/** Maximum number of calls that a request waits for: one for its key and one for its variant. */
const MAX_ROUNDS = 2;

/** Replies to requests from the store (RFC 9111, shared cache), and stores replies of handlers. `writes` handles methods that are not cached. */
export const replyCache = (
  parts: CacheParts,
  writes: Middleware<HttpRequest, Response>,
): Middleware<HttpRequest, Response> => {
  const cache = new ReplyCache(parts, writes);
  return function cacheReply(request, next) {
    return cache.handle(request, next);
  };
};

class ReplyCache {
  private readonly parts: CacheParts;
  private readonly origin: Origin;
  private readonly isExcluded: (path: string) => boolean;
  private readonly plans = new Map<Endpoint, RoutePlan | null>(); // bounded by the number of routes
  private readonly methods: ReadonlySet<string>;
  private readonly writes: Middleware<HttpRequest, Response>;

  constructor(parts: CacheParts, writes: Middleware<HttpRequest, Response>) {
    this.isExcluded = coversPath(parts.config.excludePaths);
    this.parts = parts;
    this.writes = writes;
    this.origin = new Origin(parts);
    this.methods = new Set(parts.config.methods);
  }

  handle(request: HttpRequest, next: Handler<HttpRequest, Response>): Awaitable<Response> {
    const { endpoint, method, path } = request;
    const { reasons } = this.parts;
    if (!this.methods.has(method)) {
      if (reasons.isObserved) reasons.give(request, `${method} is not cached`);
      return this.writes(request, next);
    }
    if (endpoint === null || endpoint.addedBy !== null) {
      if (reasons.isObserved) reasons.give(request, "routes of features are not cached");
      return next(request);
    }
    const plan = this.planFor(endpoint);
    const isExplicitHead = method === "HEAD" && endpoint.method === "HEAD"; // an explicit HEAD route may differ from GET
    if (plan === null || isExplicitHead || this.isExcluded(path)) {
      explainBypass(reasons, request, { isPlanned: plan !== null, isExplicitHead });
      return this.bypass(request, next);
    }
    const caller = plan.callerOf(request);
    const reply = this.replyFor(request, next, plan, caller);
    if (caller === null && plan.keyFor === null && !plan.shared) return reply;
    return mapAwaitable(reply, (response) => markForCaches(response, request, plan, caller));
  }

  private replyFor(
    request: HttpRequest,
    next: Handler<HttpRequest, Response>,
    plan: RoutePlan,
    caller: RequestState["caller"],
  ): Awaitable<Response> {
    const directives = parseCacheControl(request.getHeader("cache-control"));
    if (directives.has("no-store")) {
      if (this.parts.reasons.isObserved)
        this.parts.reasons.give(request, "the request has Cache-Control: no-store");
      if (directives.has("only-if-cached")) throw this.notStoredError("BYPASS", { forwarded: "bypass" });
      return this.bypass(request, next);
    }
    const extra = plan.keyFor === null ? "" : plan.keyFor(request);
    const identity = hasIdentity(request);
    const allowsIdentity = plan.shared || caller !== null;
    return mapAwaitable(keyOf(request, extra, caller), (key) => {
      explainKey(this.parts.reasons, {
        request,
        needsShareable: identity && !allowsIdentity,
        isScoped: caller !== null || extra !== "",
      });
      return this.serve({ request, next, plan, key, directives, identity, caller, allowsIdentity, round: 0 });
    });
  }

  private planFor(endpoint: Endpoint): RoutePlan | null {
    const known = this.plans.get(endpoint);
    if (known !== undefined) return known;
    const plan = planOf(endpoint, this.parts.option.of(endpoint), this.parts.config);
    this.plans.set(endpoint, plan);
    return plan;
  }

  private bypass(request: HttpRequest, next: Handler<HttpRequest, Response>): Awaitable<Response> {
    const { config, counts } = this.parts;
    return mapAwaitable(next(request), (response) => {
      counts.BYPASS++;
      return mark(response, config.name, "BYPASS", { forwarded: "bypass" });
    });
  }

  private serve(state: RequestState): Awaitable<Response> {
    const lookup = lookUp(this.parts.store, state.key, state.request);
    return isPromise(lookup) ? this.serveLater(state, lookup) : this.decide(state, lookup, undefined);
  }

  private serveLater(state: RequestState, read: Promise<Lookup>): Promise<Response> {
    const { coalescing, invalidations } = this.parts;
    const { sequence } = invalidations;
    return coalescing.duringRead(read, (lookup, newerResult) =>
      this.decide(state, lookup, sequence === invalidations.sequence ? newerResult : undefined),
    );
  }

  /** Replies from the store if allowed, else obtains a reply. `newerResult` is the result of a call that ended during the read of the store. */
  private decide(
    state: RequestState,
    lookup: Lookup,
    newerResult: SharedResult | undefined,
  ): Awaitable<Response> {
    const { directives } = state;
    const needsShareable = state.identity && !state.allowsIdentity;
    const entry = needsShareable ? ifShareable(lookup.entry) : lookup.entry;
    const stored = entry ?? (needsShareable ? ifShareable(lookup.equal) : lookup.equal);
    if (stored !== undefined && !stored.validates && !directives.has("no-cache")) {
      const lateMs = this.parts.clock.now() - stored.bornMs - stored.freshMs;
      if (lateMs < 0) return this.fromStore(state, stored, "HIT", {});
      if (stored === entry && lateMs < entry.staleMs) {
        if (newerResult === undefined) this.refreshLater(state, { ...lookup, entry });
        return this.fromStore(state, entry, "STALE", {});
      }
    }
    if (directives.has("only-if-cached")) throw this.notStoredError("MISS", { forwarded: "request" });
    return this.obtain(state, { ...lookup, entry }, newerResult);
  }

  /** Calls the handler, or waits for a running call. */
  private obtain(
    state: RequestState,
    lookup: Lookup,
    newerResult: SharedResult | undefined,
  ): Awaitable<Response> {
    const { coalescing } = this.parts;
    if (!mayShare(state) || coalescing.isUnshareable(lookup.key))
      return this.origin.fetch(state, lookup, null);
    if (newerResult !== undefined) return this.follow(state, lookup, newerResult);
    const sharedCall = coalescing.callFor(lookup.key);
    if (sharedCall === undefined) return this.origin.fetch(state, lookup, coalescing.start(lookup.key));
    return sharedCall.result().then((shared) => this.follow(state, lookup, shared));
  }

  /** Uses the result of another call if it fits this request; else looks up or calls again, at most `MAX_ROUNDS` times. */
  private follow(state: RequestState, lookup: Lookup, shared: SharedOutcome): Awaitable<Response> {
    if (shared === null) return this.origin.fetch(state, lookup, null);
    if (shared === "again") return this.serve({ ...state, round: state.round + 1 });
    const { key, names, entry, outcome } = shared;
    if (variantKey(state.key, names, state.request) !== key)
      return this.serve({ ...state, round: state.round + 1 });
    return this.fromStore(state, entry, outcome, {
      forwarded: this.origin.reason(state, lookup),
      collapsed: true,
    });
  }

  private fromStore(state: RequestState, entry: StoredReply, outcome: Outcome, status: Status): Response {
    const { clock, config, counts } = this.parts;
    counts[outcome]++;
    explainStored(this.parts.reasons, state.request, entry, { outcome, status, nowMs: clock.now() });
    const { clientTtlSecs } = state.plan;
    return replyFromEntry(entry, state.request, {
      name: config.name,
      nowMs: clock.now(),
      clientTtlSecs,
      outcome,
      status,
    });
  }

  /** Refreshes a stale reply in the background; concurrent refreshes are coalesced. */
  private refreshLater(state: RequestState, lookup: Lookup): void {
    const { coalescing, log } = this.parts;
    if (state.request.method === "HEAD" || coalescing.callFor(lookup.key) !== undefined) return;
    const sharedCall = coalescing.start(lookup.key);
    try {
      state.request.defer(() => this.origin.refresh(state, lookup, sharedCall));
    } catch (error) {
      sharedCall.settle(null); // too many tasks are pending; the next request tries again
      log().warn("cache: a stale reply could not be refreshed", { error });
    }
  }

  private notStoredError(outcome: Outcome, status: Status): HttpError {
    const { config, counts } = this.parts;
    counts[outcome]++;
    return new HttpError(504, "The request accepts only a stored reply, and there is none", {
      headers: { "x-cache": outcome, "cache-status": statusText(config.name, status) },
    });
  }
}

/** Returns the reply if clients with an identity may share it, else `undefined`. */
const ifShareable = (entry: StoredReply | undefined): StoredReply | undefined =>
  entry?.shareable === true ? entry : undefined;

/** Marks the reply for other caches: private for one caller, and with a custom key unless the handler made it public; shared on a `shared` route. */
const markForCaches = (
  response: Response,
  request: HttpRequest,
  { keyFor }: RoutePlan,
  caller: RequestState["caller"],
): Response => {
  if (caller !== null) makePrivate(response);
  return caller !== null || keyFor !== null
    ? keepPrivate(response, request)
    : response.annotate(SharedReply, true);
};

/** Whether a request may be coalesced: it has no identity or its route allows one, asks for a complete reply, and has waited for fewer than `MAX_ROUNDS` calls. */
const mayShare = ({ identity, allowsIdentity, request, round }: RequestState): boolean =>
  (!identity || allowsIdentity) &&
  request.method !== "HEAD" &&
  request.getHeader("range") === null &&
  round < MAX_ROUNDS;
