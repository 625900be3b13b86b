import type { SagaEvent } from "../transitions/transitions.ts";
import type { BranchState } from "./instance.ts";

/** One change of an instance: an event of the table of transitions, with the values to write. */
export interface Change {
  /** Event of the table of transitions. */
  readonly event: SagaEvent;
  /** Step that it concerns, for the timeline. */
  readonly step?: string | null;
  /** Note for the timeline, such as an operator's reason. */
  readonly note?: string | null;
  /** Index of the next step. @default unchanged */
  readonly position?: number;
  /** Whether the pivot has passed. @default unchanged */
  readonly isFinal?: boolean;
  /** Changed branches. @default none */
  readonly branches?: readonly BranchState[];
  /** A wait that begins; `null` ends the current one. @default unchanged */
  readonly wait?: { readonly message: string | null; readonly ms: number } | null;
  /** Active time so far, including the pause until the next run. @default unchanged */
  readonly activeMs?: number;
  /** JSON of a failure. @default unchanged */
  readonly error?: string | null;
}
