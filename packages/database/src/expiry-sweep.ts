import { messageOf } from "@framework/core/feature";
import { guarded } from "./guarded.ts";

/** Options of `expirySweep`. */
export interface ExpirySweepOptions {
  /** Number of writes between two removals. */
  readonly everyWrites: number;
  /** Removes expired rows. */
  readonly remove: () => Promise<unknown>;
  /** Subject of the warning, such as `expired tokens`. */
  readonly subject: string;
  /** Called with the error of a removal. If it throws, a process warning is emitted. @default a process warning */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Returns a function for a store to call after each write. Every `everyWrites` calls it removes expired rows in the background, without an effect on the
 * caller. Removals do not overlap.
 */
export const expirySweep = ({ everyWrites, remove, subject, onError }: ExpirySweepOptions): (() => void) => {
  const warn = (error: unknown): void =>
    process.emitWarning(`${subject} were not removed`, { detail: messageOf(error) });
  const report = onError === undefined ? warn : guarded(onError, warn);
  let writes = 0;
  let isRemoving = false;
  const sweep = async (): Promise<void> => {
    try {
      await remove();
    } catch (error) {
      report(error);
    } finally {
      isRemoving = false;
    }
  };
  return () => {
    if (++writes % everyWrites !== 0 || isRemoving) return;
    isRemoving = true;
    void sweep();
  };
};
