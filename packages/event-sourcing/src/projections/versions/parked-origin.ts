import type { ParkedOrigin } from "@framework/durable/feature";

/** Source of parked events of projections. */
export const PARKED_SOURCE = "projection";

/** Source and name under which a version parks its events. */
export const parkedOrigin = ({
  name,
  version,
}: {
  readonly name: string;
  readonly version: number;
}): ParkedOrigin => ({ source: PARKED_SOURCE, name: `${name} v${version}` });
