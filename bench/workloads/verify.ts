import { Connection } from "../client/connection.ts";
import { type Call, toText } from "../client/call.ts";
import type { Reply } from "../client/reply.ts";
import type { ReplyEnd, Shot } from "../load/shot.ts";
import { verifyEcho } from "./verify-echo.ts";
import type { Workload } from "./workloads.ts";

/**
 * Verifies the replies of a server, because a wrong reply could be cheaper, and returns the request for the load generator.
 *
 * @throws Error with the difference: status, media type, body, a missing field, or an accepted invalid request
 */
export const verify = async (name: string, port: number, workload: Workload): Promise<Shot> => {
  if (workload.message !== undefined) return verifyEcho(name, port, workload.request.path, workload.message);
  const replies = [];
  for (let round = 0; round < 3; round++) replies.push(await send(port, workload.request));
  for (const reply of replies) {
    const wrong = difference(reply, workload);
    if (wrong !== null) throw new Error(`${name} replies to ${workload.name} with ${wrong}`);
  }
  for (const rejected of workload.rejected ?? []) {
    if ((await send(port, rejected)).status === 200) {
      throw new Error(`${name} does not validate the input of ${workload.name}`);
    }
  }
  const { depth = 1, request } = workload;
  const bytes = Buffer.from(toText(request).repeat(depth), "latin1");
  return {
    bytes,
    depth,
    end: endOf(name, replies as [Reply, ...Reply[]], workload),
    ...restOf(workload),
  };
};

const endOf = (
  name: string,
  [first, ...others]: readonly [Reply, ...Reply[]],
  workload: Workload,
): ReplyEnd => {
  const { depth = 1, body, hasVariableHead = false } = workload;
  if (first.headers["transfer-encoding"] === "chunked") {
    if (depth > 1) throw new Error(`${name} replies to ${workload.name} without a length`);
    return { kind: "last chunk", atLeast: body.length };
  }
  if (hasVariableHead) return { kind: "body", bytes: body.length };
  if (others.some(({ bytes }) => bytes !== first.bytes)) {
    throw new Error(`the replies of ${name} to ${workload.name} must have the same length`);
  }
  return { kind: "length", bytes: first.bytes };
};

const restOf = ({ variants, status, depth = 1 }: Workload): Pick<Shot, "variants" | "status"> => ({
  ...(status !== undefined && { status }),
  ...(variants !== undefined && {
    variants: variants.map((call) => Buffer.from(toText(call).repeat(depth), "latin1")),
  }),
});

const send = async (port: number, call: Call): Promise<Reply> => {
  const connection = new Connection(port);
  const outcome = await connection.exchange(call);
  connection.close();
  if (outcome.kind === "reply") return outcome.reply;
  throw new Error(`no reply from port ${port}: ${outcome.kind}`);
};

/** Returns the difference between a reply and the expected one, or null. */
export const difference = (
  { status, headers, body }: Pick<Reply, "status" | "headers" | "body">,
  workload: Pick<Workload, "type" | "body" | "fields" | "status">,
): string | null => {
  if (status !== (workload.status ?? 200)) return `status ${status}`;
  const type = headers["content-type"]?.split(";")[0]?.trim();
  if (type !== workload.type) return `media type ${type}`;
  if (body !== workload.body) return `a different body: ${body.slice(0, 80)}`;
  const missing = (workload.fields ?? []).filter((field) => headers[field] === undefined);
  return missing.length === 0 ? null : `no ${missing.join(", ")}`;
};
