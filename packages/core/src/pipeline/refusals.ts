import { errorReply } from "./error-reply.ts";
import type { HttpError } from "../errors/http-error.ts";
import type { Logger } from "../log/logger.ts";
import { type Handler, isPromise, type Middleware } from "../middleware/middleware.ts";
import { HttpRequest } from "../request/http-request.ts";
import type { RequestKernel } from "../request/request-kernel.ts";
import type { Response } from "../response/response.ts";
import { type CanonicalTarget, canonicalise } from "../routing/canonical-path.ts";
import { requestFields } from "../exchange/request-fields.ts";
import { UNREADABLE } from "../exchange/unreadable.ts";
import type { RequestSource } from "../exchange/request-source.ts";
import { refusalStages, type Stages } from "../feature/stages.ts";
import { stagesOf } from "./stages-of.ts";

/** Creates the reply to a message that the transport rejects. Synchronous, never throws. */
export type ReplyToRejected = (error: HttpError, source: RequestSource) => Response;

/**
 * Creates the chain for messages that the transport rejects, such as messages with a malformed head. They pass the stages that log, count and mark replies, but
 * no code of the program: a rejection is cheap, and the app never sees malformed input.
 *
 * A middleware that does not call `next` (such as CORS for a preflight), throws, or is asynchronous has no effect on the reply.
 */
export const createRefusals = (middleware: Stages, kernel: RequestKernel): ReplyToRejected => {
  const { settings } = kernel;
  const chain = stagesOf(refusalStages, middleware, settings);
  return (error, source) => {
    const target = targetOf(source.target);
    const path = target.path === UNREADABLE ? null : target.path;
    const reject = (): Response => errorReply(error, { path, accept: source.field("accept") }, settings);
    const handle = chain.reduceRight<SyncHandler>((next, each) => tolerate(each, next, settings.log), reject);
    return handle(new HttpRequest(source, kernel, target, null));
  };
};

type SyncHandler = (request: HttpRequest) => Response;

const tolerate =
  (middleware: Middleware<HttpRequest, Response>, next: SyncHandler, log: Logger): SyncHandler =>
  (request) => {
    let innerReply: Response | null = null;
    const inner: Handler<HttpRequest, Response> = (passedOn) => (innerReply ??= next(passedOn));
    const reply = attempt(() => middleware(request, inner), request, log);
    if (innerReply === null) return (innerReply = next(request));
    return reply ?? innerReply;
  };

/** Returns a middleware's synchronous output; `null` when it fails or is asynchronous. */
const attempt = (
  run: () => ReturnType<Handler<HttpRequest, Response>>,
  request: HttpRequest,
  log: Logger,
): Response | null => {
  const logFailure = (error: unknown): null => {
    log.error("a middleware failed on a refused message", { error, ...requestFields(request) });
    return null;
  };
  try {
    const reply = run();
    if (!isPromise(reply)) return reply;
    reply.then(undefined, logFailure);
    return null;
  } catch (error) {
    return logFailure(error);
  }
};

const targetOf = (target: string): Pick<CanonicalTarget, "path" | "search"> => {
  if (target === "*") return { path: "*", search: "" };
  try {
    return canonicalise(target);
  } catch {
    return { path: UNREADABLE, search: "" }; // the message is rejected for another reason
  }
};
