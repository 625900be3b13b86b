import type { Awaitable } from "../middleware/middleware.ts";
import type { Context } from "./context.ts";
import type { Invocation } from "./invocation.ts";
import { type Key, key } from "./key.ts";

/** What identifies callers: an authentication, or a feature such as sessions. */
export interface Identifies {
  /** Looks for the caller's credentials, and records in the context whose they are. @throws UnauthorizedError for credentials that are not valid */
  identify(invocation: Invocation): Awaitable<void>;
}

/** What identified the caller, each with the invocation that has the credentials; `null` for work that ends with its reply. */
const IdentifiedBy: Key<Map<Identifies, Invocation> | null> = key<Map<Identifies, Invocation> | null>(
  "identified_by",
  null,
);

/**
 * Records who identified the caller of a request that asks for an upgrade, so that `identifyAgain` can ask it while the connection is open. For any other
 * request it does nothing.
 */
export const identifiedBy = (source: Identifies, invocation: Invocation): void => {
  const { context, kind } = invocation;
  const isUpgrade = kind === "http" && (invocation as { readonly upgrade?: unknown }).upgrade !== null;
  if (kind === "http" && !isUpgrade) return;
  const known = context.get(IdentifiedBy);
  if (known !== null) known.set(source, invocation);
  else if (isUpgrade) context.set(IdentifiedBy, new Map([[source, invocation]]));
};

/** Lets `identifiedBy` record for a context from now on: for a connection whose caller may be identified after its upgrade. */
export const recordIdentities = (context: Context): void => {
  if (context.get(IdentifiedBy) === null) context.set(IdentifiedBy, new Map());
};

/**
 * Asks everything that identified the caller of a connection again, in the same order: a revoked token or an ended session is found here. Resolves at
 * once where nothing was recorded.
 *
 * @throws UnauthorizedError 401 for credentials that are no longer valid; HttpError 503 when they cannot be checked
 */
export const identifyAgain = ({ context }: Pick<Invocation, "context">): Awaitable<void> => {
  const known = context.get(IdentifiedBy);
  if (known !== null && known.size > 0) return askAll(known);
};

const askAll = async (known: ReadonlyMap<Identifies, Invocation>): Promise<void> => {
  for (const [source, invocation] of known) await source.identify(invocation);
};
