import type { TestDatabase } from "@framework/database/testing";

/** A database that the one who opens it has alone: enough for workers of one process, and without writes to a disk. */
export const inMemory = (): TestDatabase => ({ url: "sqlite://:memory:", async [Symbol.asyncDispose]() {} });
