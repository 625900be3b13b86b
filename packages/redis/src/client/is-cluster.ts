import type { Cluster } from "ioredis";
import type { IoredisClient } from "./ioredis.ts";

/** Whether a client is connected to a cluster. */
export const isCluster = (client: IoredisClient): client is Cluster => client.isCluster;
