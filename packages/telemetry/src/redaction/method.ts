const numbers: ReadonlyMap<string, number> = new Map(
  "GET HEAD POST PUT PATCH DELETE OPTIONS CONNECT TRACE QUERY"
    .split(" ")
    .map((method, at) => [method, at + 1]),
);

/** Returns a method as an attribute: a known method, otherwise `_OTHER`, because clients can send any name. */
export const methodOf = (method: string): string => (numbers.has(method) ? method : "_OTHER");

/** Returns a number from 1 to 10 for a known method, 0 for other methods. */
export const methodNumber = (method: string): number => numbers.get(method) ?? 0;
