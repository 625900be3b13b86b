// For tests of programs and features that must survive a crash at any statement.
export { crashAtEachStatement, type CrashAtEachStatementOptions } from "./faults/crash-at-each-statement.ts";
export type { Crash } from "./faults/crashing-process.ts";
export { faultingDatabase, type FaultingDatabase, type FaultOptions } from "./faults/faulting-database.ts";
// Separate databases for tests.
export { databaseInFile, databaseInSchema, type TestDatabase } from "./testing/test-database.ts";
