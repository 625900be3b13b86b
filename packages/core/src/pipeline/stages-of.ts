import { type OuterStage, type Stages } from "../feature/stages.ts";
import type { AppSettings } from "../lifecycle/app-settings.ts";
import type { Middleware } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Response } from "../response/response.ts";
import { requestLines } from "./request-lines.ts";

/** Returns the middleware of outer stages, outermost first, with the framework's request log if `logs` is enabled and no feature replaces it. */
export const stagesOf = (
  stages: readonly OuterStage[],
  middleware: Stages,
  { logs, log }: Pick<AppSettings, "logs" | "log">,
): readonly Middleware<HttpRequest, Response>[] => [
  ...(logs && !middleware.has("log") ? [requestLines(log)] : []),
  ...stages.flatMap((stage) => middleware.get(stage) ?? []),
];
