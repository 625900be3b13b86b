import { inProcessPermits, type InProcessPermitsOptions } from "./permits/in-process-permits.ts";
import type { SharedState } from "./shared-state.ts";
import { inProcessTotals, type InProcessTotalsOptions } from "./totals/in-process-totals.ts";
import { inProcessValues, type InProcessValuesOptions } from "./values/in-process-values.ts";

/** Bounds and clock of the in-process state; `maxKeys` applies to values and to permits separately. */
export interface InProcessStateOptions extends InProcessValuesOptions {
  /** Bound on stored numbers of permits. @default as `InProcessPermitsOptions.maxNumbers` */
  readonly maxPermitNumbers?: InProcessPermitsOptions["maxNumbers"];
  /** Bound on totals. @default as `InProcessTotalsOptions.maxSize` */
  readonly maxTotals?: InProcessTotalsOptions["maxSize"];
}

/** Creates the shared state of a single-process service; the primary process serves it to its workers too. */
export const inProcessState = ({
  maxPermitNumbers: maxNumbers,
  maxTotals: maxSize,
  ...options
}: InProcessStateOptions = {}): SharedState => ({
  values: inProcessValues(options),
  permits: inProcessPermits({ ...options, ...(maxNumbers !== undefined && { maxNumbers }) }),
  totals: inProcessTotals({ ...(maxSize !== undefined && { maxSize }) }),
});
