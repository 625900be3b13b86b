import type { Admin } from "kafkajs";
import { isProtocolError } from "./protocol-error.ts";

const noLeader: ReadonlySet<unknown> = new Set(["LEADER_NOT_AVAILABLE"]);

/**
 * Returns what operators see of a cluster that answers. The driver fails when any topic lacks a leader, those of other programs included: that is an answer, too.
 *
 * @throws the driver's error when the cluster does not answer. When the driver asked each broker and lost their errors, it fails with a TypeError of its own: that becomes an error that says so.
 */
export const describeCluster = async (
  admin: Pick<Admin, "describeCluster">,
): Promise<Readonly<Record<string, unknown>>> => {
  try {
    const { brokers, controller } = await admin.describeCluster();
    return { brokers: brokers.length, controller };
  } catch (error) {
    if (isProtocolError(error, noLeader)) return { warning: "some partitions of the cluster have no leader" };
    if (error instanceof TypeError) throw new Error("no broker of the cluster answered", { cause: error });
    throw error;
  }
};
