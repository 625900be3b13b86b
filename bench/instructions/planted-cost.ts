/** Loaded into a server before it starts: from SIGUSR2 on, all that is written as JSON costs some 3,500 instructions more. */
const stringify = JSON.stringify.bind(JSON) as (value: unknown) => string;
let rounds = 0;
let sink = 0;

process.on("SIGUSR2", () => {
  rounds = 150;
});

JSON.stringify = (value: unknown): string => {
  for (let round = 0; round < rounds; round++) sink = (Math.imul(sink, 31) + round) | 0;
  return stringify(value);
};
