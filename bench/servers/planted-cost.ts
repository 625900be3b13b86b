/** Loaded into a server before it starts: all that is written as JSON costs some thousand instructions more, so that a gate can be seen to fail. */
const stringify = JSON.stringify.bind(JSON) as (value: unknown) => string;
const ROUNDS = 150;
let sink = 0;

JSON.stringify = (value: unknown): string => {
  for (let round = 0; round < ROUNDS; round++) sink = (Math.imul(sink, 31) + round) | 0;
  return stringify(value);
};
