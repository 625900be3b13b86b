// More than 250 lines, because one class handles a call of a handler from its start to the stored reply.
import type { Awaitable, Response } from "@framework/core";
import { BodyStream, mapAwaitable, payloadLength, readyBody } from "@framework/core/feature";
import { isConditional, replyFromEntry } from "./reply-from-entry.ts";
import type { RequestState } from "./route/request-state.ts";
import { variantKey } from "./cache-key.ts";
import type { CacheParts } from "./cache-parts.ts";
import type { StoredReply } from "./store/cache-store.ts";
import type { SharedCall, SharedResult } from "./coalescing.ts";
import { hasPrincipal, isSingleUse } from "./rules/identity.ts";
import type { Lookup } from "./lookup.ts";
import { factsOf, type ReplyFacts } from "./rules/reply-facts.ts";
import { ReplyTags } from "./route/reply-tags.ts";
import { type Conditional, conditionalRequest, confirms, isHeldBy, supersedes } from "./revalidation.ts";
import { addClientFreshness } from "./rules/client-freshness.ts";
import { notStoredReason } from "./rules/not-stored.ts";
import { ageOf, freshenedTtl, type Lifetime, lifetimeOf } from "./rules/storing-rules.ts";
import {
  complete,
  type Content,
  freshenedFields,
  isWhole,
  copyBody,
  newId,
  storedFields,
  toStoredReply,
} from "./rules/stored-reply.ts";
import { MAX_VARY_NAMES, namesOf } from "./vary-names.ts";
import { type ForwardReason, mark, type Outcome } from "./cache-status.ts";

/** A call of a handler, with the state at its start. */
interface Call {
  readonly state: RequestState;
  readonly lookup: Lookup;
  readonly sharedCall: SharedCall | null;
  readonly sequence: number;
  readonly sent: Conditional;
  /** Whether this is a background refresh without a client. */
  readonly isBackground: boolean;
}

/** Calls handlers and stores their storable replies. */
export class Origin {
  private readonly parts: CacheParts;
  private readonly tags: ReplyTags;

  constructor(parts: CacheParts) {
    this.parts = parts;
    this.tags = new ReplyTags(parts.log);
  }

  /** Calls the handler of a request; other requests may wait for `sharedCall`. */
  fetch(state: RequestState, lookup: Lookup, sharedCall: SharedCall | null): Awaitable<Response> {
    return this.call(state, lookup, sharedCall, false);
  }

  /** Calls the handler in the background, after the reply to the request. */
  refresh(state: RequestState, lookup: Lookup, sharedCall: SharedCall): Awaitable<void> {
    return mapAwaitable(this.call(state, lookup, sharedCall, true), ({ payload }) => discard(payload));
  }

  /** Returns the reason for a call of the handler. */
  reason({ directives, identity, allowsIdentity }: RequestState, { entry, names }: Lookup): ForwardReason {
    if (entry !== undefined) return directives.has("no-cache") ? "request" : "stale";
    if (identity && !allowsIdentity) return "bypass";
    return names.length > 0 ? "vary-miss" : "uri-miss";
  }

  private call(
    state: RequestState,
    lookup: Lookup,
    sharedCall: SharedCall | null,
    isBackground: boolean,
  ): Awaitable<Response> {
    const { sequence } = this.parts.invalidations;
    const sent = conditionalRequest(state.request, lookup.entry, sharedCall !== null);
    const call: Call = { state, lookup, sharedCall, sequence, sent, isBackground };
    const whole = mapAwaitable(state.next(sent.request), (response) => readyBody(response) ?? response);
    return mapAwaitable(whole, (response) => {
      try {
        return this.settle(call, response);
      } finally {
        sharedCall?.settle(null); // after any failure, each waiting request calls the handler
      }
    });
  }

  private settle(call: Call, response: Response): Awaitable<Response> {
    const { lookup, sent } = call;
    const facts = factsOf(response.fields());
    if (response.status !== 304 || !sent.validates || lookup.entry === undefined)
      return this.receive(call, response, facts);
    if (confirms(facts, lookup.entry)) return this.freshen(call, lookup.entry, response, facts);
    this.parts.store.delete(lookup.key); // RFC 9111 4.3.4: the 304 is for another reply
    return this.call(call.state, { ...lookup, entry: undefined }, null, call.isBackground);
  }

  /** Stores a complete reply if the rules allow it, and returns the reply. */
  private receive(call: Call, response: Response, facts: ReplyFacts): Response {
    const { state } = call;
    const { payload, status } = response;
    const { maxEntryBytes, name } = this.parts.config;
    const bodyBytes = isWhole(payload) ? (payloadLength(payload) ?? Infinity) : Infinity;
    const isStorable = bodyBytes <= maxEntryBytes && !(status >= 500 && this.hasUsableEntry(call));
    const lifetime = isStorable ? this.lifetime(call, status, facts) : null;
    const isHead = state.request.method === "HEAD"; // it has the fields of GET, and is not stored
    const hasOwnTag = lifetime !== null && this.complete(response, facts, state.plan);
    if (isHead && lifetime?.isImplicit === true) addClientFreshness(response, state.plan.clientTtlSecs, 0);
    const tags = lifetime === null || isHead ? null : this.tags.of(call.state, response, facts, []);
    if (lifetime === null || tags === null || !isWhole(payload)) {
      this.explainUnstored(call, response, facts, bodyBytes);
      if (status === 400 && state.request.signal.aborted) call.sharedCall?.settle("again"); // the client disconnected: the handler may succeed for another request
      else if (call.sharedCall !== null && status < 500)
        this.parts.coalescing.noteUnshareable(call.lookup.key);
      return this.passOn(call, response, facts);
    }
    if (this.isInvalidated(call, tags)) {
      call.sharedCall?.settle("again");
      return this.passOn(call, response, facts);
    }

    const fields = storedFields(response.fields(), facts);
    const content: Content = { status, fields, body: copyBody(payload), bodyBytes, hasOwnTag };
    const entry = toStoredReply(content, lifetime, tags);
    this.keep(call, entry, facts, lifetime, "HIT");
    this.count(call, "MISS");
    const forwarded = this.reason(state, call.lookup);
    this.explain(call, `${forwarded}: stored, fresh for ${lifetime.freshMs / 1000} s`);
    if (isConditional(state.request)) return this.replyFrom(call, entry, "MISS", { stored: true });
    if (lifetime.isImplicit) addClientFreshness(response, state.plan.clientTtlSecs, this.ageSecs(facts));
    return mark(response, name, "MISS", { forwarded, stored: true });
  }

  private explainUnstored(
    call: Call,
    { status, payload }: Response,
    facts: ReplyFacts,
    bodyBytes: number,
  ): void {
    if (!this.parts.reasons.isObserved) return;
    const { allowsIdentity: shared, caller, request } = call.state;
    const reason = notStoredReason(facts, {
      status,
      identity: this.carriesIdentity(call.state),
      shared,
      own: caller !== null,
      isStream: !isWhole(payload),
      bodyBytes,
      maxEntryBytes: this.parts.config.maxEntryBytes,
      isHead: request.method === "HEAD",
    });
    this.explain(call, `${this.reason(call.state, call.lookup)}: not stored, ${reason}`);
  }

  private explain({ state }: Call, reason: string): void {
    if (this.parts.reasons.isObserved) this.parts.reasons.give(state.request, reason);
  }

  private complete(response: Response, facts: ReplyFacts, { vary }: RequestState["plan"]): boolean {
    const ages = { wallMs: this.parts.clock.date(), ageSecs: this.ageSecs(facts) };
    return complete(response, facts, ages, vary);
  }

  private ageSecs(facts: ReplyFacts): number {
    return Math.floor(ageOf(facts, this.parts.clock.date()) / 1000);
  }

  /** Returns a reply that is not stored; removes the stored reply if this one supersedes it. */
  private passOn(call: Call, response: Response, facts: ReplyFacts): Response {
    const { state, lookup, sent } = call;
    const { store, config, clock } = this.parts;
    const { entry } = lookup;
    const { status } = response;
    if (entry !== undefined && status >= 500) {
      const lateMs = clock.now() - entry.bornMs - entry.freshMs;
      if (!entry.validates && lateMs < entry.errorMs) return this.replyStale(call, entry, response);
    }
    const isOwn = this.carriesIdentity(state) && !state.allowsIdentity;
    if (entry !== undefined && !isOwn && state.request.method !== "HEAD" && supersedes(status))
      store.delete(lookup.key);
    const outcome = isOwn ? "BYPASS" : "MISS";
    this.count(call, outcome);
    const forwarded = outcome === "BYPASS" ? "bypass" : this.reason(state, lookup);
    const ageSecs = this.ageSecs(facts);
    if (ageSecs > 0) response.headers.set("age", String(ageSecs)); // a handler that forwards to another server may send an old reply
    if (sent.isSimplified && isHeldBy(state.request, response, facts)) makeNotModified(response);
    return mark(response, config.name, outcome, { forwarded });
  }

  /** Whether the stored reply is fresh or may be served stale: a failure of the handler does not replace it. */
  private hasUsableEntry({ lookup: { entry } }: Call): boolean {
    if (entry === undefined || entry.validates) return false;
    const lateMs = this.parts.clock.now() - entry.bornMs - entry.freshMs;
    return lateMs < Math.max(entry.staleMs, entry.errorMs);
  }

  /** Replaces a handler's failure with the stale reply, also for waiting requests (RFC 5861 4). */
  private replyStale(call: Call, entry: StoredReply, response: Response): Response {
    const { key, names } = call.lookup;
    call.sharedCall?.settle({ key, names, entry, outcome: "STALE" });
    discard(response.payload);
    this.count(call, "STALE");
    return this.replyFrom(call, entry, "STALE", { forwardStatus: response.status });
  }

  /** Updates the entry's fields from a 304 that confirms it, and serves it (RFC 9111 4.3.4). */
  private freshen(call: Call, old: StoredReply, response: Response, fresh: ReplyFacts): Response {
    const { lookup } = call;
    const wallMs = this.parts.clock.date();
    const fields = freshenedFields(old.fields, response.fields(), fresh, wallMs);
    const { date, ageSecs, tags: named, setsCookies } = fresh;
    const ttlSecs = freshenedTtl(fresh, old.ttlSecs, wallMs);
    const facts: ReplyFacts = { ...factsOf(fields), date, ageSecs, ttlSecs, tags: named, setsCookies };
    const { status, body, bodyBytes, hasOwnTag } = old;
    const lifetime = this.lifetime(call, status, facts);
    const bodyTags = old.tags.slice(0, old.bodyTags);
    const tags = lifetime === null ? null : this.tags.of(call.state, response, facts, bodyTags);
    this.count(call, "REVALIDATED");
    if (lifetime === null || tags === null || this.isInvalidated(call, [...old.tags, ...tags])) {
      this.parts.store.delete(lookup.key);
      if (lifetime !== null) call.sharedCall?.settle("again");
      const reply = this.replyFrom(call, { ...old, fields, bornMs: this.parts.clock.now() }, "REVALIDATED", {
        forwardStatus: 304,
      });
      for (const line of response.headers.getSetCookie()) reply.appendHeader("set-cookie", line);
      return reply;
    }
    const content: Content = { status, fields, body, bodyBytes, hasOwnTag };
    const entry = { ...toStoredReply(content, lifetime, tags), bodyTags: bodyTags.length };
    this.keep(call, entry, facts, lifetime, "REVALIDATED", old.id);
    return this.replyFrom(call, entry, "REVALIDATED", { forwardStatus: 304, stored: true });
  }

  private lifetime({ state, lookup }: Call, status: number, facts: ReplyFacts): Lifetime | null {
    const { ttlSecs, staleSecs } = state.plan;
    const { allowsIdentity: shared } = state;
    const own = state.caller !== null;
    const identity = this.carriesIdentity(state);
    if (isSingleUse(state.request)) return null;
    if (namesOf(lookup, state.plan, facts).length > MAX_VARY_NAMES) return null;
    return lifetimeOf(facts, { status, identity, shared, own, ttlSecs, staleSecs }, this.parts.clock);
  }

  private carriesIdentity({ identity, request }: RequestState): boolean {
    return identity || hasPrincipal(request);
  }

  /** Whether a drop since the start of the call may affect the reply; always true while this worker may have missed drops. */
  private isInvalidated({ sequence }: Call, tags: readonly string[]): boolean {
    const { invalidations, store } = this.parts;
    return !store.isCurrent() || invalidations.droppedSince(sequence, tags);
  }

  private keep(
    { state, lookup, sharedCall }: Call,
    entry: StoredReply,
    facts: ReplyFacts,
    { holdMs }: Lifetime,
    outcome: SharedResult["outcome"],
    oldId?: string,
  ): void {
    const { store, coalescing, clock } = this.parts;
    const names = namesOf(lookup, state.plan, facts);
    const key = variantKey(state.key, names, state.request);
    const [path = ""] = entry.tags;
    if (names.length > 0) {
      const nowMs = clock.now();
      const untilMs = Math.max(nowMs + holdMs, lookup.namesUntilMs);
      store.set(
        state.key,
        { kind: "varies", id: newId(), names, untilMs },
        { holdMs: untilMs - nowMs, tags: [path] },
      );
    }
    const replaces = oldId !== undefined && key === lookup.key ? { replaces: oldId } : {};
    store.set(key, entry, { holdMs, tags: entry.tags, ...replaces });
    coalescing.noteShareable(lookup.key);
    sharedCall?.settle({ key, names, entry, outcome });
  }

  private replyFrom(
    { state, lookup }: Call,
    entry: StoredReply,
    outcome: Outcome,
    status: { readonly stored?: boolean; readonly forwardStatus?: number },
  ): Response {
    const { clock, config } = this.parts;
    const forwarded = this.reason(state, lookup);
    return replyFromEntry(entry, state.request, {
      name: config.name,
      nowMs: clock.now(),
      clientTtlSecs: state.plan.clientTtlSecs,
      outcome,
      status: { forwarded, ...status },
    });
  }

  private count({ isBackground }: Call, outcome: Outcome): void {
    if (!isBackground) this.parts.counts[outcome]++;
  }
}

/** Cancels an unread body, so that its source is released. */
const discard = (payload: Response["payload"]): void => {
  if (payload instanceof BodyStream) payload.cancel().catch(() => {}); // the body is discarded, its errors with it
};

const makeNotModified = (response: Response): void => {
  discard(response.payload);
  response.payload = null;
  response.status = 304;
  response.headers.delete("content-type");
};
