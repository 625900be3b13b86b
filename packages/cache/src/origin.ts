import type { Awaitable, Response } from "@framework/core";
import { BodyStream, mapAwaitable, payloadLength } from "@framework/core/feature";
import { answer, isConditional } from "./answer.ts";
import type { Ask } from "./route/ask.ts";
import { variantKey } from "./cache-key.ts";
import type { CacheParts } from "./cache-parts.ts";
import type { StoredReply } from "./store/cache-store.ts";
import type { SharedCall, SharedResult } from "./coalescing.ts";
import { hasPrincipal, isSingleUse } from "./rules/identity.ts";
import type { Place } from "./lookup.ts";
import { factsOf, type ReplyFacts } from "./rules/reply-facts.ts";
import { ReplyTags } from "./route/reply-tags.ts";
import { type Conditional, conditionally, confirms, isHeldBy, supersedes } from "./revalidation.ts";
import { type Lifetime, lifetimeOf } from "./rules/storing-rules.ts";
import {
  announce,
  type Content,
  freshenedFields,
  isWhole,
  keptBody,
  newId,
  storedFields,
  toStoredReply,
} from "./rules/stored-reply.ts";
import { maxVaryNames, namesOf } from "./vary-names.ts";
import { type Forwarded, mark, type Outcome } from "./verdicts.ts";

/** A call of a handler, with the state at its start. */
interface Call {
  readonly ask: Ask;
  readonly place: Place;
  readonly sharedCall: SharedCall | null;
  readonly moment: number;
  readonly sent: Conditional;
  /** Whether this is a background refresh without a client. */
  readonly silent: boolean;
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
  ask(ask: Ask, place: Place, sharedCall: SharedCall | null): Awaitable<Response> {
    return this.call(ask, place, sharedCall, false);
  }

  /** Calls the handler again for an answered request. */
  refresh(ask: Ask, place: Place, sharedCall: SharedCall): Awaitable<void> {
    return mapAwaitable(this.call(ask, place, sharedCall, true), ({ payload }) => giveUp(payload));
  }

  /** The reason for a call of the handler. */
  reason({ directives, identity, plan }: Ask, { entry, names }: Place): Forwarded {
    if (entry !== undefined) return directives.has("no-cache") ? "request" : "stale";
    if (identity && !plan.shared) return "bypass";
    return names.length > 0 ? "vary-miss" : "uri-miss";
  }

  private call(ask: Ask, place: Place, sharedCall: SharedCall | null, silent: boolean): Awaitable<Response> {
    const { moment } = this.parts.invalidations;
    const sent = conditionally(ask.request, place.entry, sharedCall !== null);
    const call: Call = { ask, place, sharedCall, moment, sent, silent };
    return mapAwaitable(ask.next(sent.request), (response) => {
      try {
        return this.settle(call, response);
      } finally {
        sharedCall?.settle(null); // on any failure, waiting requests proceed
      }
    });
  }

  private settle(call: Call, response: Response): Awaitable<Response> {
    const { place, sent } = call;
    const facts = factsOf(response.fields());
    if (response.status !== 304 || !sent.validates || place.entry === undefined)
      return this.take(call, response, facts);
    if (confirms(facts, place.entry)) return this.freshen(call, place.entry, response, facts);
    this.parts.store.delete(place.key); // RFC 9111 4.3.4: the 304 is for another reply
    return this.call(call.ask, { ...place, entry: undefined }, null, call.silent);
  }

  /** Stores a complete reply if allowed, else passes it on. */
  private take(call: Call, response: Response, facts: ReplyFacts): Response {
    const { ask } = call;
    const { payload, status } = response;
    const { maxEntryBytes, name } = this.parts.config;
    const bodyBytes = isWhole(payload) ? (payloadLength(payload) ?? Infinity) : Infinity;
    const lifetime = bodyBytes <= maxEntryBytes ? this.lifetime(call, status, facts) : null;
    const isHead = ask.request.method === "HEAD"; // has the fields of GET and is not stored
    if (isHead && lifetime !== null) announce(response, lifetime, ask.plan.vary);
    const tags = lifetime === null || isHead ? null : this.tags.of(call.ask, response, facts, []);
    if (lifetime === null || tags === null || !isWhole(payload)) {
      if (call.sharedCall !== null && status < 500) this.parts.coalescing.noteUnshareable(call.place.key);
      return this.handOn(call, response, facts);
    }
    if (this.isOvertaken(call, tags)) {
      call.sharedCall?.settle("again");
      return this.handOn(call, response, facts);
    }

    announce(response, lifetime, ask.plan.vary);
    const fields = storedFields(response.fields(), facts);
    const content: Content = { status, fields, body: keptBody(payload), bodyBytes };
    const entry = toStoredReply(content, lifetime, tags);
    this.keep(call, entry, facts, lifetime, "HIT");
    this.count(call, "MISS");
    const forwarded = this.reason(ask, call.place);
    if (!isConditional(ask.request)) return mark(response, name, "MISS", { forwarded, stored: true });
    return this.answer(call, entry, "MISS", { stored: true });
  }

  /** Returns a reply that is not stored, for this client only. */
  private handOn(call: Call, response: Response, facts: ReplyFacts): Response {
    const { ask, place, sent } = call;
    const { store, config, clock } = this.parts;
    const { entry } = place;
    const { status } = response;
    if (entry !== undefined && status >= 500) {
      const lateMs = clock.now() - entry.bornMs - entry.freshMs;
      if (!entry.validates && lateMs < entry.errorMs) return this.insteadOfError(call, entry, response);
    }
    const isOwn = this.carriesIdentity(ask) && !ask.plan.shared;
    if (entry !== undefined && !isOwn && ask.request.method !== "HEAD" && supersedes(status))
      store.delete(place.key);
    const outcome = isOwn ? "BYPASS" : "MISS";
    this.count(call, outcome);
    const forwarded = outcome === "BYPASS" ? "bypass" : this.reason(ask, place);
    if (sent.isSimplified && isHeldBy(ask.request, response, facts)) empty(response);
    return mark(response, config.name, outcome, { forwarded });
  }

  /** RFC 5861 4: answers a handler's failure with the stale reply, also for waiting requests. */
  private insteadOfError(call: Call, entry: StoredReply, response: Response): Response {
    const { key, names } = call.place;
    call.sharedCall?.settle({ key, names, entry, how: "STALE" });
    giveUp(response.payload);
    this.count(call, "STALE");
    return this.answer(call, entry, "STALE", { forwardStatus: response.status });
  }

  /** Updates the entry's fields from a 304 to its validators, and serves it (RFC 9111 4.3.4). */
  private freshen(call: Call, old: StoredReply, response: Response, fresh: ReplyFacts): Response {
    const { place } = call;
    const fields = freshenedFields(old.fields, response.fields(), fresh);
    const { date, ageSecs, ttlSecs, tags: named, setsCookies } = fresh;
    const facts: ReplyFacts = { ...factsOf(fields), date, ageSecs, ttlSecs, tags: named, setsCookies };
    const { status, body, bodyBytes } = old;
    const lifetime = this.lifetime(call, status, facts);
    const tags = lifetime === null ? null : this.tags.of(call.ask, response, facts, old.tags);
    this.count(call, "REVALIDATED");
    if (lifetime === null || tags === null || this.isOvertaken(call, tags)) {
      this.parts.store.delete(place.key);
      if (lifetime !== null) call.sharedCall?.settle("again");
      const reply = this.answer(call, { ...old, fields, bornMs: this.parts.clock.now() }, "REVALIDATED", {
        forwardStatus: 304,
      });
      for (const line of response.headers.getSetCookie()) reply.appendHeader("set-cookie", line);
      return reply;
    }
    const entry = toStoredReply({ status, fields, body, bodyBytes }, lifetime, tags);
    this.keep(call, entry, facts, lifetime, "REVALIDATED", old.id);
    return this.answer(call, entry, "REVALIDATED", { forwardStatus: 304, stored: true });
  }

  private lifetime({ ask, place }: Call, status: number, facts: ReplyFacts): Lifetime | null {
    const { shared, ttlSecs, staleSecs } = ask.plan;
    const identity = this.carriesIdentity(ask);
    if (isSingleUse(ask.request)) return null;
    if (namesOf(place, ask.plan, facts).length > maxVaryNames) return null;
    return lifetimeOf(facts, { status, identity, shared, ttlSecs, staleSecs }, this.parts.clock);
  }

  private carriesIdentity({ identity, request }: Ask): boolean {
    return identity || hasPrincipal(request);
  }

  /** Whether a drop since the start of the call may concern the reply. */
  private isOvertaken({ moment }: Call, tags: readonly string[]): boolean {
    return this.parts.invalidations.overtook(moment, tags);
  }

  private keep(
    { ask, place, sharedCall }: Call,
    entry: StoredReply,
    facts: ReplyFacts,
    { holdMs }: Lifetime,
    how: SharedResult["how"],
    oldId?: string,
  ): void {
    const { store, coalescing, clock } = this.parts;
    const names = namesOf(place, ask.plan, facts);
    const key = variantKey(ask.key, names, ask.request);
    const [path = ""] = entry.tags;
    if (names.length > 0) {
      const nowMs = clock.now();
      const untilMs = Math.max(nowMs + holdMs, place.namesUntilMs);
      store.set(
        ask.key,
        { kind: "varies", id: newId(), names, untilMs },
        { holdMs: untilMs - nowMs, tags: [path] },
      );
    }
    const replaces = oldId !== undefined && key === place.key ? { replaces: oldId } : {};
    store.set(key, entry, { holdMs, tags: entry.tags, ...replaces });
    coalescing.noteShareable(place.key);
    sharedCall?.settle({ key, names, entry, how });
  }

  private answer(
    { ask, place }: Call,
    entry: StoredReply,
    outcome: Outcome,
    status: { readonly stored?: boolean; readonly forwardStatus?: number },
  ): Response {
    const { clock, config } = this.parts;
    const forwarded = this.reason(ask, place);
    return answer(entry, ask.request, {
      name: config.name,
      nowMs: clock.now(),
      outcome,
      status: { forwarded, ...status },
    });
  }

  private count({ silent }: Call, outcome: Outcome): void {
    if (!silent) this.parts.counts[outcome]++;
  }
}

/** Cancels an unread body, so that its source is released. */
const giveUp = (payload: Response["payload"]): void => {
  if (payload instanceof BodyStream) payload.cancel().catch(() => {}); // the body is discarded, its errors with it
};

const empty = (response: Response): void => {
  giveUp(response.payload);
  response.payload = null;
  response.status = 304;
  response.headers.delete("content-type");
};
