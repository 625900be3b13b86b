import { createHash } from "node:crypto";
import type { AnySaga } from "@framework/saga/feature";

/** Returns the workflow id of the instance with a key: deterministic, so that DBOS rejects a second one. */
export const instanceId = (name: string, key: string): string => uuidOf(`saga\0${name}\0${key}`);

/** Returns the workflow id of the delivery of a message. */
export const deliveryId = (sagaId: string, messageId: string): string =>
  uuidOf(`message\0${sagaId}\0${messageId}`);

/** Returns the name of the workflow that runs a version of a saga. */
export const workflowOf = ({ name, version }: Pick<AnySaga, "name" | "version">): string =>
  `saga:${name}:${version}`;

/** Returns the name and version of the saga that a workflow runs; `null` for other workflows. */
export const sagaOf = (workflow: string): { readonly name: string; readonly version: number } | null => {
  const [, name, version] = /^saga:([^:]+):(\d+)$/.exec(workflow) ?? [];
  return name === undefined ? null : { name, version: Number(version) };
};

/** Returns a UUID version 8 (RFC 9562) with 122 bits of a SHA-256 hash. */
const uuidOf = (text: string): string => {
  const hex = createHash("sha256").update(text).digest("hex");
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};
