/** What is written: everything for production, or the least that runs and is tested. */
export type Variant = "full" | "minimal";

/** The variants, the default first. */
export const variants: readonly Variant[] = ["full", "minimal"];
