import type { HttpRequest } from "@framework/core";
import type { PermitRule } from "@framework/core/feature";
import { AdaptiveLimit } from "./adaptive-limit.ts";
import { keyOf, shortened } from "./client-key.ts";
import type { RateLimitConfig } from "./rate-limit-config.ts";

/** One limit of an app: its own, or that of a route. */
export class Limit {
  readonly name: string;
  readonly config: Readonly<RateLimitConfig>;
  readonly adaptive: AdaptiveLimit | null;
  readonly #prefix: string;
  /** The name as a string of a structured field (RFC 9651). */
  readonly quotedName: string;
  #rule: PermitRule;
  /** `RateLimit-Policy`, as long as the capacity stays. */
  #policy: string;

  constructor(name: string, config: Readonly<RateLimitConfig>) {
    const { algorithm, maxRequests, windowSecs } = config;
    this.name = name;
    this.config = config;
    this.adaptive = algorithm === "adaptive" ? new AdaptiveLimit(config, shortened(name)) : null;
    this.#prefix = `rate-limit:${shortened(name)}:`;
    this.quotedName = structuredString(name);
    this.#rule = {
      kind: algorithm === "sliding_window" ? "window" : "bucket",
      capacity: maxRequests,
      windowMs: windowSecs * 1000,
    };
    this.#policy = this.#toPolicy();
  }

  /** How permits come back at this moment. */
  get rule(): PermitRule {
    this.#follow();
    return this.#rule;
  }

  /** `RateLimit-Policy` at this moment. */
  get policy(): string {
    this.#follow();
    return this.#policy;
  }

  /** The store's key for a request. */
  keyOf(request: HttpRequest): string {
    return this.#prefix + keyOf(request, this.config.key);
  }

  #follow(): void {
    if (this.adaptive === null || this.adaptive.capacity === this.#rule.capacity) return;
    this.#rule = { ...this.#rule, capacity: this.adaptive.capacity };
    this.#policy = this.#toPolicy();
  }

  #toPolicy(): string {
    return `${this.quotedName};q=${this.#rule.capacity};w=${this.config.windowSecs}`;
  }
}

/** Printable ASCII in quotes; anything else is percent-encoded. */
const structuredString = (text: string): string =>
  `"${text
    .toWellFormed()
    .replaceAll(/[^ -~]+/g, encodeURIComponent)
    .replaceAll(/["\\]/g, "\\$&")}"`;
