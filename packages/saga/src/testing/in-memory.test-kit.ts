import type { TestDatabase } from "@framework/database/testing";

/** An in-memory database, separate for each connection: enough for workers of one process. */
export const inMemory = (): TestDatabase => ({ url: "sqlite://:memory:", async [Symbol.asyncDispose]() {} });
