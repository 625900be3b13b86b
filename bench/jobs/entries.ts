import { bullmq } from "./bullmq.ts";
import type { Contender } from "./contender.ts";
import { frameworkJobs } from "./framework-jobs.ts";
import { graphileWorker } from "./graphile-worker.ts";
import { pgBoss } from "./pg-boss.ts";

/** Addresses of the servers of one run. */
export interface Servers {
  readonly postgres: string;
  readonly redis: string;
}

/** A contender of a comparison. */
export interface Entry {
  readonly name: string;
  /** Whether done jobs are kept; only contenders that do the same are compared. */
  readonly done: "removed" | "kept";
  readonly open: (servers: Servers, options: { readonly latency: boolean }) => Promise<Contender>;
}

const KEEP_SECS = 3600;

/** The framework, which removes or keeps done jobs, and its peers. pg-boss always keeps them, graphile-worker never does. */
export const entries: readonly Entry[] = [
  { name: "jobs", done: "removed", open: ({ postgres }) => frameworkJobs(postgres, 0) },
  { name: "jobs, kept", done: "kept", open: ({ postgres }) => frameworkJobs(postgres, KEEP_SECS) },
  { name: "graphile-worker", done: "removed", open: ({ postgres }) => graphileWorker(postgres) },
  {
    name: "pg-boss",
    done: "kept",
    open: ({ postgres }, { latency }) => pgBoss(postgres, { notify: latency }),
  },
  { name: "BullMQ", done: "removed", open: ({ redis }) => bullmq(redis) },
];
