import type { Admin } from "kafkajs";
import { isProtocolError } from "./protocol-error.ts";

const noLeader: ReadonlySet<unknown> = new Set(["LEADER_NOT_AVAILABLE"]);

/**
 * Checks that a cluster responds, and returns details for operators. kafkajs fails if any topic of the cluster lacks a leader; that also counts as a response.
 *
 * @throws the error of kafkajs if the cluster does not respond. If all brokers failed, kafkajs throws a TypeError that hides their errors; it is replaced.
 */
export const describeCluster = async (
  admin: Pick<Admin, "describeCluster">,
): Promise<Readonly<Record<string, unknown>>> => {
  try {
    const { brokers, controller } = await admin.describeCluster();
    return { brokers: brokers.length, controller };
  } catch (error) {
    if (isProtocolError(error, noLeader)) return { warning: "some partitions of the cluster have no leader" };
    if (error instanceof TypeError) throw new Error("no broker of the cluster responded", { cause: error });
    throw error;
  }
};
