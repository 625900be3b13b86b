import { join } from "node:path";
import { estimate } from "../measure/statistics.ts";
import { extraMs, type Programs, measureRounds } from "../start/start-rounds.ts";
import type { StartRow } from "./report.ts";

const BARE = "bare node";

/** Programs of `start/programs/`: one route and a listener each. The framework is loaded from its build. */
const programs: Programs = {
  [BARE]: "bare.mjs",
  "raw node:http": "http.mjs",
  "framework, fast": "framework-fast.mjs",
  "framework, node": "framework.mjs",
  fastify: "fastify.mjs",
  polka: "polka.mjs",
  hono: "hono.mjs",
  h3: "h3.mjs",
  elysia: "elysia.mjs",
  "nest on fastify": "nest.mjs",
  express: "express.mjs",
  koa: "koa.mjs",
};

/** Measures the time of each program from its spawn to listening, and the difference to bare Node. */
export const measureStarts = async (rounds: number): Promise<StartRow[]> => {
  const measured = await measureRounds(join(import.meta.dirname, "../start/programs"), programs, rounds);
  return Object.keys(programs).map((program) => ({
    program,
    ms: estimate(measured.map((times) => times[program] ?? NaN)),
    overBareMs: estimate(extraMs(measured, program, BARE)),
  }));
};
