/** Endpoints that features add for operators and readers, which other features treat apart. */
export type BuiltIn = "health" | "metrics" | "docs" | "other";
