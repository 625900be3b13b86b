import { join } from "node:path";

/** Root folder of the workspace. */
export const root: string = join(import.meta.dirname, "../..");
