import type { Awaitable } from "@framework/core";
import type { Spent } from "@framework/core/feature";
import type { Limit } from "./limit.ts";

/** The verdict on one request, and what its key has left. */
export interface Quota {
  readonly allowed: boolean;
  /** Requests that would still be let through at once. */
  readonly remaining: number;
  /** Milliseconds until the next permit; 0 while one is free. */
  readonly waitMs: number;
  /** Milliseconds until the whole quota is there again. */
  readonly resetMs: number;
}

/** Decides on requests by their keys; `null` when the store gave no answer. */
export interface QuotaSource {
  take(limit: Limit, key: string): Awaitable<Quota | null>;
  /** Calls to the store so far. */
  readonly calls: number;
  /** Keys that this process remembers, besides the store. */
  readonly keys: number;
  /** Gives back what is in reserve. */
  stop(): Awaitable<void>;
}

/** The verdict for one request whose permit was asked for directly. */
export const quotaOf = ({ spent, free, waitMs, resetMs }: Spent): Quota => ({
  allowed: spent > 0,
  remaining: free,
  waitMs,
  resetMs,
});
