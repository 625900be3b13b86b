/** A preload that adds some thousand instructions to every `JSON.stringify`, to verify that the gate fails. */
const stringify = JSON.stringify.bind(JSON) as (value: unknown) => string;
const ROUNDS = 150;
let sink = 0;

JSON.stringify = (value: unknown): string => {
  for (let round = 0; round < ROUNDS; round++) sink = (Math.imul(sink, 31) + round) | 0;
  return stringify(value);
};
