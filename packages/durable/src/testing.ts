// For the tests of features that use the kernel.
export { tableClock, type TableClock } from "./testing/table-clock.ts";
