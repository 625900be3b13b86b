import type { Logger } from "../log/logger.ts";
import { mapAwaitable, type Middleware } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Response } from "../response/response.ts";

/** Logs one line per request, `GET /books -> 200 (1.234 ms)`: the output of `logs` unless a feature replaces it. */
export const requestLines = (
  log: Logger,
  now: () => number = () => performance.now(),
): Middleware<HttpRequest, Response> =>
  function requestLines(request, next) {
    const start = now();
    return mapAwaitable(next(request), (reply) => {
      log.info(`${request.method} ${request.path} -> ${reply.status} (${(now() - start).toFixed(3)} ms)`);
      return reply;
    });
  };
