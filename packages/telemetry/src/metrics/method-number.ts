import { knownMethods } from "@framework/core/feature";

const numbers: ReadonlyMap<string, number> = new Map(
  Array.from(knownMethods, (method, at) => [method, at + 1]),
);

/** Returns a number from 1 for a known method, 0 for other methods. */
export const methodNumber = (method: string): number => numbers.get(method) ?? 0;
