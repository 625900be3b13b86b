import type { StandardSchema } from "@framework/core";

/** Whether a value is a Standard Schema. */
export const isSchema = (value: unknown): value is StandardSchema =>
  (typeof value === "object" || typeof value === "function") && value !== null && "~standard" in value;
