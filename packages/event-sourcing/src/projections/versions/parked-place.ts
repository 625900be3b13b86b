import type { ParkedPlace } from "@framework/durable/feature";

/** Source of the events that projections have parked. */
export const PARKED_SOURCE = "projection";

/** Where a version parks its events. */
export const parkedPlace = ({
  name,
  version,
}: {
  readonly name: string;
  readonly version: number;
}): ParkedPlace => ({ source: PARKED_SOURCE, name: `${name} v${version}` });
