import { inProcessPermits, type InProcessPermitsOptions } from "./permits/in-process-permits.ts";
import type { SharedState } from "./shared-state.ts";
import { inProcessTotals, type InProcessTotalsOptions } from "./totals/in-process-totals.ts";
import { inProcessValues, type InProcessValuesOptions } from "./values/in-process-values.ts";

/** Bounds and clock of the in-process state; `maxKeys` applies to values and to permits separately. */
export interface InProcessStateOptions extends InProcessValuesOptions {
  /** Bound on stored numbers of permits. @default the default of `InProcessPermitsOptions.maxNumbers` */
  readonly maxPermitNumbers?: InProcessPermitsOptions["maxNumbers"];
  /** Bound on totals. @default the default of `InProcessTotalsOptions.maxSize` */
  readonly maxTotals?: InProcessTotalsOptions["maxSize"];
}

/** Creates the shared state of a single-process service, or of a primary process, which serves it to its workers. */
export const inProcessState = ({
  maxPermitNumbers: maxNumbers,
  maxTotals: maxSize,
  ...options
}: InProcessStateOptions = {}): SharedState => ({
  values: inProcessValues(options),
  permits: inProcessPermits({ ...options, ...(maxNumbers !== undefined && { maxNumbers }) }),
  totals: inProcessTotals({ ...(maxSize !== undefined && { maxSize }) }),
});
