import { inProcessPermits, type InProcessPermitsOptions } from "./permits/in-process-permits.ts";
import type { SharedState } from "./shared-state.ts";
import { inProcessTotals, type InProcessTotalsOptions } from "./totals/in-process-totals.ts";
import { inProcessValues, type InProcessValuesOptions } from "./values/in-process-values.ts";

/** Bounds and clock of the in-process state; `maxKeys` counts for values and, apart, for permits. */
export interface InProcessStateOptions extends InProcessValuesOptions {
  /** @see InProcessPermitsOptions.maxNumbers */
  readonly maxPermitNumbers?: InProcessPermitsOptions["maxNumbers"];
  /** @see InProcessTotalsOptions.maxSize */
  readonly maxTotals?: InProcessTotalsOptions["maxSize"];
}

/** Shared state of a service that runs in one process; also the state that the primary process serves to its workers. */
export const inProcessState = ({
  maxPermitNumbers: maxNumbers,
  maxTotals: maxSize,
  ...options
}: InProcessStateOptions = {}): SharedState => ({
  values: inProcessValues(options),
  permits: inProcessPermits({ ...options, ...(maxNumbers !== undefined && { maxNumbers }) }),
  totals: inProcessTotals({ ...(maxSize !== undefined && { maxSize }) }),
});
