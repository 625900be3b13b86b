import { timesOut } from "../lifecycle/deadline.ts";
import type { InvocationScope } from "./invocation-scope.ts";

/** Time limits of a disposal in milliseconds. */
export interface DisposalLimits {
  /** Limit for open invocations. @default 10000 */
  readonly limitMs?: number;
  /** Limit for open invocations whose signal has aborted, because their owner no longer waits for them. @default `limitMs` */
  readonly cutMs?: number;
  /** Limit for singletons. @default 10000 */
  readonly singletonsMs?: number;
}

/** Default of `limitMs` and `singletonsMs`. */
export const MAX_DISPOSAL_MS = 10_000;

/** Ends open scopes once nothing uses them, and waits for `endings`, the disposals already running. Returns whether all ended in time. */
export const endScopes = async (
  scopes: readonly InvocationScope[],
  endings: Iterable<Promise<void>>,
  { limitMs = MAX_DISPOSAL_MS, cutMs = limitMs }: DisposalLimits,
): Promise<boolean> => {
  const { cut = [], active = [] } = Object.groupBy(scopes, groupOf);
  const ended = allIdle(active).then(() => Promise.all(endings));
  const timeouts = await Promise.all([timesOut(allIdle(cut), cutMs), timesOut(ended, limitMs)]);
  return !timeouts.includes(true);
};

const groupOf = ({ invocation }: InvocationScope): "cut" | "active" =>
  invocation.signal.aborted ? "cut" : "active";

const allIdle = (scopes: readonly InvocationScope[]): Promise<unknown> =>
  Promise.all(scopes.map((scope) => scope.disposeIdle()));
