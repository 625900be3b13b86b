import { Connection } from "../client/connection.ts";
import type { Reply } from "../client/reply-reader.ts";
import type { Shot } from "../load/shot.ts";
import type { Workload } from "./workloads.ts";

/**
 * Makes sure that a server does the work, and gives what to send it under load: an answer that is cheap because it is wrong proves nothing.
 *
 * @throws with what differs: status, media type, body, a missing field, an answer to what must be refused
 */
export const verify = async (name: string, port: number, workload: Workload): Promise<Shot> => {
  const replies = [];
  for (let round = 0; round < 3; round++) replies.push(await ask(port, workload.request));
  const [first, ...others] = replies as [Reply, Reply, Reply];
  const wrong = difference(first, workload);
  if (wrong !== null) throw new Error(`${name} answers ${workload.name} with ${wrong}`);
  if (workload.refused !== undefined && (await ask(port, workload.refused)).status === 200) {
    throw new Error(`${name} does not check what ${workload.name} sends`);
  }
  const { depth = 1 } = workload;
  const bytes = Buffer.from(workload.request.repeat(depth), "latin1");
  if (/\r\ntransfer-encoding: *chunked/i.test(first.head)) {
    if (depth > 1) throw new Error(`${name} answers ${workload.name} without a length`);
    return { bytes, depth, end: { kind: "last chunk", atLeast: workload.body.length } };
  }
  if (others.some((reply) => lengthOf(reply) !== lengthOf(first))) {
    throw new Error(`${name} answers ${workload.name} with replies of different lengths`);
  }
  const { variants } = workload;
  return {
    bytes,
    depth,
    end: { kind: "length", bytes: lengthOf(first) },
    ...(variants && { variants: variants.map((request) => Buffer.from(request.repeat(depth), "latin1")) }),
  };
};

const ask = async (port: number, request: string): Promise<Reply> => {
  const connection = new Connection(port);
  const outcome = await connection.exchange(request);
  connection.close();
  if (outcome.kind === "reply") return outcome.reply;
  throw new Error(`no reply from port ${port}: ${outcome.kind}`);
};

const lengthOf = ({ head, body }: Reply): number => head.length + 4 + Buffer.byteLength(body);

/** What is wrong with a reply; null when it is the one that all servers must give. */
export const difference = (
  { status, head, body }: Reply,
  workload: Pick<Workload, "type" | "body" | "fields">,
): string | null => {
  if (status !== 200) return `status ${status}`;
  const type = /\r\ncontent-type: *([^;\r]+)/i.exec(head)?.[1]?.trim();
  if (type !== workload.type) return `media type ${type}`;
  if (body !== workload.body) return `another body: ${body.slice(0, 80)}`;
  const fields = head.toLowerCase();
  const missing = (workload.fields ?? []).filter((field) => !fields.includes(`\r\n${field}:`));
  return missing.length === 0 ? null : `no ${missing.join(", ")}`;
};
