import { Connection } from "../client/connection.ts";
import { type Call, toText } from "../client/call.ts";
import type { Reply } from "../client/reply.ts";
import type { Shot } from "../load/shot.ts";
import type { Workload } from "./workloads.ts";

/**
 * Verifies that a server does the work, and returns the request to send under load: a wrong reply could be cheaper.
 *
 * @throws Error with the difference: status, media type, body, a missing field, or an accepted invalid request
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
  const bytes = Buffer.from(toText(workload.request).repeat(depth), "latin1");
  if (first.headers["transfer-encoding"] === "chunked") {
    if (depth > 1) throw new Error(`${name} answers ${workload.name} without a length`);
    return {
      bytes,
      depth,
      end: { kind: "last chunk", atLeast: workload.body.length },
      ...variantsOf(workload),
    };
  }
  if (others.some(({ bytes }) => bytes !== first.bytes)) {
    throw new Error(`${name} answers ${workload.name} with replies of different lengths`);
  }
  return { bytes, depth, end: { kind: "length", bytes: first.bytes }, ...variantsOf(workload) };
};

const variantsOf = ({ variants, depth = 1 }: Workload): Pick<Shot, "variants"> =>
  variants === undefined
    ? {}
    : { variants: variants.map((call) => Buffer.from(toText(call).repeat(depth), "latin1")) };

const ask = async (port: number, call: Call): Promise<Reply> => {
  const connection = new Connection(port);
  const outcome = await connection.exchange(call);
  connection.close();
  if (outcome.kind === "reply") return outcome.reply;
  throw new Error(`no reply from port ${port}: ${outcome.kind}`);
};

/** The difference between a reply and the expected one, or null. */
export const difference = (
  { status, headers, body }: Pick<Reply, "status" | "headers" | "body">,
  workload: Pick<Workload, "type" | "body" | "fields">,
): string | null => {
  if (status !== 200) return `status ${status}`;
  const type = headers["content-type"]?.split(";")[0]?.trim();
  if (type !== workload.type) return `media type ${type}`;
  if (body !== workload.body) return `another body: ${body.slice(0, 80)}`;
  const missing = (workload.fields ?? []).filter((field) => headers[field] === undefined);
  return missing.length === 0 ? null : `no ${missing.join(", ")}`;
};
