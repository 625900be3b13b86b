import { Response } from "@framework/core";
import type { RequestSource } from "@framework/core/feature";
import { type Refusal, refusalOf, tokenRefusalOf } from "../access/refusal.ts";
import type { Call, Outcome } from "../messages.ts";
import { parseCall } from "./parse-call.ts";
import { pageFields, sendPageFile } from "./page-files.ts";
import { readJson } from "./read-json.ts";

/** Dependencies of `devServer`. */
export interface DevServerDependencies {
  /** The token of this run and the port; `null` before the service listens. */
  readonly access: () => { readonly token: string; readonly port: number } | null;
  /** Opens a live stream; `null` when there are too many. */
  readonly stream: () => Response | null;
  /** Runs a call in a worker; `null` for the worker that received the request. */
  readonly call: (call: Call, worker: string | null) => Promise<Outcome>;
}

/** Returns the request handler of the dev page: its files, `GET /live` and `POST /call`. The latter two require the token. */
export const devServer =
  ({ access, stream, call }: DevServerDependencies): ((source: RequestSource) => Promise<Response>) =>
  async (source) => {
    const running = access();
    if (running === null) return refuse({ status: 503, message: "The service is not ready" });
    const refusal = refusalOf(source, running.port);
    if (refusal !== null) return refuse(refusal);
    const [path = ""] = source.target.split("?", 1);
    if (source.method === "GET" && path !== "/live")
      return (await sendPageFile(path)) ?? refuse({ status: 404, message: "There is no such page" });
    const denied = tokenRefusalOf(source, running.token);
    if (denied !== null) return refuse(denied);
    if (source.method === "GET")
      return stream() ?? refuse({ status: 503, message: "There are too many open pages" });
    if (source.method !== "POST" || path !== "/call") return refuse({ status: 405, message: "Not allowed" });
    return await handleCall(source, call);
  };

const handleCall = async (source: RequestSource, call: DevServerDependencies["call"]): Promise<Response> => {
  const body = await readJson(source);
  if ("refusal" in body) return refuse(body.refusal);
  const parsed = parseCall(body.value);
  if (parsed === null) return refuse({ status: 422, message: "The body is not a valid call" });
  return json(200, await call(parsed.call, parsed.worker));
};

const refuse = ({ status, message }: Refusal): Response => json(status, { ok: false, code: "", message });

const json = (status: number, value: object): Response => {
  const reply = Response.json(value, { headers: pageFields });
  reply.status = status;
  return reply;
};
