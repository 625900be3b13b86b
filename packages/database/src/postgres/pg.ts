import { createRequire } from "node:module";

/** The module `pg`. */
export type Pg = typeof import("pg");

let loaded: Pg | undefined;

/** Loads pg on first use, so that apps on SQLite do not load it. */
export const pg = (): Pg => (loaded ??= createRequire(import.meta.url)("pg") as Pg);
