import { join } from "node:path";

/** Folder of the whole workspace. */
export const root: string = join(import.meta.dirname, "../..");
