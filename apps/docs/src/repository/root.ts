import { join } from "node:path";

/** Absolute path of the repository. */
export const root: string = join(import.meta.dirname, "../../../..");
