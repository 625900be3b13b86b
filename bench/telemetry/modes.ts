import { selectNames } from "../measure/select-names.ts";

/** Modes of the server `framework-telemetry.ts`. */
export const modes = ["none", "off", "traces", "metrics", "both"] as const;

export type Mode = (typeof modes)[number];

/** Returns the modes to count: the baseline `none`, whether it is selected or not, then the others. @throws Error for an unknown mode */
export const selectModes = (names: readonly string[]): readonly Mode[] => [
  ...new Set<Mode>(["none", ...selectNames("mode", names, modes)]),
];
