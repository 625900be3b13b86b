import { hash } from "node:crypto";
import { FrameworkError, type HttpRequest, type Invocation } from "@framework/core";
import { type PermitRule, describeInvalid } from "@framework/core/feature";
import { AdaptiveLimit } from "./adaptive-limit.ts";
import type { ClientName, RateLimitConfig } from "./rate-limit-config.ts";

/** Number of requests by outcome. */
export interface RequestCounts {
  allowed: number;
  denied: number;
}

/** One limit of an app or a route: its clients and its rule. */
export class Limit {
  readonly name: string;
  readonly config: Readonly<RateLimitConfig>;
  readonly adaptive: AdaptiveLimit | null;
  /** `RateLimit-Policy` of this limit. */
  readonly field: PolicyField;
  /** Requests of this process, by outcome. */
  readonly counts: RequestCounts = { allowed: 0, denied: 0 };
  private readonly firstPrefix: string;
  private prefix: string;
  private currentRule: PermitRule;

  constructor(name: string, config: Readonly<RateLimitConfig>) {
    const { algorithm, maxRequests, windowSecs } = config;
    this.name = name;
    this.config = config;
    this.adaptive = algorithm === "adaptive" ? new AdaptiveLimit(config, shorten(name)) : null;
    this.field = new PolicyField(name, windowSecs);
    this.firstPrefix = `rate-limit:${shorten(name)}:`;
    this.prefix = this.firstPrefix;
    this.currentRule = {
      kind: algorithm === "sliding_window" ? "window" : "bucket",
      capacity: maxRequests,
      windowMs: windowSecs * 1000,
    };
  }

  /** The current rule of permits. */
  get rule(): PermitRule {
    const capacity = this.adaptive?.capacity ?? this.currentRule.capacity;
    if (capacity !== this.currentRule.capacity) this.currentRule = { ...this.currentRule, capacity };
    return this.currentRule;
  }

  /** The current `RateLimit-Policy`. */
  get policy(): string {
    return this.field.policy(this.rule.capacity);
  }

  /** Starts an epoch with new keys, which resets every client's quota. Workers of one epoch share their counts. */
  begin(epoch: string): void {
    this.prefix = `${this.firstPrefix}${epoch}:`;
  }

  /** Returns the client of a key: `a:` and its address, as `addressKey` returns it, or `k:` and the name returned by `key` or `callKey`, shortened. */
  clientOf(key: string): string {
    return key.slice(this.prefix.length);
  }

  /** Returns the store's key for a request. */
  keyOf(request: HttpRequest): string {
    return this.prefix + clientKey(this.config.key?.(request), request.clientIp);
  }

  /** Returns the store's key for a call of another entry point. */
  keyOfCall(call: Invocation, clientIp: string | null): string {
    return this.prefix + clientKey(this.config.callKey?.(call), clientIp);
  }
}

/** Maximum length of one part of a key: the name of a limit, or of a client. A longer part is replaced by its SHA-256. */
const MAX_PART_LENGTH = 200;

/** IPv6 networks of IPv4 clients, as their first six groups: mapped (RFC 4291), translated (RFC 2765), NAT64 (RFC 6052). */
const ipv4Networks: readonly string[] = ["0:0:0:0:0:ffff", "0:0:0:0:ffff:0", "64:ff9b:0:0:0:0"];

/** Returns a part of a key, of at most `MAX_PART_LENGTH` characters. */
export const shorten = (text: string): string =>
  text.length <= MAX_PART_LENGTH ? text : `sha256:${hash("sha256", text)}`;

/** Returns the client's part of a key: the name returned by the key function, else the address. @throws RATE_LIMIT_BAD_KEY */
const clientKey = (named: ClientName, clientIp: string | null): string => {
  if (named === null || named === undefined || named === "") return `a:${addressKey(clientIp)}`;
  return `k:${shorten(typeof named === "string" ? named : numberText(named))}`;
};

/** Returns the text of a number. Throws for values of other types, because a promise or an object would silently count all clients as one, or by address. */
const numberText = (named: unknown): string => {
  if (Number.isFinite(named) || typeof named === "bigint") return String(named);
  throw new FrameworkError(
    "RATE_LIMIT_BAD_KEY",
    `rate-limit: a key function must return a string, a finite number or null, not ${describeInvalid(named)}`,
  );
};

/**
 * Returns the part of an address that identifies a client: a complete IPv4 address, or the /64 network of an IPv6 address, because one host can use every
 * address of its network.
 *
 * Takes the text of `formatIp`, like `request.clientIp`: RFC 5952, but never with an IPv4 address at the end of an IPv6 address. An IPv6 address of an IPv4
 * client is converted to IPv4.
 */
export const addressKey = (address: string | null): string => {
  if (address === null) return "none";
  if (!address.includes(":")) return address;
  const groups = groupsOf(address);
  if (ipv4Networks.includes(groups.slice(0, 6).join(":"))) return groups.slice(6).flatMap(bytesOf).join(".");
  return `${groups.slice(0, 4).join(":")}::/64`;
};

const groupsOf = (address: string): readonly string[] => {
  const [front = "", back] = address.split("::");
  const head = groupsIn(front);
  if (back === undefined) return head;
  const tail = groupsIn(back);
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => "0"), ...tail];
};

const groupsIn = (text: string): readonly string[] => (text === "" ? [] : text.split(":"));

const bytesOf = (group: string): readonly number[] => {
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 0xff];
};

/** The name of a limit, with its `RateLimit-Policy` cached for the last capacity. */
export class PolicyField {
  /** The name as a structured field string (RFC 9651). */
  readonly quotedName: string;
  private readonly windowSecs: number;
  private capacity = Number.NaN;
  private currentPolicy = "";

  constructor(name: string, windowSecs: number) {
    this.quotedName = structuredString(name);
    this.windowSecs = windowSecs;
  }

  policy(capacity: number): string {
    if (capacity === this.capacity) return this.currentPolicy;
    this.capacity = capacity;
    return (this.currentPolicy = `${this.quotedName};q=${capacity};w=${this.windowSecs}`);
  }
}

/** Quotes printable ASCII and percent-encodes other characters. */
const structuredString = (text: string): string =>
  `"${text
    .toWellFormed()
    .replaceAll(/[^ -~]+/g, encodeURIComponent)
    .replaceAll(/["\\]/g, "\\$&")}"`;
