import type { Admin } from "kafkajs";
import { isProtocolError } from "./protocol-error.ts";

const noLeader: ReadonlySet<unknown> = new Set(["LEADER_NOT_AVAILABLE"]);

/** Returns what operators see of a cluster that answers. The driver fails when any topic lacks a leader, those of other programs included: that is an answer, too. */
export const describeCluster = async (
  admin: Pick<Admin, "describeCluster">,
): Promise<Readonly<Record<string, unknown>>> => {
  try {
    const { brokers, controller } = await admin.describeCluster();
    return { brokers: brokers.length, controller };
  } catch (error) {
    if (isProtocolError(error, noLeader)) return { warning: "some partitions of the cluster have no leader" };
    throw error;
  }
};
