/** Variant of a service: `full` has everything for production, `minimal` two routes and their test. */
export type Variant = "full" | "minimal";

/** The variants, the default first. */
export const variants: readonly Variant[] = ["full", "minimal"];
