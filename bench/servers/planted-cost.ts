/** A preload that adds about 3,000 instructions and 400 cache misses to every `JSON.stringify`, to verify that the gates fail. */
const stringify = JSON.stringify.bind(JSON) as (value: unknown) => string;
const ROUNDS = 400;
const LINE = 64;
const memory = new Uint8Array(2 * ROUNDS * LINE); // more than a first-level cache holds
let sink = 0;
let at = 0;

JSON.stringify = (value: unknown): string => {
  for (let round = 0; round < ROUNDS; round++) {
    at = (at + LINE) % memory.length;
    sink = (Math.imul(sink, 31) + (memory[at] as number)) | 0;
  }
  return stringify(value);
};
