import type { SharedState } from "@framework/core/feature";

/** What the shared state answers to one call: also what it has lent, here and elsewhere. */
export type Permits = Awaited<ReturnType<SharedState["take"]>>;
