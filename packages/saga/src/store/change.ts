import type { SagaEvent } from "../transitions/transitions.ts";
import type { BranchState } from "./instance.ts";

/** One change of an instance: an event of the table of transitions, with what it writes. */
export interface Change {
  /** What happened. */
  readonly event: SagaEvent;
  /** Step that it is about, for the timeline. */
  readonly step?: string | null;
  /** What the timeline shows beside it, such as an operator's reason. */
  readonly note?: string | null;
  /** Index of the step that is next. @default where it is */
  readonly position?: number;
  /** Whether the pivot has passed. @default as it is */
  readonly isFinal?: boolean;
  /** States of works that change. @default none */
  readonly branches?: readonly BranchState[];
  /** A wait that begins, or the end of one. @default as it is */
  readonly wait?: { readonly message: string | null; readonly ms: number } | null;
  /** Active time up to now, with the pause until the next turn. @default as it is */
  readonly activeMs?: number;
  /** JSON of a failure. @default as it is */
  readonly error?: string | null;
}
