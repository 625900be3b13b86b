import type { Awaitable } from "../middleware/middleware.ts";
import type { Context } from "./context.ts";
import type { Invocation } from "./invocation.ts";
import { type Key, key } from "./key.ts";

/** Identifies callers: an authentication, or a feature such as sessions. */
export interface IdentitySource {
  /** Reads the caller's credentials, and sets the caller in the context. @throws UnauthorizedError for credentials that are not valid */
  identify(invocation: Invocation): Awaitable<void>;
}

/** The sources that identified the caller, each with the invocation that has the credentials; `null` if nothing is to be recorded. */
const IdentitySources: Key<Map<IdentitySource, Invocation> | null> = key<Map<
  IdentitySource,
  Invocation
> | null>("identified_by", null);

/**
 * Records the source that identified the caller of an upgrade request, or of an invocation whose context was passed to `keepIdentitySources`, so that
 * `reauthenticate` can use it while the connection is open. Has no effect on other invocations.
 */
export const recordIdentitySource = (source: IdentitySource, invocation: Invocation): void => {
  const { context, kind } = invocation;
  const isUpgrade = kind === "http" && (invocation as { readonly upgrade?: unknown }).upgrade !== null;
  if (kind === "http" && !isUpgrade) return;
  const known = context.get(IdentitySources);
  if (known !== null) known.set(source, invocation);
  else if (isUpgrade) context.set(IdentitySources, new Map([[source, invocation]]));
};

/** Lets `recordIdentitySource` record sources in a context from now on: for a connection whose caller may be identified after its upgrade. */
export const keepIdentitySources = (context: Context): void => {
  if (context.get(IdentitySources) === null) context.set(IdentitySources, new Map());
};

/**
 * Identifies the caller of a connection again by all recorded sources, in the same order, which detects a revoked token or an ended session. Returns
 * synchronously if nothing was recorded.
 *
 * @throws UnauthorizedError 401 for credentials that are no longer valid; HttpError 503 when they cannot be checked
 */
export const reauthenticate = ({ context }: Pick<Invocation, "context">): Awaitable<void> => {
  const known = context.get(IdentitySources);
  if (known !== null && known.size > 0) return identifyByAll(known);
};

const identifyByAll = async (known: ReadonlyMap<IdentitySource, Invocation>): Promise<void> => {
  for (const [source, invocation] of known) await source.identify(invocation);
};
